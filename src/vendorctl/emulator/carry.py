# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Vector additions with carry in and out, and the wide multiply-add, whose second result is a lane mask."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vendorctl.emulator.actions import Action
from vendorctl.emulator.arrays import ALL_ONES, I64, U32, U64, Array
from vendorctl.emulator.instruction import VCC
from vendorctl.emulator.known import strict
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.registers import Destination
from vendorctl.emulator.waves import Waves


def _carry_out(ops: Operands) -> Destination:
    operand = ops.instruction.operand("sdst")
    return ops.mask_destination(operand.number if operand else VCC)


def _sum(*, subtract: bool = False, reverse: bool = False, carry_in: bool = False) -> Callable[[Operands], Action]:
    def build(ops: Operands) -> Action:
        first, second = ops.source("src0", "u32"), ops.source("src1", "u32")
        if reverse:
            first, second = second, first
        chooser = ops.instruction.operand("src2")
        carry = ops.lane_mask(chooser.number if chooser else VCC) if carry_in else None
        result, out = ops.destination("dst", "u32"), _carry_out(ops)

        def run(w: Waves) -> None:
            a, b = first.value(w).astype(U64), second.value(w).astype(U64)
            extra = carry.value(w).astype(U64) if carry else U64(0)
            total = a - b - extra if subtract else a + b + extra
            result.write(w, total.astype(U32))
            out.write(w, (total >> U64(32) != 0) & w.exec_mask())

        def shadow(w: Waves) -> None:
            known = strict([], [first.known(w), second.known(w)], 32)
            if carry:
                known = np.where(carry.known(w), known, U32(0))
            result.write_known(w, known)
            out.write_known(w, (known != 0) | ~w.exec_mask())

        return Action(run, shadow)

    return build


def _wide_multiply_add(signed: bool) -> Callable[[Operands], Action]:
    def build(ops: Operands) -> Action:
        kind = "i32" if signed else "u32"
        first, second = ops.source("src0", kind), ops.source("src1", kind)
        third = ops.source("src2", "u64")
        result, out = ops.destination("dst", "u64"), _carry_out(ops)

        def run(w: Waves) -> None:
            wide = I64 if signed else U64
            product = (first.value(w).astype(wide) * second.value(w).astype(wide)).view(U64)
            addend = third.value(w)
            total = product + addend
            result.write(w, total)
            out.write(w, _overflow(product, addend, total, signed) & w.exec_mask())

        def shadow(w: Waves) -> None:
            factors = strict([], [first.known(w), second.known(w)], 64)
            # Compilers leave the addend's upper half unset where they need the sum's lower half only.
            known = _below_first_unknown(factors & third.known(w))
            result.write_known(w, known)
            out.write_known(w, (known == ALL_ONES[64]) | ~w.exec_mask())

        return Action(run, shadow)

    return build


def _below_first_unknown(known: Array) -> Array:
    """The bits of a sum that unknown bits of an operand cannot reach: carries only travel upwards."""
    return known & ~(known + U64(1))


def _overflow(a: Array, b: Array, total: Array, signed: bool) -> Array:
    if not signed:
        return total < b
    return (~(a ^ b) & (a ^ total)) >> U64(63) != 0


CARRY_FORMS: dict[str, Callable[[Operands], Action | None]] = {
    "v_add_co_u32": _sum(),
    "v_sub_co_u32": _sum(subtract=True),
    "v_subrev_co_u32": _sum(subtract=True, reverse=True),
    **dict.fromkeys(("v_addc_co_u32", "v_add_co_ci_u32"), _sum(carry_in=True)),
    **dict.fromkeys(("v_subb_co_u32", "v_sub_co_ci_u32"), _sum(subtract=True, carry_in=True)),
    **dict.fromkeys(("v_subbrev_co_u32", "v_subrev_co_ci_u32"), _sum(subtract=True, reverse=True, carry_in=True)),
    **dict.fromkeys(("v_mad_u64_u32", "v_mad_co_u64_u32"), _wide_multiply_add(signed=False)),
    **dict.fromkeys(("v_mad_i64_i32", "v_mad_co_i64_i32"), _wide_multiply_add(signed=True)),
}
