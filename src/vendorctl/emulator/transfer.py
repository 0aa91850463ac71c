# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Moving data between memory and vector registers: what all memory instructions share.

A memory instruction works out per-lane byte offsets (int64, (n, lanes)) and which lanes take part (bool, (n, lanes));
a `Transfer` then does the access, with its checks: bounds, wait counters, races, and known bits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vendorctl.emulator.arrays import U32, Array
from vendorctl.emulator.findings import HazardKind
from vendorctl.emulator.instruction import Instruction
from vendorctl.emulator.memory import Bytes
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.races import RaceChecker, Touch
from vendorctl.emulator.registers import half_registers
from vendorctl.emulator.waits import LDS, LOAD, STORE
from vendorctl.emulator.waves import Waves

_SIZES = {
    "dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16, "b32": 4, "b64": 8, "b96": 12, "b128": 16,
    "ushort": 2, "u16": 2, "b16": 2, "short": 2, "sshort": 2, "i16": 2, "ubyte": 1, "u8": 1, "b8": 1, "byte": 1,
    "sbyte": 1, "i8": 1,
}  # fmt: skip
_D16 = re.compile(r"_?d16(_hi)?")


@dataclass(frozen=True, slots=True)
class DataType:
    """What a load or store moves: bytes, sign extension, and for 16-bit register halves which one (`low`, `high`)."""

    size: int
    signed: bool = False
    half: str = ""

    @property
    def registers(self) -> int:
        """How many registers the data occupies."""
        return max(1, self.size // 4)


def data_type(text: str) -> DataType | None:
    """The type that the end of a memory mnemonic names: `dwordx4`, `u16_d16_hi`, `d16_hi_b16`; None when unknown."""
    found = _D16.search(text)
    half = "" if found is None else "high" if found[1] else "low"
    name = _D16.sub("", text).strip("_")
    if name == "hi" or name.endswith("_hi"):
        name, half = name.removesuffix("_hi"), "high"
    if name not in _SIZES:
        return None
    return DataType(_SIZES[name], name in ("sshort", "i16", "sbyte", "i8"), half)


class Space(Protocol):
    """A memory that lanes address: bounds, bytes and races."""

    def locate(self, w: Waves, offsets: Array, lanes: Array | None, size: int) -> Array:
        """Check the offsets of the lanes (None: all) and return them as flat offsets into `bytes(w)`."""

    def bytes(self, w: Waves) -> Bytes:
        """The bytes that flat offsets index."""

    def races(self, w: Waves) -> RaceChecker | None:
        """The race checker of this memory, if there is one."""


class Transfer:
    """Data of one memory instruction: `registers` from source number `number` on, in a memory space."""

    def __init__(self, ops: Operands, space: Space, kind: DataType, number: int, *, store: bool) -> None:
        self.instruction: Instruction = ops.instruction
        self.space, self.kind, self.number = space, kind, number
        self.rows = [ops.row(number + k) for k in range(kind.registers)]
        self.counted = LDS if ops.instruction.format == "DS" else STORE if store else LOAD
        if store:
            half = kind.half or ("low" if kind.size < 4 else "")
            ops.will_read(number, kind.registers, half)
        else:
            ops.will_write(number, kind.registers, kind.half)
        #: The half-registers that a load writes.
        self.halves = 0 if store else half_registers(number, kind.registers, kind.half)

    # Stores

    def store(self, w: Waves, offsets: Array, lanes: Array | None) -> None:
        """Write the registers of `lanes` (None: all) to `offsets`."""
        flat = self.space.locate(w, offsets, lanes, self.kind.size)
        words = [take(w, w.vector[row], lanes) for row in self.rows]
        if self.kind.half == "high":
            words = [words[0] >> U32(16)]
        memory = self.space.bytes(w)
        if w.checks is not None:
            self._store_known(w, memory, flat, lanes)
        memory.store(flat, self.kind.size, words)
        self._store_races(w, memory, flat, lanes, words)

    def _store_known(self, w: Waves, memory: Bytes, flat: Array, lanes: Array | None) -> None:
        assert w.checks is not None
        bits = ((1 << self.kind.registers) - 1) << self.number
        if not bits & ~w.clean:
            memory.store_known(flat, self.kind.size, None)
            return
        known = [take(w, w.known(self.number + k), lanes) for k in range(len(self.rows))]
        if self.kind.half == "high":
            known = [known[0] >> U32(16)]
        memory.store_known(flat, self.kind.size, known)
        if self.instruction.format != "DS" and not _complete(known, self.kind.size):
            w.checks.report(
                HazardKind.UNINITIALISED_STORE,
                f"{self.instruction.mnemonic} stores bits that were never given a value",
            )

    def _store_races(self, w: Waves, memory: Bytes, flat: Array, lanes: Array | None, words: list[Array]) -> None:
        if w.checks is None:
            return
        races = self.space.races(w)
        if races is None or not flat.size:
            return
        touch = Touch(flat, wave_of_each(w, lanes), self.kind.size)
        races.write(touch, self.instruction)
        now = memory.load(flat, self.kind.size)
        mask = U32((1 << (8 * min(self.kind.size, 4))) - 1)
        differs = np.zeros(flat.shape, bool)
        for found, stored in zip(now, words, strict=True):
            differs |= found != (stored & mask)
        races.clash(touch, differs, self.instruction)

    # Loads

    def load(self, w: Waves, offsets: Array, lanes: Array | None, *, zero_others: bool = False) -> None:
        """Read `offsets` into the registers of `lanes`; other enabled lanes keep theirs, or get zero."""
        flat = self.space.locate(w, offsets, lanes, self.kind.size)
        memory = self.space.bytes(w)
        if w.checks is not None:
            races = self.space.races(w)
            if races is not None and flat.size:
                races.read(Touch(flat, wave_of_each(w, lanes), self.kind.size), self.instruction)
            self._load_known(w, memory.load_known(flat, self.kind.size), lanes, zero_others)
        words = memory.load(flat, self.kind.size)
        for row, word in zip(self.rows, words, strict=True):
            value = place(w, self._extend(word), lanes)
            if self.kind.half:
                value = _into_half(w.vector[row], value, self.kind.half)
            w.write_vector(row, value, None if zero_others or lanes is None else lanes)

    def _extend(self, word: Array) -> Array:
        if not self.kind.signed:
            return word
        sign = U32(1 << (8 * self.kind.size - 1))
        return (word ^ sign) - sign

    def _load_known(self, w: Waves, words: list[Array], lanes: Array | None, zero_others: bool) -> None:
        for k, word in enumerate(words):
            known = place(w, word, lanes, others=0xFFFFFFFF)
            if self.kind.half:
                known = _into_half(w.known(self.number + k), known, self.kind.half)
            w.write_known(self.number + k, known, None if zero_others or lanes is None else lanes)


def _complete(known: list[Array], size: int) -> bool:
    mask = U32((1 << (8 * min(size, 4))) - 1)
    return all(bool((word & mask == mask).all()) for word in known)


def _into_half(old: Array, value: Array, half: str) -> Array:
    if half == "low":
        return (old & U32(0xFFFF0000)) | (value & U32(0xFFFF))
    return (old & U32(0x0000FFFF)) | (value << U32(16))


def take(w: Waves, value: Array, lanes: Array | None) -> Array:
    """`value` (broadcasts to (n, lanes)) of the chosen lanes, as one axis."""
    whole = np.broadcast_to(value, (w.n, w.lanes))
    return whole.reshape(-1) if lanes is None else whole[lanes]


def place(w: Waves, values: Array, lanes: Array | None, *, others: int = 0) -> Array:
    """The inverse of `take`: one value per chosen lane to (n, lanes), with `others` elsewhere."""
    if lanes is None:
        return values.reshape(w.n, w.lanes)
    whole = np.full((w.n, w.lanes), others, values.dtype)
    whole[lanes] = values
    return whole


def wave_of_each(w: Waves, lanes: Array | None) -> Array:
    """int64: the wave (over the whole launch) that each chosen lane belongs to."""
    waves = np.arange(w.span.start, w.span.stop)[:, None]
    return take(w, waves, lanes)


def enabled(w: Waves) -> Array | None:
    """The lanes that take part in a memory access: None when all do."""
    return None if w.all_lanes else w.write_mask()


def count_access(w: Waves, kind: int, halves: int, instruction: Instruction) -> None:
    """Count an access that will write the half-registers `halves` for the wait checker, if checks are on.

    Call before the transfer itself.
    """
    if w.checks is not None and w.checks.waits is not None:
        w.checks.waits.issue(w, kind, halves, instruction)


def check_address(w: Waves, ops_reads: int, known: list[Array], lanes: Array | None, instruction: Instruction) -> None:
    """Report an access whose address has unknown bits in a lane that takes part."""
    assert w.checks is not None
    if not ops_reads & ~w.clean:
        return
    for mask in known:
        if not (take(w, mask, lanes) == np.array(-1).astype(mask.dtype)).all():
            w.checks.report(
                HazardKind.UNINITIALISED_ADDRESS,
                f"{instruction.mnemonic} uses an address with bits that were never given a value",
            )
            return
