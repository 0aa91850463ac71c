# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""Attention of one new token per sequence, over keys that were computed before.

    o[b, h, :] = sum_j softmax_j(scale * q[b, h, :] . k[b, g, j, :]) * v[b, g, j, :]

with g = h // group and j < lengths[b]. There is one query per head, but there may be many thousand keys, so
the keys are split: each workgroup takes one split of one key head, for all `group` query
heads that read it, and leaves a partial result. With s the scores of its split,

    top   = max_j s[j]
    total = sum_j exp(s[j] - top)
    acc   = sum_j exp(s[j] - top) * v[j, :]

and a second kernel merges the splits of a head:

    o = sum_i exp(top[i] - max top) * acc[i] / sum_i exp(top[i] - max top) * total[i]

A split past the end of its sequence leaves top = -inf, total = 0 and acc = 0, which add
nothing. Splits are merged in order: the same input gives the same bits.
"""
import flydsl.compiler as flyc
import flydsl.expr as fx

from . import matrix, online
from .attention import check_head_dim
from .common import elem_type
from .matrix import TILE
from .third_party.intmath import round_up


def build_decode(head_dim, dtype="f16"):
    """Stage one. Return a launch function with the parameters

    q, k, v, lengths, acc, top, total, seq, split, splits, group, kv_heads, scale, batch, stream

    q: [batch, kv_heads, group, head_dim] `dtype`, which is [batch, heads, head_dim]
    k, v: [batch, kv_heads, seq, head_dim] `dtype`;  lengths: [batch] i32, each 1..seq
    acc: [batch, kv_heads, splits, group, head_dim] f32, overwritten
    top, total: [batch, kv_heads, splits, group] f32, overwritten
    All contiguous, 16-byte aligned.
    head_dim: compile-time, a multiple of 16 up to 128;  dtype: "f16" or "bf16"
    group: i32, 1..16;  seq, kv_heads, batch: i32, at least 1, seq * head_dim below 2^31
    split: i32, keys per split;  splits: i32, with splits * split >= seq;  scale: f32
    Scores, exponentials and sums are f32; exponentials are rounded to `dtype` before they
    meet v.

    splits x kv_heads x batch workgroups of one wave.
    KERNARG: u64 q, u64 k, u64 v, u64 lengths, u64 acc, u64 top, u64 total,
             i32 seq, i32 split, i32 splits, i32 group, i32 kv_heads, f32 scale   (80 bytes)
    """
    check_head_dim(head_dim)
    elem = elem_type(dtype)
    depth_tiles = head_dim // TILE

    @flyc.kernel(name=f"attention_decode_{dtype}_{head_dim}")
    def decode(q: fx.Pointer, k: fx.Pointer, v: fx.Pointer, lengths: fx.Pointer, acc: fx.Pointer,
               top: fx.Pointer, total: fx.Pointer, seq: fx.Int32, split: fx.Int32,
               splits: fx.Int32, group: fx.Int32, kv_heads: fx.Int32, scale: fx.Float32):
        unit = matrix.MatrixUnit(dtype)
        operand = fx.Vector[elem, unit.operand_len]
        lane = matrix.lane_of_wave(unit)
        column, k0 = lane % TILE, matrix.operand_start(unit, lane)

        part, batch = fx.block_idx.x, fx.block_idx.z
        head = fx.Int64(batch) * kv_heads + fx.block_idx.y
        plane = head * seq * head_dim
        q, k, v = q + head * group * head_dim, k + plane, v + plane

        # A tile has 16 columns; those without a query head repeat the last one.
        q_row = fx.min(column, group - 1) * head_dim
        q_parts = [(q + (q_row + t * TILE + k0)).load(operand) for t in range(depth_tiles)]

        largest, summed = online.empty()
        out = [matrix.zero_acc(unit) for _ in range(depth_tiles)]  # rows are depth
        length = lengths[batch]
        first = part * split
        end = fx.min(first + split, length)
        for key0 in range(first, end, TILE):
            # Scores transposed: rows are keys, columns are query heads.
            k_row = fx.min(key0 + column, length - 1) * head_dim
            s = matrix.zero_acc(unit)
            for t in fx.range_constexpr(depth_tiles):
                k_part = (k + (k_row + t * TILE + k0)).load(operand)
                s = matrix.multiply_add(unit, k_part, q_parts[t], s)
            scores = []
            for j in fx.range_constexpr(unit.acc_len):
                seen = key0 + matrix.acc_row(unit, lane, j) < end
                scores = scores + [seen.select(s[j] * scale, fx.Float32(online.MASKED))]

            probs, keep, largest, summed = online.update(unit, scores, largest, summed)

            p = fx.Vector.from_elements(probs, fx.Float32)
            p = matrix.acc_as_operand(unit, lane, p)
            rows = [fx.min(key0 + k0 + j, length - 1) * head_dim for j in range(unit.operand_len)]
            updated = []
            for t in fx.range_constexpr(depth_tiles):
                v_part = [v[row + (t * TILE + column)] for row in rows]
                v_part = fx.Vector.from_elements(v_part, elem)
                updated = updated + [matrix.multiply_add(unit, v_part, p, out[t] * keep)]
            out = updated

        if column < group:
            slot = (head * splits + part) * group + column
            if lane < TILE:  # all lanes of a column hold the same maximum and sum
                (top + slot).store(largest)
                (total + slot).store(summed)
            for t in fx.range_constexpr(depth_tiles):
                for j in fx.range_constexpr(unit.acc_len):
                    depth = t * TILE + matrix.acc_row(unit, lane, j)
                    (acc + (slot * head_dim + depth)).store(out[t][j])

    @flyc.jit
    def launch(q: fx.Pointer, k: fx.Pointer, v: fx.Pointer, lengths: fx.Pointer, acc: fx.Pointer,
               top: fx.Pointer, total: fx.Pointer, seq: fx.Int32, split: fx.Int32,
               splits: fx.Int32, group: fx.Int32, kv_heads: fx.Int32, scale: fx.Float32,
               batch: fx.Int32, stream: fx.Stream = fx.Stream(None)):
        decode(q, k, v, lengths, acc, top, total, seq, split, splits, group, kv_heads,
               scale).launch(grid=(splits, kv_heads, batch), block=(fx.num_warp_threads(),),
                             stream=stream)

    return launch


def build_merge(head_dim, dtype="f16"):
    """Stage two. Return launch(acc, top, total, o, splits, group, kv_heads, stream).

    acc: [kv_heads, splits, group, head_dim] f32;  top, total: [kv_heads, splits, group] f32,
    all from stage one; `kv_heads` counts batch times key heads here
    o: [kv_heads, group, head_dim] `dtype`, which is [batch, heads, head_dim]
    splits, group, kv_heads: i32, at least 1; at least one split of each head has keys

    group x kv_heads workgroups of head_dim threads, rounded up to a multiple of 64.
    KERNARG: u64 acc, u64 top, u64 total, u64 o, i32 splits, i32 group   (40 bytes)
    """
    check_head_dim(head_dim)
    elem = elem_type(dtype)
    block = round_up(head_dim, 64)

    @flyc.kernel(name=f"attention_merge_{dtype}_{head_dim}")
    def merge(acc: fx.Pointer, top: fx.Pointer, total: fx.Pointer, o: fx.Pointer,
              splits: fx.Int32, group: fx.Int32):
        depth, member = fx.thread_idx.x, fx.block_idx.x
        head = fx.Int64(fx.block_idx.y)
        first = head * splits * group + member

        largest = fx.Float32(online.MASKED)
        for i in range(0, splits):
            largest = fx.max(largest, top[first + i * group])

        if depth < head_dim:
            weights, result = fx.Float32(0.0), fx.Float32(0.0)
            for i in range(0, splits):
                slot = first + i * group
                weight = fx.exp(top[slot] - largest)
                weights = weights + weight * total[slot]
                result = result + weight * acc[slot * head_dim + depth]
            row = head * group + member
            (o + (row * head_dim + depth)).store((result / weights).to(elem))

    @flyc.jit
    def launch(acc: fx.Pointer, top: fx.Pointer, total: fx.Pointer, o: fx.Pointer,
               splits: fx.Int32, group: fx.Int32, kv_heads: fx.Int32,
               stream: fx.Stream = fx.Stream(None)):
        merge(acc, top, total, o, splits, group).launch(
            grid=(group, kv_heads), block=(block,), stream=stream)

    return launch
