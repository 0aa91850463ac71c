# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the recipes of minikernels share: types, tolerances, test data. Imports NumPy only where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vendorctl.kernels.recipe import Expected, storage_dtype

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Largest accepted error in units of the reference magnitude: half an ulp of the storage type, and f32 rounding.
TOLERANCE = {"f32": 2e-6, "f16": 1.2e-3, "bf16": 8e-3}

#: Activation and weight types that are shipped together: equal, or weights kept in f32.
TYPE_PAIRS = (("f32", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("f16", "f32"), ("bf16", "f32"))


def block_for(n: int) -> int:
    """Threads per row: one wave of 64 for short rows, enough for at most eight 16-byte groups per thread."""
    return 64 if n <= 512 else 256 if n <= 8192 else 1024


def normal(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: str, *, spread: float = 1.0, mean: float = 0.0
) -> Any:
    """Normally distributed values in the storage type."""
    return (rng.standard_normal(shape) * spread + mean).astype(storage_dtype(dtype))


def blank(shape: tuple[int, ...], dtype: str) -> Any:
    """Zeros in the storage type, for an output."""
    import numpy as np

    return np.zeros(shape, storage_dtype(dtype))


def double(array: Any) -> npt.NDArray[np.float64]:
    """The exact values of a storage array in float64."""
    import numpy as np

    return np.asarray(array).astype(np.float64)


def expected(values: npt.NDArray[np.float64], dtype: str, *, factor: float = 1.0, scale: Any = None) -> Expected:
    """`values` as an expectation for an output stored as `dtype`.

    The tolerance is `factor` times that of the type, in units of `scale` (default: the largest finite magnitude).
    Values that round beyond the type's range become infinite, as they do when the kernel stores them.
    """
    import numpy as np

    storage = storage_dtype(dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = values.astype(storage).astype(np.float64)
    overflow = np.isinf(rounded) & np.isfinite(values)
    values = np.where(overflow, rounded, values)
    if scale is None:
        finite = np.abs(values[np.isfinite(values)])
        scale = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
    return Expected(values=values, tolerance=TOLERANCE[dtype] * factor, scale=scale)
