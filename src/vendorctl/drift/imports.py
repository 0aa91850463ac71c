# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Imports that leave the vendored set: a file upstream has, that vendored code now needs, and that is not vendored."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath

from vendorctl.drift.symbols import parse_module
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree

#: Folders from which absolute imports are looked up, besides the root.
_ROOTS = ("", "python", "src", "lib")


@dataclass(frozen=True, slots=True, order=True)
class LeavingImport:
    """An import in a vendored file (`path`, line from 1) of `module`, which is upstream's `target`, not vendored."""

    path: bytes
    line: int
    module: str
    target: bytes


def leaving_imports(files: Tree, selected: Tree, whole: Tree, blobs: Blobs) -> tuple[LeavingImport, ...]:
    """Every import in the Python files among `files` that leads to an upstream file outside of `selected`.

    Imports of other distributions lead to no file of upstream and are not reported. Contents that `blobs` lacks are
    not looked at.
    """
    found: list[LeavingImport] = []
    for path, entry in files.items():
        if path.endswith(b".py") and entry.mode.is_regular:
            try:
                content = blobs[entry.oid]
            except KeyError:
                continue
            found += _leaving(path, content, selected, whole)
    return tuple(sorted(set(found)))


def _leaving(path: bytes, content: bytes, selected: Tree, whole: Tree) -> Iterator[LeavingImport]:
    for line, module in imported_modules(path.decode("utf-8", "surrogateescape"), content):
        targets = list(_resolve(module, path, whole))
        if targets and not any(target in selected for target in targets):
            yield LeavingImport(path, line, module, targets[0])


def imported_modules(path: str, content: bytes) -> list[tuple[int, str]]:
    """Line and absolute or file-relative name of each imported module, at any depth of the file.

    A relative import comes as a path from the root (``/kernels/common/utils``), so that it needs no package name.
    """
    module = parse_module(content)
    names: list[tuple[int, str]] = []
    for node in ast.walk(module) if module is not None else ():
        if isinstance(node, ast.Import):
            names += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [(node.lineno, name) for name in _from_names(node, path)]
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
        starts = [join(root, name) for root in _ROOTS]
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
