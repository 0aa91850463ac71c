# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A kernel as compiled steps: each instruction is decoded and compiled once, when it is first reached."""

from __future__ import annotations

import functools
from collections.abc import Callable

from vendorctl.emulator.actions import Action, Step
from vendorctl.emulator.buffer_ops import compile_buffer
from vendorctl.emulator.codeobject import CodeObject, Kernel
from vendorctl.emulator.control import compile_control
from vendorctl.emulator.decoder import UndecodableError, decode_at
from vendorctl.emulator.dual import compile_dual
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.emulator.global_ops import compile_global
from vendorctl.emulator.instruction import Instruction
from vendorctl.emulator.lds_ops import compile_lds
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.packed import compile_packed
from vendorctl.emulator.registers import Context
from vendorctl.emulator.scalar import compile_scalar
from vendorctl.emulator.scalar_memory import compile_scalar_memory
from vendorctl.emulator.targets import Target
from vendorctl.emulator.vector import compile_vector

#: Encoding -> the function that compiles it.
_COMPILERS: dict[str, Callable[[Operands], Action | None]] = {
    "SOPP": compile_control,
    **dict.fromkeys(("SOP1", "SOP2", "SOPC", "SOPK"), compile_scalar),
    "SMEM": compile_scalar_memory,
    **dict.fromkeys(("VOP1", "VOP2", "VOPC", "VOP3", "VOP3SD"), compile_vector),
    "VOP3P": compile_packed,
    "VOPD": compile_dual,
    "DS": compile_lds,
    **dict.fromkeys(("MUBUF", "VBUFFER"), compile_buffer),
    **dict.fromkeys(("GLOBAL", "VGLOBAL", "FLAT", "VFLAT", "SCRATCH", "VSCRATCH"), compile_global),
}
#: Scalar-format instructions that synchronise, and are compiled with the other control instructions.
_CONTROL_ELSEWHERE = ("s_barrier_signal", "s_waitcnt_vscnt", "s_waitcnt_vmcnt", "s_waitcnt_lgkmcnt", "s_waitcnt_expcnt")


def compile_instruction(instruction: Instruction, context: Context) -> Step:
    """The compiled form of one instruction. Raises StopRun when it, or a form of it, is not modelled."""
    ops = Operands(context, instruction)
    control = instruction.mnemonic in _CONTROL_ELSEWHERE
    compiler = compile_control if control else _COMPILERS.get(instruction.format)
    action = compiler(ops) if compiler is not None else None
    if action is None:
        raise StopRun(
            FaultKind.UNKNOWN_INSTRUCTION,
            f"the instruction {instruction.mnemonic} ({instruction.hex}) at {instruction.address:#x} is not modelled",
        )
    return Step(instruction, action, ops.reads, ops.writes, ops.half_reads, ops.half_writes)


class Program:
    """The steps of one kernel, by image address."""

    def __init__(self, image: bytes, target: Target, kernel: Kernel) -> None:
        self.image, self.target, self.kernel = image, target, kernel
        vgprs, agprs = kernel.register_file(target)
        self.context = Context(target, kernel, vgprs, agprs)
        self.steps: dict[int, Step] = {}

    def instruction(self, pc: int) -> Instruction:
        """The instruction at image address `pc`. Raises StopRun when there is none."""
        if not 0 <= pc < len(self.image):
            raise StopRun(FaultKind.OUT_OF_BOUNDS, f"the program counter left the object: {pc:#x}")
        try:
            return decode_at(self.image[pc : pc + 20], self.target, pc)
        except UndecodableError as error:
            raise StopRun(FaultKind.UNKNOWN_INSTRUCTION, f"at {pc:#x}: {error.message}") from error

    def step(self, pc: int) -> Step:
        """The compiled instruction at image address `pc`."""
        step = self.steps.get(pc)
        if step is None:
            step = self.steps[pc] = compile_instruction(self.instruction(pc), self.context)
        return step


@functools.lru_cache(maxsize=32)
def _program(image: bytes, target: Target, kernel: Kernel) -> Program:
    return Program(image, target, kernel)


def program(code: CodeObject, kernel: Kernel) -> Program:
    """The (cached) program of a kernel: launches of one object share the compiled steps."""
    return _program(code.image, code.target, kernel)
