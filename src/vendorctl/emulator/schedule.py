# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Schedules: in which order the waves of a workgroup run between barriers.

Hardware promises no order, so a correct kernel gives the same result under every schedule. Lockstep hides most
races; running one wave as far as it can go before the next shows them.
"""

from __future__ import annotations

import random as random_numbers
from collections.abc import Sequence
from dataclasses import dataclass

from vendorctl.errors import VendorError

_NAMES = ("lockstep", "serial", "reverse", "random")
_LONGEST_TURN = 48


@dataclass(frozen=True, slots=True)
class Schedule:
    """A named order of waves. `seed` matters for the random one only."""

    name: str
    seed: int = 0

    def __post_init__(self) -> None:
        if self.name not in _NAMES:
            raise VendorError(f"no schedule is called {self.name!r}", hint="schedules: " + ", ".join(_NAMES))

    @staticmethod
    def lockstep() -> Schedule:
        """All waves advance together."""
        return Schedule("lockstep")

    @staticmethod
    def serial() -> Schedule:
        """Wave 0 runs to the next barrier, then wave 1, and so on."""
        return Schedule("serial")

    @staticmethod
    def reverse() -> Schedule:
        """As serial, from the last wave to the first."""
        return Schedule("reverse")

    @staticmethod
    def random(seed: int) -> Schedule:
        """Waves take turns of random length in random order; the same seed gives the same order."""
        return Schedule("random", seed)

    def __str__(self) -> str:
        return f"random({self.seed})" if self.name == "random" else self.name

    def start(self) -> Turns:
        """The choices of one launch."""
        return Turns(self)


#: The schedules that tests run: cheap, and between them they show every race met so far.
STANDARD = (Schedule("lockstep"), Schedule("serial"), Schedule("reverse"))


class Turns:
    """Chooses which ranks of waves run next, and for how many instructions at most."""

    def __init__(self, schedule: Schedule) -> None:
        self._name = schedule.name
        self._random = random_numbers.Random(schedule.seed)  # noqa: S311  # reproducible, not secret

    def choose(self, runnable: Sequence[int]) -> tuple[int, int, int]:
        """(first rank, last rank, most instructions) out of the ranks that can run, in ascending order."""
        unlimited = 1 << 60
        if self._name == "lockstep":
            return runnable[0], runnable[-1], unlimited
        if self._name == "random":
            rank = self._random.choice(runnable)
            return rank, rank, self._random.randint(1, _LONGEST_TURN)
        rank = runnable[0] if self._name == "serial" else runnable[-1]
        return rank, rank, unlimited
