# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Test data and float64 reference of RMSNorm forward, shared by its two tiers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recipe_support import blank, double, expected, normal

from vendorctl.kernels.recipe import Case, Expected, storage_dtype

if TYPE_CHECKING:
    import numpy as np


def forward_case(
    name: str, x: Any, dtype: str, weight: str, rng: np.random.Generator, *, inv_rms: bool, eps: float = 1e-5
) -> Case:
    """One call on the rows `x` ([rows, n], storage type `dtype`) with random weights."""
    rows, n = x.shape
    arguments = {
        "x": x,
        "w": normal(rng, (n,), weight),
        "y": blank((rows, n), dtype),
        "inv_rms": blank((rows,), "f32"),
        "eps": eps,
        "rows": rows,
    }
    outputs = ("y", "inv_rms") if inv_rms else ("y",)
    return Case(name=name, arguments=arguments, outputs=outputs, inplace=(("y", "x"),))


def forward_reference(case: Case, dtype: str) -> Mapping[str, Expected]:
    """Expectations for y and, where it is an output, 1/rms; the unit of error is the largest value of each row."""
    import numpy as np

    x, w = double(case.arguments["x"]), double(case.arguments["w"])
    # The kernel gets epsilon as f32.
    eps = float(np.float32(case.arguments["eps"]))
    with np.errstate(invalid="ignore", divide="ignore"):
        inverse = 1.0 / np.sqrt((x * x).mean(axis=1) + eps)
        y = x * inverse[:, None] * w
    largest = np.abs(np.where(np.isfinite(y), y, 0.0)).max(axis=1, initial=0.0, keepdims=True)
    results = {"y": expected(y, dtype, scale=np.maximum(largest, 1e-30))}
    if "inv_rms" in case.outputs:
        magnitude = np.maximum(np.abs(np.where(np.isfinite(inverse), inverse, 0.0)), 1e-30)
        results["inv_rms"] = expected(inverse, "f32", scale=magnitude)
    return results


def special_rows(rng: np.random.Generator, n: int, dtype: str) -> Any:
    """Rows that break careless kernels: zeros, tiny values, values whose squares overflow f16, an infinity, a NaN."""
    import numpy as np

    rows = rng.standard_normal((5, n))
    rows[0] = 0.0
    rows[1] *= 1e-6
    rows[2] = np.clip(rows[2], -3, 3) * 2e4
    rows[3, n // 2] = np.inf
    rows[4, n - 1] = np.nan
    return rows.astype(storage_dtype(dtype))
