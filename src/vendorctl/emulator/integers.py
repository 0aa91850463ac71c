# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Integer and bit operations that need more than one NumPy operator. All work on arrays of any shape."""

from __future__ import annotations

import numpy as np

from vendorctl.emulator.arrays import I32, I64, U8, U32, U64, Array


def multiply_high_u32(a: Array, b: Array) -> Array:
    """Bits 32 to 63 of an unsigned product."""
    return ((a.astype(U64) * b.astype(U64)) >> U64(32)).astype(U32)


def multiply_high_i32(a: Array, b: Array) -> Array:
    """Bits 32 to 63 of a signed product of int32; as int32."""
    return ((a.astype(I64) * b.astype(I64)) >> I64(32)).astype(I32)


def low24(value: Array) -> Array:
    """Bits 0 to 23, zero extended."""
    return value & U32(0xFFFFFF)


def signed24(value: Array) -> Array:
    """Bits 0 to 23 of int32, sign extended."""
    return (value << I32(8)) >> I32(8)


def extract_unsigned(value: Array, offset: Array, count: Array) -> Array:
    """`count` bits of `value` from bit `offset` (both taken modulo 32)."""
    return (value >> (offset & U32(31))) & ((U32(1) << (count & U32(31))) - U32(1))


def extract_signed(value: Array, offset: Array, count: Array) -> Array:
    """As `extract_unsigned`, from int32 `value` extended beyond its top bit by its sign, and sign extended; int32."""
    size = (count & U32(31)).view(I32)
    shifted = value >> (offset & U32(31)).view(I32)
    part = shifted & ((I32(1) << size) - I32(1))
    sign = np.where(size == 0, I32(0), I32(1) << (np.maximum(size, 1) - I32(1)))
    return (part ^ sign) - sign


def permute_bytes(high: Array, low: Array, selector: Array) -> Array:
    """Each byte of the result picked from the eight bytes of high:low by a byte of `selector`.

    Selectors 8 to 11 give the sign of the odd 16-bit words, 12 gives zero, larger ones give 0xFF.
    """
    both = (high.astype(U64) << U64(32)) | low.astype(U64)
    result = np.zeros(np.broadcast_shapes(both.shape, selector.shape), U32)
    for position in range(4):
        choice = (selector >> U32(8 * position)) & U32(255)
        byte = (both >> ((choice & U32(7)).astype(U64) * U64(8))).astype(U32) & U32(255)
        sign_at = ((choice & U32(3)).astype(U64) * U64(16)) + U64(15)
        sign = ((both >> sign_at) & U64(1)).astype(U32) * U32(255)
        special = np.where(choice >= 13, U32(255), np.where(choice == 12, U32(0), sign))
        result |= np.where(choice >= 8, special, byte) << U32(8 * position)
    return result


def align(high: Array, low: Array, count: Array) -> Array:
    """Bits `count` to `count` + 31 of high:low; `count` modulo 32."""
    both = (high.astype(U64) << U64(32)) | low.astype(U64)
    return (both >> (count & U32(31)).astype(U64)).astype(U32)


def reverse_bits(value: Array) -> Array:
    """The bits of uint32 in opposite order."""
    raw = np.ascontiguousarray(value).astype(">u4").view(U8).reshape(*value.shape, 4)
    return np.packbits(np.unpackbits(raw, axis=-1, bitorder="big"), axis=-1, bitorder="little").view(U32)[..., 0]


def count_ones(value: Array) -> Array:
    """How many bits of an unsigned integer are set; as uint32."""
    return np.bitwise_count(value).astype(U32)


def leading_zeros(value: Array, width: int = 32) -> Array:
    """How many zeros precede the highest set bit, as int32; -1 for zero."""
    position = np.full(value.shape, -1, I32)
    for bit in range(width):
        position = np.where((value >> value.dtype.type(bit)) & value.dtype.type(1), I32(width - 1 - bit), position)
    return position


def trailing_zeros(value: Array, width: int = 32) -> Array:
    """The number of the lowest set bit, as int32; -1 for zero."""
    position = np.full(value.shape, -1, I32)
    for bit in reversed(range(width)):
        position = np.where((value >> value.dtype.type(bit)) & value.dtype.type(1), I32(bit), position)
    return position


def leading_sign_bits(value: Array) -> Array:
    """How many top bits of int32 equal the sign, as int32; -1 when all bits are equal."""
    flipped = np.where(value < 0, ~value, value).view(U32)
    return np.where(flipped == 0, I32(-1), leading_zeros(flipped))


def mask_of(count: Array, offset: Array) -> Array:
    """`count` ones from bit `offset` up (both modulo 32)."""
    return ((U32(1) << (count & U32(31))) - U32(1)) << (offset & U32(31))


def truth_table(a: Array, b: Array, c: Array, table: int) -> Array:
    """For every bit position, bit a*4 + b*2 + c of `table`."""
    result = np.zeros(np.broadcast_shapes(a.shape, b.shape, c.shape), a.dtype)
    for row in range(8):
        if table >> row & 1:
            result |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
    return result


def clamp_to(value: Array, low: int, high: int) -> Array:
    """`value` (any integer type) limited to [low, high], as int64."""
    return np.clip(value.astype(I64), low, high)


def sum_of_differences(a: Array, b: Array, c: Array, size: int, shift: int = 0) -> Array:
    """C + the sum over fields of `size` bits of |a - b| << shift."""
    total = c.astype(U32)
    mask = U32((1 << size) - 1) if size < 32 else U32(0xFFFFFFFF)
    for offset in range(0, 32, size):
        x, y = (a >> U32(offset)) & mask, (b >> U32(offset)) & mask
        total = total + ((np.maximum(x, y) - np.minimum(x, y)) << U32(shift))
    return total
