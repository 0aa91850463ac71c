# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The emulator as a backend of kernel tests (`vendorctl.kernels.testing.backend`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vendorctl.digest import canonical_json, sha256
from vendorctl.emulator.arrays import Array
from vendorctl.emulator.codeobject import CodeObject
from vendorctl.emulator.findings import Fault, Hazard, HazardKind
from vendorctl.emulator.instruction_coverage import coverage_of
from vendorctl.emulator.launcher import launch
from vendorctl.emulator.memory import BASE, Buffer, Memory
from vendorctl.emulator.report import RunReport
from vendorctl.emulator.schedule import Schedule
from vendorctl.emulator.targets import capabilities
from vendorctl.emulator.version import emulator_version
from vendorctl.kernels.object.launch import LaunchArgument, Parameter
from vendorctl.kernels.testing.backend import Call, Category, Covered, Problem, Ran
from vendorctl.model import Json

_RACES = (HazardKind.LDS_RACE, HazardKind.GLOBAL_RACE)
_RANDOM_SEED = 1
#: A kernel of the tests executes some ten thousand instructions; one that loops for ever (a mutant) is cut off here.
_STEP_LIMIT = 2_000_000


@dataclass(frozen=True, slots=True)
class _Tensor:
    """A tensor argument: where it lies, and its sizes and strides in elements."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class EmulatedObject:
    """An object loaded for execution on the CPU."""

    def __init__(self, code: CodeObject, step_limit: int = _STEP_LIMIT) -> None:
        self.code = code
        self._step_limit = step_limit

    def run(self, call: Call) -> Ran:
        """Make the call on a device of its own."""
        memory = Memory()
        buffers = _place(call, memory)
        arguments = {
            parameter.name: _argument(parameter, call.arguments[parameter.name], buffers.get(parameter.name))
            for parameter in call.plan.parameters
            if parameter.name in call.arguments
        }
        reports = self._launch(call, arguments, memory)
        arrays = {
            name: memory.read(buffer.address, array.dtype, array.shape)
            for name, buffer in buffers.items()
            if isinstance(array := call.arguments[name], np.ndarray)
        }
        problems = [_problem(finding) for report in reports for finding in report.findings]
        if not any(report.fault for report in reports):
            problems += _unwritten(call, buffers, memory)
        return Ran(
            arrays=arrays,
            problems=tuple(problems),
            instructions=sum(report.instructions for report in reports),
            covered=frozenset[int]().union(*(report.covered for report in reports)),
        )

    def _launch(self, call: Call, arguments: Mapping[str, LaunchArgument], memory: Memory) -> list[RunReport]:
        reports: list[RunReport] = []
        for planned in call.plan.evaluate(arguments):
            report = launch(
                self.code,
                planned.symbol,
                grid=planned.grid,
                block=planned.block,
                kernarg=planned.kernarg,
                memory=memory,
                schedule=Schedule(call.schedule, _RANDOM_SEED),
                checks="full" if call.checked else "values",
                step_limit=self._step_limit,
            )
            reports.append(report)
            if report.fault is not None:
                break
        return reports

    def coverage(self, covered: frozenset[int]) -> Covered | None:
        """What `covered` is of the instructions in the object's text."""
        found = coverage_of(self.code, covered)
        missed = Counter(item.mnemonic for item in found.missed)
        return Covered(
            executed=found.executed,
            total=found.total,
            missed=dict(sorted(missed.items())),
            unproven=found.unproven,
        )


def _place(call: Call, memory: Memory) -> dict[str, Buffer]:
    """Put every array into device memory; outputs count as never written, and may share an input's memory."""
    buffers: dict[str, Buffer] = {}
    for name, value in call.arguments.items():
        if isinstance(value, np.ndarray) and name not in call.aliases:
            if name in call.outputs:
                buffer = buffers[name] = memory.allocate(int(value.nbytes), name)
                start = buffer.address - BASE
                memory.arena.data[start : start + buffer.nbytes] = call.fill
            else:
                buffers[name] = memory.allocate(value, name)
    for output, given in call.aliases.items():
        if output in call.arguments and given in buffers:
            buffers[output] = buffers[given]
    return buffers


def _argument(parameter: Parameter, value: Array | float, buffer: Buffer | None) -> LaunchArgument:
    """What the launch plan is given for one parameter."""
    if buffer is None or not isinstance(value, np.ndarray):
        return value  # type: ignore[return-value]  # a number, as the case gives it
    if not parameter.rank:
        return buffer.address
    strides = tuple(stride // value.itemsize for stride in value.strides)
    return _Tensor(buffer.address, value.shape, strides)


def _unwritten(call: Call, buffers: Mapping[str, Buffer], memory: Memory) -> list[Problem]:
    if not call.checked:
        return []
    return [
        Problem(Category.HAZARD, "output-not-written", f"parts of the output {name} were never written")
        for name in call.outputs
        if name in buffers and not memory.initialised(buffers[name])
    ]


def _problem(finding: Fault | Hazard) -> Problem:
    if isinstance(finding, Fault):
        return Problem(Category.FAULT, finding.kind.value, str(finding))
    category = Category.RACE if finding.kind in _RACES else Category.HAZARD
    return Problem(category, finding.kind.value, str(finding))


@dataclass(frozen=True, slots=True)
class EmulatorBackend:
    """Runs objects on the CPU. `schedules` are the orders of waves that tests use, the fastest first."""

    name: str = "emulator"
    schedules: tuple[str, ...] = ("lockstep", "serial", "reverse", "random")
    step_limit: int = _STEP_LIMIT

    @property
    def version(self) -> str:
        """A digest of the emulator's sources."""
        return emulator_version()

    def identity(self, code: bytes) -> str:
        """A digest of what is executed: instructions, constants, descriptors, and what the target can do.

        The notes, which name the target, are left out: objects of `gfx11-generic` and `gfx1100` often differ in
        nothing else.
        """
        parsed = CodeObject.parse(code)
        kernels = [repr(kernel) for _, kernel in sorted(parsed.kernels.items())]
        facts: Json = {
            "capabilities": list(capabilities(parsed.target.name)),
            "kernels": kernels,
            "text": sha256(parsed.text),
            "address": parsed.text_address,
            "constants": sha256(_constants(code)),
        }
        return sha256(canonical_json(facts))

    def load(self, code: bytes) -> EmulatedObject:
        """Parse an object. Raises VendorError for one that is malformed or of a target that is not executed."""
        return EmulatedObject(CodeObject.parse(code), self.step_limit)


def _constants(code: bytes) -> bytes:
    """The loaded sections other than instructions, notes and symbol tables."""
    from vendorctl.emulator.elf import read_elf

    wanted = (".rodata", ".data", ".bss")
    return b"".join(section.data for section in read_elf(code).sections if section.name.startswith(wanted))


def cautious_emulator() -> EmulatorBackend:
    """The emulator for damaged objects, which may run in circles: it gives up soon."""
    return EmulatorBackend(step_limit=200_000)


def emulator() -> EmulatorBackend:
    """The emulator, as tests use it."""
    return EmulatorBackend()
