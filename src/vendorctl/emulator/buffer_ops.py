# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Buffer instructions: memory behind a descriptor that bounds it. Lanes out of bounds read zero and write nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from vendorctl.emulator.actions import Action
from vendorctl.emulator.arrays import I64, U32, Array
from vendorctl.emulator.atomics import Atomic
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.emulator.global_ops import CACHE_CONTROL, GLOBAL, named_atomic, returns_value
from vendorctl.emulator.lds_ops import LOCAL
from vendorctl.emulator.memory import BASE
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.races import Touch
from vendorctl.emulator.registers import Source
from vendorctl.emulator.transfer import (
    DataType,
    Transfer,
    check_address,
    count_access,
    data_type,
    place,
    take,
    wave_of_each,
)
from vendorctl.emulator.waits import LOAD, STORE
from vendorctl.emulator.waves import Waves

_ACCESS = re.compile(r"buffer_(load|store)_(\w+)")


@dataclass(frozen=True, slots=True)
class _Addressing:
    """The operands that make a buffer address: descriptor words, scalar offset, vector offset and index, constant."""

    words: tuple[Source, ...]
    scalar: Source | None
    vector: Source | None
    index: Source | None
    constant: int
    is_cdna: bool

    def known(self, w: Waves) -> list[Array]:
        """Known bits of all of them."""
        parts = [*self.words, *(part for part in (self.scalar, self.vector, self.index) if part is not None)]
        return [part.known(w) for part in parts]

    def resolve(self, w: Waves, size: int) -> tuple[Array, Array]:
        """(byte offset into the arena, whether it is in bounds) of each lane, for accesses of `size` bytes."""
        base_low, base_high, records, flags = (word.value(w) for word in self.words)
        base = base_low.astype(I64) | ((base_high & U32(0xFFFF)).astype(I64) << 32)
        stride = ((base_high >> U32(16)) & U32(0x3FFF)).astype(I64)
        scalar = self.scalar.value(w).astype(I64) if self.scalar else np.zeros((1, 1), I64)
        within = (self.vector.value(w).astype(I64) if self.vector else np.zeros((1, 1), I64)) + self.constant
        index = self.index.value(w).astype(I64) if self.index else np.zeros((1, 1), I64)
        if (base_high >> U32(31)).any():
            raise StopRun(FaultKind.UNKNOWN_INSTRUCTION, "swizzled buffer descriptors are not modelled")
        bounds = self._in_bounds(within, index, stride, scalar, records.astype(I64), flags, size)
        address = base + scalar + within + index * stride - BASE
        shape = (w.n, w.lanes)
        return np.broadcast_to(address, shape), np.broadcast_to(bounds, shape)

    def _in_bounds(
        self, within: Array, index: Array, stride: Array, scalar: Array, records: Array, flags: Array, size: int
    ) -> Array:
        if self.is_cdna:
            raw = within + min(size, 4) <= records - scalar
            return np.where(stride == 0, raw, (index < records) & (within < np.maximum(stride, 1)))
        mode = (flags >> U32(28)) & U32(3)
        structured = np.where(stride == 0, within < records, index < records)
        return np.where(mode == 3, within + size <= records, np.where(mode == 2, records != 0, structured))


def _addressing(ops: Operands) -> _Addressing:
    instruction, fields, target = ops.instruction, ops.instruction.fields, ops.context.target
    descriptor = instruction.require("srsrc").number
    words = tuple(ops.vector_source(descriptor + k, "u32") for k in range(4))
    soffset = instruction.require("soffset").number
    number = instruction.require("addr").number
    index = ops.vector_source(number, "u32") if fields["idxen"] else None
    vector = ops.vector_source(number + (1 if index else 0), "u32") if fields["offen"] else None
    scalar = None if soffset == target.null else ops.vector_source(soffset, "u32")
    return _Addressing(words, scalar, vector, index, fields["offset"], target.is_cdna)


def compile_buffer(ops: Operands) -> Action | None:
    """The action of a MUBUF or VBUFFER instruction, or None when it is not modelled."""
    name = ops.instruction.mnemonic
    if CACHE_CONTROL.fullmatch(name):
        return Action(None)
    if ops.instruction.fields.get("tfe"):
        return None
    if name.startswith("buffer_atomic_"):
        return _atomic(ops, name.removeprefix("buffer_atomic_"))
    found = _ACCESS.fullmatch(name)
    if found is None:
        return None
    to_lds = bool(ops.instruction.fields.get("lds")) or found[2].startswith("lds_")
    kind = data_type(found[2].removeprefix("lds_"))
    if kind is None:
        return None
    addressing = _addressing(ops)
    if to_lds:
        return _load_to_lds(ops, addressing, kind)
    address_reads, instruction = ops.reads, ops.instruction
    store, number = found[1] == "store", instruction.require("data").number
    transfer = Transfer(ops, GLOBAL, kind, number, store=store)

    def run(w: Waves) -> None:
        offsets, inside = addressing.resolve(w, kind.size)
        lanes = w.write_mask() & inside
        count_access(w, transfer.counted, transfer.halves, instruction)
        if w.checks is not None:
            check_address(w, address_reads, addressing.known(w), w.write_mask(), instruction)
        everywhere = None if lanes.all() else lanes
        if store:
            transfer.store(w, offsets, everywhere)
        else:
            transfer.load(w, offsets, everywhere, zero_others=True)

    return Action(run, own_shadow=True)


def _atomic(ops: Operands, name: str) -> Action | None:
    operation = named_atomic(name)
    if operation is None:
        return None
    addressing = _addressing(ops)
    instruction, first = ops.instruction, ops.instruction.require("data").number
    numbers = [first, first + operation.registers] if operation.compares else [first]
    returned = first if returns_value(ops) else None
    atomic = Atomic(ops, GLOBAL, operation, numbers, returned)

    def run(w: Waves) -> None:
        offsets, inside = addressing.resolve(w, 4 * operation.registers)
        count_access(w, STORE if returned is None else LOAD, atomic.halves, instruction)
        atomic.run(w, offsets, w.write_mask() & inside)

    return Action(run, own_shadow=True)


def _load_to_lds(ops: Operands, addressing: _Addressing, kind: DataType) -> Action:
    """gfx9: data goes from memory to LDS at M0 + offset + lane * size; lanes out of bounds store zero."""
    instruction, constant, m0 = ops.instruction, ops.instruction.fields["offset"], ops.context.target.m0
    base = ops.vector_source(m0, "u32")
    size = max(kind.size, 4)

    def run(w: Waves) -> None:
        offsets, inside = addressing.resolve(w, kind.size)
        lanes = w.write_mask()
        readable = lanes & inside
        count_access(w, LOAD, 0, instruction)
        flat = GLOBAL.locate(w, offsets, readable, kind.size)
        words = [take(w, place(w, word, readable), lanes) for word in GLOBAL.bytes(w).load(flat, kind.size)]
        start = (base.value(w) & U32(0x3FFFF)).astype(I64) + constant
        local = LOCAL.locate(w, start + size * np.arange(w.lanes), lanes, size)
        LOCAL.bytes(w).store(local, size, words)
        if w.checks is None:
            return
        LOCAL.bytes(w).store_known(local, size, None)
        if w.checks.lds_races is not None and local.size:
            w.checks.lds_races.write(Touch(local, wave_of_each(w, lanes), size), instruction)

    return Action(run, own_shadow=True)
