# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Operands of one instruction as functions of the executing waves: readers of values and of known bits, and writers.

An instruction is compiled once. Reading an operand then is one call with the window of waves, which returns an array
that broadcasts to (n, lanes); scalar-unit readers return (n,).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vendorctl.emulator.arrays import U32, Array, bits, high_half, low_half, width
from vendorctl.emulator.instruction import Operand
from vendorctl.emulator.registers import Destination
from vendorctl.emulator.sources import Sources
from vendorctl.emulator.subdword import store_known, store_value
from vendorctl.emulator.waves import Waves

_OUTPUT_FACTORS = {1: 2.0, 2: 4.0, 3: 0.5}


class Operands(Sources):
    """Builds the readers and writers of one instruction."""

    def destination(self, name: str, kind: str) -> Destination:
        """The vector register in field `name` as the place for a result of `kind`, output modifiers applied."""
        operand = self.instruction.require(name)
        return self.vector_destination(operand, kind)

    def vector_destination(self, operand: Operand, kind: str, *, keep_other_half: bool = False) -> Destination:
        """As `destination`, for an operand that is not a field of its own."""
        size = width(kind)
        half = ("high" if operand.high else "low") if size == 16 and not self.context.target.is_cdna else ""
        self.will_write(operand.number, size // 32 or 1, half)
        modify = self._output(kind)
        if size == 64:
            return self._pair_destination(operand.number, modify)
        if size == 16:
            return self._half_destination(operand, modify, keep_other_half)
        if self.instruction.extension == "sdwa" and self.instruction.fields.get("dst_sel", 6) != 6:
            return self._selected_destination(operand.number, modify)
        number, row = operand.number, self.row(operand.number)
        enabled = self._enabled()

        def write(w: Waves, value: Array) -> None:
            w.write_vector(row, bits(modify(value)), enabled(w))

        if modify is _unchanged and self._lane_map is None:

            def write(w: Waves, value: Array) -> None:  # the common case, spelled out for speed
                w.write_vector(row, value.view(U32) if value.dtype != U32 else value)

        return Destination(write, lambda w, known: w.write_known(number, known, enabled(w)))

    def _pair_destination(self, number: int, modify: Callable[[Array], Array]) -> Destination:
        low, high = self.row(number), self.row(number + 1)
        enabled = self._enabled()

        def write(w: Waves, value: Array) -> None:
            raw, mask = bits(modify(value)), enabled(w)
            w.write_vector(low, low_half(raw), mask)
            w.write_vector(high, high_half(raw), mask)

        def write_known(w: Waves, known: Array) -> None:
            mask = enabled(w)
            w.write_known(number, low_half(known), mask)
            w.write_known(number + 1, high_half(known), mask)

        return Destination(write, write_known)

    def _half_destination(self, operand: Operand, modify: Callable[[Array], Array], keep: bool) -> Destination:
        """16-bit results. gfx9 clears the other half unless op_sel chose the upper one; later families keep it."""
        number, row = operand.number, self.row(operand.number)
        keep = keep or not self.context.target.is_cdna or operand.high
        if self.instruction.extension == "sdwa":
            return self._selected_destination(number, modify)
        enabled, shift = self._enabled(), U32(16 if operand.high else 0)
        other = U32(0x0000FFFF if operand.high else 0xFFFF0000)

        def write(w: Waves, value: Array) -> None:
            placed = bits(modify(value)).astype(U32) << shift
            w.write_vector(row, (w.vector[row] & other) | placed if keep else placed, enabled(w))

        def write_known(w: Waves, known: Array) -> None:
            rest = (w.known(number) & other) if keep else other
            w.write_known(number, (known.astype(U32) << shift) | rest, enabled(w))

        if keep:  # for the known bits; the other half is not waited for
            self.reads |= 1 << number
        return Destination(write, write_known)

    def _selected_destination(self, number: int, modify: Callable[[Array], Array]) -> Destination:
        fields, row, enabled = self.instruction.fields, self.row(number), self._enabled()
        choice, unused = fields["dst_sel"], fields["dst_unused"]
        self.will_read(number)

        def write(w: Waves, value: Array) -> None:
            raw = bits(modify(value)).astype(U32)
            w.write_vector(row, store_value(w.vector[row], raw, choice, unused), enabled(w))

        def write_known(w: Waves, known: Array) -> None:
            w.write_known(number, store_known(w.known(number), known.astype(U32), choice, unused), enabled(w))

        return Destination(write, write_known)

    @property
    def lane_enabled(self) -> Callable[[Waves], Array | None]:
        """As a function: the lanes that a lane permutation lets be written, or None when there is none."""
        return self._enabled()

    def _enabled(self) -> Callable[[Waves], Array | None]:
        """The lanes that get a result: all enabled ones, or those that a lane permutation found a source for."""
        moved = self._lane_map
        if moved is None:
            return lambda _w: None
        return moved.enabled

    def _output(self, kind: str) -> Callable[[Array], Array]:
        fields = self.instruction.fields
        # VOP3P uses these bits for packed operands, and the truth-table instructions for their table.
        plain = self.instruction.format in ("VOP3", "VOP3SD") or self.instruction.extension == "sdwa"
        factor = _OUTPUT_FACTORS.get(fields.get("omod", 0)) if plain else None
        clamp = bool(fields.get("clamp", 0))
        if kind[0] != "f" or (factor is None and not clamp):
            return _unchanged
        return _float_output(factor, clamp)

    def scalar_destination(self, number: int, kind: str) -> Destination:
        """Scalar registers from `number` on as the place for a result (n,) of `kind`."""
        if number == self.context.target.null:
            return Destination(_ignored, _ignored)
        count = width(kind) // 32 or 1
        self.will_write(number, count)

        def write(w: Waves, value: Array) -> None:
            raw = bits(value)
            if count == 1:
                w.write_scalar(number, raw)
                return
            w.write_scalar(number, low_half(raw))
            w.write_scalar(number + 1, high_half(raw))

        def write_known(w: Waves, known: Array) -> None:
            known = np.broadcast_to(known, (w.n,))
            w.write_known(number, low_half(known) if count == 2 else known)
            if count == 2:
                w.write_known(number + 1, high_half(known))

        return Destination(write, write_known)

    def mask_destination(self, number: int) -> Destination:
        """Scalar registers from `number` on as the place for a lane mask, bool (n, lanes)."""
        if number == self.context.target.null:
            return Destination(_ignored, _ignored)
        self.will_write(number, self.context.mask_words)

        def write_known(w: Waves, known: Array) -> None:
            for index, word in enumerate(w.pack(known)):
                w.write_known(number + index, word)

        return Destination(lambda w, lanes: w.write_lane_mask(number, lanes), write_known)


def _ignored(_w: Waves, _value: Array) -> None:
    """The null register takes writes and forgets them."""


def _unchanged(value: Array) -> Array:
    return value


def _float_output(factor: float | None, clamp: bool) -> Callable[[Array], Array]:
    def modify(value: Array) -> Array:
        kind = value.dtype.type
        if factor is not None:
            value = value * kind(factor)
        if clamp:
            value = np.where(np.isnan(value), kind(0), np.clip(value, kind(0), kind(1)))
        return value.astype(kind, copy=False)

    return modify
