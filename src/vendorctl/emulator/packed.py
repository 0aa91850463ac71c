# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Packed operations (VOP3P): two 16-bit or two 32-bit operations at once, mixed-precision FMA, and dot products."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from vendorctl.emulator import floats, integer_ops
from vendorctl.emulator.actions import Action, compute
from vendorctl.emulator.arrays import DTYPES, F16, F32, U16, U32, Array, bits, width
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.emulator.instruction import Operand
from vendorctl.emulator.known import copied, strict
from vendorctl.emulator.matrix import compile_matrix
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.registers import Reader, Source
from vendorctl.emulator.vector import VECTOR_OPS
from vendorctl.emulator.vector_table import VectorOp
from vendorctl.emulator.waves import Waves

_MIX = re.compile(r"v_(?:fma|mad)_(mix|mixlo|mixhi)_(f32|f16)")
_DOT_MIXED_SIGNS = re.compile(r"v_dot([48])_i32_iu([48])")


@dataclass(frozen=True, slots=True)
class _Modifiers:
    """The bits of one operand: which half feeds the low and the high result, and their sign changes."""

    low_from_high: bool
    high_from_high: bool
    negate_low: bool
    negate_high: bool


def compile_packed(ops: Operands) -> Action | None:
    """The action of a VOP3P instruction, or None when it is not modelled."""
    name = ops.instruction.mnemonic
    if name.startswith(("v_mfma", "v_wmma")):
        return compile_matrix(ops)
    if name in ("v_accvgpr_read", "v_accvgpr_write"):
        return compute(ops.destination("dst", "b32"), [_whole(ops, "src0")], lambda a: a, 32, copied)
    mix = _MIX.fullmatch(name)
    if mix:
        return _mixed(ops, mix[1])
    if name == "v_pk_mov_b32":
        return _packed_move(ops)
    if name.startswith("v_pk_") and name.endswith("_f32"):
        return _packed_f32(ops, VECTOR_OPS["v_" + name.removeprefix("v_pk_")])
    if name.startswith("v_pk_"):
        operation = VECTOR_OPS.get("v_" + name.removeprefix("v_pk_"))
        return _packed_16(ops, operation) if operation is not None and width(operation.result) == 16 else None
    return _dot(ops, name)


def _modifiers(ops: Operands, k: int) -> _Modifiers:
    fields = ops.instruction.fields
    high = fields["opsel_hi"] | fields["opsel_hi2"] << 2
    return _Modifiers(*(bool(bits >> k & 1) for bits in (fields["opsel"], high, fields["neg"], fields["neg_hi"])))


def _whole(ops: Operands, name: str, kind: str = "b32") -> Source:
    return ops.vector_source(ops.instruction.require(name).number, kind)


def _half(ops: Operands, k: int, kind: str, *, upper: bool) -> Source:
    """One half of operand `k`. A 16-bit float constant fills the lower half only."""
    number = ops.instruction.require(f"src{k}").number
    if 240 <= number <= 248 and kind[0] == "f":
        constant = ops.vector_source(number, "f16")
        zero = np.zeros((1, 1), F16)
        return Source(lambda _w: zero, constant.known) if upper else constant
    word, dtype, shift = ops.vector_source(number, "b32"), DTYPES[kind], U32(16 if upper else 0)
    return Source(
        lambda w: (word.value(w) >> shift).astype(U16).view(dtype), lambda w: (word.known(w) >> shift).astype(U16)
    )


def _negated(source: Source, negate: bool) -> Source:
    return Source(lambda w: -source.value(w), source.known) if negate else source


def _packed_16(ops: Operands, operation: VectorOp) -> Action:
    kind, count = operation.operands[0], len(operation.operands)
    lows, highs = [], []
    for k in range(count):
        m = _modifiers(ops, k)
        is_float = kind[0] == "f"
        lows.append(_negated(_half(ops, k, operation.operands[k], upper=m.low_from_high), is_float and m.negate_low))
        highs.append(_negated(_half(ops, k, operation.operands[k], upper=m.high_from_high), is_float and m.negate_high))
    result = ops.destination("dst", "b32")
    function, rule = operation.function, operation.rule
    clamp = bool(ops.instruction.fields.get("clamp"))

    def half(w: Waves, sources: list[Source]) -> Array:
        value = function(*(source.value(w) for source in sources))
        if clamp and kind[0] == "f":
            value = np.where(np.isnan(value), F16(0), np.clip(value, F16(0), F16(1)))
        return bits(value).astype(U32)

    def half_known(w: Waves, sources: list[Source]) -> Array:
        return rule([source.value(w) for source in sources], [source.known(w) for source in sources], 16).astype(U32)

    if clamp and kind[0] != "f":
        raise StopRun(FaultKind.UNKNOWN_INSTRUCTION, "saturating integer arithmetic is not modelled")
    return Action(
        lambda w: result.write(w, half(w, lows) | (half(w, highs) << U32(16))),
        lambda w: result.write_known(w, half_known(w, lows) | (half_known(w, highs) << U32(16))),
    )


def _pair_member(ops: Operands, k: int, kind: str, *, second: bool) -> Source:
    number = ops.instruction.require(f"src{k}").number
    if 128 <= number <= 255:
        return ops.vector_source(number, kind)
    return ops.vector_source(number + int(second), kind)


def _pair_results(ops: Operands, kind: str) -> list[Operand]:
    operand = ops.instruction.require("dst")
    return [Operand("dst", operand.number + k, width(kind)) for k in range(2)]


def _packed_f32(ops: Operands, operation: VectorOp) -> Action:
    count = len(operation.operands)
    halves: list[list[Source]] = [[], []]
    for k in range(count):
        m = _modifiers(ops, k)
        halves[0].append(_negated(_pair_member(ops, k, "f32", second=m.low_from_high), m.negate_low))
        halves[1].append(_negated(_pair_member(ops, k, "f32", second=m.high_from_high), m.negate_high))
    results = [ops.vector_destination(operand, "f32") for operand in _pair_results(ops, "f32")]

    def run(w: Waves) -> None:
        values = [operation.function(*(source.value(w) for source in sources)) for sources in halves]
        for result, value in zip(results, values, strict=True):
            result.write(w, value)

    def shadow(w: Waves) -> None:
        knowns = [strict([], [source.known(w) for source in sources], 32) for sources in halves]
        for result, known in zip(results, knowns, strict=True):
            result.write_known(w, known)

    return Action(run, shadow)


def _packed_move(ops: Operands) -> Action:
    """Each result register is one chosen register of one operand pair."""
    low = _pair_member(ops, 0, "b32", second=_modifiers(ops, 0).low_from_high)
    high = _pair_member(ops, 1, "b32", second=_modifiers(ops, 1).low_from_high)
    results = [ops.vector_destination(operand, "b32") for operand in _pair_results(ops, "b32")]

    def both(w: Waves, first: Reader, second: Reader) -> list[Array]:
        return [np.array(first(w)), np.array(second(w))]

    def run(w: Waves) -> None:
        for result, value in zip(results, both(w, low.value, high.value), strict=True):
            result.write(w, value)

    def shadow(w: Waves) -> None:
        for result, known in zip(results, both(w, low.known, high.known), strict=True):
            result.write_known(w, known)

    return Action(run, shadow)


def _mixed(ops: Operands, form: str) -> Action:
    """fma_mix: operands are float32 registers or float16 halves; the result is float32 or one float16 half."""
    sources = []
    for k in range(3):
        m = _modifiers(ops, k)
        # Here op_sel_hi says "is a half", op_sel which one, and neg_hi means absolute value.
        if m.high_from_high:
            half = _half(ops, k, "f16", upper=m.low_from_high)
            source = Source(_widened(half.value), half.known)
        else:
            source = _whole(ops, f"src{k}", "f32")
        if m.negate_high:
            source = Source(_magnitude(source.value), source.known)
        sources.append(_negated(source, m.negate_low))
    operand = ops.instruction.require("dst")
    if form == "mix":
        return compute(ops.destination("dst", "f32"), sources, floats.fma, 32)
    place = Operand("dst", operand.number, 16, high=form == "mixhi")
    # Unlike gfx9's other 16-bit instructions, both forms keep the other half of the register.
    result = ops.vector_destination(place, "f16", keep_other_half=True)
    return compute(result, sources, lambda a, b, c: floats.fma(a, b, c).astype(F16), 16)


def _widened(read: Reader) -> Reader:
    return lambda w: read(w).astype(F32)


def _magnitude(read: Reader) -> Reader:
    return lambda w: np.abs(read(w))


def _dot(ops: Operands, name: str) -> Action | None:
    """Dot products of packed fields, with the third operand added."""
    mixed = _DOT_MIXED_SIGNS.fullmatch(name)
    third = "f32" if name.startswith("v_dot2_f32") else "u32"
    sources = [_whole(ops, "src0"), _whole(ops, "src1"), _whole(ops, "src2", third)]
    if mixed:
        signs = ops.instruction.fields["neg"]
        size = int(mixed[2])

        def function(a: Array, b: Array, c: Array) -> Array:
            return integer_ops.dot_integers(a, b, c, size, bool(signs & 1), bool(signs & 2))

        return compute(ops.destination("dst", "u32"), sources, function, 32)
    operation = VECTOR_OPS.get(name)
    if operation is None or ops.instruction.fields["neg"] or ops.instruction.fields["neg_hi"]:
        return None
    return compute(ops.destination("dst", operation.result), sources, operation.function, 32)
