# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""RMS normalisation over the last axis.

    r[m]   = 1 / sqrt(mean_n(x[m, n]^2) + eps)
    y[m,n] = x[m, n] * r[m] * w[n]
"""
import flydsl.compiler as flyc
import flydsl.expr as fx

from ..common import (add, block_mean, elem_type, fold, load_row, reduction_slots, store_row,
                     vector_width)
from ..rowplan import RowPlan


def build_forward(
    n,
    in_dtype="f32",
    out_dtype=None,
    store_inv_rms=False,
    block=256,
):
    """Return launch(x, w, y, inv_rms, eps, rows, stream).

    x: [rows, n] `in_dtype`;  y: [rows, n] `out_dtype` (default: `in_dtype`)
    w: [n] `in_dtype`.  All row-major, contiguous
    n: compile-time row length, kept in registers;  rows: i32
    Squares, sums and products are f32; y is rounded once, to the nearest even.

    inv_rms: [rows] f32, receives r when `store_inv_rms`; never touched otherwise
    eps: f32, added to the mean square

    One workgroup of `block` threads per row.
    KERNARG: u64 x, u64 w, u64 y, u64 inv_rms, f32 eps   (36 bytes)
    """
    out_dtype = out_dtype or in_dtype
    in_elem, out_elem = elem_type(in_dtype), elem_type(out_dtype)
    plan = RowPlan(n, vector_width(in_elem, out_elem), block)
    name = f"rmsnorm_fwd_{in_dtype}_{out_dtype}_{n}"

    @flyc.kernel(name=name)
    def forward(x: fx.Pointer, w: fx.Pointer, y: fx.Pointer, inv_rms: fx.Pointer,
                eps: fx.Float32):
        tid, row = fx.thread_idx.x, fx.block_idx.x
        start = fx.Int64(row) * n
        slots = reduction_slots(block)

        xs, x_last = load_row(x + start, in_elem, plan, tid, 0.0)
        squares = fold([v * v for v in xs], x_last * x_last, add)
        mean = block_mean(slots, squares, n, block)

        r = fx.rsqrt(mean + eps)

        ws, w_last = load_row(w, in_elem, plan, tid, 0.0)
        ys = [v * r * g for v, g in zip(xs, ws)]
        store_row(y + start, out_elem, plan, tid, ys, x_last * r * w_last)
        if fx.const_expr(store_inv_rms):
            if tid == 0:
                (inv_rms + row).store(r)

    @flyc.jit
    def launch(x: fx.Pointer, w: fx.Pointer, y: fx.Pointer, inv_rms: fx.Pointer,
               eps: fx.Float32, rows: fx.Int32, stream: fx.Stream = fx.Stream(None)):
        forward(x, w, y, inv_rms, eps).launch(grid=(rows,), block=(block,), stream=stream)

    return launch
