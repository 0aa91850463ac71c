# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""Softmax of rows whose length is known at launch only.

The same as `softmax`, for widths that are not worth an object of their own: the row is
read three times, for the maximum, the sum and the result. (Two passes with a running
maximum would turn a row that starts with -inf into NaN.)
"""
import flydsl.compiler as flyc
import flydsl.expr as fx

from .common import (add, block_reduce, elem_type, fold, largest, load_f32, reduction_slots,
                     store_from_f32, vector_width)
from .rowplan import check_block


def build_softmax_dynamic(dtype="f32", block=256):
    """Return launch(x, out, n, rows, stream).

    x, out: [rows, n] `dtype`, row-major, contiguous; `out` may be `x`
    n, rows: i32, at least 1
    Exponentials and sums are f32; `out` is rounded once, to the nearest even.

    One workgroup of `block` threads per row.
    KERNARG: u64 x, u64 out, i32 n   (20 bytes)
    """
    check_block(block)
    elem = elem_type(dtype)
    vec = vector_width(elem)

    @flyc.kernel(name=f"softmax_dynamic_{dtype}")
    def softmax(x: fx.Pointer, out: fx.Pointer, n: fx.Int32):
        tid = fx.thread_idx.x
        start = fx.Int64(fx.block_idx.x) * n
        x, out = x + start, out + start
        slots = reduction_slots(block)
        full = n // vec  # whole vectors; the elements after them go one to a thread
        tail = full * vec + tid

        top = fx.Float32(float("-inf"))
        for g in range(tid, full, block):
            top = fold([load_f32(x, elem, g * vec, vec)], top, largest)
        if tail < n:
            top = fx.max(top, x[tail].to(fx.Float32))
        top = block_reduce(slots, top, largest, block)

        total = fx.Float32(0.0)
        for g in range(tid, full, block):
            total = fold([fx.exp(load_f32(x, elem, g * vec, vec) - top)], total, add)
        if tail < n:
            total = total + fx.exp(x[tail].to(fx.Float32) - top)
        scale = 1.0 / block_reduce(slots, total, add, block)

        for g in range(tid, full, block):
            e = fx.exp(load_f32(x, elem, g * vec, vec) - top)
            store_from_f32(out, elem, g * vec, e * scale)
        if tail < n:
            store_from_f32(out, elem, tail, fx.exp(x[tail].to(fx.Float32) - top) * scale)

    @flyc.jit
    def launch(x: fx.Pointer, out: fx.Pointer, n: fx.Int32, rows: fx.Int32,
               stream: fx.Stream = fx.Stream(None)):
        softmax(x, out, n).launch(grid=(rows,), block=(block,), stream=stream)

    return launch
