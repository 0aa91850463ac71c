# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The execution loop: which waves run next, instruction by instruction, until all have ended.

Of the waves that the schedule allows, those with the lowest program counter run first. Waves that took different
branches therefore meet again where their paths join, and run together from there.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from vendorctl.emulator.actions import Step
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.emulator.program import Program
from vendorctl.emulator.schedule import Turns
from vendorctl.emulator.waves import Waves, WaveState

_NEVER = 1 << 60


class Machine:
    """Executes one program on one set of waves.

    `segments` counts straight-line runs: (first address, address after the last) -> waves that executed it.
    `instruction_address` is where execution stands, also after a StopRun.
    """

    def __init__(self, program: Program, state: WaveState, turns: Turns, step_limit: int) -> None:
        self.program, self.state, self.turns = program, state, turns
        self.segments: Counter[tuple[int, int]] = Counter()
        self.instruction_address = program.kernel.entry
        self._steps_left = step_limit

    def run(self) -> None:
        """Run until every wave has ended. Raises StopRun for whatever prevents that."""
        state = self.state
        with np.errstate(all="ignore"):
            while True:
                runnable = ~(state.done | state.waiting)
                if runnable.any():
                    self._turn(runnable)
                elif state.done.all():
                    return
                else:
                    self._release()

    def _release(self) -> None:
        """Open the barrier of every workgroup all of whose waves wait at it or have ended."""
        state = self.state
        shape = (state.ranks, state.groups)
        arrived = (state.waiting | state.done).reshape(shape).all(axis=0)
        passing = state.waiting & np.tile(arrived, state.ranks)
        if not passing.any():
            raise StopRun(FaultKind.DEADLOCK, "waves wait at a barrier that the others never reach")
        state.waiting[passing] = False
        if state.checks is not None and state.checks.epochs is not None:
            state.checks.epochs.leave(passing)

    def _turn(self, runnable: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> None:
        state = self.state
        ranks = np.nonzero(runnable.reshape(state.ranks, state.groups).any(axis=1))[0].tolist()
        first, last, most = self.turns.choose(ranks)
        span = slice(first * state.groups, (last + 1) * state.groups)
        counters = state.pc[span]
        candidates = runnable[span]
        pc = int(counters[candidates].min())
        active = candidates & (counters == pc)
        others = counters[candidates & ~active]
        stop = int(others.min()) if others.size else _NEVER
        chosen = np.nonzero(active.reshape(-1, state.groups).any(axis=1))[0]
        low, high = int(chosen[0]), int(chosen[-1])
        active = active[low * state.groups : (high + 1) * state.groups]
        w = state.window(first + low, first + high)
        w.activate(None if active.all() else active)
        most = min(most, self._steps_left)
        if most <= 0:
            raise StopRun(FaultKind.STEP_LIMIT, "the kernel did not end within the limit of instructions")
        end, count = self._run(w, pc, stop, most)
        self.segments[pc, end] += int(active.sum())
        self._steps_left -= count

    def _run(self, w: Waves, pc: int, stop: int, most: int) -> tuple[int, int]:
        """Execute from `pc` to the next branch, to `stop`, or for `most` instructions: (end address, how many)."""
        steps, checked = self.program.steps, w.checks is not None
        for count in range(1, most + 1):
            self.instruction_address = pc
            step = steps.get(pc) or self.program.step(pc)
            action = step.action
            if checked:
                self._check(w, step)
            if action.branches:
                assert action.run is not None
                action.run(w)
                return pc + step.instruction.size, count
            if action.run is not None:
                action.run(w)
            pc += step.instruction.size
            if pc >= stop:
                break
        np.copyto(w.pc, pc, where=w.everyone)
        return pc, count

    def _check(self, w: Waves, step: Step) -> None:
        """Before an instruction: are its registers waited for, and which bits of its results will be known."""
        checks, action = w.checks, step.action
        assert checks is not None
        checks.instruction = step.instruction
        waits = checks.waits
        if waits is not None and (step.half_reads | step.half_writes) & waits.pending:
            waits.check(w, step.instruction, step.half_reads, step.half_writes, checks.report)
        if action.own_shadow:
            return
        unclean = ~w.clean
        if action.shadow is not None and step.reads & unclean:
            action.shadow(w)
        elif step.writes & unclean:
            self._mark_known(w, step.writes & unclean)

    @staticmethod
    def _mark_known(w: Waves, registers: int) -> None:
        """Every operand was known, so the results are."""
        while registers:
            low = registers & -registers
            w.write_known(low.bit_length() - 1, None)
            registers ^= low
