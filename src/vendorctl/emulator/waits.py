# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Wait counters: a register that a memory instruction will write holds nothing until the program has waited for it.

The emulator delivers data at once, which hardware does not. This checker therefore counts, per wave, the accesses that
were issued and those that some wait has proven complete, and finds registers that are touched in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from vendorctl.emulator.arrays import I32, Array
from vendorctl.emulator.findings import HazardKind
from vendorctl.emulator.instruction import ACCUMULATOR, VECTOR, Instruction
from vendorctl.emulator.targets import Target

if TYPE_CHECKING:
    from vendorctl.emulator.waves import Waves

#: What an access is counted as.
LOAD, STORE, LDS, SCALAR = range(4)
_NAMES = ("vector loads", "stores", "LDS accesses", "scalar loads")


class WaitChecker:
    """Outstanding accesses of all waves of a launch.

    Each counter numbers its accesses from 1; `issued` and `done` are int32 (counters, waves). Registers are tracked by
    halves, because 16-bit loads into the two halves of a register are waited for one by one: half-register 2r is the
    lower half of register r, 2r + 1 the upper one. `pending` has a bit for every half that some wave waits for.
    """

    def __init__(self, target: Target, waves: int) -> None:
        self.target = target
        self.pending = 0
        self.issued: Array = np.zeros((4, waves), I32)
        self.done: Array = np.zeros((4, waves), I32)
        self._last_scalar: Array = np.zeros(waves, I32)
        self._pending = [0] * 4
        self._due: dict[tuple[int, int], tuple[Array, Instruction]] = {}
        self._waves = waves

    def counter(self, kind: int) -> int:
        """The counter that accesses of `kind` share on this target."""
        if self.target.split_counters:
            return kind
        if kind == SCALAR:
            return LDS
        return LOAD if kind == STORE and not self.target.store_counter else kind

    def issue(self, w: Waves, kind: int, halves: int, instruction: Instruction) -> None:
        """Count one access by the waves of the window; it will write the half-registers of the bit set `halves`."""
        counter = self.counter(kind)
        issued = self.issued[counter, w.span]
        issued += 1 if w.active is None else w.active
        if kind == SCALAR:
            np.copyto(self._last_scalar[w.span], issued, where=w.everyone)
        for half in _members(halves):
            found = self._due.get((counter, half))
            due = np.zeros(self._waves, I32) if found is None else found[0]
            np.copyto(due[w.span], issued, where=w.everyone)
            self._due[counter, half] = due, instruction
        self._pending[counter] |= halves
        self.pending |= halves

    def wait(self, w: Waves, kind: int, remaining: int) -> None:
        """The program waits until at most `remaining` accesses of the counter of `kind` are outstanding."""
        counter = self.counter(kind)
        issued, done = self.issued[counter, w.span], self.done[counter, w.span]
        complete = issued - I32(remaining)
        if remaining and counter == self.counter(SCALAR):
            # Scalar loads return in any order: while one is outstanding, a count above zero proves nothing.
            complete = np.where(self._last_scalar[w.span] > done, 0, complete)
        np.maximum(done, np.where(w.everyone, complete, 0), out=done)
        self._settle(counter)

    def _settle(self, counter: int) -> None:
        """Forget halves of `counter` that no wave waits for any more."""
        done = self.done[counter]
        for half in _members(self._pending[counter]):
            if not (self._due[counter, half][0] > done).any():
                self._pending[counter] &= ~(1 << half)
        self.pending = self._pending[0] | self._pending[1] | self._pending[2] | self._pending[3]

    def complete(self, kind: int) -> Array:
        """int32 (waves,): the number of the last access of `kind` that each wave knows to be complete."""
        return self.done[self.counter(kind)]

    def number(self, kind: int) -> Array:
        """int32 (waves,): the number of the last access of `kind` that each wave issued."""
        return self.issued[self.counter(kind)]

    def check(self, w: Waves, instruction: Instruction, reads: int, writes: int, report: Callable[..., None]) -> None:
        """Report half-registers that this instruction touches while one of its waves still waits for them."""
        for counter, pending in enumerate(self._pending):
            for half in _members((reads | writes) & pending):
                due, owner = self._due[counter, half]
                late = (due[w.span] > self.done[counter, w.span]) & w.everyone
                read = bool(reads >> half & 1)
                # Loads of one kind return in order, so a later load into the same register simply wins.
                if not late.any() or (not read and instruction.format == owner.format):
                    continue
                wave = int(w.span.start + late.argmax())
                report(
                    HazardKind.MISSING_WAIT,
                    f"{instruction.mnemonic} {'reads' if read else 'overwrites'} {register_name(half // 2)} before"
                    f" waiting for {owner.mnemonic}, which writes it; {_NAMES[counter]} are not waited for",
                    other=owner,
                    data={"register": half // 2, "wave": wave},
                )


def register_name(number: int) -> str:
    """The assembler's name of a register."""
    if number >= ACCUMULATOR:
        return f"a{number - ACCUMULATOR}"
    return f"v{number - VECTOR}" if number >= VECTOR else f"s{number}"


def _members(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def decode_waits(instruction: Instruction, target: Target) -> list[tuple[int, int]]:
    """(kind, remaining accesses) for every counter that a wait instruction waits for; empty when it is not one."""
    name = instruction.mnemonic
    value = instruction.fields.get("simm16", 0) & 0xFFFF
    if name == "s_waitcnt":
        if target.is_cdna:
            loads, lds = (value & 15) | (value >> 14 & 3) << 4, value >> 8 & 15
        else:
            loads, lds = value >> 10 & 63, value >> 4 & 63
        return [(LOAD, loads), (LDS, lds)]
    if name in ("s_wait_loadcnt_dscnt", "s_wait_storecnt_dscnt"):
        return [(LOAD if "load" in name else STORE, value >> 8 & 63), (LDS, value & 63)]
    single = {
        "s_wait_loadcnt": LOAD, "s_wait_storecnt": STORE, "s_wait_dscnt": LDS, "s_wait_kmcnt": SCALAR,
        "s_waitcnt_vmcnt": LOAD, "s_waitcnt_vscnt": STORE, "s_waitcnt_lgkmcnt": LDS,
    }.get(name)  # fmt: skip
    if name == "s_wait_idle":
        return [(kind, 0) for kind in (LOAD, STORE, LDS, SCALAR)]
    return [] if single is None else [(single, value & 63)]
