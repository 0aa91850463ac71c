# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Races: two waves touch the same bytes, one of them writes, and no barrier orders them.

This is a happens-before check. For every granule of memory the last writer and two readers are recorded with the
number of barriers they had passed (their epoch). Two accesses by different waves of a workgroup in the same epoch are
unordered, whatever order this run happened to choose and whether or not the values agree. Waves of different
workgroups are never ordered, except by atomic operations.

A record is an int64: wave + 1 in bits 0 to 23, epoch in bits 24 to 43, instruction number in bits 44 to 61, atomic in
bit 62; 0 means none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vendorctl.emulator.arrays import I32, I64, Array
from vendorctl.emulator.findings import HazardKind
from vendorctl.emulator.instruction import Instruction
from vendorctl.emulator.waits import LDS, WaitChecker

if TYPE_CHECKING:
    from vendorctl.emulator.waves import Waves

_WAVE = I64(0xFFFFFF)
_EPOCH = I64(0xFFFFF)
_ATOMIC = I64(1 << 62)


@dataclass(frozen=True, slots=True)
class Touch:
    """One access by some lanes: byte offsets, the waves they belong to (both one axis), bytes per lane."""

    offsets: Array
    waves: Array
    size: int


class Epochs:
    """How many barriers each wave has passed, and which LDS stores it had waited for at the last two of them."""

    def __init__(self, waves: int, waits: WaitChecker) -> None:
        self.passed: Array = np.zeros(waves, I64)
        self.released: Array = np.zeros((2, waves), I32)
        self._waits = waits

    def arrive(self, w: Waves) -> None:
        """Waves of the window arrive at a barrier."""
        complete = self._waits.complete(LDS)[w.span]
        for parity in range(2):
            where = w.everyone & (self.passed[w.span] % 2 == parity)
            np.copyto(self.released[parity, w.span], complete, where=where)

    def leave(self, waves: Array) -> None:
        """The waves chosen by bool (waves,) pass the barrier that they waited at."""
        self.passed[waves] += 1


class RaceChecker:
    """Accesses to one memory of `size` bytes, of which each workgroup has `stride` (0: all share it).

    Granules are four bytes until a smaller or misaligned access is seen, from then on two or one.
    """

    def __init__(
        self, kind: HazardKind, size: int, epochs: Epochs, groups: Array, waits: WaitChecker,
        report: Callable[..., None], stride: int = 0,
    ) -> None:  # fmt: skip
        self.kind, self.granule, self.epochs, self.stride = kind, 4, epochs, stride
        count = size // self.granule + 4
        self._writer: Array = np.zeros(count, I64)
        self._number: Array = np.zeros(count, I32) if kind is HazardKind.LDS_RACE else np.zeros(0, I32)
        self._readers: Array = np.zeros((2, count), I64)
        self._count = int(groups.max(initial=0)) + 1
        self._groups, self._waits, self._report = groups, waits, report
        self._instructions: list[Instruction] = []
        self._indices: dict[int, int] = {}

    def _index(self, instruction: Instruction) -> int:
        index = self._indices.get(instruction.address)
        if index is None:
            index = self._indices[instruction.address] = len(self._instructions)
            self._instructions.append(instruction)
        return index

    def _granules(self, touch: Touch) -> tuple[Array, Array]:
        """(granule, wave) of every granule touched."""
        finest = 1 if touch.size == 1 or (touch.offsets & 1).any() else 2
        if (touch.size < 4 or (touch.offsets & 3).any()) and finest < self.granule:
            self._refine(finest)
        first = touch.offsets // self.granule
        last = (touch.offsets + touch.size - 1) // self.granule
        count = int((last - first).max()) + 1
        if count == 1:
            return first, touch.waves
        every = first[:, None] + np.arange(count)
        waves = np.broadcast_to(touch.waves[:, None], every.shape)
        keep = every <= last[:, None]
        return every[keep], waves[keep]

    def _refine(self, granule: int) -> None:
        factor = self.granule // granule
        self.granule = granule
        self._writer, self._number = np.repeat(self._writer, factor), np.repeat(self._number, factor)
        self._readers = np.repeat(self._readers, factor, axis=1)

    def _record(self, waves: Array, instruction: Instruction, atomic: bool) -> Array:
        # Made once per wave and then picked, which is cheaper than making it for every granule.
        every = (
            np.arange(1, len(self.epochs.passed) + 1) | (self.epochs.passed << 24) | (self._index(instruction) << 44)
        )
        record: Array = every[waves]
        return record | _ATOMIC if atomic else record

    def read(self, touch: Touch, instruction: Instruction) -> None:
        """Record reads, and report those that race with a write."""
        if touch.offsets.size == 0:
            return
        granules, waves = self._granules(touch)
        written = self._writer[granules]
        # A plain load beside atomics is how compare-and-swap loops begin; it is ordered by the swap that follows.
        if written.any():
            unordered = self._unordered(written, waves, granules) & ((written & _ATOMIC) == 0)
            self._tell(unordered, written, granules, waves, instruction, ("reads", "writes"))
        record = self._record(waves, instruction, atomic=False)
        first = self._readers[0][granules]
        stale = (first == 0) | ((first >> 24 & _EPOCH) != self.epochs.passed[waves])
        self._readers[0][granules[stale]] = record[stale]
        other = (self._readers[0][granules] & _WAVE) - 1 != waves
        self._readers[1][granules[other]] = record[other]

    def write(self, touch: Touch, instruction: Instruction, *, atomic: bool = False) -> None:
        """Record writes (or atomic operations), and report those that race with a read or another write."""
        if touch.offsets.size == 0:
            return
        granules, waves = self._granules(touch)
        written = self._writer[granules]
        if written.any():
            unordered = self._unordered(written, waves, granules)
            if atomic:
                unordered &= (written & _ATOMIC) == 0
            self._tell(unordered, written, granules, waves, instruction, ("writes", "writes"))
        for readers in () if atomic else self._readers:
            seen = readers[granules]
            if seen.any():
                self._tell(self._unordered(seen, waves, None), seen, granules, waves, instruction, ("writes", "reads"))
        self._writer[granules] = self._record(waves, instruction, atomic)
        if self._number.size:
            self._number[granules] = self._waits.number(LDS)[waves]

    def clash(self, touch: Touch, differs: Array, instruction: Instruction) -> None:
        """After a store: report granules that another wave of the same instruction wrote with another value.

        `differs` is bool, one per lane: what memory now holds is not what the lane stored.
        """
        if not differs.any():
            return
        granules, waves = self._granules(Touch(touch.offsets[differs], touch.waves[differs], touch.size))
        now = self._writer[granules]
        self._tell((now & _WAVE) - 1 != waves, now, granules, waves, instruction, ("writes", "writes"))

    def _unordered(self, records: Array, waves: Array, granules: Array | None) -> Array:
        """bool: the recorded access is by another wave, and nothing orders it before this one."""
        other = (records & _WAVE) - 1
        foreign = (records != 0) & (other != waves)
        if not foreign.any():
            return foreign
        epoch, now = records >> 24 & _EPOCH, self.epochs.passed[waves]
        unordered = epoch >= now
        if self.kind is HazardKind.GLOBAL_RACE:
            return foreign & (unordered | (self._groups[other] != self._groups[waves]))
        if granules is not None:
            # A store that its wave had not waited for when it reached the barrier may still be on its way.
            late = self._number[granules] > self.epochs.released[(now - 1) % 2, other]
            unordered = unordered | late
        return foreign & unordered

    def _tell(
        self,
        bad: Array,
        records: Array,
        granules: Array,
        waves: Array,
        instruction: Instruction,
        verbs: tuple[str, str],
    ) -> None:
        if not bad.any():
            return
        # One report for each other instruction that takes part.
        for index in np.unique(records[bad] >> 44 & 0x3FFFF):
            at = int((bad & ((records >> 44 & 0x3FFFF) == index)).argmax())
            other = int(records[at] & _WAVE) - 1
            self._tell_one(int(granules[at]), int(waves[at]), other, instruction, self._instructions[int(index)], verbs)

    def _tell_one(
        self,
        granule: int,
        wave: int,
        other_wave: int,
        instruction: Instruction,
        other: Instruction,
        verbs: tuple[str, str],
    ) -> None:
        from vendorctl.emulator.memory import BASE

        offset = granule * self.granule
        if self.kind is HazardKind.LDS_RACE:
            where, address = "LDS", offset % self.stride
        else:
            where, address = "global memory", BASE + offset
        same = self._groups[wave] == self._groups[other_wave]
        missing = (
            f"no barrier that both have waited for orders {other.mnemonic} at {other.address:#x} and"
            f" {instruction.mnemonic} at {instruction.address:#x}"
            if same
            else "workgroups are not ordered"
        )
        self._report(
            self.kind,
            f"{self._name(wave)} {verbs[0]} {where} at {address:#x}, which {self._name(other_wave)}"
            f" {verbs[1]}: {missing}",
            other=other,
            data={"address": address, "wave": wave // self._count, "other_wave": other_wave // self._count},
        )

    def _name(self, wave: int) -> str:
        return f"wave {wave // self._count} of workgroup {int(self._groups[wave])}"
