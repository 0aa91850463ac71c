# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Global, flat and scratch memory instructions."""

from __future__ import annotations

import re

import numpy as np

from vendorctl.emulator.actions import Action
from vendorctl.emulator.arrays import I64, U64, Array
from vendorctl.emulator.atomics import Atomic, AtomicOperation, atomic_operation
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.emulator.memory import BASE, Bytes
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.races import RaceChecker
from vendorctl.emulator.registers import Reader
from vendorctl.emulator.transfer import Transfer, check_address, count_access, data_type, enabled, take
from vendorctl.emulator.waits import LOAD, STORE
from vendorctl.emulator.waves import Waves

_ACCESS = re.compile(r"(?:global|flat|scratch|buffer)_(load|store)_(\w+)")
_ATOMIC = re.compile(r"(?:global|flat|buffer)_atomic_(\w+)")
#: Cache control: nothing here is cached.
CACHE_CONTROL = re.compile(
    r"(global|buffer)_(inv|wb|wbinv|wbl2|invl2|gl0_inv|gl1_inv|wbinvl1\w*|inv_sc1)|s_(dcache|gl1)\w+"
)


class GlobalSpace:
    """The device's memory. Offsets are addresses less `BASE`."""

    def locate(self, w: Waves, offsets: Array, lanes: Array | None, size: int) -> Array:
        """Check the addresses against the allocations."""
        flat = take(w, offsets, lanes)
        w.state.memory.check(flat, size)
        return flat

    def bytes(self, w: Waves) -> Bytes:
        """The arena."""
        return w.state.memory.arena

    def races(self, w: Waves) -> RaceChecker | None:
        """The checker of global accesses."""
        return w.checks.global_races if w.checks else None


class ScratchSpace:
    """Private memory of each lane; lanes cannot race for it."""

    def locate(self, w: Waves, offsets: Array, lanes: Array | None, size: int) -> Array:
        """Check offsets within a lane's scratch; return offsets within that of all lanes."""
        each = w.state.scratch_size
        flat = take(w, offsets, lanes)
        if flat.size and (int(flat.min()) < 0 or int(flat.max()) + size > each):
            raise StopRun(
                FaultKind.OUT_OF_BOUNDS,
                f"{size} bytes at scratch offset {int(flat.max())} are outside the lane's {each} bytes",
            )
        lane = np.arange(w.span.start * w.lanes, w.span.stop * w.lanes).reshape(w.n, w.lanes)
        return flat + take(w, lane * each, lanes)

    def bytes(self, w: Waves) -> Bytes:
        """The scratch memory of all lanes."""
        assert w.state.scratch is not None
        return w.state.scratch

    def races(self, _w: Waves) -> RaceChecker | None:
        """None: no other lane sees it."""
        return None


GLOBAL = GlobalSpace()
SCRATCH = ScratchSpace()


def compile_global(ops: Operands) -> Action | None:
    """The action of a global, flat or scratch instruction, or None when it is not modelled."""
    name = ops.instruction.mnemonic
    if CACHE_CONTROL.fullmatch(name):
        return Action(None)
    is_scratch = ops.instruction.format.endswith("SCRATCH")
    atomic = _ATOMIC.fullmatch(name)
    if atomic:
        return _atomic(ops, atomic[1])
    found = _ACCESS.fullmatch(name)
    kind = data_type(found[2]) if found else None
    if found is None or kind is None:
        return None
    address, known = _scratch_address(ops) if is_scratch else _address(ops)
    address_reads = ops.reads
    store, instruction = found[1] == "store", ops.instruction
    number = instruction.require("data" if store else "dst").number
    transfer = Transfer(ops, SCRATCH if is_scratch else GLOBAL, kind, number, store=store)

    def run(w: Waves) -> None:
        lanes = enabled(w)
        count_access(w, transfer.counted, transfer.halves, instruction)
        if w.checks is not None:
            check_address(w, address_reads, [read(w) for read in known], lanes, instruction)
        (transfer.store if store else transfer.load)(w, address(w), lanes)

    return Action(run, own_shadow=True)


def _no_scalar_base(ops: Operands) -> bool:
    number = ops.instruction.require("saddr").number
    return number == 127 if ops.context.target.is_cdna else number in (124, 127)


def _address(ops: Operands) -> tuple[Reader, list[Reader]]:
    """(byte offset into the arena of each lane, known bits of what it is made of)."""
    offset = np.int64(ops.instruction.fields["offset"] - BASE)
    number = ops.instruction.require("addr").number
    if _no_scalar_base(ops):
        pair = ops.vector_source(number, "u64")
        return (lambda w: pair.value(w).view(I64) + offset), [pair.known]
    index = ops.vector_source(number, "u32")
    base = ops.vector_source(ops.instruction.require("saddr").number, "u64")
    return (
        lambda w: (base.value(w) + index.value(w).astype(U64)).view(I64) + offset,
        [index.known, base.known],
    )


def _scratch_address(ops: Operands) -> tuple[Reader, list[Reader]]:
    """(byte offset into the lane's scratch memory, known bits of what it is made of)."""
    offset = np.int64(ops.instruction.fields["offset"])
    parts = []
    if not _no_scalar_base(ops):
        parts.append(ops.vector_source(ops.instruction.require("saddr").number, "i32"))
    if ops.instruction.fields.get("sve"):
        parts.append(ops.vector_source(ops.instruction.require("addr").number, "i32"))

    def address(w: Waves) -> Array:
        total = np.full((1, 1), offset)
        for part in parts:
            total = total + part.value(w).astype(I64)
        return total

    return address, [part.known for part in parts]


def named_atomic(name: str) -> AtomicOperation | None:
    """The operation of `global_atomic_<name>`: gfx9 spells types as suffixes x2, later families as u32, b64, f32."""
    old_style = re.fullmatch(r"(swap|cmpswap|add|sub|smin|umin|smax|umax|and|or|xor|inc|dec)(_x2)?", name)
    if old_style:
        return atomic_operation(old_style[1], "u64" if old_style[2] else "u32")
    new_style = re.fullmatch(r"(\w+?)_(bf16|[bfiu]\d+)", name)
    return atomic_operation(new_style[1], new_style[2]) if new_style else None


def returns_value(ops: Operands) -> bool:
    """True when an atomic instruction is asked for the old value."""
    fields = ops.instruction.fields
    return bool(fields.get("th", 0) & 1 or fields.get("glc") or fields.get("sc0"))


def _atomic(ops: Operands, name: str) -> Action | None:
    operation = named_atomic(name)
    if operation is None:
        return None
    address, known = _address(ops)
    address_reads, instruction = ops.reads, ops.instruction
    first = instruction.require("data").number
    numbers = [first, first + operation.registers] if operation.compares else [first]
    returned = instruction.require("dst").number if returns_value(ops) else None
    atomic = Atomic(ops, GLOBAL, operation, numbers, returned)

    def run(w: Waves) -> None:
        lanes = enabled(w)
        count_access(w, STORE if returned is None else LOAD, atomic.halves, instruction)
        if w.checks is not None:
            check_address(w, address_reads, [read(w) for read in known], lanes, instruction)
        atomic.run(w, address(w), lanes)

    return Action(run, own_shadow=True)
