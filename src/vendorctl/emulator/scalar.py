# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Compilation of scalar-unit instructions (SOP1, SOP2, SOPC, SOPK) other than control flow."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from vendorctl.emulator.actions import Action
from vendorctl.emulator.arrays import I64, U32, Array, retype, width
from vendorctl.emulator.compare import COMPARISONS
from vendorctl.emulator.floats import fma
from vendorctl.emulator.instruction import EXEC, SCC
from vendorctl.emulator.known import copied, strict
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.registers import Destination, Source
from vendorctl.emulator.scalar_table import KEEP, NONZERO, READ_RESULT, RETURNED, SAVE_EXEC, SCALAR_OPS, ScalarOp
from vendorctl.emulator.waves import Waves

_COMPARE = re.compile(r"s_cmpk?_(\w+)_([fiu]\d\d)")
_BIT_TEST = re.compile(r"s_bitcmp([01])_b(32|64)")
_SAVE = re.compile(r"s_(\w+?)_(save|wr)exec_b(32|64)")
#: Instructions that change modes or hints of which nothing is modelled, and that are safe to pass over.
_NO_EFFECT = frozenset({"s_version", "s_setvskip"})


def compile_scalar(ops: Operands) -> Action | None:
    """The action of a scalar instruction, or None when it is not modelled."""
    name = ops.instruction.mnemonic
    if name in _NO_EFFECT:
        return Action(None)
    special = _SPECIAL.get(name)
    if special is not None:
        return special(ops)
    save = _SAVE.fullmatch(name)
    if save:
        return _save_exec(ops, SAVE_EXEC[save[1]], int(save[3]), keep_result=save[2] == "wr")
    test = _BIT_TEST.fullmatch(name)
    if test:
        return _bit_test(ops, want=int(test[1]), size=int(test[2]))
    compare = _COMPARE.fullmatch(name)
    if compare:
        return _compare(ops, compare[1], compare[2])
    operation = READ_RESULT.get(name) or SCALAR_OPS.get(name)
    if operation is None:
        return None
    count = len(operation.operands)
    sources = [ops.scalar_source(f"src{k}", kind) for k, kind in enumerate(operation.operands) if _has(ops, f"src{k}")]
    if name in READ_RESULT:
        sources.append(ops.scalar_register(_result_number(ops), operation.operands[-1]))
    if len(sources) != count:
        return None
    return _operate(ops, operation, sources)


def _has(ops: Operands, name: str) -> bool:
    return ops.instruction.operand(name) is not None


def _result_number(ops: Operands) -> int:
    operand = ops.instruction.operand("sdst") or ops.instruction.require("dst")
    return operand.number


def _operate(ops: Operands, operation: ScalarOp, sources: list[Source]) -> Action:
    size = width(operation.result)
    result = ops.scalar_destination(_result_number(ops), operation.result if size >= 32 else "u32")
    if operation.scc != KEEP:
        ops.will_write(SCC)

    def run(w: Waves) -> None:
        value = operation.function(*(source.value(w) for source in sources))
        if operation.scc == RETURNED:
            value, scc = value
            result.write(w, value)
            w.write_scc(scc)
            return
        value = np.asarray(value)
        result.write(w, value if size >= 32 else value.view(np.uint16).astype(U32))
        if operation.scc == NONZERO:
            w.write_scc(value != 0)

    def shadow(w: Waves) -> None:
        knowns = [source.known(w) for source in sources]
        values = [source.value(w) for source in sources]
        known = operation.rule(values, knowns, max(size, 32))
        result.write_known(w, known)
        if operation.scc != KEEP:
            w.write_known(SCC, np.broadcast_to(strict([], knowns, 32) != 0, (w.n,)))

    return Action(run, shadow)


def _set_scc(ops: Operands, sources: list[Source], function: Callable[..., Array]) -> Action:
    ops.will_write(SCC)

    def shadow(w: Waves) -> None:
        w.write_known(SCC, np.broadcast_to(strict([], [source.known(w) for source in sources], 32) != 0, (w.n,)))

    return Action(lambda w: w.write_scc(function(*(source.value(w) for source in sources))), shadow)


def _immediate(ops: Operands, kind: str) -> Source:
    value = np.array([ops.instruction.fields["simm16"] & (0xFFFF if kind == "u32" else 0xFFFFFFFF)], U32)
    typed = retype(value, kind)
    return Source(lambda _w: typed, lambda _w: np.array([0xFFFFFFFF], U32))


def _compare(ops: Operands, condition: str, kind: str) -> Action | None:
    # For integers "lg" means not equal; for floats less or greater.
    condition = "ne" if condition == "lg" and kind[0] != "f" else condition
    function = COMPARISONS.get(condition)
    if function is None:
        return None
    if ops.instruction.format == "SOPK":
        sources = [ops.scalar_register(_result_number(ops), kind), _immediate(ops, kind)]
    else:
        sources = [ops.scalar_source("src0", kind), ops.scalar_source("src1", kind)]
    return _set_scc(ops, sources, function)


def _bit_test(ops: Operands, want: int, size: int) -> Action:
    value, bit = ops.scalar_source("src0", f"u{size}"), ops.scalar_source("src1", "u32")

    def function(a: Array, b: Array) -> Array:
        position = (b & U32(size - 1)).astype(a.dtype)
        return (a >> position) & a.dtype.type(1) == want

    return _set_scc(ops, [value, bit], function)


def _save_exec(ops: Operands, function: Callable[..., Array], size: int, *, keep_result: bool) -> Action:
    """Saves EXEC and changes it; the wrexec forms store the new EXEC instead of the old one."""
    kind = f"u{size}"
    source, old = ops.scalar_source("src0", kind), ops.scalar_register(EXEC, kind)
    saved, exec_mask = ops.scalar_destination(_result_number(ops), kind), ops.scalar_destination(EXEC, kind)
    ops.will_write(SCC)

    def run(w: Waves) -> None:
        before = np.array(old.value(w))
        after = np.broadcast_to(function(source.value(w), before), before.shape)
        saved.write(w, after if keep_result else before)
        exec_mask.write(w, after)
        w.write_scc(after != 0)

    def shadow(w: Waves) -> None:
        known = source.known(w)
        saved.write_known(w, known if keep_result else old.known(w))
        exec_mask.write_known(w, known)
        w.write_known(SCC, np.broadcast_to(strict([], [known], 32) != 0, (w.n,)))

    return Action(run, shadow)


def _select(kind: str) -> Callable[[Operands], Action]:
    def build(ops: Operands) -> Action:
        first, second = ops.scalar_source("src0", kind), ops.scalar_source("src1", kind)
        ops.will_read(SCC)
        result = ops.scalar_destination(_result_number(ops), kind)

        def shadow(w: Waves) -> None:
            chosen = np.where(w.scc, first.known(w), second.known(w))
            result.write_known(w, np.where(w.known(SCC), chosen, chosen.dtype.type(0)))

        return Action(lambda w: result.write(w, np.where(w.scc, first.value(w), second.value(w))), shadow)

    return build


def _conditional_move(kind: str) -> Callable[[Operands], Action]:
    def build(ops: Operands) -> Action:
        number = _result_number(ops)
        source = _immediate(ops, "u32") if ops.instruction.format == "SOPK" else ops.scalar_source("src0", kind)
        old, result = ops.scalar_register(number, kind), ops.scalar_destination(number, kind)
        ops.will_read(SCC)

        def shadow(w: Waves) -> None:
            chosen = np.where(w.scc, source.known(w), old.known(w))
            result.write_known(w, np.where(w.known(SCC), chosen, chosen.dtype.type(0)))

        return Action(lambda w: result.write(w, np.where(w.scc, source.value(w), old.value(w))), shadow)

    return build


def _with_carry(*, subtract: bool) -> Callable[[Operands], Action]:
    def build(ops: Operands) -> Action:
        sources = [ops.scalar_source("src0", "u32"), ops.scalar_source("src1", "u32")]
        ops.will_read(SCC)
        ops.will_write(SCC)
        result = ops.scalar_destination(_result_number(ops), "u32")

        def run(w: Waves) -> None:
            a, b = (source.value(w).astype(I64) for source in sources)
            total = a - b - w.scc if subtract else a + b + w.scc
            result.write(w, np.broadcast_to((total & 0xFFFFFFFF).astype(U32), (w.n,)))
            w.write_scc((total < 0) | (total > 0xFFFFFFFF))

        def shadow(w: Waves) -> None:
            known = np.where(w.known(SCC), strict([], [source.known(w) for source in sources], 32), U32(0))
            result.write_known(w, known)
            w.write_known(SCC, np.broadcast_to(known != 0, (w.n,)))

        return Action(run, shadow)

    return build


def _fused_with_constant(form: str) -> Callable[[Operands], Action]:
    def build(ops: Operands) -> Action:
        value = np.array([ops.instruction.literal or 0], U32).view(np.float32)
        constant = Source(lambda _w: value, lambda _w: np.array([0xFFFFFFFF], U32))
        first, second = ops.scalar_source("src0", "f32"), ops.scalar_source("src1", "f32")
        sources = [first, constant, second] if form == "mk" else [first, second, constant]
        return _operate(ops, ScalarOp("f32", ("f32",) * 3, fma), sources)

    return build


def _move_constant(ops: Operands) -> Action:
    return _operate(ops, ScalarOp("u32", ("u32",), lambda a: a, KEEP, copied), [_immediate(ops, "i32")])


def _add_constant(ops: Operands) -> Action:
    old = ops.scalar_register(_result_number(ops), "i32")
    return _operate(ops, SCALAR_OPS["s_add_i32"], [old, _immediate(ops, "i32")])


def _multiply_constant(ops: Operands) -> Action:
    old = ops.scalar_register(_result_number(ops), "i32")
    return _operate(ops, ScalarOp("i32", ("i32", "i32"), lambda a, b: a * b), [old, _immediate(ops, "i32")])


def _program_counter(ops: Operands) -> Action:
    after = ops.instruction.address + ops.instruction.size
    result: Destination = ops.scalar_destination(_result_number(ops), "u64")
    return Action(lambda w: result.write(w, np.full(w.n, w.state.code_base + after, np.uint64)))


def _hardware_register(ops: Operands) -> Action:
    """s_getreg: everything asked for reads as zero, which is what the mode bits of a fresh wave mostly are."""
    result = ops.scalar_destination(_result_number(ops), "u32")
    return Action(lambda w: result.write(w, np.zeros(w.n, U32)))


_SPECIAL: dict[str, Callable[[Operands], Action | None]] = {
    "s_cselect_b32": _select("u32"),
    "s_cselect_b64": _select("u64"),
    "s_cmov_b32": _conditional_move("u32"),
    "s_cmov_b64": _conditional_move("u64"),
    "s_cmovk_i32": _conditional_move("u32"),
    **dict.fromkeys(("s_addc_u32", "s_add_co_ci_u32"), _with_carry(subtract=False)),
    **dict.fromkeys(("s_subb_u32", "s_sub_co_ci_u32"), _with_carry(subtract=True)),
    "s_fmamk_f32": _fused_with_constant("mk"),
    "s_fmaak_f32": _fused_with_constant("ak"),
    "s_movk_i32": _move_constant,
    **dict.fromkeys(("s_addk_i32", "s_addk_co_i32"), _add_constant),
    "s_mulk_i32": _multiply_constant,
    "s_getpc_b64": _program_counter,
    "s_getreg_b32": _hardware_register,
}
