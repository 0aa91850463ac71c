# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""Softmax over the last axis, safe for scores of any size.

    p[m, n] = exp(x[m, n] - max_k x[m, k]) / sum_k exp(x[m, k] - max_j x[m, j])
"""
import flydsl.compiler as flyc
import flydsl.expr as fx

from .common import (add, block_reduce, elem_type, fold, largest, load_row, reduction_slots,
                     store_row, vector_width)
from .rowplan import RowPlan


def build_softmax(n, dtype="f32", block=256):
    """Return launch(x, out, rows, stream).

    x, out: [rows, n] `dtype`, row-major, contiguous; `out` may be `x`
    n: compile-time row length, kept in registers;  rows: i32
    Exponentials and sums are f32; `out` is rounded once, to the nearest even.

    One workgroup of `block` threads per row.
    KERNARG: u64 x, u64 out   (16 bytes)
    """
    elem = elem_type(dtype)
    plan = RowPlan(n, vector_width(elem), block)

    @flyc.kernel(name=f"softmax_{dtype}_{n}")
    def softmax(x: fx.Pointer, out: fx.Pointer):
        tid, row = fx.thread_idx.x, fx.block_idx.x
        start = fx.Int64(row) * n
        slots = reduction_slots(block)

        # Places past the end hold -inf: never the maximum, and exp(-inf) adds 0.
        xs, x_last = load_row(x + start, elem, plan, tid, float("-inf"))
        top = block_reduce(slots, fold(xs, x_last, largest), largest, block)

        es = [fx.exp(v - top) for v in xs]
        e_last = fx.exp(x_last - top)
        total = block_reduce(slots, fold(es, e_last, add), add, block)

        scale = 1.0 / total
        store_row(out + start, elem, plan, tid, [e * scale for e in es], e_last * scale)

    @flyc.jit
    def launch(x: fx.Pointer, out: fx.Pointer, rows: fx.Int32,
               stream: fx.Stream = fx.Stream(None)):
        softmax(x, out).launch(grid=(rows,), block=(block,), stream=stream)

    return launch
