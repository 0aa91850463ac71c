# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Machine state: the registers of all waves of a launch, and the window of waves that executes one instruction.

Waves are ordered by rank within their workgroup first, then by workgroup. All waves of one rank are therefore
neighbours, and a schedule that runs rank after rank works on plain slices of the arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vendorctl.emulator.arrays import F32, I32, U8, U32, Array
from vendorctl.emulator.findings import HazardKind
from vendorctl.emulator.instruction import ACCUMULATOR, EXEC, SCC, VECTOR

if TYPE_CHECKING:
    from vendorctl.emulator.checks import Checks
    from vendorctl.emulator.memory import Bytes, LocalMemory, Memory

SCALARS = 128
_POISON = 0xDEADBEEF
_FULL = U32(0xFFFFFFFF)


class WaveState:
    """All registers of a launch: `vector` uint32 (registers, n, lanes), `scalar` uint32 (128, n), `scc` bool (n,)."""

    def __init__(
        self,
        *,
        groups: int,
        ranks: int,
        lanes: int,
        vgprs: int,
        agprs: int,
        memory: Memory,
        checks: Checks | None = None,
    ) -> None:
        self.groups, self.ranks, self.lanes = groups, ranks, lanes
        self.vgprs, self.agprs = vgprs, agprs
        self.waves = groups * ranks
        self.vector: Array = np.full((vgprs + agprs, self.waves, lanes), _POISON, U32)
        self.scalar: Array = np.full((SCALARS, self.waves), _POISON, U32)
        self.scc: Array = np.zeros(self.waves, bool)
        self.group = np.tile(np.arange(groups), ranks)
        self.rank = np.repeat(np.arange(ranks), groups)
        self.pc = np.zeros(self.waves, np.int64)
        self.done = np.zeros(self.waves, bool)
        self.waiting = np.zeros(self.waves, bool)
        self.memory = memory
        self.local: LocalMemory | None = None
        self.scratch: Bytes | None = None
        self.scratch_size = 0
        self.code_base = 0
        self.checks = checks
        self._windows: dict[tuple[int, int], Waves] = {}

    def window(self, first_rank: int, last_rank: int) -> Waves:
        """The waves of ranks `first_rank` to `last_rank`, both included."""
        found = self._windows.get((first_rank, last_rank))
        if found is None:
            found = self._windows[first_rank, last_rank] = Waves(self, first_rank, last_rank)
        return found


class Waves:
    """Waves that execute together, as views of the state's arrays.

    `active` says which of them take part (None: all). `vector`, `vector_f32` and `vector_i32` are the same registers
    as different types; `column` is the scalar file with a lane axis of one, so that it broadcasts over lanes.
    """

    def __init__(self, state: WaveState, first_rank: int, last_rank: int) -> None:
        span = slice(first_rank * state.groups, (last_rank + 1) * state.groups)
        self.state, self.span = state, span
        self.first_rank, self.last_rank = first_rank, last_rank
        self.n, self.lanes = span.stop - span.start, state.lanes
        self.vector = state.vector[:, span]
        self.vector_f32, self.vector_i32 = self.vector.view(F32), self.vector.view(I32)
        self.scalar = state.scalar[:, span]
        self.column = self.scalar[:, :, None]
        self.column_f32, self.column_i32 = self.column.view(F32), self.column.view(I32)
        self.scc = state.scc[span]
        self.group, self.rank = state.group[span], state.rank[span]
        self.pc, self.done, self.waiting = state.pc[span], state.done[span], state.waiting[span]
        self.checks = state.checks
        self.active: Array | None = None
        self._exec: Array | None = None
        self._mask: Array | None = None
        self._all = False

    def activate(self, active: Array | None) -> None:
        """Choose the waves that take part: bool (n,), or None for all of the window."""
        self.active = active
        self._exec = None

    @property
    def everyone(self) -> Array:
        """Tell as bool (n,) the waves that take part."""
        return np.ones(self.n, bool) if self.active is None else self.active

    # Execution mask

    def _refresh(self) -> None:
        self._exec = self.lane_bits(EXEC)
        self._mask = self._exec if self.active is None else self._exec & self.active[:, None]
        self._all = bool(self._mask.all())

    def exec_mask(self) -> Array:
        """Tell as bool (n, lanes) the lanes that the EXEC register enables, in every wave of the window."""
        if self._exec is None:
            self._refresh()
        assert self._exec is not None
        return self._exec

    def write_mask(self) -> Array:
        """Bool (n, lanes): enabled lanes of the waves that take part."""
        if self._exec is None:
            self._refresh()
        assert self._mask is not None
        return self._mask

    @property
    def all_lanes(self) -> bool:
        """True when every lane of every wave of the window takes part."""
        if self._exec is None:
            self._refresh()
        return self._all

    def lane_bits(self, register: int) -> Array:
        """Read as bool (n, lanes) a lane mask held in one scalar register, or two of them for 64 lanes."""
        return self._unpack(self.scalar[register : register + self.lanes // 32])

    def _unpack(self, words: Array) -> Array:
        raw = np.ascontiguousarray(words.T).view(U8)
        return np.unpackbits(raw, axis=1, bitorder="little").view(bool)

    def pack(self, lanes: Array) -> Array:
        """uint32 (words, n): bool (n, lanes) packed into lane masks of one or two words."""
        packed = np.packbits(
            np.ascontiguousarray(np.broadcast_to(lanes, (self.n, self.lanes))), axis=1, bitorder="little"
        )
        return packed.view(U32).T

    # Writing registers

    def write_vector(self, row: int, value: Array, mask: Array | None = None) -> None:
        """Store uint32 lanes into vector register `row`, in enabled lanes (or those of `mask`) only."""
        if mask is None:
            if self._exec is None:
                self._refresh()
            if self._all:
                self.vector[row] = value
                return
            mask = self._mask
        np.copyto(self.vector[row], value, where=mask)

    def write_scalar(self, register: int, value: Array) -> None:
        """Store uint32 (n,) into a scalar register of the waves that take part."""
        if self.active is None:
            self.scalar[register] = value
        else:
            np.copyto(self.scalar[register], value, where=self.active)
        if register in (EXEC, EXEC + 1):
            self._exec = None

    def write_scc(self, value: Array) -> None:
        """Store bool (n,) into the scalar condition bit."""
        np.copyto(self.scc, value, where=True if self.active is None else self.active)

    def write_lane_mask(self, register: int, lanes: Array) -> None:
        """Store bool (n, lanes) as a lane mask into one or two scalar registers."""
        for index, word in enumerate(self.pack(lanes)):
            self.write_scalar(register + index, word)

    # Which bits are known (only while checks are on)

    @property
    def clean(self) -> int:
        """Bit set over register numbers: those of which every bit is known in every wave of the window."""
        assert self.checks is not None
        clean = self.checks.clean[self.first_rank]
        for rank in range(self.first_rank + 1, self.last_rank + 1):
            clean &= self.checks.clean[rank]
        return clean

    def _set_clean(self, number: int) -> None:
        assert self.checks is not None
        for rank in range(self.first_rank, self.last_rank + 1):
            self.checks.clean[rank] |= 1 << number

    def _set_dirty(self, number: int, plane: Array) -> None:
        """Leave the clean state: the plane of known bits was not kept up to date while the register was clean."""
        assert self.checks is not None
        groups = self.state.groups
        for rank in range(self.first_rank, self.last_rank + 1):
            if self.checks.clean[rank] >> number & 1:
                plane[rank * groups : (rank + 1) * groups] = True if plane.dtype == bool else _FULL
                self.checks.clean[rank] &= ~(1 << number)

    def _plane(self, number: int) -> Array:
        """The known bits of a register over *all* waves: (waves, lanes), or (waves,) for scalars."""
        assert self.checks is not None
        if number == SCC:
            return self.checks.scc
        if number < SCALARS:
            return self.checks.scalar[number]
        return self.checks.vector[self.row(number)]

    def row(self, number: int) -> int:
        """The index in `vector` of the register with source number `number`."""
        return number - VECTOR if number < ACCUMULATOR else number - ACCUMULATOR + self.state.vgprs

    def known(self, number: int) -> Array:
        """uint32 (n, lanes) or (n, 1): which bits of a register are known. For SCC bool (n,)."""
        assert self.checks is not None
        if self.clean >> number & 1:
            return np.full((1, 1), _FULL) if number != SCC else np.ones(1, bool)
        for rank in range(self.first_rank, self.last_rank + 1):
            if self.checks.clean[rank] >> number & 1:
                self._set_dirty(number, self._plane(number))
                break
        plane = self._plane(number)[self.span]
        return plane[:, None] if number < SCALARS else plane

    def write_known(self, number: int, known: Array | None, mask: Array | None = None) -> None:
        """Record which bits of a register's new value are known; None: all. Lanes as in `write_vector`.

        An execution mask with unknown bits is a hazard where it is set, and taken as known from there on.
        """
        if number in (EXEC, EXEC + 1):
            self._check_execution_mask(known)
            return
        scalar = number < SCALARS or number == SCC
        if mask is None:
            whole = self.active is None if scalar else self.all_lanes
            if whole and (known is None or bool((known == (True if number == SCC else _FULL)).all())):
                self._set_clean(number)
                return
            mask = self.everyone if scalar else self.write_mask()
        elif known is None and self.clean >> number & 1:
            return
        plane = self._plane(number)
        self._set_dirty(number, plane)
        value: Array | bool | np.uint32
        value = (True if number == SCC else _FULL) if known is None else known
        if scalar and isinstance(value, np.ndarray) and value.ndim == 2:
            value = value[:, 0]
        np.copyto(plane[self.span], value, where=mask)

    def _check_execution_mask(self, known: Array | None) -> None:
        assert self.checks is not None
        if known is None or (np.broadcast_to(known, (self.n,))[self.everyone] == _FULL).all():
            return
        self.checks.report(
            HazardKind.UNINITIALISED_MASK, "the execution mask is set from bits that were never given a value"
        )
