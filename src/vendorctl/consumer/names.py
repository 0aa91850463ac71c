# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The public names of a package, read from its own file, and whether each of them could be made lazy."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from vendorctl.consumer.chains import Package
from vendorctl.consumer.eager import runs_never
from vendorctl.vendor.syntax import parse_module, statements_in


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicNames:
    """What a package offers. `declared` is its ``__all__`` as far as it is a plain list (None: there is none).

    `bound` are the names that its own file always gives it, `maybe` those that depend on a condition, `submodules` the
    modules of the package that are attributes because something in it imports them. `gone` are those of them all that
    are known not to be there.
    """

    bound: frozenset[str]
    maybe: frozenset[str]
    declared: frozenset[str] | None
    submodules: frozenset[str]
    gone: frozenset[str] = frozenset()

    @property
    def certain(self) -> frozenset[str]:
        """``__all__`` and every name that is always bound and does not begin with an underscore."""
        return ((self.declared or frozenset()) | _without_underscore(self.bound)) - self.gone

    @property
    def public(self) -> frozenset[str]:
        """The certain ones, and those that were there on some machines, or by chance."""
        return self.certain | (_without_underscore(self.maybe | self.submodules) - self.gone)

    def without(self, names: Iterable[str]) -> PublicNames:
        """The same but for some names."""
        return replace(self, gone=frozenset(names))


def public_names(package: Package) -> PublicNames:
    """The names that importing a package gives to its namespace, as its files say."""
    tree = _tree(package, package.entry)
    if package.entry is None or tree is None:
        return PublicNames(bound=frozenset(), maybe=frozenset(), declared=None, submodules=frozenset())
    return PublicNames(
        bound=frozenset(_bound(package, package.entry, tree.body)),
        maybe=frozenset(name for node in tree.body for name in _maybe(package, node)),
        declared=_declared(tree),
        submodules=frozenset(_submodules(package)),
    )


def can_be_lazy(package: Package, names: Iterable[str]) -> list[str]:
    """Those of `names` that the package's own file does not use again while it runs, sorted."""
    tree = _tree(package, package.entry)
    return sorted(set(names) - _used_at_import(tree)) if tree is not None else []


def _without_underscore(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in names if not name.startswith("_"))


def _tree(package: Package, file: str | None) -> ast.Module | None:
    return None if file is None else parse_module((package.search / file).read_bytes())


def _bound(package: Package, file: str, body: Iterable[ast.stmt], seen: frozenset[str] = frozenset()) -> set[str]:
    """The names that statements bind whatever happens, in the order in which they run: ``del`` takes one away."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.Try | ast.TryStar):
            names |= _bound(package, file, [*node.body, *node.orelse, *node.finalbody], seen)
        elif isinstance(node, ast.With):
            names |= _bound(package, file, node.body, seen)
        elif isinstance(node, ast.Delete):
            names -= {each.id for each in node.targets if isinstance(each, ast.Name)}
        elif isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            names |= _starred(package, file, node, seen)
        else:
            names |= set(_bound_by(node))
    return names


def _starred(package: Package, file: str, node: ast.ImportFrom, seen: frozenset[str]) -> frozenset[str]:
    """What ``from module import *`` brings, as far as the module is one of the package."""
    statement = next((each for each in package.statements(file) if each.line == node.lineno), None)
    source = next(reversed(package.files(statement.modules[0])), None) if statement else None
    tree = _tree(package, source)
    if source is None or tree is None or source in seen:
        return frozenset()
    return _declared(tree) or _without_underscore(_bound(package, source, tree.body, seen | {source}))


def _maybe(package: Package, node: ast.stmt) -> Iterator[str]:
    """The names that a compound statement binds only if a condition holds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    if isinstance(node, ast.If) and runs_never(node.test):
        inner: Iterable[ast.stmt] = node.orelse
    else:
        inner = statements_in(node)
    for each in inner:
        yield from _bound_by(each)
        yield from _maybe(package, each)


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


def _submodules(package: Package) -> Iterator[str]:
    """Modules of the package that importing it always imports: each becomes an attribute of the package."""
    pending, seen = package.files(package.name), set[str]()
    while pending:
        file = pending.pop()
        if file in seen:
            continue
        seen.add(file)
        for statement in package.statements(file):
            if statement.condition is None:
                for module in statement.modules:
                    pending += package.files(module)
    folder = package.name.replace(".", "/") + "/"
    inside = [file.removeprefix(folder) for file in seen if file.startswith(folder)]
    yield from (file.partition("/")[0].removesuffix(".py") for file in inside)


def _declared(tree: ast.Module) -> frozenset[str] | None:
    found = [_strings(value) for target, value in _assignments(tree) if target == "__all__"]
    return frozenset().union(*found) if found else None


def _assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in tree.body:
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
