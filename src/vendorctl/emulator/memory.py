# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Device memory: one arena with guard gaps, an allocation table that every access is checked against, and LDS."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import Any

import numpy as np

from vendorctl.emulator.arrays import I64, U8, U16, U32, Array
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.errors import VendorError

#: Where the arena appears to kernels: far from null, and not representable in 32 bits.
BASE = 0x7F0000000000
_GUARD = 4096
_ALIGNMENT = 256
_POISON = 0xAB
_LIMIT = 1 << 33


@dataclass(frozen=True, slots=True)
class Buffer:
    """An allocation: its device address, size in bytes, and the name it is reported under."""

    address: int
    nbytes: int
    name: str


class Bytes:
    """An array of bytes with unaligned 1 to 16-byte accesses, and which of its bits were ever given a value.

    Offsets are int64 arrays of one axis. Values are lists of uint32 arrays, one per word; the last one holds the
    low bits when the size is not a multiple of four.
    """

    def __init__(self, size: int) -> None:
        padded = (size + 3) & ~3
        self.data: Array = np.full(padded, _POISON, U8)
        self.known: Array | None = None
        self._views()

    def _views(self) -> None:
        self.words, self.halves = self.data.view(U32), self.data.view(U16)

    def replace(self, other: Bytes) -> None:
        """Take over a copy of the contents of `other`."""
        self.data = other.data.copy()
        self.known = None if other.known is None else other.known.copy()
        self._views()

    def track(self) -> None:
        """Start keeping record of known bytes; all are unknown at first."""
        if self.known is None:
            self.known = np.zeros(len(self.data), U8)

    def load(self, offsets: Array, size: int) -> list[Array]:
        """Words at `offsets`; sizes below four are zero extended."""
        return _load(self.data, self.words, self.halves, offsets, size)

    def store(self, offsets: Array, size: int, words: list[Array]) -> None:
        """Write words at `offsets`. Of equal offsets the last one wins."""
        _store(self.data, self.words, self.halves, offsets, size, words)

    def load_known(self, offsets: Array, size: int) -> list[Array]:
        """Known bits of what `load` returns (upper bits of a zero extension are known)."""
        assert self.known is not None
        known = _load(self.known, self.known.view(U32), self.known.view(U16), offsets, size)
        if size < 4:
            known = [known[0] | U32((0xFFFFFFFF << (8 * size)) & 0xFFFFFFFF)]
        return known

    def store_known(self, offsets: Array, size: int, words: list[Array] | None) -> None:
        """Record known bits of a store; None: all of them."""
        assert self.known is not None
        if words is None:
            words = [np.broadcast_to(U32(0xFFFFFFFF), offsets.shape)] * ((size + 3) // 4)
        _store(self.known, self.known.view(U32), self.known.view(U16), offsets, size, words)


def _load(data: Array, words: Array, halves: Array, offsets: Array, size: int) -> list[Array]:
    if size >= 4 and not (offsets & 3).any():
        index = offsets >> 2
        return [words[index + k] for k in range(size // 4)]
    if size == 2 and not (offsets & 1).any():
        return [halves[offsets >> 1].astype(U32)]
    found = []
    for start in range(0, size, 4):
        word = np.zeros(offsets.shape, U32)
        for byte in range(min(4, size - start)):
            word |= data[offsets + start + byte].astype(U32) << U32(8 * byte)
        found.append(word)
    return found


def _store(data: Array, words: Array, halves: Array, offsets: Array, size: int, values: list[Array]) -> None:
    if size >= 4 and not (offsets & 3).any():
        index = offsets >> 2
        for k in range(size // 4):
            words[index + k] = values[k]
        return
    if size == 2 and not (offsets & 1).any():
        halves[offsets >> 1] = values[0].astype(U16)
        return
    for byte in range(size):
        data[offsets + byte] = (values[byte // 4] >> U32(8 * (byte % 4))).astype(U8)


class Memory:
    """Global memory of the device. Buffers stay where they are, so any number of launches may use one memory."""

    def __init__(self, capacity: int = 1 << 22) -> None:
        self._bytes = Bytes(capacity)
        self._bytes.track()
        self._top = _GUARD
        self._buffers: list[Buffer] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._table: tuple[Array, Array] | None = None

    @property
    def arena(self) -> Bytes:
        """All bytes of the device. Offsets into it are device addresses less `BASE`."""
        return self._bytes

    @property
    def used(self) -> int:
        """How many bytes of the arena lie below the end of the last buffer and its guard gap."""
        return self._top

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """Every allocation, in order of address."""
        return tuple(self._buffers)

    def allocate(self, content: Array | bytes | int, name: str = "") -> Buffer:
        """Reserve memory for `content` and copy it there; a number reserves that many bytes that hold no value yet.

        Guard gaps around it turn accesses outside into faults. Raises VendorError when the device is full.
        """
        if isinstance(content, int):
            size = content
        else:
            size = len(content) if isinstance(content, bytes) else int(content.nbytes)
        start = (self._top + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT
        self._reserve(start + size + _GUARD)
        buffer = Buffer(BASE + start, size, name or f"buffer {len(self._buffers)}")
        self._top = start + size + _GUARD
        self._buffers.append(buffer)
        self._starts.append(start)
        self._ends.append(start + size)
        self._table = None
        if not isinstance(content, int):
            self.write(buffer.address, content)
        return buffer

    def _reserve(self, end: int) -> None:
        if end > _LIMIT:
            raise VendorError(f"the emulated device has {_LIMIT >> 30} GiB of memory; {end} bytes are needed")
        if end <= len(self._bytes.data):
            return
        larger = Bytes(max(end, 2 * len(self._bytes.data)))
        larger.track()
        assert self._bytes.known is not None
        assert larger.known is not None
        larger.data[: len(self._bytes.data)] = self._bytes.data
        larger.known[: len(self._bytes.known)] = self._bytes.known
        self._bytes = larger

    def _span(self, address: int, size: int) -> slice:
        start = address - BASE
        at = bisect.bisect_right(self._starts, start) - 1
        if size < 0 or at < 0 or start + size > self._ends[at]:
            raise VendorError(f"{size} bytes at {address:#x} are not inside one allocation of the emulated device")
        return slice(start, start + size)

    def write(self, address: int, content: Array | bytes) -> None:
        """Copy bytes to the device; they become known. Raises VendorError outside an allocation."""
        raw = (
            np.frombuffer(content, U8)
            if isinstance(content, bytes)
            else np.ascontiguousarray(content).reshape(-1).view(U8)
        )
        span = self._span(address, raw.size)
        self._bytes.data[span] = raw
        assert self._bytes.known is not None
        self._bytes.known[span] = 0xFF

    def read(self, address: int, dtype: Any, shape: int | tuple[int, ...]) -> Array:
        """A copy of an array on the device. Raises VendorError when it is not inside one allocation."""
        kind, count = np.dtype(dtype), int(np.prod(shape))
        return self._bytes.data[self._span(address, count * kind.itemsize)].copy().view(kind).reshape(shape)

    def initialised(self, buffer: Buffer) -> bool:
        """True when every byte of `buffer` was written by the host or by a kernel."""
        assert self._bytes.known is not None
        return bool(self._bytes.known[self._span(buffer.address, buffer.nbytes)].all())

    def copy(self) -> Memory:
        """An independent device with the same allocations and contents."""
        other = Memory(0)
        other.restore(self)
        return other

    def restore(self, other: Memory) -> None:
        """Become a copy of `other`."""
        self._bytes = Bytes(0)
        self._bytes.replace(other._bytes)
        self._top, self._table = other._top, None
        self._buffers, self._starts, self._ends = list(other._buffers), list(other._starts), list(other._ends)

    def check(self, offsets: Array, size: int) -> None:
        """End the run unless all `size`-byte accesses at `offsets` (int64, one axis) lie inside allocations."""
        if offsets.size == 0:
            return
        if self._table is None:
            self._table = np.array(self._starts, I64), np.array(self._ends, I64)
        starts, ends = self._table
        low, high = int(offsets.min()), int(offsets.max())
        at = bisect.bisect_right(self._starts, low) - 1
        if at >= 0 and high + size <= self._ends[at]:
            return  # all inside one buffer, which is the rule
        index = np.searchsorted(starts, offsets, side="right") - 1
        bad = (index < 0) | (offsets + size > ends[index]) if len(starts) else np.ones(offsets.shape, bool)
        if bad.any():
            self._fault(int(offsets[bad.argmax()]), size, int(bad.sum()))

    def _fault(self, offset: int, size: int, lanes: int) -> None:
        def distance_to(buffer: Buffer) -> int:
            start = buffer.address - BASE
            return min(abs(start - offset), abs(start + buffer.nbytes - offset))

        near = min(self._buffers, key=distance_to, default=None)
        where = ""
        if near is not None:
            start = near.address - BASE
            distance = offset - start
            where = (
                f"; {near.name} ({near.nbytes} bytes) starts {-distance} bytes after it"
                if distance < 0
                else f"; it is {distance - near.nbytes} bytes past the end of {near.name} ({near.nbytes} bytes)"
            )
        raise StopRun(
            FaultKind.OUT_OF_BOUNDS,
            f"{size} bytes at {BASE + offset:#x} are outside every allocation, in {lanes} lanes{where}",
        )


class LocalMemory:
    """The LDS of all workgroups of a launch, one after the other, each `size` bytes."""

    def __init__(self, size: int, groups: int, *, tracked: bool) -> None:
        self.size = size
        self.stride = (size + 127) // 128 * 128
        self.bytes = Bytes(max(self.stride * groups, 4))
        if tracked:
            self.bytes.track()

    def check(self, offsets: Array, size: int) -> None:
        """End the run unless all accesses at `offsets` within a workgroup's LDS lie inside it."""
        if offsets.size == 0:
            return
        low, high = int(offsets.min()), int(offsets.max())
        if low < 0 or high + size > self.size:
            offset = low if low < 0 else high
            raise StopRun(
                FaultKind.OUT_OF_BOUNDS,
                f"{size} bytes at LDS offset {offset} are outside the workgroup's {self.size} bytes",
            )
