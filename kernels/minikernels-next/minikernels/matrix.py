# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""16x16x16 matrix tiles behind one interface: MFMA on gfx9, WMMA on gfx11 and gfx12.

One wave computes D[16, 16] = A[16, 16] @ B[16, 16] + C[16, 16], with A and B in f16 or
bf16, C and D in f32. Each lane holds a few elements of every operand. With
half = lane // 16 and j the position in the lane's vector:

    family   lanes  A[row, k] and B[k, col]                C[row, col] and D[row, col]
    gfx9       64   row or col = lane % 16                 row = 4 * half + j, j < 4
                    k = 4 * half + j, j < 4                col = lane % 16
    gfx11      32   row or col = lane % 16                 row = 2 * j + half, j < 8
                    k = j, j < 16 (both halves the same)   col = lane % 16
    gfx12      32   row or col = lane % 16                 row = 8 * half + j, j < 8
                    k = 8 * half + j, j < 8                col = lane % 16

On gfx9 and gfx12 a lane's elements of D are those that it needs of a B operand, so a
product can be multiplied again without moving data; on gfx11 the halves swap rows.
"""
import flydsl.compiler as flyc
import flydsl.expr as fx

from .common import elem_type

#: rows, columns and depth of a tile
TILE = 16


class MatrixUnit:
    """The matrix instruction of the target that is being compiled for.

    Make it in a kernel's body, as it asks the DSL for the target.
    lanes:       lanes of a wave
    operand_len: elements of A (and of B) per lane
    acc_len:     elements of C (and of D) per lane
    doubled:     both halves of the wave hold the same operand (gfx11)
    """

    def __init__(self, dtype):
        self.elem = elem_type(dtype)
        if self.elem.width != 16:
            raise ValueError(f"matrix tiles take f16 or bf16, not {dtype}")
        self.lanes = fx.num_warp_threads()
        self.doubled = False
        arch = flyc.get_backend().target.arch
        if self.lanes == 64:
            self.operand_len, self.acc_len = 4, 4
            op = fx.rocdl.MFMA(TILE, TILE, TILE, self.elem)
        elif arch.startswith("gfx11"):
            self.operand_len, self.acc_len, self.doubled = 16, 8, True
            op = fx.rocdl.WMMA(TILE, TILE, TILE, self.elem, fx.Float32)
        elif arch.startswith("gfx120"):
            self.operand_len, self.acc_len = 8, 8
            op = fx.rocdl.WMMA(TILE, TILE, TILE, self.elem, fx.Float32)
        else:
            raise NotImplementedError(f"no 16x16x16 tile is known for {arch}")
        self.atom = fx.make_mma_atom(op)


def lane_of_wave(unit):
    """i32 lane number of this thread in a one-dimensional workgroup."""
    return fx.thread_idx.x % unit.lanes


def operand_start(unit, lane):
    """First k that `lane` holds of A and B; its other elements follow."""
    return fx.Int32(0) if unit.doubled else lane // TILE * unit.operand_len


def acc_row(unit, lane, j):
    """Row of the tile that element `j` (a Python int) of `lane`'s accumulator belongs to."""
    return lane // TILE + 2 * j if unit.doubled else lane // TILE * unit.acc_len + j


def zero_acc(unit):
    """A tile of f32 zeros."""
    return fx.Vector.filled(unit.acc_len, 0.0, fx.Float32)


def multiply_add(unit, a, b, c):
    """One matrix instruction: a @ b + c. All lanes of the wave must be active."""
    d = _register_tensor(c)
    fx.mma_atom_call(unit.atom, d, _register_tensor(a), _register_tensor(b), d)
    return d.load()


def _register_tensor(vector):
    """A register vector in the form that the matrix call takes."""
    tensor = fx.make_rmem_tensor(vector.numel, vector.dtype)
    tensor.store(vector)
    return tensor


def acc_as_operand(unit, lane, acc):
    """Turn D (rows are k, columns are columns) into a 16-bit B operand, in registers."""
    own = acc.to(unit.elem)
    if not unit.doubled:
        return own
    # gfx11: this half has every other row, the opposite half has those between.
    lower = lane < TILE
    merged = []
    for j in range(unit.acc_len):
        other = fx.shuffle_xor(acc[j], TILE, unit.lanes).to(unit.elem)
        merged.append(lower.select(own[j], other))
        merged.append(lower.select(other, own[j]))
    return fx.Vector.from_elements(merged, unit.elem)


def column_reduce(unit, values, combine):
    """Combine a tile column: `values` of this lane, then the lanes that hold its other rows.

    values: Python list of f32, one per accumulator element
    All lanes of a column get the result.
    """
    result = values[0]
    for value in values[1:]:
        result = combine(result, value)
    step = TILE
    while step < unit.lanes:
        result = combine(result, fx.shuffle_xor(result, step, unit.lanes))
        step *= 2
    return result


def build_tile_product(dtype="f16"):
    """One tile product by one wave, to try out a target. Return launch(a, b, d, stream).

    a: [16, 16] `dtype`, as (row, k);  b: [16, 16] `dtype`, as (col, k)
    d: [16, 16] f32, as (row, col)

    One workgroup of one wave.
    KERNARG: u64 a, u64 b, u64 d   (24 bytes)
    """
    elem_type(dtype)

    @flyc.kernel(name=f"tile_product_{dtype}")
    def tile_product(a: fx.Pointer, b: fx.Pointer, d: fx.Pointer):
        unit = MatrixUnit(dtype)
        lane = lane_of_wave(unit)
        at = lane % TILE * TILE + operand_start(unit, lane)
        operand = fx.Vector[unit.elem, unit.operand_len]
        acc = multiply_add(unit, (a + at).load(operand), (b + at).load(operand), zero_acc(unit))
        for j in fx.range_constexpr(unit.acc_len):
            (d + (acc_row(unit, lane, j) * TILE + lane % TILE)).store(acc[j])

    @flyc.jit
    def launch(a: fx.Pointer, b: fx.Pointer, d: fx.Pointer, stream: fx.Stream = fx.Stream(None)):
        tile_product(a, b, d).launch(grid=(1,), block=(fx.num_warp_threads(),), stream=stream)

    return launch
