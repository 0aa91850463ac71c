# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Registers as operands: which ones an instruction reads and writes, and where they lie in the state of the waves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from vendorctl.emulator.arrays import Array
from vendorctl.emulator.codeobject import Kernel
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.emulator.instruction import ACCUMULATOR, SCC, VECTOR, Instruction
from vendorctl.emulator.targets import Target
from vendorctl.emulator.waves import SCALARS, Waves

Reader: TypeAlias = Callable[[Waves], Array]
Writer: TypeAlias = Callable[[Waves, Array], None]


@dataclass(frozen=True, slots=True)
class Context:
    """What compilation of an instruction depends on besides its bits."""

    target: Target
    kernel: Kernel
    vgprs: int
    agprs: int

    @property
    def lanes(self) -> int:
        """Lanes in a wave."""
        return self.kernel.wave_size

    @property
    def mask_words(self) -> int:
        """Scalar registers in a lane mask."""
        return self.lanes // 32


@dataclass(frozen=True, slots=True)
class Source:
    """An operand that is read: its value as an array of its kind, and its known bits as unsigned integers."""

    value: Reader
    known: Reader


@dataclass(frozen=True, slots=True)
class Destination:
    """An operand that is written: a value, or its known bits, in enabled lanes."""

    write: Writer
    write_known: Writer


class Registers:
    """The registers of one instruction; collects which of them it reads and writes (bit sets)."""

    def __init__(self, context: Context, instruction: Instruction) -> None:
        self.context, self.instruction = context, instruction
        self.reads = 0
        self.writes = 0
        self.half_reads = 0
        self.half_writes = 0

    def row(self, number: int) -> int:
        """The row of a vector register in the state; an unallocated one ends the run."""
        if number < ACCUMULATOR:
            index, allocated, letter, base = number - VECTOR, self.context.vgprs, "v", 0
        else:
            index, allocated, letter, base = number - ACCUMULATOR, self.context.agprs, "a", self.context.vgprs
        if not 0 <= index < allocated:
            raise StopRun(
                FaultKind.UNALLOCATED_REGISTER,
                f"{letter}{index} is used, but the kernel descriptor allocates only {allocated} such registers",
            )
        return base + index

    def will_read(self, number: int, count: int = 1, half: str = "") -> None:
        """Note that the instruction reads `count` registers from `number` on, or one `low` or `high` half."""
        _require_registers(number, count)
        self.reads |= ((1 << count) - 1) << number
        self.half_reads |= half_registers(number, count, half)

    def will_write(self, number: int, count: int = 1, half: str = "") -> None:
        """Note that the instruction writes `count` registers from `number` on, or one `low` or `high` half."""
        _require_registers(number, count)
        self.writes |= ((1 << count) - 1) << number
        self.half_writes |= half_registers(number, count, half)


def _require_registers(number: int, count: int) -> None:
    """End the run when an operand that must be a register is none, or reaches beyond the scalar registers."""
    if number != SCC and number < VECTOR and number + count > SCALARS:
        raise StopRun(FaultKind.UNKNOWN_INSTRUCTION, f"operand {number} is not {count} scalar registers")


def half_registers(number: int, count: int = 1, half: str = "") -> int:
    """Bit set of half-registers: 2r is the lower half of register r, 2r + 1 the upper."""
    chosen = {"": 0b11, "low": 0b01, "high": 0b10}[half]
    return sum(chosen << (2 * (number + k)) for k in range(count))
