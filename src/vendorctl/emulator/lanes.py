# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Operands taken from other lanes of the same wave: the DPP forms that most vector instructions have."""

from __future__ import annotations

import numpy as np

from vendorctl.emulator.arrays import ALL_ONES, Array
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.emulator.instruction import Instruction
from vendorctl.emulator.targets import Target
from vendorctl.emulator.waves import Waves

_ROW = 16
_BANK = 4


class LaneMap:
    """For each lane the lane that it reads, whether that exists, and whether the lane may be written at all.

    `fetch_inactive` reads lanes that EXEC disables; `zero_bound` gives 0 where there is no source instead of leaving
    the result register unchanged.
    """

    def __init__(self, source: Array, exists: Array, written: Array, *, fetch_inactive: bool, zero_bound: bool) -> None:
        self.source, self.exists, self.written = source, exists, written
        self.fetch_inactive, self.zero_bound = fetch_inactive, zero_bound

    def _valid(self, w: Waves) -> Array:
        if self.fetch_inactive:
            return np.broadcast_to(self.exists, (w.n, w.lanes))
        return w.exec_mask()[:, self.source] & self.exists

    def apply(self, w: Waves, value: Array) -> Array:
        """`value` (broadcasts to (n, lanes)) as each lane reads it."""
        moved = np.broadcast_to(value, (w.n, w.lanes))[:, self.source]
        return np.where(self._valid(w), moved, moved.dtype.type(0)) if self.zero_bound else moved

    def apply_known(self, w: Waves, known: Array) -> Array:
        """Known bits of what `apply` returns."""
        moved = np.broadcast_to(known, (w.n, w.lanes))[:, self.source]
        if not self.zero_bound:
            return moved
        return np.where(self._valid(w), moved, ALL_ONES[moved.dtype.itemsize * 8])

    def enabled(self, w: Waves) -> Array:
        """Bool (n, lanes): the lanes whose result is stored."""
        mask = w.write_mask() & self.written
        return mask if self.zero_bound else mask & self._valid(w)


def lane_map(instruction: Instruction, target: Target, lanes: int) -> LaneMap | None:
    """The lane permutation of a DPP instruction, or None when it has none."""
    fields = instruction.fields
    if instruction.extension == "dpp16":
        source, exists = _dpp16(fields["dpp"], lanes, target)
        lane = np.arange(lanes)
        rows, banks = fields["row_mask"] >> (lane // _ROW % 4) & 1, fields["bank_mask"] >> (lane % _ROW // _BANK) & 1
        return LaneMap(
            source,
            exists,
            (rows & banks).astype(bool),
            fetch_inactive=bool(fields.get("fi")),
            zero_bound=bool(fields["bound"]),
        )
    if instruction.extension == "dpp8":
        lane = np.arange(lanes)
        source = (lane & ~7) | (fields["lanes"] >> (3 * (lane & 7)) & 7)
        everywhere = np.ones(lanes, bool)
        return LaneMap(source, everywhere, everywhere, fetch_inactive=bool(fields.get("fi")), zero_bound=True)
    return None


def _dpp16(control: int, lanes: int, target: Target) -> tuple[Array, Array]:
    """(source lane, whether it exists) for each lane, for the nine-bit control field of DPP16."""
    lane = np.arange(lanes)
    row, column, amount = lane & ~(_ROW - 1), lane % _ROW, control & 15
    everywhere = np.ones(lanes, bool)
    if control < 0x100:
        return (lane & ~3) | (control >> (2 * (lane & 3)) & 3), everywhere
    if 0x101 <= control <= 0x10F:
        exists = column + amount < _ROW
        return np.where(exists, lane + amount, lane), exists
    if 0x111 <= control <= 0x11F:
        exists = column >= amount
        return np.where(exists, lane - amount, lane), exists
    if 0x121 <= control <= 0x12F:
        return row | ((column - amount) & 15), everywhere
    if control == 0x140:
        return row | (15 - column), everywhere
    if control == 0x141:
        return (lane & ~7) | (7 - (lane & 7)), everywhere
    if 0x150 <= control <= 0x15F:
        return row | amount, everywhere
    if 0x160 <= control <= 0x16F and not target.is_cdna:
        return row | (column ^ amount), everywhere
    if target.is_cdna:
        return _gfx9_wave_wide(control, lane, lanes)
    raise StopRun(FaultKind.UNKNOWN_INSTRUCTION, f"the lane permutation {control:#x} is not modelled")


def _gfx9_wave_wide(control: int, lane: Array, lanes: int) -> tuple[Array, Array]:
    """Permutations across rows, which only gfx9 has."""
    if control == 0x142:
        exists = lane >= _ROW
        return np.where(exists, (lane & ~(_ROW - 1)) - 1, lane), exists
    if control == 0x143:
        exists = lane >= 2 * _ROW
        return np.where(exists, 31, lane), exists
    shifts = {0x130: 1, 0x138: -1, 0x134: 1, 0x13C: -1}
    if control in shifts:
        moved = lane + shifts[control]
        if control in (0x134, 0x13C):
            return moved % lanes, np.ones(lanes, bool)
        exists = (moved >= 0) & (moved < lanes)
        return np.where(exists, moved, lane), exists
    raise StopRun(FaultKind.UNKNOWN_INSTRUCTION, f"the lane permutation {control:#x} is not modelled")
