# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""What every kernel shares: element types, guarded row access, reductions.

Two kinds of helper live here:

* plain functions run while a kernel is traced, so their loops and ifs are decided
  at compile time;
* functions under `@flyc.jit` are inlined into the kernel that calls them, and an
  `if` on a GPU value in them becomes a real branch.
"""
import flydsl.compiler as flyc
import flydsl.expr as fx

#: dtype name -> DSL scalar type
DTYPES = {"f32": fx.Float32, "f16": fx.Float16, "bf16": fx.BFloat16}

#: widest single access to global memory, in bytes
MAX_ACCESS_BYTES = 16


def elem_type(name):
    """DSL scalar type of a dtype name ("f32", "f16" or "bf16")."""
    try:
        return DTYPES[name]
    except KeyError:
        raise ValueError(f"unknown dtype {name!r}; expected one of {sorted(DTYPES)}") from None


def vector_width(*types):
    """Elements per 16-byte access, limited by the widest of `types`."""
    return MAX_ACCESS_BYTES * 8 // max(t.width for t in types)


def load_f32(ptr, elem, offset, vec):
    """Read `vec` consecutive elements of type `elem` at `ptr[offset]` as an f32 vector."""
    return (ptr + offset).load(fx.Vector[elem, vec]).to(fx.Float32)


def store_from_f32(ptr, elem, offset, value):
    """Round an f32 vector or scalar to `elem` and write it at `ptr[offset]`."""
    (ptr + offset).store(value.to(elem))


@flyc.jit
def load_row(ptr, elem, plan, tid, fill):
    """Read this thread's share of a row into registers.

    ptr:  the row's first element, of type `elem`
    plan: a RowPlan;  tid: i32 thread number in the workgroup
    fill: f32 for places past the end of the row
    Returns (groups, last): `plan.rounds` f32 vectors, and one f32 that holds the tail
    element (`fill` in a thread that has none).
    """
    groups = []
    for r in fx.range_constexpr(plan.rounds):
        g = tid + r * plan.block
        value = fx.Vector.filled(plan.vec, fill, fx.Float32)
        if fx.const_expr(plan.round_is_partial(r)):
            if g < plan.full:
                value = load_f32(ptr, elem, g * plan.vec, plan.vec)
        else:
            value = load_f32(ptr, elem, g * plan.vec, plan.vec)
        groups = groups + [value]
    last = fx.Float32(fill)
    if fx.const_expr(plan.tail > 0):
        if tid < plan.tail:
            last = (ptr + (tid + plan.full * plan.vec)).load().to(fx.Float32)
    return groups, last


@flyc.jit
def store_row(ptr, elem, plan, tid, groups, last):
    """Write registers laid out as by `load_row` back to a row, rounding them to `elem`."""
    for r in fx.range_constexpr(plan.rounds):
        g = tid + r * plan.block
        if fx.const_expr(plan.round_is_partial(r)):
            if g < plan.full:
                store_from_f32(ptr, elem, g * plan.vec, groups[r])
        else:
            store_from_f32(ptr, elem, g * plan.vec, groups[r])
    if fx.const_expr(plan.tail > 0):
        if tid < plan.tail:
            store_from_f32(ptr, elem, tid + plan.full * plan.vec, last)


def add(a, b):
    """Sum of two f32 values."""
    return a + b


def largest(a, b):
    """Maximum of two f32 values; NaN wins."""
    return fx.max(a, b)


def fold(groups, last, combine):
    """Combine one thread's registers (see `load_row`) into one f32."""
    total = last
    for vec in groups:
        for i in range(vec.numel):
            total = combine(total, vec[i])
    return total


def wave_reduce(value, combine):
    """Combine the f32 `value` over the lanes of a wave; every lane gets the result.

    A butterfly over 32 or 64 lanes, all of which must be active here.
    """
    width = fx.num_warp_threads()
    step = width // 2
    while step >= 1:
        value = combine(value, fx.shuffle_xor(value, step, width))
        step //= 2
    return value


def reduction_slots(block):
    """Reserve LDS for `block_reduce`: one f32 per wave. Returns a shared-memory pointer.

    Call it exactly once per kernel, in the kernel's body: the DSL allows one
    shared-memory allocator per kernel.
    """
    waves = block // fx.num_warp_threads()
    return fx.SharedAllocator().allocate(fx.Array[fx.Float32, waves, 16]).peek().ptr


def block_reduce(slots, value, combine, block):
    """Combine the f32 `value` over the workgroup; every thread gets the same bits.

    slots: from `reduction_slots(block)`
    Waves publish their part in LDS, then every thread adds up all parts in wave order.
    There are no atomics. Every thread of the workgroup must get here.
    """
    lanes = fx.num_warp_threads()
    waves = block // lanes
    value = wave_reduce(value, combine)
    if waves == 1:
        return value
    fx.gpu.barrier()  # slots may still be in use: by a slow wave, in an earlier reduction
    _publish(slots, value, lanes)
    fx.gpu.barrier()
    total = slots[0]
    for w in range(1, waves):
        total = combine(total, slots[w])
    return total


def block_mean(slots, value, n, block):
    """Mean of the f32 `value` over a row of `n`, one `value` per thread (see `block_reduce`)."""
    return block_reduce(slots, value, add, block) * (1.0 / n)


@flyc.jit
def _publish(slots, value, lanes):
    """Lane 0 of each wave writes `value` to that wave's slot."""
    tid = fx.thread_idx.x
    if tid % lanes == 0:
        (slots + tid // lanes).store(value)
