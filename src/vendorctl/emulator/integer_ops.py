# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Lane-wise integer and bit operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from vendorctl.emulator import integers
from vendorctl.emulator.arrays import I16, I32, I64, U16, U32, U64, Array
from vendorctl.emulator.known import copied, permuted
from vendorctl.emulator.vector_table import Table

INTEGER_OPS = Table()
_add, _bits = INTEGER_OPS.add, INTEGER_OPS.add_bits

for _size in ("b32", "b16", "b64"):
    _add(f"v_mov_{_size}", f"{_size} <- {_size}", lambda a: a, copied)
_add("v_accvgpr_mov_b32 v_accvgpr_read v_accvgpr_write", "b32 <- b32", lambda a: a, copied)

# Bitwise
for _size in ("b32", "b16"):
    _bits(f"v_and_{_size}", f"{_size} <- {_size} {_size}", lambda a, b: a & b)
    _bits(f"v_or_{_size}", f"{_size} <- {_size} {_size}", lambda a, b: a | b)
    _bits(f"v_xor_{_size}", f"{_size} <- {_size} {_size}", lambda a, b: a ^ b)
    _bits(f"v_not_{_size}", f"{_size} <- {_size}", lambda a: ~a)
_bits("v_xnor_b32", "b32 <- b32 b32", lambda a, b: ~(a ^ b))
_bits("v_and_or_b32", "b32 <- b32 b32 b32", lambda a, b, c: (a & b) | c)
_bits("v_or3_b32", "b32 <- b32 b32 b32", lambda a, b, c: a | b | c)
_bits("v_xor3_b32", "b32 <- b32 b32 b32", lambda a, b, c: a ^ b ^ c)
_bits("v_bfi_b32", "b32 <- b32 b32 b32", lambda a, b, c: (a & b) | (~a & c))
_add("v_perm_b32", "b32 <- b32 b32 b32", integers.permute_bytes, permuted)
_add("v_bfrev_b32", "b32 <- b32", integers.reverse_bits)
_bits("v_bfe_u32", "u32 <- u32 u32 u32", integers.extract_unsigned)
_add("v_bfe_i32", "i32 <- i32 u32 u32", integers.extract_signed)
_add("v_bfm_b32", "u32 <- u32 u32", integers.mask_of)

# Shifts. The "rev" forms take the amount first.
_bits("v_lshlrev_b32", "u32 <- u32 u32", lambda a, b: b << (a & U32(31)))
_bits("v_lshrrev_b32", "u32 <- u32 u32", lambda a, b: b >> (a & U32(31)))
_bits("v_ashrrev_i32", "i32 <- u32 i32", lambda a, b: b >> (a & U32(31)).view(I32))
_bits("v_lshlrev_b16", "u16 <- u16 u16", lambda a, b: b << (a & U16(15)))
_bits("v_lshrrev_b16", "u16 <- u16 u16", lambda a, b: b >> (a & U16(15)))
_bits("v_ashrrev_i16", "i16 <- u16 i16", lambda a, b: b >> (a & U16(15)).view(I16))
_bits("v_lshlrev_b64", "u64 <- u32 u64", lambda a, b: b << (a & U32(63)).astype(U64))
_bits("v_lshrrev_b64", "u64 <- u32 u64", lambda a, b: b >> (a & U32(63)).astype(U64))
_bits("v_ashrrev_i64", "i64 <- u32 i64", lambda a, b: b >> (a & U32(63)).astype(U64).view(I64))
_bits("v_lshl_or_b32", "u32 <- u32 u32 u32", lambda a, b, c: (a << (b & U32(31))) | c)
_bits("v_lshl_add_u32", "u32 <- u32 u32 u32", lambda a, b, c: (a << (b & U32(31))) + c)
_bits("v_add_lshl_u32", "u32 <- u32 u32 u32", lambda a, b, c: (a + b) << (c & U32(31)))
_bits("v_lshl_add_u64", "u64 <- u64 u32 u64", lambda a, b, c: (a << (b & U32(7)).astype(U64)) + c)
_bits(
    "v_alignbit_b32",
    "u32 <- u32 u32 u32",
    lambda a, b, c: (((a.astype(U64) << U64(32)) | b.astype(U64)) >> (c & U32(31)).astype(U64)).astype(U32),
)
_bits(
    "v_alignbyte_b32",
    "u32 <- u32 u32 u32",
    lambda a, b, c: (((a.astype(U64) << U64(32)) | b.astype(U64)) >> ((c & U32(3)) * U32(8)).astype(U64)).astype(U32),
)
_bits("v_pack_b32_f16", "b32 <- b16 b16", lambda a, b: a.astype(U32) | (b.astype(U32) << U32(16)))

# Addition
for _kind, _names in (
    ("u32", "v_{0}_u32 v_{0}_nc_u32"),
    ("i32", "v_{0}_i32 v_{0}_nc_i32"),
    ("u16", "v_{0}_u16 v_{0}_nc_u16"),
    ("i16", "v_{0}_i16 v_{0}_nc_i16"),
):
    _bits(_names.format("add"), f"{_kind} <- {_kind} {_kind}", lambda a, b: a + b)
    _bits(_names.format("sub"), f"{_kind} <- {_kind} {_kind}", lambda a, b: a - b)
    _bits(_names.format("subrev"), f"{_kind} <- {_kind} {_kind}", lambda a, b: b - a)
_bits("v_add3_u32", "u32 <- u32 u32 u32", lambda a, b, c: a + b + c)
_bits("v_xad_u32", "u32 <- u32 u32 u32", lambda a, b, c: (a ^ b) + c)

# Multiplication
_bits("v_mul_lo_u32", "u32 <- u32 u32", lambda a, b: a * b)
_bits("v_mul_lo_u16", "u16 <- u16 u16", lambda a, b: a * b)
_add("v_mul_hi_u32", "u32 <- u32 u32", integers.multiply_high_u32)
_add("v_mul_hi_i32", "i32 <- i32 i32", integers.multiply_high_i32)
_bits("v_mul_u32_u24", "u32 <- u32 u32", lambda a, b: (a & U32(0xFFFFFF)) * (b & U32(0xFFFFFF)))
_bits("v_mad_u32_u24", "u32 <- u32 u32 u32", lambda a, b, c: (a & U32(0xFFFFFF)) * (b & U32(0xFFFFFF)) + c)
_add("v_mul_i32_i24", "i32 <- i32 i32", lambda a, b: integers.signed24(a) * integers.signed24(b))
_add("v_mad_i32_i24", "i32 <- i32 i32 i32", lambda a, b, c: integers.signed24(a) * integers.signed24(b) + c)
_add(
    "v_mul_hi_u32_u24", "u32 <- u32 u32", lambda a, b: integers.multiply_high_u32(integers.low24(a), integers.low24(b))
)
_add(
    "v_mul_hi_i32_i24",
    "i32 <- i32 i32",
    lambda a, b: integers.multiply_high_i32(integers.signed24(a), integers.signed24(b)),
)
_bits("v_mad_u16", "u16 <- u16 u16 u16", lambda a, b, c: a * b + c)
_bits("v_mad_i16", "i16 <- i16 i16 i16", lambda a, b, c: a * b + c)
_bits("v_mad_u32_u16", "u32 <- u16 u16 u32", lambda a, b, c: a.astype(U32) * b.astype(U32) + c)
_add("v_mad_i32_i16", "i32 <- i16 i16 i32", lambda a, b, c: a.astype(I32) * b.astype(I32) + c)

# Comparison
for _kind in ("i32", "u32", "i16", "u16"):
    _add(f"v_max_{_kind}", f"{_kind} <- {_kind} {_kind}", np.maximum)
    _add(f"v_min_{_kind}", f"{_kind} <- {_kind} {_kind}", np.minimum)
    _three = f"{_kind} <- {_kind} {_kind} {_kind}"
    _add(f"v_max3_{_kind}", _three, lambda a, b, c: np.maximum(np.maximum(a, b), c))
    _add(f"v_min3_{_kind}", _three, lambda a, b, c: np.minimum(np.minimum(a, b), c))
    _add(f"v_med3_{_kind}", _three, lambda a, b, c: np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c)))
    _add(f"v_maxmin_{_kind}", _three, lambda a, b, c: np.minimum(np.maximum(a, b), c))
    _add(f"v_minmax_{_kind}", _three, lambda a, b, c: np.maximum(np.minimum(a, b), c))

# Counting
_add("v_bcnt_u32_b32", "u32 <- u32 u32", lambda a, b: integers.count_ones(a) + b)
_add("v_clz_i32_u32 v_ffbh_u32", "i32 <- u32", integers.leading_zeros)
_add("v_ctz_i32_b32 v_ffbl_b32", "i32 <- u32", integers.trailing_zeros)
_add("v_cls_i32 v_ffbh_i32", "i32 <- i32", integers.leading_sign_bits)


def _difference(a: Array, b: Array, c: Array, size: int, shift: int) -> Array:
    return integers.sum_of_differences(a, b, c, size, shift)


_add("v_sad_u8", "u32 <- u32 u32 u32", lambda a, b, c: _difference(a, b, c, 8, 0))
_add("v_sad_hi_u8", "u32 <- u32 u32 u32", lambda a, b, c: _difference(a, b, c, 8, 16))
_add("v_sad_u16", "u32 <- u32 u32 u32", lambda a, b, c: _difference(a, b, c, 16, 0))
_add("v_sad_u32", "u32 <- u32 u32 u32", lambda a, b, c: _difference(a, b, c, 32, 0))


def _fields(word: Array, size: int, signed: bool) -> list[Any]:
    values = []
    for offset in range(0, 32, size):
        field = ((word >> U32(offset)) & U32((1 << size) - 1)).astype(I64)
        values.append(np.where(field >> (size - 1) & 1, field - (1 << size), field) if signed else field)
    return values


def dot_integers(a: Array, b: Array, c: Array, size: int, a_signed: bool, b_signed: bool) -> Array:
    """C + the dot product of the `size`-bit fields of two registers, modulo 2**32; as uint32."""
    pairs = zip(_fields(a, size, a_signed), _fields(b, size, b_signed), strict=True)
    total = sum((x * y for x, y in pairs), np.int64(0))
    return ((total + c.astype(I64)) & 0xFFFFFFFF).astype(U32)


_add("v_dot4_i32_i8 v_dot4c_i32_i8", "u32 <- u32 u32 u32", lambda a, b, c: dot_integers(a, b, c, 8, True, True))
_add("v_dot4_u32_u8", "u32 <- u32 u32 u32", lambda a, b, c: dot_integers(a, b, c, 8, False, False))
_add("v_dot8_i32_i4 v_dot8c_i32_i4", "u32 <- u32 u32 u32", lambda a, b, c: dot_integers(a, b, c, 4, True, True))
_add("v_dot8_u32_u4", "u32 <- u32 u32 u32", lambda a, b, c: dot_integers(a, b, c, 4, False, False))
_add("v_dot2_i32_i16 v_dot2c_i32_i16", "u32 <- u32 u32 u32", lambda a, b, c: dot_integers(a, b, c, 16, True, True))
_add("v_dot2_u32_u16", "u32 <- u32 u32 u32", lambda a, b, c: dot_integers(a, b, c, 16, False, False))
