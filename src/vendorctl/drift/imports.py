# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Imports that leave the vendored set: a file upstream has, that vendored code now needs, and that is not vendored."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath

from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.vendor.closure import IMPORT_ROOTS
from vendorctl.vendor.imports import imports_of
from vendorctl.vendor.syntax import parse_module

#: Lines that look like imports. The names after ``from`` may take several lines in parentheses.
_FROM = re.compile(r"(?:^|[:;])[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)", re.MULTILINE)
_PLAIN = re.compile(r"(?:^|[:;])[ \t]*import[ \t]+([^\n]+)", re.MULTILINE)
_NOISE = re.compile(r"#[^\n]*|;[^\n]*|[()]")


@dataclass(frozen=True, slots=True, order=True)
class LeavingImport:
    """An import in a vendored file (`path`, line from 1) of `module`, which is upstream's `target`, not vendored."""

    path: bytes
    line: int
    module: str
    target: bytes

    @property
    def package(self) -> str:
        """The outermost package of an absolute import, or the outermost folder of a relative one."""
        return self.module.lstrip("/").replace("/", ".").partition(".")[0]


def _all(_found: LeavingImport) -> bool:
    return True


def leaving_imports(
    files: Tree, selected: Tree, whole: Tree, blobs: Blobs, *, wanted: Callable[[LeavingImport], bool] = _all
) -> tuple[LeavingImport, ...]:
    """Every import in the Python files among `files` that leads to an upstream file outside of `selected`.

    Imports of other distributions lead to no file of upstream and are not reported, nor are those that are not
    `wanted`. Contents that `blobs` lacks are not looked at.
    """
    found: set[LeavingImport] = set()
    for path, entry in files.items():
        if path.endswith(b".py") and entry.mode.is_regular:
            try:
                content = blobs[entry.oid]
            except KeyError:
                continue
            found |= _leaving(path, content, selected, whole, wanted)
    return tuple(sorted(found))


def mentioned_targets(files: Tree, selected: Tree, whole: Tree, blobs: Blobs) -> dict[bytes, str]:
    """Upstream files outside of `selected` that the files seem to import, each with the package it was named by.

    Reads lines, not syntax: many times faster than `leaving_imports`, and may name a little more than is imported.
    """
    found: dict[bytes, str] = {}
    for path, entry in files.items():
        if path.endswith(b".py") and entry.mode.is_regular:
            for each in _mentions(path, blobs[entry.oid], selected, whole):
                found.setdefault(each.target, each.package)
    return found


def _leaving(
    path: bytes, content: bytes, selected: Tree, whole: Tree, wanted: Callable[[LeavingImport], bool]
) -> set[LeavingImport]:
    # Most files mention nothing of interest; only the others are worth parsing.
    if not any(map(wanted, _mentions(path, content, selected, whole))):
        return set()
    modules = imported_modules(path.decode("utf-8", "surrogateescape"), content)
    return set(filter(wanted, _outside(path, modules, selected, whole)))


def _outside(path: bytes, modules: Iterable[tuple[int, str]], selected: Tree, whole: Tree) -> Iterator[LeavingImport]:
    for line, module in modules:
        target = next(_resolve(module, path, whole), None)
        if target is not None and target not in selected:
            yield LeavingImport(path, line, module, target)


def _mentions(path: bytes, content: bytes, selected: Tree, whole: Tree) -> Iterator[LeavingImport]:
    """What the lines that look like imports may load."""
    text = content.decode("utf-8", "replace").replace("\\\n", " ")
    name = path.decode("utf-8", "surrogateescape")
    modules = [each for match in _PLAIN.finditer(text) for each in _names(match[1])]
    for match in _FROM.finditer(text):
        aliases = [ast.alias(each) for each in _names(match[3])]
        modules += _from_names(ast.ImportFrom(match[2] or None, aliases, len(match[1])), name)
    yield from _outside(path, ((0, module) for module in modules), selected, whole)


def _names(listed: str) -> list[str]:
    """``a as b, c`` without the new names."""
    return [part.split()[0] for part in _NOISE.sub(" ", listed).split(",") if part.split()]


def imported_modules(path: str, content: bytes) -> list[tuple[int, str]]:
    """Line and absolute or file-relative name of each imported module, at any depth of the file.

    A relative import comes as a path from the root (``/kernels/common/utils``), so that it needs no package name.
    """
    module = parse_module(content)
    names: list[tuple[int, str]] = []
    for each in imports_of(module, path) if module is not None else ():
        # The longest names only: where one is no module, looking it up falls back to what it is taken from.
        loaded = list(each.dotted())[-len(each.names) :] if each.names else [each.module]
        names += [(each.line, "/" + name.replace(".", "/") if each.relative else name) for name in loaded]
    return names


def _from_names(node: ast.ImportFrom, path: str) -> list[str]:
    """What ``from X import a, b`` may load: X, and X.a where that is a module; the longer name is tried first."""
    if not node.level:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    folder = dirname(path)
    for _ in range(node.level - 1):
        folder = dirname(folder)
    base = join("/", folder, *(node.module or "").split("."))
    return [normpath(join(base, alias.name)) for alias in node.names]


def _resolve(module: str, path: bytes, whole: Tree) -> Iterator[bytes]:
    """The file of upstream that a module name stands for, the closest one first; nothing for other distributions."""
    if module.startswith("/"):
        starts = [module[1:]]
    else:
        name = module.replace(".", "/")
        starts = [join(root, name) for root in IMPORT_ROOTS]
        # Scripts import their neighbours by bare name.
        starts.append(join(dirname(path.decode("utf-8", "surrogateescape")), name))
    for start in starts:
        # ``from package import name``: the name may be a module, or something that the package's file defines.
        for candidate in (start, dirname(start)):
            for suffix in (".py", "/__init__.py"):
                file = f"{candidate}{suffix}".encode("utf-8", "surrogateescape")
                if candidate and file in whole:
                    yield file
                    return
