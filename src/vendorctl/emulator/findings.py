# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a run found: faults, which end it, and hazards.

A hazard does not change what this emulator computes, but may change what hardware does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class FaultKind(StrEnum):
    """Why a run ended early."""

    OUT_OF_BOUNDS = "out-of-bounds"
    UNKNOWN_INSTRUCTION = "unknown-instruction"
    UNALLOCATED_REGISTER = "unallocated-register"
    DEADLOCK = "deadlock"
    STEP_LIMIT = "step-limit"


class HazardKind(StrEnum):
    """What a run does that hardware does not promise to do the same way."""

    LDS_RACE = "lds-race"
    GLOBAL_RACE = "global-race"
    MISSING_WAIT = "missing-wait"
    UNINITIALISED_BRANCH = "uninitialised-branch"
    UNINITIALISED_MASK = "uninitialised-mask"
    UNINITIALISED_ADDRESS = "uninitialised-address"
    UNINITIALISED_STORE = "uninitialised-store"


@dataclass(frozen=True, slots=True)
class Place:
    """An instruction of a kernel: image address, mnemonic, encoding in hexadecimal words, source place if known."""

    kernel: str
    pc: int
    mnemonic: str
    encoding: str
    source: tuple[str, int] | None = None

    def __str__(self) -> str:
        line = f" at {self.source[0]}:{self.source[1]}" if self.source else ""
        return f"{self.kernel}+{self.pc:#x} {self.mnemonic} [{self.encoding}]{line}"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why the run stopped, and where."""

    kind: FaultKind
    place: Place | None
    message: str

    def __str__(self) -> str:
        return f"{self.message} ({self.place})" if self.place else self.message


@dataclass(frozen=True, slots=True)
class Hazard:
    """One hazard. `other` is the second instruction of a race, or the load whose wait is missing.

    `data` has numbers for machines: `address` (LDS offset or global address), `wave` and `other_wave` (their ranks in
    the workgroup), or `register`.
    """

    kind: HazardKind
    place: Place
    message: str
    other: Place | None = None
    data: Mapping[str, int] = field(default_factory=dict)

    @property
    def key(self) -> tuple[HazardKind, int, int]:
        """Equal for the same hazard between the same instructions, in whichever order they ran."""
        places = [self.place.pc, self.other.pc if self.other else -1]
        if self.kind in (HazardKind.LDS_RACE, HazardKind.GLOBAL_RACE):
            places.sort()
        return self.kind, places[0], places[1]

    def __str__(self) -> str:
        other = f"; the other instruction is {self.other}" if self.other else ""
        return f"{self.message} ({self.place}{other})"


class StopRun(Exception):  # noqa: N818  # not an error of ours: it carries a fault of the kernel out of the machine
    """Ends a run. Raised where a fault is met, caught by the launch, which adds the place and reports it."""

    def __init__(self, kind: FaultKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
