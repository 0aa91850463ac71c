# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Dual issue (VOPD, gfx11 on): two lane-wise operations that both read before either writes."""

from __future__ import annotations

from dataclasses import dataclass

from vendorctl.emulator.actions import Action
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.emulator.instruction import Instruction, Operand
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.vector import compile_vector
from vendorctl.emulator.waves import Waves


@dataclass(frozen=True, slots=True)
class _Half:
    """One of the two operations: its action, and the result register as a number and as a row of the state."""

    action: Action
    reads: int
    number: int
    row: int

    def run(self, w: Waves) -> None:
        assert self.action.run is not None
        self.action.run(w)

    def shadow(self, w: Waves) -> None:
        assert self.action.shadow is not None
        self.action.shadow(w)


def compile_dual(ops: Operands) -> Action:
    """The action of a dual-issue instruction: each half is compiled as the VOP2 instruction that it is.

    The half whose result the other one reads goes last. Only when each reads the other's result is a copy needed.
    """
    assert ops.instruction.dual is not None
    first, second = (_half(ops, name, suffix) for name, suffix in zip(ops.instruction.dual, ("", "y"), strict=True))
    if not second.reads >> first.number & 1:
        return _in_order(first, second)
    if not first.reads >> second.number & 1:
        return _in_order(second, first)
    return _exchanging(first, second)


def _in_order(first: _Half, second: _Half) -> Action:
    def run(w: Waves) -> None:
        first.run(w)
        second.run(w)

    def shadow(w: Waves) -> None:
        first.shadow(w)
        second.shadow(w)

    return Action(run, shadow)


def _exchanging(first: _Half, second: _Half) -> Action:
    """Both read what the other writes: the first result is put aside while the second half runs."""

    def run(w: Waves) -> None:
        before = w.vector[first.row].copy()
        first.run(w)
        after = w.vector[first.row].copy()
        w.vector[first.row] = before
        second.run(w)
        w.vector[first.row] = after

    def shadow(w: Waves) -> None:
        before = w.known(first.number).copy()
        first.shadow(w)
        after = w.known(first.number).copy()
        w.write_known(first.number, before)
        second.shadow(w)
        w.write_known(first.number, after)

    return Action(run, shadow)


def _half(ops: Operands, name: str, suffix: str) -> _Half:
    whole = ops.instruction
    operands = tuple(
        Operand(label, operand.number, 32)
        for label in ("dst", "src0", "src1")
        if (operand := whole.operand(label + suffix)) is not None and (label, name) != ("src1", "v_dual_mov_b32")
    )
    single = Instruction(
        whole.address, whole.size, whole.encoding, "VOP2", name.replace("v_dual_", "v_"), operands, {}, whole.literal
    )
    half = Operands(ops.context, single)
    action = compile_vector(half)
    if action is None:
        raise StopRun(FaultKind.UNKNOWN_INSTRUCTION, f"{name} is not modelled")
    ops.reads |= half.reads
    ops.writes |= half.writes
    ops.half_reads |= half.half_reads
    ops.half_writes |= half.half_writes
    number = single.require("dst").number
    return _Half(action, half.reads, number, half.row(number))
