# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Matrix instructions: products of small integers, exact in every type, laid out by the formulas of AMD's manuals."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest

from support.gpu_assembly import SLOT, assemble_all
from support.gpu_state import execute, fresh_state
from vendorctl.emulator.arrays import Array


@dataclass(frozen=True, slots=True)
class Matrix:
    """One instruction: sizes, blocks, element types of the factors and of the sum, and how the registers hold them.

    `k_of` gives the first of the consecutive k that a lane holds; `row_of` the row of result element `r` of a lane.
    """

    target: str
    assembly: str
    size: int
    depth: int
    dtype: str
    lanes_k: Callable[[int], int]
    per_lane: int
    row_of: Callable[[int, int], int]
    blocks: int = 1
    result: str = "float32"

    @property
    def lanes(self) -> int:
        return 64 if self.target.startswith("gfx9") else 32

    def block_of(self, lane: int) -> int:
        return lane // self.size % self.blocks if self.blocks > 1 else 0


def _mfma32(element: int, lane: int) -> int:
    return 8 * (element // 4 % 4) + 4 * (lane // 32) + element % 4


def _mfma16(element: int, lane: int) -> int:
    return 4 * (lane // 16) + element % 4


def _mfma(target: str, name: str, size: int, depth: int, dtype: str, words: int, **other: str) -> Matrix:
    per_lane = size * depth // 64
    count = size * size // 64
    text = f"v_mfma_{name} v[32:{31 + count}], v[0:{words - 1}], v[16:{15 + words}], v[32:{31 + count}]"
    if words == 1:
        text = f"v_mfma_{name} v[32:{31 + count}], v0, v16, v[32:{31 + count}]"
    row_of = _mfma32 if size == 32 else _mfma16
    return Matrix(target, text, size, depth, dtype, lambda lane: lane // size * per_lane, per_lane, row_of, **other)  # type: ignore[arg-type]  # only `result`


def _wmma(name: str, words: int, signs: str) -> str:
    return f"v_wmma_{name} v[32:39], v[0:{words - 1}], v[16:{15 + words}], v[32:39]{signs}"


CASES = [
    _mfma("gfx942", "f32_32x32x8_f16", 32, 8, "float16", 2),
    _mfma("gfx942", "f32_16x16x16_f16", 16, 16, "float16", 2),
    _mfma("gfx942", "f32_32x32x8_bf16", 32, 8, "bfloat16", 2),
    _mfma("gfx90a", "f32_32x32x8bf16_1k", 32, 8, "bfloat16", 2),
    _mfma("gfx90a", "f32_16x16x16bf16_1k", 16, 16, "bfloat16", 2),
    _mfma("gfx942", "f32_32x32x2_f32", 32, 2, "float32", 1),
    _mfma("gfx942", "f32_16x16x4_f32", 16, 4, "float32", 1),
    _mfma("gfx942", "i32_32x32x16_i8", 32, 16, "int8", 2, result="int32"),
    _mfma("gfx942", "i32_16x16x32_i8", 16, 32, "int8", 2, result="int32"),
    _mfma("gfx942", "f32_16x16x32_fp8_fp8", 16, 32, "float8_e4m3fnuz", 2),
    _mfma("gfx950", "f32_32x32x16_f16", 32, 16, "float16", 4),
    _mfma("gfx950", "f32_32x32x16_bf16", 32, 16, "bfloat16", 4),
    _mfma("gfx950", "f32_16x16x32_bf16", 16, 32, "bfloat16", 4),
    # gfx11 keeps the factors twice, and deals the rows of the sum out alternately.
    *(
        Matrix(
            "gfx1100", _wmma(f"{result}_16x16x16_{name}", words, signs), 16, 16, dtype, lambda _lane: 0, 16,
            lambda element, lane: 2 * element + lane // 16, result=kind,
        )
        for name, words, dtype, result, kind, signs in (
            ("f16", 8, "float16", "f32", "float32", ""),
            ("bf16", 8, "bfloat16", "f32", "float32", ""),
            ("iu8", 4, "int8", "i32", "int32", " neg_lo:[1,1,0]"),
        )
    ),
    *(
        Matrix(
            "gfx1201", _wmma(f"{result}_16x16x16_{name}", words, signs), 16, 16, dtype,
            lambda lane: 8 * (lane // 16), 8, lambda element, lane: element + 8 * (lane // 16), result=kind,
        )
        for name, words, dtype, result, kind, signs in (
            ("f16", 4, "float16", "f32", "float32", ""),
            ("bf16", 4, "bfloat16", "f32", "float32", ""),
            ("iu8", 2, "int8", "i32", "int32", " neg_lo:[1,1,0]"),
            ("fp8_fp8", 2, "float8_e4m3fn", "f32", "float32", ""),
        )
    ),
]  # fmt: skip


def _dtype(name: str) -> np.dtype[np.generic]:
    return np.dtype(getattr(ml_dtypes, name, None) or name)


@functools.cache
def _snippets(target: str) -> tuple[str, ...]:
    return tuple(case.assembly for case in CASES if case.target == target)


def _registers(case: Matrix, matrix: Array) -> Array:
    """uint32 (words, lanes): factor (size, depth) as the lanes hold it."""
    lanes = [
        matrix[lane % case.size, case.lanes_k(lane) : case.lanes_k(lane) + case.per_lane] for lane in range(case.lanes)
    ]
    return np.stack(lanes).astype(_dtype(case.dtype)).view(np.uint32).T


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.target}-{case.assembly.split()[0]}")
def test_product_of_matrices_is_exact_and_in_place(case: Matrix) -> None:
    numbers = np.random.default_rng(5)
    a, b = (numbers.integers(-3, 4, (case.size, case.depth)) for _ in "ab")
    c = numbers.integers(-9, 10, (case.size, case.size))
    state = fresh_state(case.target)
    for first, matrix in ((0, a), (16, b)):
        words = _registers(case, matrix)
        state.vector[first : first + len(words), 0] = words
    count = case.size * case.size // case.lanes
    kind = np.dtype(case.result)
    for element in range(count):
        rows = [case.row_of(element, lane) for lane in range(case.lanes)]
        columns = [lane % case.size for lane in range(case.lanes)]
        state.vector[32 + element, 0] = c[rows, columns].astype(kind).view(np.uint32)
    snippets = _snippets(case.target)
    execute(assemble_all(snippets, case.target), case.target, state, snippets.index(case.assembly) * SLOT)
    expected = a @ b.T + c
    for element in range(count):
        for lane in range(case.lanes):
            found = state.vector[32 + element, 0, lane : lane + 1].view(kind)[0]
            assert found == expected[case.row_of(element, lane), lane % case.size], (element, lane)


def test_half_precision_sums_of_gfx11_fill_the_chosen_halves() -> None:
    text = "v_wmma_f16_16x16x16_f16 v[32:39], v[0:7], v[0:7], v[32:39] op_sel:[0,0,1]"
    state = fresh_state("gfx1100")
    one = np.float16(1).view(np.uint16)
    state.vector[0:8] = int(one) | int(one) << 16
    state.vector[32:40] = int(np.float16(2).view(np.uint16)) << 16 | 7
    execute(assemble_all((text,), "gfx1100"), "gfx1100", state)
    assert (state.vector[32:40] == int(np.float16(18).view(np.uint16)) << 16 | 7).all()


def test_half_precision_sums_of_gfx12_are_packed() -> None:
    text = "v_wmma_f16_16x16x16_f16 v[32:35], v[0:3], v[4:7], v[32:35]"
    state = fresh_state("gfx1201")
    rows = np.arange(32) % 16
    state.vector[0:4, 0] = rows.astype(np.float16).view(np.uint16) * np.uint32(0x10001)
    state.vector[4:8] = int(np.float16(1).view(np.uint16)) * 0x10001
    execute(assemble_all((text,), "gfx1201"), "gfx1201", state)
    for word in range(4):
        for lane in (0, 15, 16, 31):
            low, high = state.vector[32 + word, 0, lane : lane + 1].view(np.float16)
            row = 8 * (lane // 16) + 2 * word
            assert (low, high) == (16 * row, 16 * (row + 1))
