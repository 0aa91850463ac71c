# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Atomic operations on any memory: lanes take turns in lane order, so results with return values are reproducible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vendorctl.emulator import floats
from vendorctl.emulator.arrays import DTYPES, F16, U16, U32, Array, bits, high_half, join, low_half, width
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.races import Touch
from vendorctl.emulator.registers import half_registers
from vendorctl.emulator.transfer import Space, place, take, wave_of_each
from vendorctl.emulator.waves import Waves


@dataclass(frozen=True, slots=True)
class AtomicOperation:
    """`function` of (old value, operand) or, when it compares, of (old, new, expected); values are of `kind`."""

    kind: str
    function: Callable[..., Array]
    compares: bool = False

    @property
    def registers(self) -> int:
        """Registers in one value."""
        return width(self.kind) // 32


def _exchange_if_equal(old: Array, new: Array, expected: Array) -> Array:
    return np.where(old == expected, new, old)


def _wrapping_increment(old: Array, limit: Array) -> Array:
    return np.where(old >= limit, old.dtype.type(0), old + old.dtype.type(1))


def _wrapping_decrement(old: Array, limit: Array) -> Array:
    return np.where((old == 0) | (old > limit), limit, old - old.dtype.type(1))


def _add_packed_f16(old: Array, value: Array) -> Array:
    def halves(word: Array) -> tuple[Array, Array]:
        return word.astype(U16).view(F16), (word >> U32(16)).astype(U16).view(F16)

    (a, b), (c, d) = halves(old), halves(value)
    return floats.pack_halves(a + c, b + d)


def _add_packed_bf16(old: Array, value: Array) -> Array:
    mask = U32(0xFFFF)
    low = floats.to_bf16(floats.from_bf16(old & mask) + floats.from_bf16(value & mask))
    high = floats.to_bf16(floats.from_bf16(old >> U32(16)) + floats.from_bf16(value >> U32(16)))
    return low | high << U32(16)


_FUNCTIONS: dict[str, tuple[str, Callable[..., Array]]] = {
    "add": ("", lambda old, value: old + value),
    "sub": ("", lambda old, value: old - value),
    "rsub": ("", lambda old, value: value - old),
    "min": ("", np.minimum),
    "max": ("", np.maximum),
    "and": ("", lambda old, value: old & value),
    "or": ("", lambda old, value: old | value),
    "xor": ("", lambda old, value: old ^ value),
    "swap": ("", lambda _old, value: value),
    "wrxchg": ("", lambda _old, value: value),
    "storexchg": ("", lambda _old, value: value),
    "inc": ("u", _wrapping_increment),
    "dec": ("u", _wrapping_decrement),
}
_FUNCTIONS |= {
    "smin": ("i", np.minimum),
    "smax": ("i", np.maximum),
    "umin": ("u", np.minimum),
    "umax": ("u", np.maximum),
}
_FUNCTIONS |= {"min_num": ("", floats.smaller), "max_num": ("", floats.larger)}
_COMPARING = ("cmpswap", "cmpst", "cmpstore")


def atomic_operation(name: str, kind: str) -> AtomicOperation | None:
    """The operation `name` (`add`, `cmpswap`) on values of `kind` (`u32`, `f32`), or None when it is not modelled."""
    if name == "pk_add":
        packed = {"f16": _add_packed_f16, "bf16": _add_packed_bf16}.get(kind)
        return AtomicOperation("u32", packed) if packed else None
    if kind not in DTYPES or width(kind) < 32:
        return None
    if name in _COMPARING:
        return AtomicOperation(kind, _exchange_if_equal, compares=True)
    found = _FUNCTIONS.get(name)
    if found is None:
        return None
    sign, function = found
    if kind[0] == "f" and name in ("min", "max"):
        function = floats.smaller if name == "min" else floats.larger
    return AtomicOperation((sign or kind[0]) + kind[1:], function)


class Atomic:
    """One atomic instruction: its operand registers (`numbers`) and where the old value goes, if anywhere."""

    def __init__(
        self, ops: Operands, space: Space, operation: AtomicOperation, numbers: list[int], returned: int | None
    ) -> None:
        self.instruction, self.space, self.operation, self.returned = ops.instruction, space, operation, returned
        count = operation.registers
        self.numbers = numbers
        self.rows = [[ops.row(number + k) for k in range(count)] for number in numbers]
        for number in numbers:
            ops.will_read(number, count)
        self.result_rows = [] if returned is None else [ops.row(returned + k) for k in range(count)]
        #: The half-registers that the old value goes to.
        self.halves = 0
        if returned is not None:
            ops.will_write(returned, count)
            self.halves = half_registers(returned, count)

    def run(self, w: Waves, offsets: Array, lanes: Array | None) -> None:
        """Perform it for `lanes` (None: all) at byte `offsets` (n, lanes)."""
        size = 4 * self.operation.registers
        flat = self.space.locate(w, offsets, lanes, size)
        memory = self.space.bytes(w)
        if w.checks is not None:
            self._check(w, flat, lanes, size)
        values = [self._typed([take(w, w.vector[row], lanes) for row in rows]) for rows in self.rows]
        old = np.zeros(flat.shape, DTYPES[self.operation.kind])
        for turn in _turns(flat):
            where = flat[turn]
            before = self._typed(memory.load(where, size))
            old[turn] = before
            after = self.operation.function(before, *(value[turn] for value in values))
            memory.store(where, size, self._words(after))
        for row, word in zip(self.result_rows, self._words(old), strict=False):
            w.write_vector(row, place(w, word, lanes), lanes)

    def _typed(self, words: list[Array]) -> Array:
        raw = words[0] if len(words) == 1 else join(words[0], words[1])
        return np.ascontiguousarray(raw).view(DTYPES[self.operation.kind])

    def _words(self, values: Array) -> list[Array]:
        raw = bits(values)
        return [raw] if self.operation.registers == 1 else [low_half(raw), high_half(raw)]

    def _check(self, w: Waves, flat: Array, lanes: Array | None, size: int) -> None:
        """Known bits: memory becomes known where memory and operand were; the old value is as known as memory was."""
        memory = self.space.bytes(w)
        known = memory.load_known(flat, size)
        for k in range(self.operation.registers):
            operand = take(w, w.known(self.numbers[0] + k), lanes)
            if self.returned is not None:
                w.write_known(self.returned + k, place(w, known[k], lanes, others=0xFFFFFFFF), lanes)
            known[k] = known[k] & operand
        memory.store_known(flat, size, known)
        races = self.space.races(w)
        if races is not None and flat.size:
            races.write(Touch(flat, wave_of_each(w, lanes), size), self.instruction, atomic=True)


def _turns(offsets: Array) -> list[Array]:
    """Indices of accesses, in groups without equal offsets: first accesses, then second ones, and so on."""
    order = np.argsort(offsets, kind="stable")
    ordered = offsets[order]
    starts = np.concatenate([[True], ordered[1:] != ordered[:-1]]) if ordered.size else np.zeros(0, bool)
    first = np.maximum.accumulate(np.where(starts, np.arange(ordered.size), 0))
    turn = np.arange(ordered.size) - first
    return [np.sort(order[turn == k]) for k in range(int(turn.max()) + 1)] if ordered.size else []
