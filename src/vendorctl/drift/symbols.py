# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What changed in a Python file, function by function: in meaning, or only in layout, comments and docstrings.

A definition is compared without the definitions inside it, which are compared on their own: a change in a kernel that
is nested in its builder is reported for the kernel, not for everything around it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from vendorctl.vendor.syntax import parse_module, statements_in

#: The name under which statements outside of every definition are reported.
MODULE = "<module>"

_Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef"


class SymbolChange(StrEnum):
    """What happened to a definition."""

    ADDED = "added"
    REMOVED = "removed"
    SEMANTIC = "semantic"
    COSMETIC = "cosmetic"


@dataclass(frozen=True, slots=True, order=True)
class SymbolDelta:
    """One changed definition: its qualified name (``Builder.kernel``), and where it starts (line from 1; 0: gone)."""

    name: str
    kind: str
    change: SymbolChange
    line: int


@dataclass(frozen=True, slots=True)
class _Symbol:
    kind: str
    line: int
    text: str
    node: ast.Module | _Definition

    def means_the_same_as(self, other: _Symbol) -> bool:
        return list(_shape(self.node, top=True)) == list(_shape(other.node, top=True))


def compare_symbols(old: bytes, new: bytes) -> tuple[SymbolDelta, ...] | None:
    """The definitions that differ between two versions of a Python file, by name; None when one cannot be parsed."""
    before, after = _symbols(old), _symbols(new)
    if before is None or after is None:
        return None
    deltas = []
    for name in before.keys() | after.keys():
        was, now = before.get(name), after.get(name)
        shown, count = name
        label = shown if not count else f"{shown}#{count + 1}"
        if was is None and now is not None:
            deltas.append(SymbolDelta(label, now.kind, SymbolChange.ADDED, now.line))
        elif now is None and was is not None:
            deltas.append(SymbolDelta(label, was.kind, SymbolChange.REMOVED, 0))
        elif was is not None and now is not None and was.text != now.text:
            change = SymbolChange.COSMETIC if now.means_the_same_as(was) else SymbolChange.SEMANTIC
            deltas.append(SymbolDelta(label, now.kind, change, now.line))
    return tuple(sorted(deltas))


def is_semantic(deltas: tuple[SymbolDelta, ...] | None) -> bool:
    """Whether the file may behave differently; a file that cannot be parsed may."""
    return deltas is None or any(delta.change is not SymbolChange.COSMETIC for delta in deltas)


def _symbols(content: bytes) -> dict[tuple[str, int], _Symbol] | None:
    """Every definition by qualified name and count (a name may be defined several times)."""
    module = parse_module(content)
    if module is None:
        return None
    # The tokeniser ends lines at more than LF; ast counts lines as it does.
    lines = content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found: dict[tuple[str, int], _Symbol] = {}
    try:
        for name, kind, node in _walk(module, ""):
            count = sum(1 for known in found if known[0] == name) if (name, 0) in found else 0
            found[(name, count)] = _symbol(kind, node, lines)
    except RecursionError:
        return None
    return found


def _walk(node: ast.Module | _Definition, prefix: str) -> Iterator[tuple[str, str, ast.Module | _Definition]]:
    if isinstance(node, ast.Module):
        yield MODULE, "module", node
    for child in _definitions(node):
        name = f"{prefix}{child.name}"
        yield name, "class" if isinstance(child, ast.ClassDef) else "function", child
        yield from _walk(child, f"{name}.")


def _definitions(node: ast.AST) -> Iterator[_Definition]:
    """The nearest definitions inside a node, also those under an `if` or `with`."""
    for child in statements_in(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield child
        else:
            yield from _definitions(child)


def _symbol(kind: str, node: ast.Module | _Definition, lines: list[str]) -> _Symbol:
    first, last = _span(node, len(lines))
    hidden = {line for inner in _definitions(node) for line in range(*_range(inner))}
    text = "\n".join(lines[line - 1] for line in range(first, last + 1) if line not in hidden)
    return _Symbol(kind, first, text, node)


def _span(node: ast.Module | _Definition, count: int) -> tuple[int, int]:
    if isinstance(node, ast.Module):
        return 1, count
    first, after = _range(node)
    return first, after - 1


def _range(node: _Definition) -> tuple[int, int]:
    """First line (with decorators) and the one after the last."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return first, (node.end_lineno or node.lineno) + 1


def _shape(node: object, *, top: bool = False) -> Iterator[str]:
    """The syntax without positions, docstrings and inner definitions."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not top:
        yield f"<{node.name}>"
    elif isinstance(node, ast.AST):
        yield f"{type(node).__name__}("
        for name, value in ast.iter_fields(node):
            if name == "body" and top and isinstance(value, list):
                value = _without_docstring(value)
            if name not in ("type_comment", "kind", "ctx"):
                yield f"{name}="
                yield from _shape(value)
        yield ")"
    elif isinstance(node, list):
        yield "["
        for item in node:
            yield from _shape(item)
            yield ","
        yield "]"
    else:
        yield repr(node)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return body[1:]
    return body
