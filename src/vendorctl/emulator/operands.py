# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Operands of one instruction as functions of the executing waves: readers of values and of known bits, and writers.

An instruction is compiled once. Reading an operand then is one call with the window of waves, which returns an array
that broadcasts to (n, lanes); scalar-unit readers return (n,).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from vendorctl.emulator.arrays import (
    ALL_ONES,
    DTYPES,
    F16,
    F32,
    F64,
    U16,
    U32,
    UNSIGNED,
    Array,
    bits,
    high_half,
    join,
    low_half,
    width,
)
from vendorctl.emulator.codeobject import Kernel
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.emulator.instruction import ACCUMULATOR, LITERAL, SCC, VECTOR, Instruction, Operand
from vendorctl.emulator.lanes import LaneMap, lane_map
from vendorctl.emulator.subdword import select_known, select_value, store_known, store_value
from vendorctl.emulator.targets import Target
from vendorctl.emulator.waves import SCALARS, Waves

Reader: TypeAlias = Callable[[Waves], Array]
Writer: TypeAlias = Callable[[Waves, Array], None]

_INLINE_FLOATS = (0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 0.15915494309189532)
_FLOAT_TYPES = {16: F16, 32: F32, 64: F64}
_OUTPUT_FACTORS = {1: 2.0, 2: 4.0, 3: 0.5}
_APERTURES = {235: 0, 236: 0, 237: 0, 238: 0}


@dataclass(frozen=True, slots=True)
class Context:
    """What compilation of an instruction depends on besides its bits."""

    target: Target
    kernel: Kernel
    vgprs: int
    agprs: int

    @property
    def lanes(self) -> int:
        """Lanes in a wave."""
        return self.kernel.wave_size

    @property
    def mask_words(self) -> int:
        """Scalar registers in a lane mask."""
        return self.lanes // 32


@dataclass(frozen=True, slots=True)
class Source:
    """An operand that is read: its value as an array of its kind, and its known bits as unsigned integers."""

    value: Reader
    known: Reader


@dataclass(frozen=True, slots=True)
class Destination:
    """An operand that is written: a value, or its known bits, in enabled lanes."""

    write: Writer
    write_known: Writer


class Operands:
    """Builds readers and writers for one instruction, and collects which registers it reads and writes (bit sets)."""

    def __init__(self, context: Context, instruction: Instruction) -> None:
        self.context, self.instruction = context, instruction
        self.reads = 0
        self.writes = 0
        self.half_reads = 0
        self.half_writes = 0
        fields = instruction.fields
        self._neg, self._abs = fields.get("neg", 0), fields.get("abs", 0)
        self._lane_map: LaneMap | None = lane_map(instruction, context.target, context.lanes)

    # Registers by number

    def row(self, number: int) -> int:
        """The row of a vector register in the state; an unallocated one ends the run."""
        if number < ACCUMULATOR:
            index, allocated, letter, base = number - VECTOR, self.context.vgprs, "v", 0
        else:
            index, allocated, letter, base = number - ACCUMULATOR, self.context.agprs, "a", self.context.vgprs
        if not 0 <= index < allocated:
            raise StopRun(
                FaultKind.UNALLOCATED_REGISTER,
                f"{letter}{index} is used, but the kernel descriptor allocates only {allocated} such registers",
            )
        return base + index

    def will_read(self, number: int, count: int = 1, half: str = "") -> None:
        """Note that the instruction reads `count` registers from `number` on, or one `low` or `high` half."""
        _require_registers(number, count)
        self.reads |= ((1 << count) - 1) << number
        self.half_reads |= half_registers(number, count, half)

    def will_write(self, number: int, count: int = 1, half: str = "") -> None:
        """Note that the instruction writes `count` registers from `number` on, or one `low` or `high` half."""
        _require_registers(number, count)
        self.writes |= ((1 << count) - 1) << number
        self.half_writes |= half_registers(number, count, half)

    def constant(self, number: int, kind: str) -> Array | None:
        """The constant that source `number` stands for, as an array of one element, or None for a register."""
        size = width(kind)
        bits_type = UNSIGNED[size]
        if number == LITERAL:
            literal = self.instruction.literal or 0
            if kind == "f64":
                literal <<= 32
            elif kind == "i64" and literal >> 31:
                literal |= 0xFFFFFFFF << 32
            raw = np.array([literal & ((1 << size) - 1)], bits_type)
        elif 128 <= number <= 208:
            value = number - 128 if number <= 192 else 192 - number
            raw = np.array([value & ((1 << size) - 1)], bits_type)
        elif 240 <= number <= 248:
            raw = np.array([_INLINE_FLOATS[number - 240]], _FLOAT_TYPES[size]).view(bits_type)
        elif number == self.context.target.null:
            raw = np.zeros(1, bits_type)
        else:
            return None
        return raw.view(DTYPES[kind])

    # Vector-unit operands

    def source(self, name: str, kind: str) -> Source:
        """The operand in field `name`, as values of `kind` with its modifiers (neg, abs, halves, DPP, SDWA) applied."""
        operand = self.instruction.require(name)
        position = {"src0": 0, "src1": 1, "src2": 2}.get(name, 0)
        source = self.vector_source(operand.number, kind, high=operand.high and width(kind) == 16)
        if self.instruction.extension == "sdwa" and position < 2:
            source = self._selected(operand.number, kind, position)
        if position == 0 and self._lane_map is not None and operand.number >= VECTOR:
            source = _permuted(source, self._lane_map)
        neg, magnitude = self._neg >> position & 1, self._abs >> position & 1
        if (neg or magnitude) and kind[0] == "f":
            source = Source(_with_sign(source.value, kind, bool(neg), bool(magnitude)), source.known)
        return source

    def vector_source(self, number: int, kind: str, *, high: bool = False) -> Source:
        """Registers from `number` on as values of `kind` that broadcast to (n, lanes), without modifiers."""
        constant = self.constant(number, kind)
        size = width(kind)
        if constant is not None:
            shaped = constant.reshape(1, 1)
            ones = np.full((1, 1), ALL_ONES[size])
            return Source(lambda _w: shaped, lambda _w: ones)
        if size == 64:
            return self._pair(number, kind)
        half = ("high" if high else "low") if size == 16 else ""
        word = self._word(number, "u32" if half else kind, half)
        if size == 32:
            return word
        shift, dtype = U32(16 if high else 0), DTYPES[kind]
        return Source(
            lambda w: (word.value(w) >> shift).astype(U16).view(dtype), lambda w: (word.known(w) >> shift).astype(U16)
        )

    def _word(self, number: int, kind: str, half: str = "") -> Source:
        if number == SCC:
            self.will_read(SCC)
            return Source(
                lambda w: w.scc.astype(U32)[:, None].view(DTYPES[kind]),
                lambda w: np.where(w.known(SCC), ALL_ONES[32], U32(0))[:, None],
            )
        if number in _APERTURES:
            zero = np.zeros((1, 1), DTYPES[kind])
            return Source(lambda _w: zero, lambda _w: np.full((1, 1), ALL_ONES[32]))
        if SCALARS <= number < VECTOR:
            raise StopRun(FaultKind.UNKNOWN_INSTRUCTION, f"source operand {number} is not modelled")
        self.will_read(number, half=half if number >= VECTOR else "")

        def known(w: Waves) -> Array:
            return w.known(number)

        if number < SCALARS:
            return Source(_column(number, kind), known)
        row = self.row(number)
        if kind == "f32":
            return Source(lambda w: w.vector_f32[row], known)
        if kind == "i32":
            return Source(lambda w: w.vector_i32[row], known)
        return Source(lambda w: w.vector[row], known)

    def _pair(self, number: int, kind: str) -> Source:
        low, high = self._word(number, "u32"), self._word(number + 1, "u32")
        dtype = DTYPES[kind]
        return Source(
            lambda w: join(low.value(w), high.value(w)).view(dtype), lambda w: join(low.known(w), high.known(w))
        )

    def _selected(self, number: int, kind: str, position: int) -> Source:
        choice = self.instruction.fields[f"src{position}_sel"]
        extend = bool(self.instruction.fields[f"src{position}_sext"]) and kind[0] != "f"
        whole = self.vector_source(number, "u32")
        narrow, dtype = UNSIGNED[width(kind)], DTYPES[kind]
        return Source(
            lambda w: select_value(whole.value(w), choice, extend).astype(narrow, copy=False).view(dtype),
            lambda w: select_known(whole.known(w), choice, extend).astype(narrow, copy=False),
        )

    def lane_mask(self, number: int) -> Source:
        """A lane mask in scalar registers, or a constant one, as bool (n, lanes); its known bits as bool likewise."""
        constant = self.constant(number, "u64" if self.context.mask_words == 2 else "u32")
        if constant is not None:
            lanes = (int(constant[0]) >> np.arange(self.context.lanes, dtype=np.uint64)) & 1 != 0
            return Source(lambda _w: lanes[None, :], lambda _w: np.ones((1, 1), bool))
        if number >= SCALARS:
            raise StopRun(FaultKind.UNKNOWN_INSTRUCTION, f"operand {number} cannot hold a lane mask")
        self.will_read(number, self.context.mask_words)

        def known(w: Waves) -> Array:
            words = [np.broadcast_to(w.known(number + k)[:, 0], (w.n,)) for k in range(self.context.mask_words)]
            return w._unpack(np.stack(words))  # the same packing, of known bits

        return Source(lambda w: w.lane_bits(number), known)

    # Results

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

    # Scalar-unit operands

    def scalar_source(self, name: str, kind: str) -> Source:
        """The scalar operand in field `name` as values (n,) of `kind`."""
        return self.scalar_register(self.instruction.require(name).number, kind)

    def scalar_register(self, number: int, kind: str) -> Source:
        """Scalar registers from `number` on, or a constant, as values (n,) of `kind`."""
        source = self.vector_source(number, kind)
        return Source(lambda w: source.value(w)[:, 0], lambda w: source.known(w)[:, 0])

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


def _require_registers(number: int, count: int) -> None:
    """End the run when an operand that must be a register is none, or reaches beyond the scalar registers."""
    if number != SCC and number < VECTOR and number + count > SCALARS:
        raise StopRun(FaultKind.UNKNOWN_INSTRUCTION, f"operand {number} is not {count} scalar registers")


def half_registers(number: int, count: int = 1, half: str = "") -> int:
    """Bit set of half-registers: 2r is the lower half of register r, 2r + 1 the upper."""
    chosen = {"": 0b11, "low": 0b01, "high": 0b10}[half]
    return sum(chosen << (2 * (number + k)) for k in range(count))


def _column(number: int, kind: str) -> Reader:
    if kind == "f32":
        return lambda w: w.column_f32[number]
    if kind == "i32":
        return lambda w: w.column_i32[number]
    return lambda w: w.column[number]


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


def _with_sign(read: Reader, kind: str, neg: bool, magnitude: bool) -> Reader:
    """Sign modifiers, on the bits: they apply to NaN and denormals as well."""
    size = width(kind)
    unsigned, dtype = UNSIGNED[size], DTYPES[kind]
    sign = 1 << (size - 1)
    keep = unsigned(sign - 1 if magnitude else 2 * sign - 1)
    flip = unsigned(sign if neg else 0)
    return lambda w: ((read(w).view(unsigned) & keep) ^ flip).view(dtype)


def _permuted(source: Source, moved: LaneMap) -> Source:
    return Source(lambda w: moved.apply(w, source.value(w)), lambda w: moved.apply_known(w, source.known(w)))
