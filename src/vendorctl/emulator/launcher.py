# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Launching a kernel: the initial state of its waves, as the target's hardware and runtime would set it up."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

import numpy as np

from vendorctl.emulator.arrays import U32, Array
from vendorctl.emulator.checks import Checks
from vendorctl.emulator.codeobject import CodeObject, Kernel
from vendorctl.emulator.findings import Fault, Hazard, HazardKind, Place, StopRun
from vendorctl.emulator.instruction import EXEC, VECTOR, Instruction
from vendorctl.emulator.machine import Machine
from vendorctl.emulator.memory import BASE, Buffer, Bytes, LocalMemory, Memory
from vendorctl.emulator.program import Program, program
from vendorctl.emulator.races import Epochs, RaceChecker
from vendorctl.emulator.report import RunReport
from vendorctl.emulator.schedule import Schedule
from vendorctl.emulator.targets import Family
from vendorctl.emulator.waits import WaitChecker
from vendorctl.emulator.waves import WaveState
from vendorctl.errors import VendorError

#: `full`: known bits, waits and races are followed. `values`: results and bounds only, about twice as fast.
ChecksLevel: TypeAlias = Literal["full", "values"]
Extent: TypeAlias = tuple[int, int, int]
#: Sees a report of every launch, for coverage and benchmarks.
Observer: TypeAlias = Callable[[RunReport], None]

_STEP_LIMIT = 20_000_000
#: Bytes of registers and scratch that are worked on at a time; larger launches run in portions of whole workgroups.
_PORTION = 512 << 20
#: gfx12 passes workgroup ids in trap temporaries: x in ttmp9, y and z in the halves of ttmp7.
_TTMP7, _TTMP9 = 115, 117
#: Objects that ask for kernarg preloading start with 256 bytes for firmware that cannot do it.
_PRELOAD_SKIP = 256
#: Bytes that a kernarg segment is a multiple of.
_KERNARG_UNIT = 64
#: The most LDS that any of the targets has for a workgroup, and the most scratch that a lane can be given, in bytes.
_LDS_LIMIT, _SCRATCH_LIMIT = 160 << 10, 1 << 18


def launch(
    code: CodeObject,
    symbol: str,
    *,
    grid: Extent,
    block: Extent,
    kernarg: bytes,
    memory: Memory,
    schedule: Schedule = Schedule("lockstep"),  # noqa: B008  # an immutable value
    checks: ChecksLevel = "full",
    observers: Iterable[Observer] = (),
    step_limit: int = _STEP_LIMIT,
) -> RunReport:
    """Run kernel `symbol` with `grid` workgroups of `block` work-items, and report what happened.

    `kernarg` holds the explicit arguments as the kernel expects them; hidden ones are filled in. Whatever the
    *kernel* does wrong is in the report. Raises VendorError for a launch that no runtime would accept.
    """
    kernel = code.kernel(symbol)
    _validate(kernel, grid, block, kernarg)
    segment = memory.allocate(_segment(kernel, kernarg, grid, block), f"kernarg of {kernel.name}")
    compiled = program(code, kernel)
    segments: Counter[tuple[int, int]] = Counter()
    hazards: dict[tuple[HazardKind, int, int], Hazard] = {}
    fault = None
    for groups in _portions(compiled, grid, block):
        state = _state(compiled, groups, grid, block, segment, memory, code, checked=checks == "full")
        machine = Machine(compiled, state, schedule.start(), step_limit)
        try:
            machine.run()
        except StopRun as stop:
            fault = Fault(stop.kind, _place_of(compiled, code, machine.instruction_address), stop.message)
        segments.update(machine.segments)
        for hazard in state.checks.hazards if state.checks else ():
            hazards.setdefault(hazard.key, hazard)
        if fault is not None:
            break
    report = _report(compiled, schedule, segments, fault, tuple(hazards[key] for key in sorted(hazards)))
    for observer in observers:
        observer(report)
    return report


def _validate(kernel: Kernel, grid: Extent, block: Extent, kernarg: bytes) -> None:
    if min(grid) < 0 or min(block) < 1:
        raise VendorError(f"a launch of {grid} workgroups of {block} work-items makes no sense")
    size = block[0] * block[1] * block[2]
    if size > kernel.max_workgroup_size:
        raise VendorError(f"kernel {kernel.name} takes at most {kernel.max_workgroup_size} work-items, not {size}")
    needed = max(
        (item.offset + item.size for item in kernel.arguments if not item.kind.startswith("hidden_")), default=0
    )
    if not needed <= len(kernarg) <= max(kernel.kernarg_size, needed):
        raise VendorError(
            f"kernel {kernel.name} takes {needed} to {kernel.kernarg_size} bytes of arguments, not {len(kernarg)}"
        )
    if kernel.descriptor.lds > _LDS_LIMIT or kernel.descriptor.scratch > _SCRATCH_LIMIT:
        raise VendorError(
            f"kernel {kernel.name} asks for {kernel.descriptor.lds} bytes of LDS and {kernel.descriptor.scratch} bytes"
            " of scratch, more than any target has"
        )
    if not kernel.descriptor.round_to_nearest:
        raise VendorError(f"kernel {kernel.name} asks for a rounding mode other than to nearest, which is not modelled")


def _segment(kernel: Kernel, kernarg: bytes, grid: Extent, block: Extent) -> bytes:
    """The kernarg segment: explicit arguments, then the hidden ones that the metadata asks for."""
    size = max(kernel.kernarg_size, len(kernarg), 8)
    # The backend widens loads of arguments beyond the last one; runtimes hand out segments of whole cache lines.
    data = bytearray(kernarg.ljust(-(-size // _KERNARG_UNIT) * _KERNARG_UNIT, b"\0"))
    values = {"hidden_grid_dims": (3, "<H")}
    for axis, name in enumerate("xyz"):
        values[f"hidden_block_count_{name}"] = (grid[axis], "<I")
        values[f"hidden_group_size_{name}"] = (block[axis], "<H")
    for argument in kernel.arguments:
        value = values.get(argument.kind)
        if value is not None and argument.offset + struct.calcsize(value[1]) <= len(data):
            struct.pack_into(value[1], data, argument.offset, value[0])
    return bytes(data)


def _portions(compiled: Program, grid: Extent, block: Extent) -> list[range]:
    total = grid[0] * grid[1] * grid[2]
    context = compiled.context
    ranks = -(-(block[0] * block[1] * block[2]) // context.lanes)
    each = ((context.vgprs + context.agprs) * 4 + compiled.kernel.descriptor.scratch) * ranks * context.lanes
    size = max(1, _PORTION // each)
    return [range(start, min(start + size, total)) for start in range(0, total, size)]


def _state(
    compiled: Program, groups: range, grid: Extent, block: Extent, segment: Buffer, memory: Memory, code: CodeObject,
    *, checked: bool,
) -> WaveState:  # fmt: skip
    kernel, context = compiled.kernel, compiled.context
    items = block[0] * block[1] * block[2]
    ranks = -(-items // context.lanes)
    waves, rows = ranks * len(groups), context.vgprs + context.agprs

    def place(instruction: Instruction) -> Place:
        return _place(compiled, code, instruction)

    checks = Checks(waves=waves, ranks=ranks, rows=rows, lanes=context.lanes, place=place) if checked else None
    state = WaveState(
        groups=len(groups), ranks=ranks, lanes=context.lanes, vgprs=context.vgprs, agprs=context.agprs, checks=checks,
        memory=memory,
    )  # fmt: skip
    state.local = LocalMemory(kernel.descriptor.lds, len(groups), tracked=checked)
    state.scratch_size = kernel.descriptor.scratch
    state.scratch = Bytes(waves * context.lanes * state.scratch_size)
    state.pc[:] = kernel.entry + (_PRELOAD_SKIP if kernel.descriptor.preload_dwords else 0)
    if checks is not None:
        state.scratch.track()
        _start_checks(checks, compiled, state)
    _scalars(state, compiled, groups, grid, segment)
    _work_items(state, block, items)
    return state


def _start_checks(checks: Checks, compiled: Program, state: WaveState) -> None:
    checks.waits = WaitChecker(compiled.target, state.waves)
    checks.epochs = Epochs(state.waves, checks.waits)
    assert state.local is not None
    local = state.local
    checks.lds_races = RaceChecker(
        HazardKind.LDS_RACE,
        len(local.bytes.data),
        checks.epochs,
        state.group,
        checks.waits,
        checks.report,
        local.stride,
    )
    checks.global_races = RaceChecker(
        HazardKind.GLOBAL_RACE, state.memory.used, checks.epochs, state.group, checks.waits, checks.report
    )


def _scalars(state: WaveState, compiled: Program, groups: range, grid: Extent, segment: Buffer) -> None:
    """Fill the scalar registers that the descriptor asks for: kernarg address, preloaded words, workgroup ids."""
    descriptor, target = compiled.kernel.descriptor, compiled.target
    index = np.array(groups)[state.group]
    ids = index % grid[0], index // grid[0] % grid[1], index // (grid[0] * grid[1])

    def fill(register: int, value: Array | int) -> None:
        state.scalar[register] = value
        if state.checks is not None:
            state.checks.scalar[register] = U32(0xFFFFFFFF)
            for rank in range(state.ranks):
                state.checks.clean[rank] |= 1 << register

    pointer = descriptor.kernarg_register
    if pointer is not None:
        fill(pointer, segment.address & 0xFFFFFFFF)
        fill(pointer + 1, segment.address >> 32)
    words = state.memory.arena.words[(segment.address - BASE) // 4 :]
    first = descriptor.user_sgprs - descriptor.preload_dwords
    for k in range(descriptor.preload_dwords):
        fill(first + k, int(words[descriptor.preload_offset + k]))
    if target.family is Family.RDNA4:
        fill(_TTMP9, ids[0])
        fill(_TTMP7, ids[1] | ids[2] << 16)
        return
    register = descriptor.user_sgprs
    for wanted, value in zip(descriptor.workgroup_id_enabled, ids, strict=True):
        if wanted:
            fill(register, value)
            register += 1


def _work_items(state: WaveState, block: Extent, items: int) -> None:
    """Set EXEC to the lanes that have a work-item, and v0 to the packed work-item ids (10 bits each of x, y, z)."""
    everyone = state.window(0, state.ranks - 1)
    everyone.activate(None)
    lane = state.rank[:, None] * state.lanes + np.arange(state.lanes)
    x, y, z = lane % block[0], lane // block[0] % block[1], lane // (block[0] * block[1])
    everyone.vector[0] = (x | y << 10 | z << 20).astype(U32)
    everyone.write_lane_mask(EXEC, lane < items)
    if state.checks is not None:
        for rank in range(state.ranks):
            state.checks.clean[rank] |= 1 << VECTOR | 0b11 << EXEC


def _place(compiled: Program, code: CodeObject, instruction: Instruction) -> Place:
    source = code.lines.find(instruction.address) if code.lines else None
    offset = instruction.address - compiled.kernel.entry
    return Place(compiled.kernel.name, offset, instruction.mnemonic, instruction.hex, source)


def _place_of(compiled: Program, code: CodeObject, address: int) -> Place | None:
    try:
        return _place(compiled, code, compiled.instruction(address))
    except StopRun:
        return None


def _report(
    compiled: Program, schedule: Schedule, segments: Counter[tuple[int, int]], fault: Fault | None,
    hazards: tuple[Hazard, ...],
) -> RunReport:  # fmt: skip
    opcodes: Counter[str] = Counter()
    covered: set[int] = set()
    for (first, end), waves in segments.items():
        address = first
        while address < end:
            instruction = compiled.steps[address].instruction
            opcodes[instruction.mnemonic] += waves
            covered.add(address)
            address += instruction.size
    return RunReport(
        kernel=compiled.kernel.name, schedule=schedule, instructions=opcodes.total(),
        opcodes=dict(sorted(opcodes.items())), covered=frozenset(covered), fault=fault, hazards=hazards,
    )  # fmt: skip
