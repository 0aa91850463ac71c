# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Python files as syntax trees, for whoever asks what a vendored module contains. Nothing is ever executed."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

#: Beyond this many bytes, or with nesting deeper than the interpreter takes, a file is not analysed.
_MAX_BYTES = 2_000_000


def parse_module(content: bytes) -> ast.Module | None:
    """The syntax tree, or None for what is not Python, or too large to look at."""
    if len(content) > _MAX_BYTES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def statements_in(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements directly inside a node; expressions, which are most of a tree, are not looked into."""
    for name in ("body", "orelse", "finalbody"):
        value = getattr(node, name, None)
        if isinstance(value, list):
            yield from value
    for name in ("handlers", "cases"):
        for part in getattr(node, name, ()):
            yield from part.body
