# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What an instruction is compiled to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from vendorctl.emulator.instruction import Instruction
from vendorctl.emulator.known import Rule, strict
from vendorctl.emulator.registers import Destination, Source
from vendorctl.emulator.waves import Waves

Effect: TypeAlias = Callable[[Waves], None]


@dataclass(frozen=True, slots=True)
class Action:
    """The effect of an instruction on the waves that execute it.

    `run` changes values. `shadow` records which result bits are known; it runs before `run` and only while checks are
    on; None means that every written register becomes known. `branches` marks effects that set the program counter
    themselves. `own_shadow` marks memory instructions, whose `run` does both because both need the addresses.
    """

    run: Effect | None
    shadow: Effect | None = None
    branches: bool = False
    own_shadow: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """A compiled instruction: its action, and the registers it reads and writes as bit sets over source numbers.

    `half_reads` and `half_writes` are the same over half-registers, for the wait checker.
    """

    instruction: Instruction
    action: Action
    reads: int
    writes: int
    half_reads: int
    half_writes: int


def compute(
    result: Destination, sources: list[Source], function: Callable[..., object], kind_bits: int, rule: Rule = strict
) -> Action:
    """The action of a lane-wise operation: `function` of the sources' values, stored in `result`."""
    reads = [source.value for source in sources]
    knowns = [source.known for source in sources]
    write = result.write
    run: Effect
    if len(reads) == 1:
        (first,) = reads

        def run(w: Waves) -> None:
            write(w, function(first(w)))  # type: ignore[arg-type]  # table functions return arrays

    elif len(reads) == 2:
        first, second = reads

        def run(w: Waves) -> None:
            write(w, function(first(w), second(w)))  # type: ignore[arg-type]  # table functions return arrays

    else:

        def run(w: Waves) -> None:
            write(w, function(*(read(w) for read in reads)))  # type: ignore[arg-type]  # table functions return arrays

    def shadow(w: Waves) -> None:
        values = [read(w) for read in reads]
        result.write_known(w, rule(values, [known(w) for known in knowns], kind_bits))

    return Action(run, shadow)
