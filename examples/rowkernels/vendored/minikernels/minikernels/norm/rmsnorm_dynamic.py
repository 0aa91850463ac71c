# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""RMS normalisation of rows whose length is known at launch only.

The same as `rmsnorm`, for widths that are not worth an object of their own: the row is
read twice, once for the mean square and once for the result, in place of being kept in
registers.
"""
import flydsl.compiler as flyc
import flydsl.expr as fx

from ..common import (add, block_reduce, elem_type, fold, load_f32, reduction_slots,
                      store_from_f32, vector_width)
from ..rowplan import check_block


def build_forward_dynamic(
    in_dtype="f32",
    out_dtype=None,
    weight_dtype=None,
    store_inv_rms=False,
    block=256,
):
    """Return launch(x, w, y, inv_rms, n, eps, rows, stream).

    x: [rows, n] `in_dtype`;  y: [rows, n] `out_dtype` (default: `in_dtype`)
    w: [n] `weight_dtype` (default: `in_dtype`).  All row-major, contiguous
    n, rows: i32, at least 1;  eps: f32, added to the mean square
    Squares, sums and products are f32; y is rounded once, to the nearest even.

    inv_rms: [rows] f32, receives r when `store_inv_rms`; never touched otherwise

    One workgroup of `block` threads per row.
    KERNARG: u64 x, u64 w, u64 y, u64 inv_rms, i32 n, f32 eps   (40 bytes)
    """
    check_block(block)
    out_dtype, weight_dtype = out_dtype or in_dtype, weight_dtype or in_dtype
    in_elem, out_elem, weight_elem = (elem_type(d) for d in (in_dtype, out_dtype, weight_dtype))
    vec = vector_width(in_elem, out_elem)
    name = f"rmsnorm_fwd_dynamic_{in_dtype}_{out_dtype}_{weight_dtype}"

    @flyc.kernel(name=name)
    def forward(x: fx.Pointer, w: fx.Pointer, y: fx.Pointer, inv_rms: fx.Pointer,
                n: fx.Int32, eps: fx.Float32):
        tid, row = fx.thread_idx.x, fx.block_idx.x
        start = fx.Int64(row) * n
        x, y = x + start, y + start
        slots = reduction_slots(block)
        full = n // vec  # whole vectors; the elements after them go one to a thread
        tail = full * vec + tid

        squares = fx.Float32(0.0)
        for g in range(tid, full, block):
            v = load_f32(x, in_elem, g * vec, vec)
            squares = fold([v * v], squares, add)
        if tail < n:
            last = x[tail].to(fx.Float32)
            squares = squares + last * last
        mean = block_reduce(slots, squares, add, block) * (1.0 / n.to(fx.Float32))

        r = fx.rsqrt(mean + eps)

        for g in range(tid, full, block):
            v, u = load_f32(x, in_elem, g * vec, vec), load_f32(w, weight_elem, g * vec, vec)
            store_from_f32(y, out_elem, g * vec, v * r * u)
        if tail < n:
            store_from_f32(y, out_elem, tail, x[tail].to(fx.Float32) * r * w[tail].to(fx.Float32))
        if fx.const_expr(store_inv_rms):
            if tid == 0:
                (inv_rms + row).store(r)

    @flyc.jit
    def launch(x: fx.Pointer, w: fx.Pointer, y: fx.Pointer, inv_rms: fx.Pointer, n: fx.Int32,
               eps: fx.Float32, rows: fx.Int32, stream: fx.Stream = fx.Stream(None)):
        forward(x, w, y, inv_rms, n, eps).launch(grid=(rows,), block=(block,), stream=stream)

    return launch
