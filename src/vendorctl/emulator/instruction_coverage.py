# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which instructions of an object were executed, and which mnemonics it is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from vendorctl.emulator.codeobject import CodeObject
from vendorctl.emulator.decoder import decode
from vendorctl.emulator.findings import FaultKind, StopRun
from vendorctl.emulator.instruction import Instruction
from vendorctl.emulator.program import compile_instruction, program
from vendorctl.emulator.proven import PROVEN, single_mnemonics
from vendorctl.emulator.report import RunReport

#: Padding after the last instruction of a kernel.
_PADDING = frozenset({"s_code_end", "s_nop"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Static and dynamic instruction coverage of one object.

    `mnemonics` counts instructions in the text by mnemonic, padding after the end excluded; `missed` are those that
    no run executed, in order of address; `unproven` are the mnemonics for which this emulator has no golden.
    """

    mnemonics: Mapping[str, int]
    total: int
    executed: int
    missed: tuple[Instruction, ...] = field(repr=False)
    unproven: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """Executed instructions as a part of all, 0 to 1."""
        return self.executed / self.total if self.total else 1.0


def coverage(code: CodeObject, reports: Iterable[RunReport]) -> Coverage:
    """What `reports`, launches of kernels of `code`, covered of its text."""
    return coverage_of(code, frozenset[int]().union(*(report.covered for report in reports)))


def coverage_of(code: CodeObject, covered: frozenset[int]) -> Coverage:
    """The same of the addresses that were executed."""
    instructions = without_padding(decode(code.text, code.target.name, address=code.text_address))
    missed = tuple(item for item in instructions if item.address not in covered)
    return Coverage(
        mnemonics=dict(sorted(Counter(item.mnemonic for item in instructions).items())),
        total=len(instructions),
        executed=len(instructions) - len(missed),
        missed=missed,
        unproven=tuple(sorted({name for item in instructions for name in single_mnemonics(item)} - PROVEN)),
    )


def unmodelled(code: CodeObject) -> tuple[Instruction, ...]:
    """Instructions of the object that a launch would stop at, in order of address; found without running it."""
    found = []
    compiled = program(code, next(iter(code.kernels.values())))
    for instruction in without_padding(decode(code.text, code.target.name, address=code.text_address)):
        try:
            compile_instruction(instruction, compiled.context)
        except StopRun as stop:
            if stop.kind is FaultKind.UNKNOWN_INSTRUCTION:
                found.append(instruction)
    return tuple(found)


def without_padding(instructions: list[Instruction]) -> list[Instruction]:
    """The instructions less runs of padding that follow the end of a program."""
    kept: list[Instruction] = []
    ended = False
    for item in instructions:
        ended = ended and item.mnemonic in _PADDING
        if not ended and item.mnemonic != "s_code_end":
            kept.append(item)
        ended = ended or item.mnemonic in ("s_endpgm", "s_code_end")
    return kept
