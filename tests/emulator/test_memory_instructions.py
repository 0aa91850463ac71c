# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Global, buffer, scratch and scalar memory instructions, and the memory they work on."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest

from emulator.goldens import FAMILIES
from support.gpu_assembly import SLOT, assemble_all
from support.gpu_state import Value, execute, f16, f32, fresh_state, get_register, lanes_of, set_registers
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.emulator.memory import BASE, Bytes, Memory
from vendorctl.errors import VendorError


@dataclass(frozen=True, slots=True)
class Access:
    """A snippet that works on 16 words (`words`) at s[2:3] with the buffer descriptor s[4:7] over them.

    `after` holds registers; `memory` the words that must have changed, by index.
    """

    families: str
    assembly: str
    before: Mapping[str, Value]
    after: Mapping[str, Value]
    memory: Mapping[int, int]


A = Access
WORDS = [0x1000 + k for k in range(16)]
_ALL_ONES = 0xFFFFFFFF

ACCESSES = [
    A("9", "global_load_dword v1, v0, s[2:3] offset:4", {"v0": [0, 8]}, {"v1": [0x1001, 0x1003]}, {}),
    A("11 12", "global_load_b32 v1, v0, s[2:3] offset:4", {"v0": [0, 8]}, {"v1": [0x1001, 0x1003]}, {}),
    A("9", "global_load_dwordx4 v[4:7], v0, s[2:3]", {"v0": 16}, {"v4": 0x1004, "v7": 0x1007}, {}),
    A("11 12", "global_load_b128 v[4:7], v0, s[2:3]", {"v0": 16}, {"v4": 0x1004, "v7": 0x1007}, {}),
    A("11 12", "global_load_b96 v[4:6], v0, s[2:3]", {"v0": 16}, {"v4": 0x1004, "v6": 0x1006}, {}),
    A("11 12", "global_load_b64 v[4:5], v0, s[2:3]", {"v0": 17}, {"v4": 0x05000010}, {}),
    A("9", "global_load_ushort v1, v0, s[2:3]", {"v0": [0, 2]}, {"v1": [0x1000, 0]}, {}),
    A("9", "global_load_short_d16_hi v1, v0, s[2:3]", {"v0": 4, "v1": 7}, {"v1": 0x10010007}, {}),
    A("11 12", "global_load_u16 v1, v0, s[2:3]", {"v0": [4, 6]}, {"v1": [0x1001, 0]}, {}),
    A("11 12", "global_load_i8 v1, v0, s[2:3]", {"v0": 1}, {"v1": 0x10}, {}),
    A("11 12", "global_load_d16_b16 v1, v0, s[2:3]", {"v0": 4, "v1": 0x70007}, {"v1": 0x71001}, {}),
    A("11 12", "global_load_d16_hi_b16 v1, v0, s[2:3]", {"v0": 4, "v1": 7}, {"v1": 0x10010007}, {}),
    A("9", "global_store_dword v0, v1, s[2:3]", {"v0": [0, 8], "v1": [5, 6], "exec": 3}, {}, {0: 5, 2: 6}),
    A("11 12", "global_store_b32 v0, v1, s[2:3]", {"v0": [0, 8], "v1": [5, 6], "exec": 3}, {}, {0: 5, 2: 6}),
    A("9", "global_store_short_d16_hi v0, v1, s[2:3]", {"v1": 0xAAAABBBB, "exec": 1}, {}, {0: 0xAAAA}),
    A("11 12", "global_store_b16 v0, v1, s[2:3]", {"v1": 0xAAAABBBB, "exec": 1}, {}, {0: 0xBBBB}),
    A("11 12", "global_store_d16_hi_b8 v0, v1, s[2:3]", {"v1": 0x00AABBBB, "exec": 1}, {}, {0: 0x10AA}),
    A(
        "11 12",
        "global_store_b128 v0, v[4:7], s[2:3]",
        {"v4": 1, "v5": 2, "v6": 3, "v7": 4, "exec": 1},
        {},
        {0: 1, 1: 2, 2: 3, 3: 4},
    ),
    A(
        "9",
        "global_atomic_add v1, v0, v2, s[2:3] sc0",
        {"v2": [1, 2], "exec": 3},
        {"v1": [0x1000, 0x1001, 0]},
        {0: 0x1003},
    ),
    A(
        "11",
        "global_atomic_add_u32 v1, v0, v2, s[2:3] glc",
        {"v2": [1, 2], "exec": 3},
        {"v1": [0x1000, 0x1001, 0]},
        {0: 0x1003},
    ),
    A(
        "12",
        "global_atomic_add_u32 v1, v0, v2, s[2:3] th:TH_ATOMIC_RETURN",
        {"v2": [1, 2], "exec": 3},
        {"v1": [0x1000, 0x1001, 0]},
        {0: 0x1003},
    ),
    A("9", "global_atomic_add_f32 v0, v2, s[2:3]", {"v0": 4, "v2": 1.5, "exec": 1}, {}, {1: f32(1.5)}),
    A("11 12", "global_atomic_add_f32 v0, v2, s[2:3]", {"v0": 4, "v2": 1.5, "exec": 1}, {}, {1: f32(1.5)}),
    A("9", "global_atomic_cmpswap v0, v[2:3], s[2:3]", {"v2": 9, "v3": 0x1000, "exec": 1}, {}, {0: 9}),
    A("11 12", "global_atomic_cmpswap_b32 v0, v[2:3], s[2:3]", {"v2": 9, "v3": 0x1001, "exec": 1}, {}, {}),
    A("11", "global_atomic_max_u32 v0, v2, s[2:3]", {"v2": [5, 0x2000], "exec": 3}, {}, {0: 0x2000}),
    A("12", "global_atomic_max_u32 v0, v2, s[2:3]", {"v2": [5, 0x2000], "exec": 3}, {}, {0: 0x2000}),
    A(
        "9",
        "global_atomic_pk_add_f16 v0, v2, s[2:3]",
        {"v0": 60, "v2": f16(1.0) << 16, "exec": 1},
        {},
        {15: f16(1.0) << 16 | 0x100F},
    ),
    A("11 12", "global_atomic_swap_b32 v0, v2, s[2:3]", {"v2": 77, "exec": 1}, {}, {0: 77}),
    A("9", "buffer_load_dword v1, v0, s[4:7], 0 offen offset:8", {"v0": [0, 4]}, {"v1": [0x1002, 0x1003]}, {}),
    A("11 12", "buffer_load_b32 v1, v0, s[4:7], null offen offset:8", {"v0": [0, 4]}, {"v1": [0x1002, 0x1003]}, {}),
    # Beyond the descriptor's 64 bytes: loads give zero, stores do nothing.
    A("9", "buffer_load_dword v1, v0, s[4:7], 0 offen", {"v0": [60, 64], "v1": 7}, {"v1": [0x100F, 0]}, {}),
    A("11 12", "buffer_load_b32 v1, v0, s[4:7], null offen", {"v0": [60, 64], "v1": 7}, {"v1": [0x100F, 0]}, {}),
    A("9", "buffer_store_dword v1, v0, s[4:7], 0 offen", {"v0": [60, 64], "v1": 7, "exec": 3}, {}, {15: 7}),
    A("11 12", "buffer_store_b32 v1, v0, s[4:7], null offen", {"v0": [60, 64], "v1": 7, "exec": 3}, {}, {15: 7}),
    A("9", "buffer_load_dwordx4 v[4:7], v0, s[4:7], s8 offen", {"v0": 0, "s8": 16}, {"v4": 0x1004, "v7": 0x1007}, {}),
    A("11 12", "buffer_load_b128 v[4:7], off, s[4:7], s8", {"s8": 16}, {"v4": 0x1004, "v7": 0x1007}, {}),
    A("9", "buffer_load_ushort v1, v0, s[4:7], 0 offen", {"v0": 4}, {"v1": 0x1001}, {}),
    A("11 12", "buffer_load_u16 v1, v0, s[4:7], null offen", {"v0": 4}, {"v1": 0x1001}, {}),
    A("9", "buffer_store_short v1, v0, s[4:7], 0 offen", {"v1": 0xAAAABBBB, "exec": 1}, {}, {0: 0xBBBB}),
    A(
        "11 12",
        "buffer_store_b128 v[4:7], v0, s[4:7], null offen",
        {"v4": 1, "v5": 2, "v6": 3, "v7": 4, "exec": 1},
        {},
        {0: 1, 1: 2, 2: 3, 3: 4},
    ),
    A(
        "11",
        "buffer_atomic_add_u32 v1, v0, s[4:7], null offen glc",
        {"v1": 1, "exec": 1},
        {"v1": [0x1000, 1]},
        {0: 0x1001},
    ),
    A(
        "9",
        "s_mov_b32 m0, 32\nbuffer_load_dword off, s[4:7], 0 lds\nds_read_b32 v1, v0",
        {"v0": 32, "exec": 1},
        {"v1": [0x1000, 0]},
        {},
    ),
    A("9", "s_load_dwordx2 s[8:9], s[2:3], 0x8", {}, {"s8": 0x1002, "s9": 0x1003}, {}),
    A("11 12", "s_load_b64 s[8:9], s[2:3], 0x8", {}, {"s8": 0x1002, "s9": 0x1003}, {}),
    A("9", "s_load_dword s8, s[2:3], s10", {"s10": 12}, {"s8": 0x1003}, {}),
    A("9", "s_load_dwordx4 s[8:11], s[2:3], 0x10", {}, {"s8": 0x1004, "s11": 0x1007}, {}),
    A("11 12", "s_load_b128 s[8:11], s[2:3], 0x10", {}, {"s8": 0x1004, "s11": 0x1007}, {}),
    A("11 12", "s_load_b32 s8, s[2:3], s10 offset:0x4", {"s10": 12}, {"s8": 0x1004}, {}),
    A("12", "s_load_u16 s8, s[2:3], 0x4", {}, {"s8": 0x1001}, {}),
    A("11 12", "s_load_b256 s[8:15], s[2:3], 0x0", {}, {"s8": 0x1000, "s15": 0x1007}, {}),
    A("9", "s_buffer_load_dword s8, s[4:7], 0x40", {}, {"s8": 0}, {}),
    A("11 12", "s_buffer_load_b32 s8, s[4:7], 0x3c", {}, {"s8": 0x100F}, {}),
    A(
        "11 12",
        "scratch_store_b32 off, v1, off offset:4\nscratch_load_b32 v2, off, off offset:4",
        {"v1": [3, 4, 5]},
        {"v2": [3, 4, 5]},
        {},
    ),
    A(
        "9",
        "scratch_store_dwordx2 off, v[4:5], off\nscratch_load_dword v2, off, off offset:4",
        {"v5": [3, 4]},
        {"v2": [3, 4]},
        {},
    ),
    A("9", "global_load_dwordx2 v[4:5], v0, s[2:3]", {"v0": 8}, {"v4": 0x1002, "v5": 0x1003}, {}),
    A("9", "global_store_dwordx2 v0, v[4:5], s[2:3]", {"v4": 1, "v5": 2, "exec": 1}, {}, {0: 1, 1: 2}),
    A("9", "global_store_dwordx4 v0, v[4:7], s[2:3]", {"v4": 1, "v7": 2, "exec": 1}, {}, {0: 1, 1: 0, 2: 0, 3: 2}),
    A("9", "global_store_short v0, v1, s[2:3]", {"v1": 0xAAAABBBB, "exec": 1}, {}, {0: 0xBBBB}),
    A("11 12", "global_store_d16_hi_b16 v0, v1, s[2:3]", {"v1": 0xAAAABBBB, "exec": 1}, {}, {0: 0xAAAA}),
    A("9", "s_load_dwordx8 s[8:15], s[2:3], 0x20", {}, {"s8": 0x1008, "s15": 0x100F}, {}),
    A(
        "9",
        "buffer_store_dwordx4 v[4:7], v0, s[4:7], 0 offen",
        {"v4": 1, "v7": 2, "exec": 1},
        {},
        {0: 1, 1: 0, 2: 0, 3: 2},
    ),
    A("11 12", "buffer_store_b16 v1, v0, s[4:7], null offen", {"v1": 0xAAAABBBB, "exec": 1}, {}, {0: 0xBBBB}),
    A("9", "buffer_load_dwordx2 v[4:5], v0, s[4:7], 0 offen", {"v0": 8}, {"v4": 0x1002, "v5": 0x1003}, {}),
    A("9", "buffer_store_dwordx2 v[4:5], v0, s[4:7], 0 offen", {"v4": 1, "v5": 2, "exec": 1}, {}, {0: 1, 1: 2}),
    A("11", "buffer_gl0_inv", {}, {}, {}),
    A("12", "global_inv scope:SCOPE_DEV\nglobal_wb scope:SCOPE_DEV", {}, {}, {}),
]


@functools.cache
def _snippets(target: str) -> tuple[str, ...]:
    return tuple(item.assembly for item in ACCESSES if target in [FAMILIES[name] for name in item.families.split()])


def _cases() -> list[tuple[str, Access]]:
    return [(FAMILIES[name], item) for item in ACCESSES for name in item.families.split()]


@pytest.mark.parametrize(("target", "access"), _cases(), ids=lambda item: str(getattr(item, "assembly", item))[:60])
def test_access_reads_and_writes_what_the_manual_says(target: str, access: Access) -> None:
    memory = Memory()
    buffer = memory.allocate(np.array(WORDS, np.uint32))
    guard = memory.allocate(np.zeros(16, np.uint32))
    state = fresh_state(target, memory)
    state.scratch, state.scratch_size = Bytes(state.lanes * 16), 16
    low, high = buffer.address & 0xFFFFFFFF, buffer.address >> 32
    flags = 0x31016000 if target in ("gfx1100", "gfx1201") else 0x00020000
    set_registers(state, {"s2": low, "s3": high, "s4": low, "s5": high, "s6": 64, "s7": flags})
    set_registers(state, access.before)
    snippets = _snippets(target)
    execute(assemble_all(snippets, target), target, state, snippets.index(access.assembly) * SLOT)
    for name, value in access.after.items():
        found = get_register(state, name)
        expected = lanes_of(value, state.lanes).tolist() if isinstance(found, np.ndarray) else value
        assert (found.tolist() if isinstance(found, np.ndarray) else found) == expected, name
    wanted = [access.memory.get(at, word) for at, word in enumerate(WORDS)]
    assert memory.read(buffer.address, np.uint32, 16).tolist() == wanted
    assert not memory.read(guard.address, np.uint32, 16).any()


def test_buffers_keep_their_addresses_while_memory_grows() -> None:
    memory = Memory(1 << 13)
    first = memory.allocate(np.arange(4, dtype=np.uint32), "first")
    memory.allocate(1 << 20, "large")
    assert memory.read(first.address, np.uint32, 4).tolist() == [0, 1, 2, 3]
    assert first.address % 256 == 0
    assert [item.name for item in memory.buffers] == ["first", "large"]


def test_host_accesses_outside_a_buffer_are_refused() -> None:
    memory = Memory()
    buffer = memory.allocate(16)
    for address, size in ((buffer.address + 1, 16), (buffer.address - 4, 4), (0, 4), (buffer.address, 17)):
        with pytest.raises(VendorError, match="not inside one allocation"):
            memory.read(address, np.uint8, size)
    with pytest.raises(VendorError, match="GiB"):
        memory.allocate(1 << 40)


def test_device_accesses_are_checked_lane_by_lane() -> None:
    memory = Memory()
    first, second = memory.allocate(64, "first"), memory.allocate(64, "second")
    good = np.array([first.address, second.address + 60]) - BASE
    memory.check(good, 4)
    with pytest.raises(StopRun, match=r"1 lanes.*second") as caught:
        memory.check(good + np.array([0, 4]), 4)
    assert caught.value.kind is FaultKind.OUT_OF_BOUNDS


def test_known_bytes_follow_stores_and_copies() -> None:
    memory = Memory()
    buffer = memory.allocate(8)
    assert not memory.initialised(buffer)
    memory.write(buffer.address, b"12345678")
    assert memory.initialised(buffer)
    copy = memory.copy()
    copy.write(buffer.address, b"abcdefgh")
    assert memory.read(buffer.address, np.uint8, 8).tobytes() == b"12345678"
    memory.restore(copy)
    assert memory.read(buffer.address, np.uint8, 8).tobytes() == b"abcdefgh"


@pytest.mark.parametrize("size", [1, 2, 4, 8, 12, 16])
def test_loads_see_what_stores_of_any_alignment_wrote(size: int) -> None:
    memory = Bytes(256)
    numbers = np.random.default_rng(size)
    for shift in range(5):
        offsets = np.arange(3) * 32 + shift
        mask = (1 << (8 * min(size, 4))) - 1
        words = [numbers.integers(0, 1 << 32, 3, dtype=np.uint32) & np.uint32(mask) for _ in range((size + 3) // 4)]
        memory.store(offsets, size, words)
        assert [word.tolist() for word in memory.load(offsets, size)] == [word.tolist() for word in words]
