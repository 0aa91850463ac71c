# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The NumPy shapes and element kinds that registers are read as.

Everywhere in this package: `n` is the number of waves that execute together, `lanes` is 32 or 64; a vector value
has shape (n, lanes) or broadcasts to it, a scalar value has shape (n,).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

# NumPy's stubs give Any as the result of operators on arrays whose element type is not known, which is what registers
# are. Modules that return such results switch off mypy's no-any-return, and that check only.

#: An array of any element type. Shapes and kinds are stated where a function takes or returns one.
Array: TypeAlias = npt.NDArray[Any]

U8, U16, U32, U64 = np.uint8, np.uint16, np.uint32, np.uint64
I16, I32, I64 = np.int16, np.int32, np.int64
F16, F32, F64 = np.float16, np.float32, np.float64

#: Kind names as instruction mnemonics spell them -> element type.
DTYPES: dict[str, type[np.generic]] = {
    "u16": U16, "i16": I16, "f16": F16, "b16": U16,
    "u32": U32, "i32": I32, "f32": F32, "b32": U32,
    "u64": U64, "i64": I64, "f64": F64, "b64": U64,
}  # fmt: skip

#: Width in bits -> the unsigned type that holds the bits of a value.
UNSIGNED: dict[int, Any] = {16: U16, 32: U32, 64: U64}
ALL_ONES: dict[int, Any] = {16: U16(0xFFFF), 32: U32(0xFFFFFFFF), 64: U64(0xFFFFFFFFFFFFFFFF)}


def width(kind: str) -> int:
    """Bits in a value of `kind`."""
    return int(kind[1:])


def bits(value: Array) -> Array:
    """The same bits as unsigned integers; copies only when the memory layout demands it."""
    value = np.asarray(value)
    kind = UNSIGNED[value.dtype.itemsize * 8]
    return value.view(kind) if value.flags.c_contiguous or value.ndim == 0 else np.ascontiguousarray(value).view(kind)


def retype(value: Array, kind: str) -> Array:
    """Unsigned bits as values of `kind` (same width)."""
    return value.view(DTYPES[kind])


def join(low: Array, high: Array) -> Array:
    """Two 32-bit arrays as one of 64 bits."""
    return low.astype(U64) | (high.astype(U64) << U64(32))


def low_half(value: Array) -> Array:
    """Bits 0 to 31 of 64-bit values."""
    return value.astype(U32)


def high_half(value: Array) -> Array:
    """Bits 32 to 63 of 64-bit values."""
    return (value >> U64(32)).astype(U32)
