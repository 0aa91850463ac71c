# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Compilation of vector-unit instructions: the tables of lane-wise operations, and the forms that are special."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from vendorctl.emulator import division, integers
from vendorctl.emulator.actions import Action, compute
from vendorctl.emulator.arrays import ALL_ONES, DTYPES, U32, U64, Array, width
from vendorctl.emulator.carry import CARRY_FORMS
from vendorctl.emulator.compare import compile_compare
from vendorctl.emulator.float_ops import FLOAT_OPS
from vendorctl.emulator.instruction import VCC
from vendorctl.emulator.integer_ops import INTEGER_OPS
from vendorctl.emulator.known import by_operators, strict
from vendorctl.emulator.lane_ops import LANE_FORMS
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.registers import Source
from vendorctl.emulator.vector_table import VectorOp
from vendorctl.emulator.waves import Waves

#: Every lane-wise operation by mnemonic. Shared with dual issue and with the tests.
VECTOR_OPS: dict[str, VectorOp] = {**INTEGER_OPS, **FLOAT_OPS}

_FUSED_CONSTANT = re.compile(r"v_(?:fma|mad)(mk|ak)_(f16|f32)")
#: Operations whose third operand is the result register itself -> the operation in the table.
_ACCUMULATING = {
    "v_fmac_f32": "v_fma_f32",
    "v_fmac_f16": "v_fma_f16",
    "v_mac_f16": "v_mad_f16",
    "v_fmac_f64": "v_fma_f64",
    "v_fmac_dx9_zero_f32": "v_fma_dx9_zero_f32",
    **{name: name for name in VECTOR_OPS if re.match(r"v_dot\dc_|v_dot2acc_", name)},
}


def compile_vector(ops: Operands) -> Action | None:
    """The action of a VOP1, VOP2, VOPC, VOP3 or VOP3SD instruction, or None when it is not modelled."""
    name = ops.instruction.mnemonic
    if name.startswith("v_cmp"):
        return compile_compare(ops)
    special = _SPECIAL.get(name)
    if special is not None:
        return special(ops)
    fused = _FUSED_CONSTANT.fullmatch(name)
    if fused:
        return _fused_with_constant(ops, fused[1], fused[2])
    operation = VECTOR_OPS.get(_ACCUMULATING.get(name, name))
    if operation is None:
        return None
    sources = [ops.source(f"src{k}", kind) for k, kind in enumerate(operation.operands) if _has(ops, f"src{k}")]
    if name in _ACCUMULATING:
        sources = [*sources[:2], result_as_source(ops, operation.operands[2])]
    if len(sources) != len(operation.operands):
        return None
    return lane_wise(ops, operation, sources)


def lane_wise(ops: Operands, operation: VectorOp, sources: list[Source]) -> Action:
    """The action of one operation of the table on `sources`, stored in the `dst` field."""
    result = ops.destination("dst", operation.result)
    return compute(result, sources, operation.function, width(operation.result), operation.rule)


def result_as_source(ops: Operands, kind: str) -> Source:
    """What the result register holds before the instruction."""
    operand = ops.instruction.require("dst")
    return ops.vector_source(operand.number, kind, high=operand.high)


def _has(ops: Operands, name: str) -> bool:
    return ops.instruction.operand(name) is not None


def _fused_with_constant(ops: Operands, form: str, kind: str) -> Action:
    """Multiply by the literal (fmamk) or add it (fmaak)."""
    literal = np.array([[(ops.instruction.literal or 0) & ((1 << width(kind)) - 1)]], np.uint32)
    value = literal.astype({"f16": np.uint16, "f32": np.uint32}[kind]).view(DTYPES[kind])
    constant = Source(lambda _w: value, lambda _w: np.full((1, 1), ALL_ONES[width(kind)]))
    first, second = ops.source("src0", kind), ops.source("src1", kind)
    sources = [first, constant, second] if form == "mk" else [first, second, constant]
    fused = VECTOR_OPS[f"v_{'mad' if '_mad' in ops.instruction.mnemonic else 'fma'}_{kind}"]
    return compute(ops.destination("dst", kind), sources, fused.function, width(kind))


def _select(kind: str) -> Callable[[Operands], Action]:
    """cndmask: a lane mask chooses between two operands. The float kind lets sign modifiers apply."""

    def build(ops: Operands) -> Action:
        first, second = ops.source("src0", kind), ops.source("src1", kind)
        chooser = ops.instruction.operand("src2")
        mask = ops.lane_mask(chooser.number if chooser else VCC)
        result = ops.destination("dst", kind)

        def run(w: Waves) -> None:
            result.write(w, np.where(mask.value(w), second.value(w), first.value(w)))

        def shadow(w: Waves) -> None:
            chosen = np.where(mask.value(w), second.known(w), first.known(w))
            result.write_known(w, np.where(mask.known(w), chosen, chosen.dtype.type(0)))

        return Action(run, shadow)

    return build


def _divide_scale(kind: str) -> Callable[[Operands], Action]:
    def build(ops: Operands) -> Action:
        sources = [ops.source(f"src{k}", kind) for k in range(3)]
        result, flags = ops.destination("dst", kind), ops.mask_destination(ops.instruction.require("sdst").number)

        def run(w: Waves) -> None:
            scaled, flag = division.scale(*(np.broadcast_to(source.value(w), (w.n, w.lanes)) for source in sources))
            result.write(w, scaled)
            flags.write(w, flag & w.exec_mask())

        def shadow(w: Waves) -> None:
            known = strict([], [source.known(w) for source in sources], width(kind))
            result.write_known(w, known)
            flags.write_known(w, (known != 0) | ~w.exec_mask())

        return Action(run, shadow)

    return build


def _divide_step(kind: str) -> Callable[[Operands], Action]:
    def build(ops: Operands) -> Action:
        a, b, c = sources = [ops.source(f"src{k}", kind) for k in range(3)]
        mask, result = ops.lane_mask(VCC), ops.destination("dst", kind)

        def run(w: Waves) -> None:
            result.write(w, division.final_step(a.value(w), b.value(w), c.value(w), mask.value(w)))

        def shadow(w: Waves) -> None:
            known = strict([], [source.known(w) for source in sources], width(kind))
            result.write_known(w, np.where(mask.known(w), known, known.dtype.type(0)))

        return Action(run, shadow)

    return build


def _truth_table(kind: str) -> Callable[[Operands], Action]:
    """bitop3: the truth table sits in the bits that other instructions use as modifiers."""

    def build(ops: Operands) -> Action:
        fields = ops.instruction.fields
        table = (fields.get("omod", 0) << 6) | (fields.get("abs", 0) << 3) | fields.get("neg", 0)
        sources = [ops.vector_source(ops.instruction.require(f"src{k}").number, kind) for k in range(3)]

        def function(a: Array, b: Array, c: Array) -> Array:
            return integers.truth_table(a, b, c, table)

        return compute(ops.destination("dst", kind), sources, function, width(kind), by_operators(_formula(table)))

    return build


def _formula(table: int) -> Callable[..., object]:
    """The truth table as operators only, for the known-bits rule."""

    def function(a: Array, b: Array, c: Array) -> object:
        total = a & a.dtype.type(0)
        for row in range(8):
            if table >> row & 1:
                total = total | (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
        return total

    return function


def _count_lanes_below(high: bool) -> Callable[[Operands], Action]:
    """mbcnt: how many bits of a lane mask belong to lanes below this one, plus the second operand."""

    def build(ops: Operands) -> Action:
        lanes = np.arange(ops.context.lanes)
        below = np.clip(lanes - (32 if high else 0), 0, 32)
        mask = ((np.uint64(1) << below.astype(U64)) - np.uint64(1)).astype(U32)[None, :]

        def function(a: Array, b: Array) -> Array:
            return integers.count_ones(a & mask) + b

        return compute(
            ops.destination("dst", "u32"), [ops.source("src0", "u32"), ops.source("src1", "u32")], function, 32
        )

    return build


def _swap(ops: Operands) -> Action:
    first, second = ops.instruction.require("dst"), ops.instruction.require("src0")
    row_a, row_b = ops.row(first.number), ops.row(second.number)
    for operand in (first, second):
        ops.will_read(operand.number)
        ops.will_write(operand.number)

    def run(w: Waves) -> None:
        a, b = w.vector[row_a].copy(), w.vector[row_b].copy()
        w.write_vector(row_a, b)
        w.write_vector(row_b, a)

    def shadow(w: Waves) -> None:
        a, b = w.known(first.number).copy(), w.known(second.number).copy()
        w.write_known(first.number, b)
        w.write_known(second.number, a)

    return Action(run, shadow)


def _scalar_transcendental(table_name: str) -> Callable[[Operands], Action]:
    """gfx12's v_s_*: transcendental functions of scalar registers."""

    def build(ops: Operands) -> Action:
        operation = VECTOR_OPS[table_name]
        kind = operation.result
        source = ops.source("src0", kind)
        result = ops.scalar_destination(ops.instruction.require("dst").number, "u32")

        def run(w: Waves) -> None:
            value = np.ascontiguousarray(operation.function(source.value(w))[:, 0])
            result.write(w, np.broadcast_to(value.view(np.uint16 if kind == "f16" else U32).astype(U32), (w.n,)))

        def shadow(w: Waves) -> None:
            result.write_known(w, strict([], [source.known(w)[:, 0]], 32))

        return Action(run, shadow)

    return build


def _nothing(_ops: Operands) -> Action:
    return Action(None)


_SPECIAL: dict[str, Callable[[Operands], Action | None]] = {
    "v_nop": _nothing,
    "v_pipeflush": _nothing,
    "v_clrexcp": _nothing,
    "v_cndmask_b32": _select("f32"),
    "v_cndmask_b16": _select("f16"),
    "v_div_scale_f32": _divide_scale("f32"),
    "v_div_scale_f64": _divide_scale("f64"),
    "v_div_fmas_f32": _divide_step("f32"),
    "v_div_fmas_f64": _divide_step("f64"),
    "v_bitop3_b32": _truth_table("b32"),
    "v_mbcnt_lo_u32_b32": _count_lanes_below(high=False),
    "v_mbcnt_hi_u32_b32": _count_lanes_below(high=True),
    "v_swap_b32": _swap,
    **{
        f"v_s_{name}_{kind}": _scalar_transcendental(f"v_{name}_{kind}")
        for name in ("rcp", "rsq", "sqrt", "exp", "log")
        for kind in ("f32", "f16")
    },
    **CARRY_FORMS,
    **LANE_FORMS,
}
