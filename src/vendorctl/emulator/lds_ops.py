# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""LDS instructions (DS): loads, stores, atomics, and the lane permutations that use the LDS crossbar."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from vendorctl.emulator.actions import Action
from vendorctl.emulator.arrays import ALL_ONES, I64, U16, U32, Array
from vendorctl.emulator.atomics import Atomic, atomic_operation
from vendorctl.emulator.memory import Bytes, LocalMemory
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.races import RaceChecker, Touch
from vendorctl.emulator.registers import Source, half_registers
from vendorctl.emulator.transfer import (
    Transfer,
    check_address,
    count_access,
    data_type,
    enabled,
    place,
    take,
    wave_of_each,
)
from vendorctl.emulator.waits import LDS
from vendorctl.emulator.waves import Waves

_ACCESS = re.compile(r"ds_(read|load|write|store)(2|_2addr)?(st64|_stride64)?_(\w+)")
_ATOMIC = re.compile(r"ds_(\w+?)(_rtn)?_([bfiu]\d+)")


class LocalSpace:
    """The LDS of the executing waves' workgroups."""

    def locate(self, w: Waves, offsets: Array, lanes: Array | None, size: int) -> Array:
        """Check offsets within the workgroup's LDS; return offsets within that of all workgroups."""
        local = self._memory(w)
        flat = take(w, offsets, lanes)
        local.check(flat, size)
        return flat + take(w, (w.group * local.stride)[:, None], lanes)

    def _memory(self, w: Waves) -> LocalMemory:
        assert w.state.local is not None
        return w.state.local

    def bytes(self, w: Waves) -> Bytes:
        """The LDS of all workgroups."""
        return self._memory(w).bytes

    def races(self, w: Waves) -> RaceChecker | None:
        """The checker of LDS accesses."""
        return w.checks.lds_races if w.checks else None


LOCAL = LocalSpace()


def compile_lds(ops: Operands) -> Action | None:
    """The action of a DS instruction, or None when it is not modelled."""
    name = ops.instruction.mnemonic
    if ops.instruction.fields.get("gds"):
        return None
    if name == "ds_nop":
        return Action(None)
    if name in ("ds_bpermute_b32", "ds_permute_b32", "ds_bpermute_fi_b32"):
        return _permute(ops, forwards=name == "ds_permute_b32", fetch_inactive="_fi_" in name)
    if name == "ds_swizzle_b32":
        return _swizzle(ops)
    if name == "ds_read_b64_tr_b16":
        return _transposing_read(ops)
    found = _ACCESS.fullmatch(name)
    if found:
        return _access(
            ops, store=found[1] in ("write", "store"), two=bool(found[2]), far=bool(found[3]), type_name=found[4]
        )
    return _atomic(ops, name)


def _offset(ops: Operands) -> int:
    fields = ops.instruction.fields
    return fields["offset0"] | fields["offset1"] << 8


def _access(ops: Operands, *, store: bool, two: bool, far: bool, type_name: str) -> Action | None:
    kind = data_type(type_name)
    if kind is None:
        return None
    address = ops.source("addr", "u32")
    address_reads = ops.reads
    fields, instruction = ops.instruction.fields, ops.instruction
    if two:
        unit = kind.size * (64 if far else 1)
        offsets = [fields["offset0"] * unit, fields["offset1"] * unit]
    else:
        offsets = [_offset(ops)]
    if store:
        numbers = [instruction.require(field).number for field in ("data", "data1")[: len(offsets)]]
    else:
        first = instruction.require("dst").number
        numbers = [first + k * kind.registers for k in range(len(offsets))]
    transfers = [Transfer(ops, LOCAL, kind, number, store=store) for number in numbers]
    halves = 0
    for transfer in transfers:
        halves |= transfer.halves

    def run(w: Waves) -> None:
        lanes = enabled(w)
        count_access(w, LDS, halves, instruction)
        if w.checks is not None:
            check_address(w, address_reads, [address.known(w)], lanes, instruction)
        base = address.value(w).astype(I64)
        if store:
            for transfer, offset in zip(transfers, offsets, strict=True):
                transfer.store(w, base + offset, lanes)
            return
        for transfer, offset in zip(transfers, offsets, strict=True):
            transfer.load(w, base + offset, lanes)

    return Action(run, own_shadow=True)


def _atomic(ops: Operands, name: str) -> Action | None:
    found = _ATOMIC.fullmatch(name)
    if found is None:
        return None
    operation = atomic_operation(found[1], found[3])
    if operation is None:
        return None
    address, instruction = ops.source("addr", "u32"), ops.instruction
    address_reads, offset = ops.reads, _offset(ops)
    # Compare-and-store takes the comparison value first on gfx9, the new value first from gfx11 on.
    swapped = operation.compares and found[1] == "cmpst"
    fields = ("data1", "data") if swapped else ("data", "data1")
    numbers = [instruction.require(field).number for field in fields[: 2 if operation.compares else 1]]
    returned = instruction.require("dst").number if found[2] else None
    atomic = Atomic(ops, LOCAL, operation, numbers, returned)

    def run(w: Waves) -> None:
        lanes = enabled(w)
        count_access(w, LDS, atomic.halves, instruction)
        if w.checks is not None:
            check_address(w, address_reads, [address.known(w)], lanes, instruction)
        atomic.run(w, address.value(w).astype(I64) + offset, lanes)

    return Action(run, own_shadow=True)


# Lane permutations

#: From waves to (source lane, whether there is one), both (n, lanes).
_Mover: TypeAlias = Callable[[Waves], tuple[Array, Array]]


def _lane_move(ops: Operands, source: Source, moved: _Mover, fetch_inactive: bool = False) -> Action:
    operand, instruction = ops.instruction.require("dst"), ops.instruction
    row = ops.row(operand.number)
    ops.will_write(operand.number)

    def move(w: Waves, value: Array, missing: Any) -> Array:
        whole = np.broadcast_to(value, (w.n, w.lanes))
        lanes, exists = moved(w)
        valid = exists if fetch_inactive else exists & np.take_along_axis(w.exec_mask(), lanes, 1)
        return np.where(valid, np.take_along_axis(whole, lanes, 1), missing)

    def run(w: Waves) -> None:
        count_access(w, LDS, half_registers(operand.number), instruction)
        w.write_vector(row, move(w, source.value(w), U32(0)))

    def shadow(w: Waves) -> None:
        w.write_known(operand.number, move(w, source.known(w), ALL_ONES[32]))

    return Action(run, shadow)


class _Backwards:
    """Each lane names the lane that it reads, in bytes."""

    def __init__(self, address: Source, offset: int) -> None:
        self.address, self.offset = address, offset

    def __call__(self, w: Waves) -> tuple[Array, Array]:
        lanes = (np.broadcast_to(self.address.value(w), (w.n, w.lanes)) + U32(self.offset)) >> U32(2)
        return (lanes % U32(w.lanes)).astype(I64), np.ones((w.n, w.lanes), bool)


class _Forwards:
    """Each lane names the lane that it writes to; the highest of several wins, lanes not written to read zero."""

    def __init__(self, address: Source, offset: int) -> None:
        self.address, self.offset = address, offset

    def __call__(self, w: Waves) -> tuple[Array, Array]:
        lanes = (np.broadcast_to(self.address.value(w), (w.n, w.lanes)) + U32(self.offset)) >> U32(2)
        target = (lanes % U32(w.lanes)).astype(I64)
        source, exists = np.zeros((w.n, w.lanes), I64), np.zeros((w.n, w.lanes), bool)
        for lane in range(w.lanes):
            writes = np.nonzero(w.exec_mask()[:, lane])[0]
            source[writes, target[writes, lane]] = lane
            exists[writes, target[writes, lane]] = True
        return source, exists


class _Fixed:
    """The same permutation in every wave."""

    def __init__(self, source: Array) -> None:
        self.source = source

    def __call__(self, w: Waves) -> tuple[Array, Array]:
        shape = (w.n, w.lanes)
        return np.broadcast_to(self.source, shape), np.ones(shape, bool)


def _permute(ops: Operands, *, forwards: bool, fetch_inactive: bool) -> Action:
    address, source = ops.source("addr", "u32"), ops.source("data", "u32")
    mover = (_Forwards if forwards else _Backwards)(address, _offset(ops))
    return _lane_move(ops, source, mover, fetch_inactive or forwards)


def _swizzle(ops: Operands) -> Action | None:
    lane, pattern = np.arange(ops.context.lanes), _offset(ops)
    if pattern >= 0xE000:
        return None  # the FFT mode
    if pattern >= 0xC000:
        rotation, mask = pattern >> 5 & 31, pattern & 31
        step = -rotation if pattern >> 10 & 1 else rotation
        inside = ((lane & ~mask) | ((lane + step) & mask)) & 31
        source = (lane & ~31) | inside
    elif pattern & 0x8000:
        source = (lane & ~3) | (pattern >> (2 * (lane & 3)) & 3)
    else:
        low = lane & 31
        source = (lane & ~31) | (((low & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31))
    return _lane_move(ops, ops.source("addr", "u32"), _Fixed(source))


def _transposing_read(ops: Operands) -> Action:
    """gfx950: in every group of 16 lanes, 4 rows of 16 halves (four per lane) are read and returned transposed."""
    address, instruction = ops.source("addr", "u32"), ops.instruction
    address_reads, offset = ops.reads, _offset(ops)
    number = instruction.require("dst").number
    rows = [ops.row(number), ops.row(number + 1)]
    ops.will_write(number, 2)
    size = 8

    def transpose(w: Waves, words: list[Array], lanes: Array | None, others: int) -> list[Array]:
        low, high = (place(w, word, lanes, others=others) for word in words)
        halves = np.stack([low & U32(0xFFFF), low >> U32(16), high & U32(0xFFFF), high >> U32(16)], axis=-1).astype(U16)
        groups = halves.reshape(w.n, w.lanes // 16, 4, 16)
        turned = np.swapaxes(groups, 2, 3).reshape(w.n, w.lanes, 4).astype(U32)
        return [turned[..., 0] | turned[..., 1] << U32(16), turned[..., 2] | turned[..., 3] << U32(16)]

    def run(w: Waves) -> None:
        lanes = enabled(w)
        count_access(w, LDS, half_registers(number, 2), instruction)
        flat = LOCAL.locate(w, address.value(w).astype(I64) + offset, lanes, size)
        memory = LOCAL.bytes(w)
        if w.checks is not None:
            check_address(w, address_reads, [address.known(w)], lanes, instruction)
            for k, known in enumerate(transpose(w, memory.load_known(flat, size), lanes, 0xFFFFFFFF)):
                w.write_known(number + k, known)
            races = LOCAL.races(w)
            if races is not None and flat.size:
                races.read(Touch(flat, wave_of_each(w, lanes), size), instruction)
        for row, value in zip(rows, transpose(w, memory.load(flat, size), lanes, 0), strict=True):
            w.write_vector(row, value)

    return Action(run, own_shadow=True)
