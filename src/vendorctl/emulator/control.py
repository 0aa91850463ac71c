# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Control flow and synchronisation (SOPP): branches, barriers, waits, the end of the program."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vendorctl.emulator.actions import Action
from vendorctl.emulator.arrays import Array
from vendorctl.emulator.findings import HazardKind
from vendorctl.emulator.instruction import EXEC, SCC, VCC
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.waits import decode_waits
from vendorctl.emulator.waves import Waves

#: Instructions that only affect time, caches, priorities or debugging.
NO_EFFECT = frozenset(
    "s_nop s_clause s_delay_alu s_wait_alu s_waitcnt_depctr s_sleep s_sleep_var s_setprio s_sendmsg s_code_end"  # noqa: SIM905
    " s_inst_prefetch s_set_inst_prefetch_distance s_icache_inv s_wait_expcnt s_waitcnt_expcnt s_wait_samplecnt"
    " s_wait_bvhcnt s_wakeup s_incperflevel s_decperflevel s_ttracedata s_ttracedata_imm s_sched_barrier"
    " s_set_valu_coexec_mode".split()
)
_BARRIERS = ("s_barrier", "s_barrier_wait")
#: The workgroup barrier; others are named barriers and clusters.
_WORKGROUP_BARRIER = 0xFFFF
#: The inline constant -1, which names the workgroup barrier in s_barrier_signal.
_WORKGROUP_SIGNAL = 193


def compile_control(ops: Operands) -> Action | None:
    """The action of a control-flow or timing instruction, or None when it is not modelled."""
    name = ops.instruction.mnemonic
    if name in NO_EFFECT:
        return Action(None)
    if name == "s_barrier_signal":
        return _signal(ops)
    waits = decode_waits(ops.instruction, ops.context.target)
    if waits:
        return _wait(waits)
    if name in ("s_endpgm", "s_endpgm_saved"):
        return Action(_end, branches=True)
    if name in _BARRIERS:
        return _barrier(ops)
    if name == "s_branch":
        target = _target(ops)
        return Action(lambda w: _jump(w, np.full(w.n, target)), branches=True)
    if name.startswith("s_cbranch_"):
        return _conditional(ops, name.removeprefix("s_cbranch_"))
    return None


def _target(ops: Operands) -> int:
    instruction = ops.instruction
    return instruction.address + instruction.size + 4 * instruction.fields["simm16"]


def _jump(w: Waves, target: Array) -> None:
    np.copyto(w.pc, target, where=w.everyone)


def _end(w: Waves) -> None:
    w.done |= w.everyone


def _wait(waits: list[tuple[int, int]]) -> Action:
    def run(w: Waves) -> None:
        if w.checks is None or w.checks.waits is None:
            return
        for kind, remaining in waits:
            w.checks.waits.wait(w, kind, remaining)

    return Action(run)


def _arrive(w: Waves) -> None:
    if w.checks is not None and w.checks.epochs is not None:
        w.checks.epochs.arrive(w)


def _signal(ops: Operands) -> Action | None:
    """gfx12 splits the barrier: stores that were waited for before the signal are what it publishes."""
    return Action(_arrive) if ops.instruction.require("src0").number == _WORKGROUP_SIGNAL else None


def _barrier(ops: Operands) -> Action | None:
    instruction = ops.instruction
    if instruction.mnemonic == "s_barrier_wait" and instruction.fields["simm16"] & 0xFFFF != _WORKGROUP_BARRIER:
        return None
    after = instruction.address + instruction.size
    split = instruction.mnemonic == "s_barrier_wait"

    def run(w: Waves) -> None:
        w.waiting |= w.everyone
        _jump(w, np.full(w.n, after))
        if not split:
            _arrive(w)

    return Action(run, branches=True)


def _conditional(ops: Operands, condition: str) -> Action | None:
    after, target = ops.instruction.address + ops.instruction.size, _target(ops)
    words = ops.context.mask_words
    mask = {"vcc": VCC, "exec": EXEC}.get(condition.rstrip("zn"))
    test: Callable[[Waves], Array]
    if condition in ("scc0", "scc1"):
        ops.will_read(SCC)
        want = condition == "scc1"

        def test(w: Waves) -> Array:
            return w.scc == want

    elif mask is not None:
        ops.will_read(mask, words)
        zero = condition in ("vccz", "execz")

        def test(w: Waves) -> Array:
            return (w.scalar[mask : mask + words] == 0).all(axis=0) == zero

    else:
        return None
    numbers = [SCC] if mask is None else [mask + k for k in range(words)]

    def run(w: Waves) -> None:
        _jump(w, np.where(test(w), target, after))

    def shadow(w: Waves) -> None:
        unknown = np.zeros(w.n, bool)
        for number in numbers:
            known = np.broadcast_to(w.known(number) if number == SCC else w.known(number)[:, 0], (w.n,))
            unknown |= ~known if number == SCC else known != np.uint32(0xFFFFFFFF)
        if (unknown & w.everyone).any():
            assert w.checks is not None
            w.checks.report(
                HazardKind.UNINITIALISED_BRANCH,
                f"{ops.instruction.mnemonic} depends on bits that were never given a value",
            )

    return Action(run, shadow, branches=True)
