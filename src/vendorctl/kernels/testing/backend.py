# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a backend does for tests: load an object, call its kernels, and tell what it noticed.

Backends are passed in: `vendorctl.emulator.backend` executes on the CPU, `vendorctl.kernels.testing.hip` on a device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from vendorctl.kernels.object.launch import LaunchPlan

if TYPE_CHECKING:
    import numpy.typing as npt

    from vendorctl.kernels.recipe import Argument

    Array: TypeAlias = npt.NDArray[Any]


class Category(StrEnum):
    """What sort of thing a backend noticed. `FAULT` ended the run; the others did not."""

    FAULT = "fault"
    RACE = "race"
    HAZARD = "hazard"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that a kernel did wrong whatever its results: a fault, a race, a hazard.

    `kind` is the backend's own word (`lds-race`, `out-of-bounds`, ...); `message` names the instructions.
    """

    category: Category
    kind: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a launch function.

    `arguments` are a case's: arrays are copied to device memory, each into an allocation of its own. Those named in
    `outputs` start as bytes `fill` that count as never written, unless `aliases` maps them to the input whose memory
    they share. `schedule` is one of the backend's. `checked` asks for races, waits and uninitialised values, too.
    """

    plan: LaunchPlan
    arguments: Mapping[str, Argument]
    outputs: Sequence[str]
    aliases: Mapping[str, str] = field(default_factory=dict)
    schedule: str
    checked: bool = True
    fill: int = 0xFF


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a call left: every array argument as it is on the device afterwards, and what was noticed.

    `instructions` counts every instruction once per wave (0 where a backend cannot count); `covered` holds the
    addresses of those that were executed.
    """

    arrays: Mapping[str, Array]
    problems: tuple[Problem, ...] = ()
    instructions: int = 0
    covered: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """Instructions of an object that tests executed, of all it has; `missed` counts the others by mnemonic.

    `unproven` names the instructions of the object whose execution no test of the backend itself has pinned down.
    """

    executed: int
    total: int
    missed: Mapping[str, int]
    unproven: tuple[str, ...] = ()


class LoadedObject(Protocol):
    """An object, ready to be called."""

    def run(self, call: Call) -> Ran:
        """Make the call and wait for its end. What the kernel does wrong is in the result, not raised."""

    def coverage(self, covered: frozenset[int]) -> Covered | None:
        """What `covered`, united over calls, is of the object's instructions; None where a backend cannot tell."""


class Backend(Protocol):
    """Runs objects. Made in the process that uses it."""

    @property
    def name(self) -> str:
        """How `--backend` calls it."""

    @property
    def version(self) -> str:
        """Changes whenever the backend might give other results; part of the key under which results are kept."""

    @property
    def schedules(self) -> tuple[str, ...]:
        """Orders in which it can run the waves of a workgroup, the fastest first."""

    def identity(self, code: bytes) -> str:
        """Equal for objects that the backend executes in exactly the same way, although their bytes differ."""

    def load(self, code: bytes) -> LoadedObject:
        """Load an object. Raises VendorError for one that it cannot run."""


#: Makes a backend; a module-level function, so that it can be sent to another process.
BackendFactory: TypeAlias = Callable[[], Backend]
