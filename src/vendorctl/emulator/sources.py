# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Operands that are read: registers and constants, with the modifiers of their instruction applied."""

from __future__ import annotations

import numpy as np

from vendorctl.emulator.arrays import ALL_ONES, DTYPES, F16, F32, F64, U16, U32, UNSIGNED, Array, join, width
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.emulator.instruction import LITERAL, SCC, VECTOR, Instruction
from vendorctl.emulator.lanes import LaneMap, lane_map
from vendorctl.emulator.registers import Context, Reader, Registers, Source
from vendorctl.emulator.subdword import select_known, select_value
from vendorctl.emulator.waves import SCALARS, Waves

_INLINE_FLOATS = (0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 0.15915494309189532)
_FLOAT_TYPES = {16: F16, 32: F32, 64: F64}
_APERTURES = {235: 0, 236: 0, 237: 0, 238: 0}


class Sources(Registers):
    """Builds the readers of one instruction."""

    def __init__(self, context: Context, instruction: Instruction) -> None:
        super().__init__(context, instruction)
        fields = instruction.fields
        self._neg, self._abs = fields.get("neg", 0), fields.get("abs", 0)
        self._lane_map: LaneMap | None = lane_map(instruction, context.target, context.lanes)

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

    def scalar_source(self, name: str, kind: str) -> Source:
        """The scalar operand in field `name` as values (n,) of `kind`."""
        return self.scalar_register(self.instruction.require(name).number, kind)

    def scalar_register(self, number: int, kind: str) -> Source:
        """Scalar registers from `number` on, or a constant, as values (n,) of `kind`."""
        source = self.vector_source(number, kind)
        return Source(lambda w: source.value(w)[:, 0], lambda w: source.known(w)[:, 0])


def _column(number: int, kind: str) -> Reader:
    if kind == "f32":
        return lambda w: w.column_f32[number]
    if kind == "i32":
        return lambda w: w.column_i32[number]
    return lambda w: w.column[number]


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
