# vendorctl: this file was modified
# Upstream: build/upstreams/minikernels.git
# Commit: 796e0d94be127787187b1139b000c1f587d0a209
# Path: minikernels/rmsnorm.py
# Modifications, each a patch in patches/minikernels:
# 0001 RMSNorm: take epsilon at run time
# 0003 RMSNorm: weights of another type than the activations
# vendorctl: end of modification notice
# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""RMS normalisation over the last axis.

    r[m]   = 1 / sqrt(mean_n(x[m, n]^2) + eps)
    y[m,n] = x[m, n] * r[m] * w[n]
"""
import flydsl.compiler as flyc
import flydsl.expr as fx

from .common import (add, block_reduce, elem_type, fold, load_row, reduction_slots, store_row,
                     vector_width)
from .rowplan import RowPlan


def build_forward(
    n,
    dtype="f32",
    weight_dtype=None,
    store_inv_rms=False,
    block=256,
):
    """Return launch(x, w, y, inv_rms, eps, rows, stream).

    x, y: [rows, n] `dtype`, row-major, contiguous;  w: [n] `weight_dtype` (default: `dtype`)
    n: compile-time row length, kept in registers;  rows: i32
    Squares, sums and products are f32; y is rounded once, to the nearest even.

    inv_rms: [rows] f32, receives r when `store_inv_rms`; never touched otherwise
    eps: f32, added to the mean square

    One workgroup of `block` threads per row.
    KERNARG: u64 x, u64 w, u64 y, u64 inv_rms, f32 eps   (36 bytes)
    """
    weight_dtype = weight_dtype or dtype
    elem, weight_elem = elem_type(dtype), elem_type(weight_dtype)
    plan = RowPlan(n, vector_width(elem), block)
    name = f"rmsnorm_fwd_{dtype}_{weight_dtype}_{n}"

    @flyc.kernel(name=name)
    def forward(x: fx.Pointer, w: fx.Pointer, y: fx.Pointer, inv_rms: fx.Pointer,
                eps: fx.Float32):
        tid, row = fx.thread_idx.x, fx.block_idx.x
        start = fx.Int64(row) * n
        slots = reduction_slots(block)

        xs, x_last = load_row(x + start, elem, plan, tid, 0.0)
        squares = fold([v * v for v in xs], x_last * x_last, add)
        mean = block_reduce(slots, squares, add, block) * (1.0 / n)

        r = fx.rsqrt(mean + eps)

        ws, w_last = load_row(w, weight_elem, plan, tid, 0.0)
        ys = [v * r * g for v, g in zip(xs, ws)]
        store_row(y + start, elem, plan, tid, ys, x_last * r * w_last)
        if fx.const_expr(store_inv_rms):
            if tid == 0:
                (inv_rms + row).store(r)

    @flyc.jit
    def launch(x: fx.Pointer, w: fx.Pointer, y: fx.Pointer, inv_rms: fx.Pointer,
               eps: fx.Float32, rows: fx.Int32, stream: fx.Stream = fx.Stream(None)):
        forward(x, w, y, inv_rms, eps).launch(grid=(rows,), block=(block,), stream=stream)

    return launch
