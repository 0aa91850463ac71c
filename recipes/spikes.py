# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Rows whose result hangs on one element each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vendorctl.kernels.recipe import storage_dtype

if TYPE_CHECKING:
    import numpy as np


def spiked(rng: np.random.Generator, n: int, dtype: str, *, height: float) -> Any:
    """Rows of which one element outweighs all others, each at another place: whoever skips or misreads it is noticed.

    The places differ in vector slot, lane and wave, in the first half of the row and in the second.
    """
    rows = rng.standard_normal((16, n))
    for index, row in enumerate(rows):
        row[(index // 8 * (n // 2) + index % 8 * 41) % n] = height
    return rows.astype(storage_dtype(dtype))
