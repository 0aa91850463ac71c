# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The import statements of a Python module, with what they may load and when."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from posixpath import dirname

from vendorctl.vendor.syntax import statements_in


class When(IntEnum):
    """When an import statement runs, the most certain first."""

    ALWAYS = 0
    CONDITIONAL = 1
    CALLED = 2
    NEVER = 3


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module. `module` is its dotted name; that of a relative import starts at the root of the tree.

    `names` are what is taken from it, each of which may be a module too; `line` counts from 1. `when` is `NEVER` below
    ``if TYPE_CHECKING:``.
    """

    line: int
    module: str
    names: tuple[str, ...]
    relative: bool
    when: When

    def dotted(self) -> Iterator[str]:
        """Every module that the statement may load: for ``from a import b`` both ``a`` and ``a.b``."""
        if self.module:
            yield self.module
        for name in self.names:
            yield f"{self.module}.{name}" if self.module else name


@dataclass(frozen=True, slots=True)
class Dynamic:
    """A call that imports by name. `module` is None where the name is computed."""

    line: int
    module: str | None


def imports_of(module: ast.Module, path: str) -> list[Import]:
    """The imports of a module at `path` (POSIX, from the root of the tree), at any depth, in no promised order."""
    found: list[Import] = []
    pending: list[tuple[ast.AST, When]] = [(module, When.ALWAYS)]
    while pending:
        node, when = pending.pop()
        if isinstance(node, ast.Import):
            found += [Import(node.lineno, alias.name, (), False, when) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names if alias.name != "*")
            found.append(Import(node.lineno, _source(node, path), names, bool(node.level), when))
        else:
            pending += [(child, max(when, inner)) for child, inner in _inside(node)]
    return found


def _inside(node: ast.AST) -> Iterator[tuple[ast.stmt, When]]:
    """The statements in a node, and when they run once the node does."""
    if isinstance(node, ast.If) and _asks_for_types(node.test):
        yield from ((child, When.NEVER) for child in node.body)
        yield from ((child, When.ALWAYS) for child in node.orelse)
        return
    when = When.ALWAYS
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        when = When.CALLED
    elif not isinstance(node, ast.Module | ast.ClassDef | ast.With):
        when = When.CONDITIONAL
    yield from ((child, when) for child in statements_in(node))


def _asks_for_types(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return name == "TYPE_CHECKING"


def _source(node: ast.ImportFrom, path: str) -> str:
    """The module that names are taken from; a relative one as if the root of the tree were on the search path."""
    folder = dirname(path)
    for _ in range(node.level - 1):
        folder = dirname(folder)
    base = folder.split("/") if node.level and folder else []
    return ".".join([*base, *([node.module] if node.module else [])])


def dynamic_imports(module: ast.Module) -> list[Dynamic]:
    """Calls of ``importlib.import_module`` and ``__import__``, by line."""
    found = []
    for node in ast.walk(module):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in {"import_module", "__import__"}:
            first = node.args[0]
            text = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
            found.append(Dynamic(node.lineno, text))
    return sorted(found, key=lambda each: each.line)
