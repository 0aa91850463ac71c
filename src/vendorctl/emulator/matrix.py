# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Matrix instructions: MFMA (gfx9) and WMMA (gfx11, gfx12).

Every operand is a matrix spread over the lanes and registers of a wave. A `Layout` says how, as reshapes and axis
permutations of arrays, so that the product itself is one batched NumPy matmul. The layouts are those of AMD's
instruction set manuals; the order in which hardware sums products is not specified, so results agree to a tolerance.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vendorctl.emulator import floats
from vendorctl.emulator.actions import Action
from vendorctl.emulator.arrays import F16, F32, F64, I32, U8, U16, U32, Array
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.emulator.instruction import VECTOR
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.targets import Family, Target
from vendorctl.emulator.waves import Waves

_NAME = re.compile(
    r"v_(mfma|wmma)_([fi]\d+|bf16)_(\d+)x(\d+)x(\d+)(?:_(\d+)b)?_?(bf16|f16|f32|f64|i8|iu8|iu4|bf8_bf8|bf8_fp8|fp8_bf8|fp8_fp8)(?:_1k)?"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """A matrix instruction: `blocks` products of (size x depth) by (depth x size), element kinds of A, B and D."""

    kind: str
    size: int
    depth: int
    blocks: int
    a: str
    b: str
    d: str


def compile_matrix(ops: Operands) -> Action | None:
    """The action of a matrix instruction, or None when its form is not modelled."""
    shape = _shape(ops)
    target, lanes = ops.context.target, ops.context.lanes
    if shape is None or not _plain(ops, shape):
        return None
    if lanes != (64 if shape.kind == "mfma" else 32):
        return None
    factors = [_factor(ops, f"src{k}", kind, shape, target) for k, kind in enumerate((shape.a, shape.b))]
    addend, result = _Accumulator(ops, "src2", shape, target), _Accumulator(ops, "dst", shape, target)
    wide = I32 if shape.d == "i32" else F64 if shape.d == "f64" else F32

    def run(w: Waves) -> None:
        a, b = (factor.read(w) for factor in factors)
        product = np.matmul(a, np.swapaxes(b, -1, -2)).astype(wide, copy=False)
        result.write(w, product + addend.read(w))

    def shadow(w: Waves) -> None:
        rows, columns = (np.asarray(factor.known(w).all(axis=-1)) for factor in factors)
        result.write_known(w, rows[..., :, None] & columns[..., None, :] & addend.known(w))

    return Action(run, shadow)


def _shape(ops: Operands) -> Shape | None:
    parts = _NAME.fullmatch(ops.instruction.mnemonic)
    if parts is None or parts[3] != parts[4] or (parts[2], parts[3]) == ("f64", "4"):
        return None
    elements = parts[7]
    a, b = elements.split("_") if "_" in elements else (elements, elements)
    return Shape(parts[1], int(parts[3]), int(parts[5]), int(parts[6] or 1), a, b, parts[2])


def _plain(ops: Operands, shape: Shape) -> bool:
    """True when no modifier is set that is not modelled: lane broadcasts, sign changes of factors."""
    fields = ops.instruction.fields
    if shape.kind == "mfma":
        return not (fields.get("cbsz") or fields.get("abid") or fields.get("blgp"))
    signs = fields.get("neg", 0) | fields.get("neg_hi", 0)
    return shape.a.startswith("iu") or not signs


# Elements of the factors


def _widen_f16(words: Array) -> Array:
    return words.view(F16).astype(F32)


def _widen_bf16(words: Array) -> Array:
    return floats.from_bf16(words.view(U16))


def _fp8(kind: str, target: Target) -> Callable[[Array], Array]:
    import ml_dtypes

    ocp = target.family is not Family.CDNA or target.name == "gfx950"
    names = {"fp8": ("float8_e4m3fnuz", "float8_e4m3fn"), "bf8": ("float8_e5m2fnuz", "float8_e5m2")}
    dtype = getattr(ml_dtypes, names[kind][ocp])
    return lambda words: words.view(dtype).astype(F32)


def _integers(size: int, signed: bool) -> Callable[[Array], Array]:
    def widen(words: Array) -> Array:
        if size == 8:
            return words.view(np.int8 if signed else U8).astype(I32)
        raw = words.view(U8)
        nibbles = np.stack([raw & 15, raw >> 4], axis=-1).reshape(*raw.shape[:-1], -1).astype(I32)
        return np.where(nibbles >= 8, nibbles - 16, nibbles) if signed else nibbles

    return widen


def _widener(ops: Operands, kind: str, position: int, target: Target) -> tuple[int, Callable[[Array], Array]]:
    """(bits in an element, function from uint32 (…, words) to numbers (…, elements))."""
    if kind in ("fp8", "bf8"):
        return 8, _fp8(kind, target)
    signed = kind == "i8" or bool(ops.instruction.fields.get("neg", 0) >> position & 1)
    table: dict[str, tuple[int, Callable[[Array], Array]]] = {
        "f16": (16, _widen_f16),
        "bf16": (16, _widen_bf16),
        "f32": (32, lambda words: words.view(F32)),
        "f64": (64, lambda words: words.view(F64)),
        "i8": (8, _integers(8, signed=True)),
        "iu8": (8, _integers(8, signed)),
        "iu4": (4, _integers(4, signed)),
    }
    return table[kind]


@dataclass(frozen=True, slots=True)
class _Factor:
    """Matrix A or B as (n, blocks, size, depth): which registers it is in, and how lanes hold it."""

    rows: slice
    number: int
    words: int
    elements: int
    widen: Callable[[Array], Array]
    arrange: Callable[[Array], Array]

    def read(self, w: Waves) -> Array:
        words = np.ascontiguousarray(np.moveaxis(w.vector[self.rows], 0, -1))
        return self.arrange(self.widen(words))

    def known(self, w: Waves) -> Array:
        """bool, as `read`; an element is known when its whole register is."""
        planes = [
            np.broadcast_to(w.known(self.number + k) == U32(0xFFFFFFFF), (w.n, w.lanes)) for k in range(self.words)
        ]
        return self.arrange(
            np.repeat(np.stack(planes, axis=-1), self.elements // self.words or 1, axis=-1)[..., : self.elements]
        )


def _factor(ops: Operands, name: str, kind: str, shape: Shape, target: Target) -> _Factor:
    operand = ops.instruction.require(name)
    size, widen = _widener(ops, kind, int(name[-1]), target)
    replicated = shape.kind == "wmma" and target.family is Family.RDNA3
    groups = 1 if replicated else ops.context.lanes // (shape.size * shape.blocks)
    elements = shape.depth // groups
    words = max(1, elements * size // 32)
    ops.will_read(operand.number, words)
    first = ops.row(operand.number)
    ops.row(operand.number + words - 1)

    def arrange(values: Array) -> Array:
        n = values.shape[0]
        if replicated:  # gfx11 keeps a second copy of the matrix in the upper lanes
            return values[:, None, : shape.size]
        parts = values.reshape(n, groups, shape.blocks, shape.size, elements)
        return parts.transpose(0, 2, 3, 1, 4).reshape(n, shape.blocks, shape.size, shape.depth)

    return _Factor(slice(first, first + words), operand.number, words, elements, widen, arrange)


class _Accumulator:
    """Matrix C or D as (n, blocks, size, size): registers to matrix and back."""

    def __init__(self, ops: Operands, name: str, shape: Shape, target: Target) -> None:
        self.shape, self.rdna3 = shape, target.family is Family.RDNA3
        operand = ops.instruction.require(name)
        self.half = shape.kind == "wmma" and shape.d in ("f16", "bf16")
        self.upper = bool(ops.instruction.fields.get("opsel", 0) & 4)
        self.count = shape.blocks * shape.size * shape.size // ops.context.lanes
        registers = self._registers()
        self.number = operand.number
        self.constant: Array | None = None
        if name == "src2" and operand.number < VECTOR:
            kind = {"i32": "i32", "f64": "f64", "f16": "f16", "bf16": "f32"}.get(shape.d, "f32")
            value = ops.constant(operand.number, kind)
            if value is None:
                raise StopRun(FaultKind.UNKNOWN_INSTRUCTION, "a matrix cannot be in scalar registers")
            self.constant = value
            return
        self.rows = [ops.row(operand.number + k) for k in range(registers)]
        if name == "src2":
            ops.will_read(operand.number, registers)
        else:
            ops.will_write(operand.number, registers)
            if self.half and self.rdna3:
                ops.will_read(operand.number, registers)

    def _registers(self) -> int:
        if self.shape.d == "f64":
            return self.count * 2
        return self.count // 2 if self.half and not self.rdna3 else self.count

    def _to_matrix(self, values: Array) -> Array:
        """(count, n, lanes) to (n, blocks, size, size)."""
        shape, n = self.shape, values.shape[1]
        if shape.kind == "wmma":
            parts = values.reshape(8, n, 2, 16)
            axes = (1, 0, 2, 3) if self.rdna3 else (1, 2, 0, 3)
            return parts.transpose(axes).reshape(n, 1, 16, 16)
        if shape.size == 32:
            parts = values.reshape(shape.blocks, 4, 4, n, 2, 32)
            return parts.transpose(3, 0, 1, 4, 2, 5).reshape(n, shape.blocks, 32, 32)
        if shape.size == 16:
            if shape.d == "f64":
                return values.reshape(4, n, 4, 16).transpose(1, 0, 2, 3).reshape(n, 1, 16, 16)
            return values.reshape(shape.blocks, 4, n, 4, 16).transpose(2, 0, 3, 1, 4).reshape(n, shape.blocks, 16, 16)
        return values.reshape(4, n, 16, 4).transpose(1, 2, 0, 3)

    def _to_registers(self, matrix: Array) -> Array:
        """(n, blocks, size, size) to (count, n, lanes): the inverse of `_to_matrix`."""
        shape, n = self.shape, matrix.shape[0]
        if shape.kind == "wmma":
            parts = matrix.reshape(n, 8, 2, 16) if self.rdna3 else matrix.reshape(n, 2, 8, 16)
            return parts.transpose((1, 0, 2, 3) if self.rdna3 else (2, 0, 1, 3)).reshape(8, n, 32)
        if shape.size == 32:
            parts = matrix.reshape(n, shape.blocks, 4, 2, 4, 32)
            return parts.transpose(1, 2, 4, 0, 3, 5).reshape(self.count, n, 64)
        if shape.size == 16:
            if shape.d == "f64":
                return matrix.reshape(n, 4, 4, 16).transpose(1, 0, 2, 3).reshape(4, n, 64)
            return matrix.reshape(n, shape.blocks, 4, 4, 16).transpose(1, 3, 0, 2, 4).reshape(self.count, n, 64)
        return matrix.transpose(2, 0, 1, 3).reshape(4, n, 64)

    def read(self, w: Waves) -> Array:
        """The matrix in the type that sums are formed in."""
        if self.constant is not None:
            return self.constant
        words = w.vector[self.rows]
        return self._to_matrix(self._numbers(words))

    def _numbers(self, words: Array) -> Array:
        if self.shape.d == "f64":
            pairs = words[0::2].astype(np.uint64) | (words[1::2].astype(np.uint64) << np.uint64(32))
            return pairs.view(F64)
        if not self.half:
            return words.view(I32 if self.shape.d == "i32" else F32)
        if self.rdna3:
            halves = (words >> U32(16 if self.upper else 0)).astype(U16)
        else:
            halves = np.stack([words.astype(U16), (words >> U32(16)).astype(U16)], axis=1).reshape(-1, *words.shape[1:])
        return floats.from_bf16(halves) if self.shape.d == "bf16" else halves.view(F16).astype(F32)

    def known(self, w: Waves) -> Array:
        """bool, as `read`."""
        if self.constant is not None:
            return np.ones((1, 1, 1, 1), bool)
        planes = np.stack([np.broadcast_to(w.known(self.number + k), (w.n, w.lanes)) for k in range(len(self.rows))])
        complete = planes == U32(0xFFFFFFFF)
        if self.shape.d == "f64":
            complete = complete[0::2] & complete[1::2]
        elif self.half and not self.rdna3:
            complete = np.repeat(complete, 2, axis=0)
        elif self.half:
            complete = (planes >> U32(16 if self.upper else 0)) & U32(0xFFFF) == U32(0xFFFF)
        return self._to_matrix(complete)

    def write(self, w: Waves, matrix: Array) -> None:
        """Store the matrix; EXEC is ignored, as matrix hardware does."""
        registers = self._to_registers(matrix)
        mask = None if w.active is None else np.broadcast_to(w.active[:, None], (w.n, w.lanes))
        for row, value in zip(self.rows, self._words(w, registers), strict=True):
            if mask is None:
                w.vector[row] = value
            else:
                w.write_vector(row, value, mask)

    def _words(self, w: Waves, values: Array) -> Array:
        if self.shape.d == "f64":
            raw = np.ascontiguousarray(values).view(np.uint64)
            return np.stack([raw.astype(U32), (raw >> np.uint64(32)).astype(U32)], axis=1).reshape(
                -1, *values.shape[1:]
            )
        if not self.half:
            return np.ascontiguousarray(values).view(U32)
        narrow = floats.to_bf16(values) if self.shape.d == "bf16" else values.astype(F16).view(U16).astype(U32)
        if not self.rdna3:
            return narrow[0::2] | (narrow[1::2] << U32(16))
        shift, keep = (U32(16), U32(0xFFFF)) if self.upper else (U32(0), U32(0xFFFF0000))
        return (w.vector[self.rows] & keep) | (narrow << shift)

    def write_known(self, w: Waves, known: Array) -> None:
        """Record which elements of the result are known: bool (n, blocks, size, size)."""
        shape = self.shape
        full = np.broadcast_to(known, (w.n, shape.blocks, shape.size, shape.size))
        planes = np.where(self._to_registers(full), U32(0xFFFFFFFF), U32(0))
        if shape.d == "f64":
            planes = np.repeat(planes, 2, axis=0)
        elif self.half:
            planes = planes[0::2] & planes[1::2] if not self.rdna3 else planes
        mask = None if w.all_lanes else np.broadcast_to(w.everyone[:, None], (w.n, w.lanes))
        for k, plane in enumerate(planes):
            w.write_known(self.number + k, plane, mask)
