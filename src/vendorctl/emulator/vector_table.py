# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""How lane-wise operations are described: one line per operation, in the tables of the modules that import this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vendorctl.emulator.known import Rule, by_operators, strict


@dataclass(frozen=True, slots=True)
class VectorOp:
    """A lane-wise operation: the kind of its result, the kinds of its operands, the function, the known-bits rule."""

    result: str
    operands: tuple[str, ...]
    function: Callable[..., Any]
    rule: Rule = strict


class Table(dict[str, VectorOp]):
    """Operations by mnemonic, with a compact way to add them."""

    def add(self, names: str, kinds: str, function: Callable[..., Any], rule: Rule = strict) -> None:
        """Add an operation under all space-separated `names`; `kinds` reads `result <- operand operand`."""
        result, operands = kinds.split("<-")
        for name in names.split():
            self[name] = VectorOp(result.strip(), tuple(operands.split()), function, rule)

    def add_bits(self, names: str, kinds: str, function: Callable[..., Any]) -> None:
        """Add an operation made of operators only, whose unknown bits can be followed one by one."""
        self.add(names, kinds, function, by_operators(function))
