# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One launch under several schedules: what races do to results, beside what the race checker says about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vendorctl.emulator.codeobject import CodeObject
from vendorctl.emulator.findings import Fault, Hazard, HazardKind
from vendorctl.emulator.launcher import ChecksLevel, Extent, launch
from vendorctl.emulator.memory import Memory
from vendorctl.emulator.report import RunReport
from vendorctl.emulator.schedule import STANDARD, Schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A buffer whose bytes depend on the schedule: `bytes_differing` of them, the first at `offset`."""

    buffer: str
    offset: int
    bytes_differing: int
    first: Schedule
    second: Schedule

    def __str__(self) -> str:
        return (
            f"{self.bytes_differing} bytes of {self.buffer}, the first at offset {self.offset}, differ between the"
            f" {self.first} and {self.second} schedules"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceReport:
    """Runs of one launch, the hazards of all of them, and the buffers on which they disagree."""

    runs: tuple[RunReport, ...]
    hazards: tuple[Hazard, ...]
    disagreements: tuple[Disagreement, ...]

    @property
    def races(self) -> tuple[Hazard, ...]:
        """The hazards that are races."""
        return tuple(item for item in self.hazards if item.kind in (HazardKind.LDS_RACE, HazardKind.GLOBAL_RACE))

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults of all runs."""
        return tuple(run.fault for run in self.runs if run.fault is not None)

    @property
    def ok(self) -> bool:
        """True when every run ended by itself, found nothing, and left the same bytes."""
        return not (self.hazards or self.disagreements or self.faults)


def find_races(
    code: CodeObject,
    symbol: str,
    *,
    grid: Extent,
    block: Extent,
    kernarg: bytes,
    memory: Memory,
    schedules: Sequence[Schedule] = STANDARD,
    checks: ChecksLevel = "full",
) -> RaceReport:
    """Launch once per schedule, each on a copy of `memory` as it is now; `memory` ends as the first run left it."""
    runs: list[RunReport] = []
    after: list[Memory] = []
    hazards: dict[tuple[HazardKind, int, int], Hazard] = {}
    for schedule in schedules:
        copy = memory.copy()
        run = launch(
            code, symbol, grid=grid, block=block, kernarg=kernarg, memory=copy, schedule=schedule, checks=checks
        )
        runs.append(run)
        after.append(copy)
        for hazard in run.hazards:
            hazards.setdefault(hazard.key, hazard)
    differing = [
        found
        for other, schedule in zip(after[1:], schedules[1:], strict=True)
        for found in _compare(after[0], other, schedules[0], schedule)
    ]
    if after:
        memory.restore(after[0])
    return RaceReport(
        runs=tuple(runs), hazards=tuple(hazards[key] for key in sorted(hazards)), disagreements=tuple(differing)
    )


def _compare(first: Memory, second: Memory, one: Schedule, other: Schedule) -> list[Disagreement]:
    found = []
    for buffer in first.buffers:
        a, b = first.read(buffer.address, np.uint8, buffer.nbytes), second.read(buffer.address, np.uint8, buffer.nbytes)
        differs = a != b
        if differs.any():
            found.append(
                Disagreement(
                    buffer=buffer.name,
                    offset=int(differs.argmax()),
                    bytes_differing=int(differs.sum()),
                    first=one,
                    second=other,
                )
            )
    return found
