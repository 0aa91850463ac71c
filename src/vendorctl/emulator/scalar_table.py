# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Scalar-unit operations, one line each: the kinds of result and operands, the function, and what becomes of SCC."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vendorctl.emulator import floats, integers
from vendorctl.emulator.arrays import F16, F32, I32, I64, U16, U32, U64, Array
from vendorctl.emulator.known import Rule, by_operators, copied, strict

KEEP, NONZERO, RETURNED = "keep", "nonzero", "returned"


@dataclass(frozen=True, slots=True)
class ScalarOp:
    """A scalar operation. SCC is kept, set when the result is not zero, or returned beside the result."""

    result: str
    operands: tuple[str, ...]
    function: Callable[..., Any]
    scc: str = KEEP
    rule: Rule = strict


SCALAR_OPS: dict[str, ScalarOp] = {}


def _add(names: str, kinds: str, function: Callable[..., Any], scc: str = KEEP, rule: Rule = strict) -> None:
    result, operands = kinds.split("<-")
    for name in names.split():
        SCALAR_OPS[name] = ScalarOp(result.strip(), tuple(operands.split()), function, scc, rule)


def _bits(names: str, kinds: str, function: Callable[..., Any], scc: str = KEEP) -> None:
    _add(names, kinds, function, scc, by_operators(function))


_BITWISE: dict[str, Callable[[Any, Any], Any]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b),
    "xnor": lambda a, b: ~(a ^ b),
    "andn2": lambda a, b: a & ~b,
    "and_not1": lambda a, b: a & ~b,
    "orn2": lambda a, b: a | ~b,
    "or_not1": lambda a, b: a | ~b,
}
#: saveexec forms: name -> new EXEC from (operand, old EXEC).
SAVE_EXEC: dict[str, Callable[[Any, Any], Any]] = {
    **{name: _BITWISE[name] for name in ("and", "or", "xor", "nand", "nor", "xnor")},
    "andn2": lambda a, e: a & ~e,
    "and_not1": lambda a, e: a & ~e,
    "andn1": lambda a, e: ~a & e,
    "and_not0": lambda a, e: ~a & e,
    "orn2": lambda a, e: a | ~e,
    "or_not1": lambda a, e: a | ~e,
    "orn1": lambda a, e: ~a | e,
    "or_not0": lambda a, e: ~a | e,
}

for _size, _amount in ((32, U32), (64, U64)):
    _kind = f"u{_size}"
    for _name, _function in _BITWISE.items():
        _bits(f"s_{_name}_b{_size}", f"{_kind} <- {_kind} {_kind}", _function, NONZERO)
    _add(f"s_mov_b{_size}", f"{_kind} <- {_kind}", lambda a: a, KEEP, copied)
    _bits(f"s_not_b{_size}", f"{_kind} <- {_kind}", lambda a: ~a, NONZERO)
    _mask = U32(_size - 1)
    _shift = f"{_kind} <- {_kind} u32"
    _bits(f"s_lshl_b{_size}", _shift, lambda a, b, m=_mask, t=_amount: a << (b & m).astype(t), NONZERO)
    _bits(f"s_lshr_b{_size}", _shift, lambda a, b, m=_mask, t=_amount: a >> (b & m).astype(t), NONZERO)
    _signed = {32: I32, 64: I64}[_size]
    _bits(
        f"s_ashr_i{_size}", f"i{_size} <- i{_size} u32",
        lambda a, b, m=_mask, t=_amount, s=_signed: a >> (b & m).astype(t).view(s), NONZERO,
    )  # fmt: skip
    _add(f"s_bcnt1_i32_b{_size}", f"u32 <- {_kind}", integers.count_ones, NONZERO)
    _add(f"s_bcnt0_i32_b{_size}", f"u32 <- {_kind}", lambda a: integers.count_ones(~a), NONZERO)
    _add(f"s_ff1_i32_b{_size} s_ctz_i32_b{_size}", f"i32 <- {_kind}", lambda a, n=_size: integers.trailing_zeros(a, n))
    _add(f"s_ff0_i32_b{_size}", f"i32 <- {_kind}", lambda a, n=_size: integers.trailing_zeros(~a, n))
    _add(f"s_flbit_i32_b{_size} s_clz_i32_u{_size}", f"i32 <- {_kind}", lambda a, n=_size: integers.leading_zeros(a, n))
_add("s_flbit_i32 s_cls_i32", "i32 <- i32", integers.leading_sign_bits)
_add("s_brev_b32", "u32 <- u32", integers.reverse_bits)
_add("s_sext_i32_i8", "i32 <- i32", lambda a: (a << I32(24)) >> I32(24))
_add("s_sext_i32_i16", "i32 <- i32", lambda a: (a << I32(16)) >> I32(16))
_add("s_bfm_b32", "u32 <- u32 u32", integers.mask_of)


def _clear_bit(a: Array, old: Array) -> Array:
    return old & ~(U32(1) << (a & U32(31)))


def _set_bit(a: Array, old: Array) -> Array:
    return old | (U32(1) << (a & U32(31)))


#: Operations whose second operand is the result register itself.
READ_RESULT: dict[str, ScalarOp] = {
    "s_bitset0_b32": ScalarOp("u32", ("u32", "u32"), _clear_bit),
    "s_bitset1_b32": ScalarOp("u32", ("u32", "u32"), _set_bit),
}

# Addition: the carry or overflow goes to SCC.


def _carry(a: Array, b: Array) -> tuple[Array, Array]:
    total = a.astype(U64) + b.astype(U64)
    return total.astype(U32), total >> U64(32) != 0


def _borrow(a: Array, b: Array) -> tuple[Array, Array]:
    return a - b, b > a


def _signed_sum(a: Array, b: Array) -> tuple[Array, Array]:
    total = a.astype(I64) + b.astype(I64)
    return total.astype(I32), (total > 2**31 - 1) | (total < -(2**31))


def _signed_difference(a: Array, b: Array) -> tuple[Array, Array]:
    total = a.astype(I64) - b.astype(I64)
    return total.astype(I32), (total > 2**31 - 1) | (total < -(2**31))


def _shifted_sum(a: Array, b: Array, count: int) -> tuple[Array, Array]:
    total = (a.astype(U64) << U64(count)) + b.astype(U64)
    return total.astype(U32), total >> U64(32) != 0


_add("s_add_u32 s_add_co_u32", "u32 <- u32 u32", _carry, RETURNED)
_add("s_sub_u32 s_sub_co_u32", "u32 <- u32 u32", _borrow, RETURNED)
_add("s_add_i32 s_add_co_i32", "i32 <- i32 i32", _signed_sum, RETURNED)
_add("s_sub_i32 s_sub_co_i32", "i32 <- i32 i32", _signed_difference, RETURNED)
_bits("s_add_nc_u64", "u64 <- u64 u64", lambda a, b: a + b)
_bits("s_sub_nc_u64", "u64 <- u64 u64", lambda a, b: a - b)
for _shift_by in range(1, 5):
    _add(
        f"s_lshl{_shift_by}_add_u32", "u32 <- u32 u32",
        lambda a, b, k=_shift_by: _shifted_sum(a, b, k), RETURNED,
    )  # fmt: skip


_bits("s_mul_i32", "u32 <- u32 u32", lambda a, b: a * b)
_bits("s_mul_u64", "u64 <- u64 u64", lambda a, b: a * b)
_add("s_mul_hi_u32", "u32 <- u32 u32", integers.multiply_high_u32)
_add("s_mul_hi_i32", "i32 <- i32 i32", integers.multiply_high_i32)
_add("s_abs_i32", "i32 <- i32", np.abs, NONZERO)
_add("s_absdiff_i32", "i32 <- i32 i32", lambda a, b: np.abs(a - b), NONZERO)
for _kind in ("i32", "u32"):
    _two = f"{_kind} <- {_kind} {_kind}"
    _add(f"s_min_{_kind}", _two, lambda a, b: (np.minimum(a, b), a < b), RETURNED)
    _add(f"s_max_{_kind}", _two, lambda a, b: (np.maximum(a, b), a >= b), RETURNED)


def _extract(value: Array, control: Array) -> Array:
    """A field of `value`: its offset in the low bits of `control`, its size in bits 16 to 22.

    Signed values are extended by their sign beyond the top bit, and the field is sign extended.
    """
    kind, size = value.dtype, value.dtype.itemsize * 8
    one = kind.type(1)
    offset = (control & U32(size - 1)).astype(kind)
    count = (control >> U32(16)) & U32(127)
    every = np.array(-1).astype(kind)
    mask = np.where(count >= size, every, (one << np.minimum(count, size - 1).astype(kind)) - one)
    part = (value >> offset) & mask
    if kind.kind == "u":
        return part
    sign = np.where(count == 0, kind.type(0), one << (np.clip(count, 1, size).astype(kind) - one))
    return (part ^ sign) - sign


for _kind in ("u32", "i32", "u64", "i64"):
    _add(f"s_bfe_{_kind}", f"{_kind} <- {_kind} u32", _extract, NONZERO)
for _name, _low, _high in (("ll", 0, 0), ("lh", 0, 16), ("hh", 16, 16), ("hl", 16, 0)):
    _bits(
        f"s_pack_{_name}_b32_b16", "u32 <- u32 u32",
        lambda a, b, x=_low, y=_high: ((a >> U32(x)) & U32(0xFFFF)) | ((b >> U32(y)) << U32(16)),
    )  # fmt: skip


def _replicate_bits(a: Array) -> Array:
    value = a.astype(U64)
    for shift, mask in ((16, 0x0000FFFF0000FFFF), (8, 0x00FF00FF00FF00FF), (4, 0x0F0F0F0F0F0F0F0F),
                        (2, 0x3333333333333333), (1, 0x5555555555555555)):  # fmt: skip
        value = (value | value << U64(shift)) & U64(mask)
    return value | value << U64(1)


_add("s_bitreplicate_b64_b32", "u64 <- u32", _replicate_bits)

# Floating point (gfx11.5 and gfx12)
for _kind in ("f32", "f16"):
    _one, _two, _three = (f"{_kind} <- " + " ".join([_kind] * count) for count in (1, 2, 3))
    _add(f"s_add_{_kind}", _two, lambda a, b: a + b)
    _add(f"s_sub_{_kind}", _two, lambda a, b: a - b)
    _add(f"s_mul_{_kind}", _two, lambda a, b: a * b)
    _add(f"s_min_{_kind} s_min_num_{_kind}", _two, floats.smaller)
    _add(f"s_max_{_kind} s_max_num_{_kind}", _two, floats.larger)
    _add(f"s_minimum_{_kind}", _two, floats.minimum)
    _add(f"s_maximum_{_kind}", _two, floats.maximum)
    READ_RESULT[f"s_fmac_{_kind}"] = ScalarOp(_kind, (_kind,) * 3, floats.fma)
    for _name, _function in (("ceil", np.ceil), ("floor", np.floor), ("trunc", np.trunc), ("rndne", np.rint)):
        _add(f"s_{_name}_{_kind}", _one, _function)
_add("s_cvt_f32_i32", "f32 <- i32", lambda a: a.astype(F32))
_add("s_cvt_f32_u32", "f32 <- u32", lambda a: a.astype(F32))
_add("s_cvt_i32_f32", "i32 <- f32", floats.to_i32)
_add("s_cvt_u32_f32", "u32 <- f32", floats.to_u32)
_add("s_cvt_f16_f32", "f16 <- f32", lambda a: a.astype(F16))
_add("s_cvt_f32_f16", "f32 <- f16", lambda a: a.astype(F32))
_add("s_cvt_hi_f32_f16", "f32 <- u32", lambda a: (a >> U32(16)).astype(U16).view(F16).astype(F32))
_add(
    "s_cvt_pk_rtz_f16_f32", "u32 <- f32 f32",
    lambda a, b: floats.pack_halves(floats.to_f16_towards_zero(a), floats.to_f16_towards_zero(b)),
)  # fmt: skip
