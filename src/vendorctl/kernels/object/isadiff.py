# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Differences between two objects, as instructions rather than bytes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.object.elfcode import kernel_code

_CONTEXT = 2
_REGISTER = re.compile(r"\b([vsa])(\d+|\[\d+:\d+\])")


class Decoded(Protocol):
    """One instruction, as the emulator's decoder gives it: `str` is its assembler text."""

    @property
    def mnemonic(self) -> str:
        """Its name."""

    def __str__(self) -> str:
        """The whole instruction."""


#: Instructions of some machine code for a target. Passed in: the decoder lives in a layer above this one.
Decoder: TypeAlias = Callable[[bytes, str], Sequence[Decoded]]


class Verdict(StrEnum):
    """What the difference between two objects amounts to."""

    SAME = "same"  # byte for byte
    METADATA = "metadata"  # other bytes, but every kernel has the same instructions
    REGISTERS = "registers"  # the same instructions on other registers
    CODE = "code"  # other instructions


@dataclass(frozen=True, slots=True, kw_only=True)
class IsaDifference:
    """`removed` and `added` count instructions; `lines` is a readable difference of what changed, kernel by kernel."""

    verdict: Verdict
    removed: int = 0
    added: int = 0
    lines: tuple[str, ...] = ()


def compare(old: bytes, new: bytes, target: str, decode: Decoder) -> IsaDifference:
    """Compare two code objects for the same target. Raises VendorError when one cannot be read or decoded."""
    if old == new:
        return IsaDifference(verdict=Verdict.SAME)
    before, after = kernel_code(old), kernel_code(new)
    if before == after:
        return IsaDifference(verdict=Verdict.METADATA)
    lines: list[str] = []
    removed = added = 0
    only_registers = True
    for name in sorted({*before, *after}):
        one = [str(instruction) for instruction in decode(before.get(name, b""), target)]
        two = [str(instruction) for instruction in decode(after.get(name, b""), target)]
        changes = list(difflib.unified_diff(one, two, f"old {name}", f"new {name}", lineterm="", n=_CONTEXT))
        removed += sum(line.startswith("-") for line in changes[2:])
        added += sum(line.startswith("+") for line in changes[2:])
        lines += changes
        only_registers = only_registers and _without_registers(one) == _without_registers(two)
    verdict = Verdict.REGISTERS if only_registers else Verdict.CODE
    return IsaDifference(verdict=verdict, removed=removed, added=added, lines=tuple(lines))


def _without_registers(texts: Sequence[str]) -> list[str]:
    return [_REGISTER.sub(r"\1", text) for text in texts]


def undecodable(code: bytes, target: str, decode: Decoder) -> str | None:
    """The decoder's reason why some kernel of the object cannot run on `target`; None when every instruction exists.

    Raises VendorError (exit code 7) when the decoder itself cannot run here: that says nothing about the object.
    """
    try:
        for text in kernel_code(code).values():
            decode(text, target)
    except VendorError as error:
        if error.code is ExitCode.TOOL_MISSING:
            raise
        return error.message
    return None
