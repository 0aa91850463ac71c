# vendorctl: this file was modified
# Upstream: ../../build/upstreams/minikernels.git
# Commit: f58df4b395f24cb3adf99ee16e0983bbe6c43596
# Path: minikernels/norm/rmsnorm_backward.py
# Modifications, each a patch in patches/minikernels:
# 0001 rmsnorm: name kernels after the library that ships them
# vendorctl: end of modification notice
# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""Gradients of RMS normalisation, in two stages and without atomics.

    r[m]    = 1 / sqrt(mean_n(x[m, n]^2) + eps)      (stored by the forward kernel)
    g[m, n] = dy[m, n] * w[n]
    dx[m,n] = r[m] * (g[m, n] - x[m, n] * r[m]^2 * mean_k(g[m, k] * x[m, k]))
    dw[n]   = sum_m dy[m, n] * x[m, n] * r[m]

Stage one writes dx and, per workgroup, a partial dw; stage two adds the partial rows in
order. The same input and group count give the same bits on every run.
"""
import flydsl.compiler as flyc
import flydsl.expr as fx

from ..common import (add, block_mean, elem_type, fold, load_row, reduction_slots, store_row,
                     vector_width)
from ..rowplan import RowPlan, check_block


def build_backward(n, dtype="f32", weight_dtype=None, block=256):
    """Stage one. Return launch(x, w, dy, inv_rms, dx, partial, rows, groups, stream).

    x, dy, dx: [rows, n] `dtype`;  w: [n] `weight_dtype` (default: `dtype`)
    inv_rms: [rows] f32, from the forward kernel
    partial: [groups, n] f32, overwritten; row g is the part of dw that comes from the
             matrix rows g, g + groups, g + 2 * groups, ...
    n: compile-time row length;  rows, groups: i32, at least 1

    `groups` workgroups of `block` threads, each looping over its rows.
    KERNARG: u64 x, u64 w, u64 dy, u64 inv_rms, u64 dx, u64 partial, i32 rows, i32 groups
             (56 bytes)
    """
    weight_dtype = weight_dtype or dtype
    elem, weight_elem = elem_type(dtype), elem_type(weight_dtype)
    plan = RowPlan(n, vector_width(elem), block)
    name = f"rowkernels_rmsnorm_dx_{dtype}_{weight_dtype}_{n}"

    @flyc.kernel(name=name)
    def backward(x: fx.Pointer, w: fx.Pointer, dy: fx.Pointer, inv_rms: fx.Pointer,
                 dx: fx.Pointer, partial: fx.Pointer, rows: fx.Int32, groups: fx.Int32):
        tid, group = fx.thread_idx.x, fx.block_idx.x
        slots = reduction_slots(block)
        ws, w_last = load_row(w, weight_elem, plan, tid, 0.0)

        # Partial dw stays in registers; the loop over rows carries it.
        dws = [fx.Vector.filled(plan.vec, 0.0, fx.Float32) for _ in range(plan.rounds)]
        dw_last = fx.Float32(0.0)
        for row in range(group, rows, groups):
            start = fx.Int64(row) * n
            r = inv_rms[row]
            xs, x_last = load_row(x + start, elem, plan, tid, 0.0)
            dys, dy_last = load_row(dy + start, elem, plan, tid, 0.0)

            gs, g_last = [d * g for d, g in zip(dys, ws)], dy_last * w_last
            dot = fold([g * v for g, v in zip(gs, xs)], g_last * x_last, add)
            k = block_mean(slots, dot, n, block) * r * r

            dxs = [(g - v * k) * r for g, v in zip(gs, xs)]
            store_row(dx + start, elem, plan, tid, dxs, (g_last - x_last * k) * r)
            dws = [t + d * v * r for t, d, v in zip(dws, dys, xs)]
            dw_last = dw_last + dy_last * x_last * r
        store_row(partial + fx.Int64(group) * n, fx.Float32, plan, tid, dws, dw_last)

    @flyc.jit
    def launch(x: fx.Pointer, w: fx.Pointer, dy: fx.Pointer, inv_rms: fx.Pointer,
               dx: fx.Pointer, partial: fx.Pointer, rows: fx.Int32, groups: fx.Int32,
               stream: fx.Stream = fx.Stream(None)):
        backward(x, w, dy, inv_rms, dx, partial, rows, groups).launch(
            grid=(groups,), block=(block,), stream=stream)

    return launch


def build_weight_gradient(weight_dtype="f32", block=256):
    """Stage two. Return launch(partial, dw, n, groups, stream).

    partial: [groups, n] f32 from stage one;  dw: [n] `weight_dtype`;  n, groups: i32

    One thread per column, which adds the rows in order; ceil(n / block) workgroups.
    KERNARG: u64 partial, u64 dw, i32 n, i32 groups   (24 bytes)
    """
    check_block(block)
    elem = elem_type(weight_dtype)

    @flyc.kernel(name=f"rowkernels_rmsnorm_dw_{weight_dtype}")
    def reduce_partials(partial: fx.Pointer, dw: fx.Pointer, n: fx.Int32, groups: fx.Int32):
        column = fx.block_idx.x * block + fx.thread_idx.x
        if column < n:
            total = fx.Float32(0.0)
            for g in range(0, groups):
                total = total + partial[fx.Int64(g) * n + column]
            (dw + column).store(total.to(elem))

    @flyc.jit
    def launch(partial: fx.Pointer, dw: fx.Pointer, n: fx.Int32, groups: fx.Int32,
               stream: fx.Stream = fx.Stream(None)):
        reduce_partials(partial, dw, n, groups).launch(
            grid=((n + (block - 1)) // block,), block=(block,), stream=stream)

    return launch
