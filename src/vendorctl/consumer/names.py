# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The public names of a package, read from its own file, and whether each of them could be made lazy."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vendorctl.consumer.chains import Package
from vendorctl.vendor.syntax import parse_module, statements_in


@dataclass(frozen=True, slots=True)
class PublicNames:
    """What a package offers. `declared` is its ``__all__`` as far as it is a plain list (None: there is none)."""

    bound: frozenset[str]
    declared: frozenset[str] | None

    @property
    def public(self) -> frozenset[str]:
        """``__all__`` and every name that does not begin with an underscore."""
        return (self.declared or frozenset()) | {name for name in self.bound if not name.startswith("_")}


def public_names(package: Package) -> PublicNames:
    """The names that the package's own file gives to its namespace when all of it runs."""
    tree = _tree(package)
    if tree is None:
        return PublicNames(frozenset(), None)
    bound = {name for node in _statements(tree) for name in _bound_by(node)}
    declared = [_strings(value) for target, value in _assignments(tree) if target == "__all__"]
    return PublicNames(frozenset(bound), frozenset().union(*declared) if declared else None)


def can_be_lazy(package: Package, names: Iterable[str]) -> list[str]:
    """Those of `names` that the package's own file does not use again while it runs, sorted."""
    tree = _tree(package)
    return sorted(set(names) - _used_at_import(tree)) if tree is not None else []


def _tree(package: Package) -> ast.Module | None:
    return None if package.entry is None else parse_module((package.search / package.entry).read_bytes())


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Every statement that runs at import, but those in bodies of functions and classes."""
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            pending += statements_in(node)


def _bound_by(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Import):
        # `import os` serves the file itself; `import a as b` and `from a import b` may be meant for others.
        yield from (alias.asname for alias in node.names if alias.asname)
    elif isinstance(node, ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names if alias.name != "*")
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))


def _assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in _statements(tree):
        if isinstance(node, ast.Assign):
            yield from ((each.id, node.value) for each in node.targets if isinstance(each, ast.Name))
        elif isinstance(node, ast.AnnAssign | ast.AugAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value


def _strings(value: ast.expr) -> frozenset[str]:
    return frozenset(
        each.value for each in ast.walk(value) if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )


def _used_at_import(tree: ast.Module) -> set[str]:
    """Names read at module level. A decorator, a default or a base class is; the body of a function is not."""
    used: set[str] = set()
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            used.add(node.id)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            pending += [*node.decorator_list, node.args]
        elif not isinstance(node, ast.Lambda):
            pending += ast.iter_child_nodes(node)
    return used
