# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Run a few instructions on one wave whose registers a test has set."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np

from vendorctl.emulator.arrays import U32, Array
from vendorctl.emulator.codeobject import Descriptor, Kernel
from vendorctl.emulator.instruction import EXEC, VCC
from vendorctl.emulator.machine import Machine
from vendorctl.emulator.memory import LocalMemory, Memory
from vendorctl.emulator.program import Program
from vendorctl.emulator.schedule import Schedule
from vendorctl.emulator.targets import target
from vendorctl.emulator.waves import WaveState

#: What a test may give a register: bits, a float (its float32 bits), or one of these per lane (the last is repeated).
Value = int | float | Sequence[int | float]
LDS_SIZE = 4096


def f32(value: float) -> int:
    """The bits of a float32."""
    return int(np.float32(value).view(np.uint32))


def f16(value: float) -> int:
    """The bits of a float16."""
    return int(np.float16(value).view(np.uint16))


def bf16(value: float) -> int:
    """The bits of a bfloat16, for values that need no rounding."""
    return f32(value) >> 16


def f64(value: float) -> tuple[int, int]:
    """The two words of a float64, low first."""
    low, high = struct.unpack("<II", struct.pack("<d", value))
    return low, high


def to_bits(value: int | float) -> int:
    """A float's float32 bits, or an integer modulo 2**32."""
    return f32(value) if isinstance(value, float) else value & 0xFFFFFFFF


def lanes_of(value: Value, lanes: int) -> Array:
    """uint32 (lanes,) of what a test wrote."""
    values = [value] if isinstance(value, (int, float)) else list(value)
    words = [to_bits(item) for item in values]
    return np.array(words + words[-1:] * (lanes - len(words)), U32)


def fake_kernel(lanes: int, lds: int = LDS_SIZE, scratch: int = 0) -> Kernel:
    """A kernel that may use every register."""
    descriptor = Descriptor(
        lds, scratch, 0, 0, 0x3F if lanes == 64 else 0x1F, 0, 0x3F, 0 if lanes == 64 else 1 << 10, 0
    )
    return Kernel(
        name="snippet", symbol="snippet.kd", entry=0, descriptor=descriptor, kernarg_size=0, arguments=(), lds=lds,
        scratch=scratch, vgprs=256, agprs=0, sgprs=100, vgpr_spills=0, sgpr_spills=0, wave_size=lanes,
        max_workgroup_size=1024,
    )  # fmt: skip


def fresh_state(target_name: str, memory: Memory | None = None) -> WaveState:
    """One wave with all lanes enabled and every other register zero."""
    processor = target(target_name)
    lanes = 64 if processor.is_cdna else 32
    vgprs, agprs = fake_kernel(lanes).register_file(processor)
    state = WaveState(groups=1, ranks=1, lanes=lanes, vgprs=vgprs, agprs=agprs, memory=memory or Memory())
    state.local = LocalMemory(LDS_SIZE, 1, tracked=False)
    state.vector[:] = 0
    state.scalar[:] = 0
    state.scalar[EXEC : EXEC + lanes // 32] = 0xFFFFFFFF
    return state


def set_registers(state: WaveState, values: Mapping[str, Value]) -> None:
    """Set `v3`, `a3`, `s3`, `vcc`, `exec`, `scc`, `m0` to what a test wrote."""
    for name, value in values.items():
        if name == "scc":
            state.scc[:] = bool(value)
        elif name[0] in "va" and name[1:].isdigit():
            row = int(name[1:]) + (state.vgprs if name[0] == "a" else 0)
            state.vector[row, 0] = lanes_of(value, state.lanes)
        else:
            assert isinstance(value, (int, float))
            first, count = _scalar_place(name, state)
            word = f32(value) if isinstance(value, float) else value
            for k in range(count):
                state.scalar[first + k] = (word >> (32 * k)) & 0xFFFFFFFF


def get_register(state: WaveState, name: str) -> Array | int:
    """The bits of a register: (lanes,) for vector registers, a number for scalar ones."""
    if name == "scc":
        return int(state.scc[0])
    if name[0] in "va" and name[1:].isdigit():
        return np.asarray(state.vector[int(name[1:]) + (state.vgprs if name[0] == "a" else 0), 0])
    first, count = _scalar_place(name, state)
    return sum(int(state.scalar[first + k, 0]) << (32 * k) for k in range(count))


def _scalar_place(name: str, state: WaveState) -> tuple[int, int]:
    words = state.lanes // 32
    if name in ("vcc", "exec"):
        return (VCC if name == "vcc" else EXEC), words
    if name == "m0":
        return (124 if state.lanes == 64 else 125), 1
    return int(name[1:].split(":")[0]), 2 if name.endswith(":2") else 1


def execute(image: bytes, target_name: str, state: WaveState, start: int = 0) -> None:
    """Run `image` from byte `start` to its s_endpgm on the one wave of `state`."""
    program = Program(image, target(target_name), fake_kernel(state.lanes))
    state.pc[:] = start
    Machine(program, state, Schedule.lockstep().start(), 10000).run()
