# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Test data and float64 reference of softmax, shared by its two tiers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recipe_support import blank, double, expected

from vendorctl.kernels.recipe import Case, Expected, storage_dtype

if TYPE_CHECKING:
    import numpy as np


def softmax_case(name: str, x: Any, dtype: str) -> Case:
    """One call on the rows `x` ([rows, n], storage type `dtype`)."""
    arguments = {"x": x, "out": blank(x.shape, dtype), "rows": x.shape[0]}
    return Case(name=name, arguments=arguments, outputs=("out",), inplace=(("out", "x"),))


def softmax_reference(case: Case, dtype: str) -> Mapping[str, Expected]:
    """Probabilities. Their exponents carry f32's rounding of a difference of scores, so the tolerance is doubled."""
    import numpy as np

    x = double(case.arguments["x"])
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(axis=1, initial=-np.inf, keepdims=True))
        p = e / e.sum(axis=1, keepdims=True)
    return {"out": expected(p, dtype, factor=2.0)}


def special_scores(rng: np.random.Generator, n: int, dtype: str) -> Any:
    """Equal scores, scores far apart, masked (-inf) places, a NaN."""
    import numpy as np

    rows = rng.standard_normal((4, n))
    rows[0] = 7.0
    rows[1] *= 1e4
    rows[2, : n // 2] = -np.inf
    rows[3, n - 1] = np.nan
    return rows.astype(storage_dtype(dtype))
