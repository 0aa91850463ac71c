# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""AMD GPU code objects executed with NumPy: the shipped bytes of a kernel, run and checked on a machine with no GPU.

The public interface, which other packages build on (names are kept):

- `CodeObject.parse(data)`: kernels, descriptors, metadata and instructions of an object.
- `Memory`: device memory; `allocate` gives a `Buffer` with an address, `read` and `write` are checked.
- `launch(code, symbol, grid=…, block=…, kernarg=…, memory=…, schedule=…, checks=…)`: runs a kernel, gives a `RunReport`
  with what was executed and what was found: a `Fault` (out of bounds, unknown instruction, …) or `Hazard`s (races,
  missing waits, uninitialised values).
- `Schedule`: lockstep, serial, reverse, random(seed). `STANDARD` holds the first three.
- `find_races(…)`: one launch under several schedules, on copies of memory.
- `decode(text, target)`: instructions without running them. `members_of(target)`: members of a generic family.
- `coverage(code, reports)`: which instructions were executed; `unmodelled(code)`: which ones would stop a launch.
- `emulator_version()`: digest of this package's sources, for caches of results.

Where to find what:

- objects: `elf`, `codeobject`, `lines`; processors: `targets`
- decoding: `isa` (alone knows tinygrad), `decoder`, `instruction`
- machine: `waves` (registers), `memory`, `program` (compiled steps), `machine` (the loop), `launcher`, `schedule`
- operands: `registers`, `sources` (what is read), `operands` (where results go), `lanes` (DPP), `subdword` (SDWA); an
  instruction becomes an `actions.Action`
- scalar unit: `scalar_table`, `scalar`, `control`, `scalar_memory`
- vector unit: `integer_ops`, `float_ops` (tables), `vector`, `compare`, `carry`, `lane_ops`, `dual`, `packed`, `matrix`
- memory: `transfer`, `lds_ops`, `global_ops`, `buffer_ops`, `atomics`
- numbers: `arrays`, `floats`, `integers`, `division`
- checks: `known` (uninitialised bits), `waits`, `races`, `checks`, `findings`; results: `report`, `trials`,
  `instruction_coverage`, `proven`, `version`

A new instruction is mostly one line in a table, and one golden in `tests/emulator/goldens.py`.

Not modelled: rounding modes other than to nearest, flushing of float32 denormals that a kernel asks for (they are
kept), signalling NaN, sparse and block-scaled matrices, images, scratch through buffer descriptors (gfx90a).

Modules are imported when a name is first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vendorctl.emulator.codeobject import CodeObject, Kernel
    from vendorctl.emulator.decoder import UndecodableError, decode
    from vendorctl.emulator.findings import Fault, FaultKind, Hazard, HazardKind, Place
    from vendorctl.emulator.instruction import Instruction
    from vendorctl.emulator.instruction_coverage import Coverage, coverage, unmodelled
    from vendorctl.emulator.launcher import launch
    from vendorctl.emulator.memory import Buffer, Memory
    from vendorctl.emulator.report import RunReport
    from vendorctl.emulator.schedule import STANDARD, Schedule
    from vendorctl.emulator.targets import Target, known_targets, members_of, target
    from vendorctl.emulator.trials import RaceReport, find_races
    from vendorctl.emulator.version import emulator_version

_HOMES = {
    **dict.fromkeys(("CodeObject", "Kernel"), "codeobject"),
    **dict.fromkeys(("Coverage", "coverage", "unmodelled"), "instruction_coverage"),
    **dict.fromkeys(("UndecodableError", "decode"), "decoder"),
    **dict.fromkeys(("Fault", "FaultKind", "Hazard", "HazardKind", "Place"), "findings"),
    "Instruction": "instruction",
    "launch": "launcher",
    **dict.fromkeys(("Buffer", "Memory"), "memory"),
    "RunReport": "report",
    **dict.fromkeys(("STANDARD", "Schedule"), "schedule"),
    **dict.fromkeys(("Target", "known_targets", "members_of", "target"), "targets"),
    **dict.fromkeys(("RaceReport", "find_races"), "trials"),
    **dict.fromkeys(("EMULATOR_VERSION", "emulator_version"), "version"),
}

__all__ = [
    "STANDARD", "Buffer", "CodeObject", "Coverage", "Fault", "FaultKind", "Hazard", "HazardKind", "Instruction",
    "Kernel", "Memory", "Place", "RaceReport", "RunReport", "Schedule", "Target", "UndecodableError", "coverage",
    "decode", "emulator_version", "find_races", "known_targets", "launch", "members_of", "target", "unmodelled",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
