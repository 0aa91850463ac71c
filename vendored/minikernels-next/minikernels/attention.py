# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""Attention forward in one pass over the keys, on matrix tiles.

    o[h, i, :] = sum_j softmax_j(scale * q[h, i, :] . k[g, j, :]) * v[g, j, :]

with g = h // group, and j <= i when causal. A wave owns 16 queries. It computes scores transposed,
S^T = K Q^T, so that a lane holds scores of one query only: maxima and sums are a fold
within the lane and one or two shuffles, and the exponentials already lie as the operand
of O^T = V^T P^T. All waves of a workgroup share tiles of V through LDS.
"""
import flydsl.compiler as flyc
import flydsl.expr as fx

from . import matrix, online
from .common import MAX_ACCESS_BYTES, elem_type
from .matrix import TILE
from .third_party.intmath import ceil_div, next_power_of_two

#: 16-bit elements per access to global memory
CHUNK = MAX_ACCESS_BYTES // 2


def check_head_dim(head_dim):
    """Reject head dimensions that do not fit the tiles or the registers."""
    if head_dim % TILE or not TILE <= head_dim <= 128:
        raise ValueError(f"head_dim {head_dim} is not a multiple of {TILE} from {TILE} to 128")


def build_attention(head_dim, dtype="f16", causal=False, waves=4):
    """Return launch(q, k, v, o, seq, group, kv_heads, scale, stream).

    q, o: [kv_heads, group, seq, head_dim] `dtype`;  k, v: [kv_heads, seq, head_dim] `dtype`
    All contiguous, 16-byte aligned. `kv_heads` counts batch times key heads, and `group`
    is the number of query heads per key head: q is the usual [batch, heads, seq, head_dim].
    head_dim: compile-time, a multiple of 16 up to 128;  dtype: "f16" or "bf16"
    seq, group, kv_heads: i32, at least 1, with seq * head_dim below 2^31;  scale: f32
    Scores, exponentials and sums are f32; exponentials are rounded to `dtype` before they
    meet v, and o is rounded once more.

    ceil(seq / (16 * waves)) x group x kv_heads workgroups of `waves` waves.
    KERNARG: u64 q, u64 k, u64 v, u64 o, i32 seq, i32 group, f32 scale   (44 bytes)
    """
    check_head_dim(head_dim)
    if waves not in (1, 2, 4, 8):
        raise ValueError(f"waves must be 1, 2, 4 or 8, not {waves}")
    elem = elem_type(dtype)
    depth_tiles = head_dim // TILE
    name = f"attention_fwd_{dtype}_{head_dim}" + ("_causal" if causal else "")

    @flyc.kernel(name=name)
    def attention(q: fx.Pointer, k: fx.Pointer, v: fx.Pointer, o: fx.Pointer,
                  seq: fx.Int32, group: fx.Int32, scale: fx.Float32):
        unit = matrix.MatrixUnit(dtype)
        operand = fx.Vector[elem, unit.operand_len]
        threads = waves * unit.lanes
        v_tile = fx.SharedAllocator().allocate(fx.Array[elem, TILE * head_dim, 16]).peek().ptr

        lane = matrix.lane_of_wave(unit)
        column, k0 = lane % TILE, matrix.operand_start(unit, lane)
        first_query = fx.block_idx.x * (TILE * waves)
        query = first_query + fx.thread_idx.x // unit.lanes * TILE + column

        # The grid names both heads, so that no index has to be divided by `group`.
        kv_head = fx.Int64(fx.block_idx.z)
        plane = fx.Int64(seq) * head_dim
        q_plane = (kv_head * group + fx.block_idx.y) * plane
        q, o = q + q_plane, o + q_plane
        k, v = k + kv_head * plane, v + kv_head * plane

        # Rows past the end are read as the last row and never stored.
        q_row = fx.min(query, seq - 1) * head_dim
        q_parts = [(q + (q_row + t * TILE + k0)).load(operand) for t in range(depth_tiles)]

        top, total = online.empty()
        out = [matrix.zero_acc(unit) for _ in range(depth_tiles)]  # O^T: rows are depth

        # The loop has barriers: its trip count is the same for the whole workgroup.
        end = fx.min(seq, first_query + TILE * waves) if causal else seq
        for key0 in range(0, end, TILE):
            fx.gpu.barrier()  # all waves are done with the tile before
            stage_rows(v, v_tile, key0, seq, head_dim, elem, threads)
            fx.gpu.barrier()

            # S^T: rows are keys, columns are queries.
            k_row = fx.min(key0 + column, seq - 1) * head_dim
            s = matrix.zero_acc(unit)
            for t in fx.range_constexpr(depth_tiles):
                k_part = (k + (k_row + t * TILE + k0)).load(operand)
                s = matrix.multiply_add(unit, k_part, q_parts[t], s)
            scores = []
            for j in fx.range_constexpr(unit.acc_len):
                key = key0 + matrix.acc_row(unit, lane, j)
                seen = (key < seq) & (key <= query) if causal else key < seq
                scores = scores + [seen.select(s[j] * scale, fx.Float32(online.MASKED))]

            probs, keep, top, total = online.update(unit, scores, top, total)

            # O^T += V^T P^T, one tile of depth at a time.
            p = fx.Vector.from_elements(probs, fx.Float32)
            p = matrix.acc_as_operand(unit, lane, p)
            updated = []
            for t in fx.range_constexpr(depth_tiles):
                at = k0 * head_dim + (t * TILE + column)
                v_part = [v_tile[at + j * head_dim] for j in range(unit.operand_len)]
                v_part = fx.Vector.from_elements(v_part, elem)
                updated = updated + [matrix.multiply_add(unit, v_part, p, out[t] * keep)]
            out = updated

        if query < seq:
            inverse = 1.0 / total
            for t in fx.range_constexpr(depth_tiles):
                for j in fx.range_constexpr(unit.acc_len):
                    depth = t * TILE + matrix.acc_row(unit, lane, j)
                    (o + (query * head_dim + depth)).store((out[t][j] * inverse).to(elem))

    @flyc.jit
    def launch(q: fx.Pointer, k: fx.Pointer, v: fx.Pointer, o: fx.Pointer, seq: fx.Int32,
               group: fx.Int32, kv_heads: fx.Int32, scale: fx.Float32,
               stream: fx.Stream = fx.Stream(None)):
        queries = TILE * waves
        attention(q, k, v, o, seq, group, scale).launch(
            grid=((seq + (queries - 1)) // queries, group, kv_heads),
            block=(waves * fx.num_warp_threads(),), stream=stream)

    return launch


@flyc.jit
def stage_rows(source, tile, first, rows, head_dim, elem, threads):
    """Copy 16 rows of `source`, from row `first` on, to the LDS tile [16, head_dim].

    Rows past `rows` are read as the last row. A thread copies 16 bytes at a time; threads
    side by side copy side by side. A row gets a power of two of threads, some of which
    idle when head_dim is none: cheaper than dividing by it.
    """
    chunks = head_dim // CHUNK
    per_row = next_power_of_two(chunks)
    rows_per_round = threads // per_row
    chunk, own = fx.thread_idx.x % per_row, fx.thread_idx.x // per_row
    for r in fx.range_constexpr(ceil_div(TILE, rows_per_round)):
        row = own + r * rows_per_round
        if (chunk < chunks) & (row < TILE):
            at = fx.min(first + row, rows - 1) * head_dim + chunk * CHUNK
            value = (source + at).load(fx.Vector[elem, CHUNK])
            (tile + (row * head_dim + chunk * CHUNK)).store(value)
