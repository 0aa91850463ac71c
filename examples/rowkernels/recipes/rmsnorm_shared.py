# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the library offers, as its recipes build it. NumPy is imported only where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vendorctl.kernels.recipe import Expected, storage_dtype

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Types of x and of the weight: equal, or the weight in f32.
TYPE_PAIRS = (("f32", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("f16", "f32"), ("bf16", "f32"))
#: Widths that have gradients: heads and layers of models, and rows with a tail. `rowkernels._contract` says the same.
GRADIENT_WIDTHS = (7, 64, 100, 128, 256, 257, 512, 768, 1003, 1024, 2048, 4096, 4099, 8192)
#: Largest accepted error in units of the reference's magnitude.
_TOLERANCE = {"f32": 2e-6, "f16": 1.2e-3, "bf16": 8e-3}


def block_for(n: int) -> int:
    """Threads for a row of `n` that is held in registers: whole waves, 8 elements to a thread as long as that goes."""
    return min(64 * -(-n // 512), 1024)


def normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    """Normally distributed values of a storage type."""
    return rng.standard_normal(shape).astype(storage_dtype(dtype))


def blank(shape: tuple[int, ...], dtype: str) -> Any:
    """Zeros of a storage type, for an output."""
    import numpy as np

    return np.zeros(shape, storage_dtype(dtype))


def double(array: Any) -> npt.NDArray[np.float64]:
    """The exact values of a storage array in float64."""
    import numpy as np

    return np.asarray(array).astype(np.float64)


def expected(values: npt.NDArray[np.float64], dtype: str, scale: Any) -> Expected:
    """`values`, stored as `dtype`, with errors measured in units of `scale`."""
    return Expected(values=values, tolerance=_TOLERANCE[dtype], scale=scale)
