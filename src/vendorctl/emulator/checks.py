# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a launch keeps while checks are on: known bits of registers, waits, races, and the hazards found so far."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vendorctl.emulator.arrays import U32, Array
from vendorctl.emulator.findings import Hazard, HazardKind, Place
from vendorctl.emulator.instruction import Instruction
from vendorctl.emulator.races import Epochs, RaceChecker
from vendorctl.emulator.waits import WaitChecker

_SCALARS = 128
_MOST_HAZARDS = 64


class Checks:
    """Shadow state of one launch.

    `vector`, `scalar` and `scc` say which bits of the registers are known; they are not kept up to date for registers
    whose bit is set in `clean` (one bit set per rank of waves): those are known entirely.
    """

    def __init__(self, *, waves: int, ranks: int, rows: int, lanes: int, place: Callable[[Instruction], Place]) -> None:
        self.vector: Array = np.zeros((rows, waves, lanes), U32)
        self.scalar: Array = np.zeros((_SCALARS, waves), U32)
        self.scc: Array = np.zeros(waves, bool)
        self.clean = [0] * ranks
        self.waits: WaitChecker | None = None
        self.epochs: Epochs | None = None
        self.lds_races: RaceChecker | None = None
        self.global_races: RaceChecker | None = None
        self.instruction: Instruction | None = None
        self._place = place
        self._hazards: dict[tuple[HazardKind, int, int], Hazard] = {}

    @property
    def hazards(self) -> tuple[Hazard, ...]:
        """What was found, each pair of instructions once, in order of address."""
        return tuple(self._hazards[key] for key in sorted(self._hazards))

    def report(
        self,
        kind: HazardKind,
        message: str,
        *,
        other: Instruction | None = None,
        data: dict[str, int] | None = None,
    ) -> None:
        """Record a hazard at the instruction in hand; `other` is the second instruction that takes part."""
        assert self.instruction is not None
        places = [self.instruction.address, other.address if other else -1]
        if kind in (HazardKind.LDS_RACE, HazardKind.GLOBAL_RACE):
            places.sort()  # which of the two comes first is the schedule's choice
        key = (kind, places[0], places[1])
        if key in self._hazards or len(self._hazards) >= _MOST_HAZARDS:
            return
        second = self._place(other) if other else None
        self._hazards[key] = Hazard(kind, self._place(self.instruction), message, second, data or {})
