# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Everything that importing some files of an upstream makes Python read: the import closure.

Found statically, from syntax trees. A statement counts wherever it stands, in a function or below an `if`, except below
``if TYPE_CHECKING:``, which never runs. A package's ``__init__`` counts for each of its modules, as in Python.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from posixpath import dirname, join

from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Entry, Tree
from vendorctl.paths import display
from vendorctl.upstream.source import Source
from vendorctl.vendor.contents import ChainedBlobs
from vendorctl.vendor.imports import Import, When, dynamic_imports, imports_of
from vendorctl.vendor.syntax import parse_module

#: Folders from which absolute imports are looked up: upstreams keep packages in one of these.
IMPORT_ROOTS = ("", "python", "src", "lib")


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """An import statement: the file it stands in, its line (from 1), and the module that it names."""

    path: bytes
    line: int
    module: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """The files that some entries need, themselves among them.

    `needed_by` has the first import found for every file that is not an entry. `unresolved` are imports of modules that
    the tree should have and has not, `dynamic` imports by a computed name or a string, with the file that a string
    leads to (None: unknown), `unreadable` files that are not Python; `external` are outermost names of other
    distributions, without those of the standard library.
    """

    files: Tree
    needed_by: dict[bytes, Edge]
    unresolved: tuple[Edge, ...]
    dynamic: tuple[tuple[Edge, bytes | None], ...]
    unreadable: tuple[bytes, ...]
    external: frozenset[str]


def module_files(name: str, has: Callable[[str], bool]) -> list[str]:
    """The files that importing the dotted `name` runs: each package's ``__init__.py``, then the module itself.

    `has` tells whether there is a file at a POSIX path. Parts without a file are skipped: they are namespace packages,
    or no modules at all.
    """
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return []
    found = []
    for depth in range(1, len(parts) + 1):
        base = "/".join(parts[:depth])
        for file in (f"{base}/__init__.py", f"{base}.py"):
            if has(file):
                found.append(file)
                break
    return found


def close(
    tree: Tree, entries: Collection[bytes], read: Callable[[Sequence[Oid]], Blobs], installed: Collection[str] = ()
) -> Closure:
    """The import closure of `entries`, which are paths of `tree`.

    `read` gives contents, called once per level of imports with everything that the level needs. Imports of the
    outermost names in `installed`, and of the standard library, are not followed. Raises KeyError for an entry that is
    not in the tree.
    """
    walk = _Walk(_Modules(tree), frozenset(installed))
    level = sorted(set(entries))
    walk.seen.update(level)
    while level:
        blobs = read([tree[path].oid for path in level])
        found = [edge for path in level for edge in walk.visit(path, blobs[tree[path].oid])]
        level = []
        for file, edge in sorted(found):
            if file not in walk.seen:
                walk.seen.add(file)
                walk.needed_by[file] = edge
                level.append(file)
    return Closure(
        files=Tree({path: tree[path] for path in walk.seen}),
        needed_by=walk.needed_by,
        unresolved=tuple(sorted(walk.unresolved)),
        dynamic=tuple(sorted(walk.dynamic.items())),
        unreadable=tuple(sorted(walk.unreadable)),
        external=frozenset(walk.external),
    )


def overlaid(whole: Tree, pristine: Tree, patched: Tree) -> Tree:
    """The whole upstream tree with the patched tree in the place of the pristine one: what imports then see."""
    others: dict[bytes, Entry | None] = {path: None for path in whole if path in pristine or path in patched}
    return whole.replace(others).replace(dict(patched)) if others else whole.replace(dict(patched))


def reader(source: Source, tree: Tree, near: Blobs | Mapping[Oid, bytes]) -> Callable[[Sequence[Oid]], Blobs]:
    """A way to read contents of `tree`: those that `near` has, the others from upstream in one batch a call."""
    names = {entry.oid: display(path) for path, entry in tree.items()}

    def read(oids: Sequence[Oid]) -> Blobs:
        far = [oid for oid in oids if not _holds(near, oid)]
        return ChainedBlobs(near, source.blobs(far, lambda oid: names.get(oid, str(oid))))

    return read


def _holds(blobs: Blobs | Mapping[Oid, bytes], oid: Oid) -> bool:
    try:
        blobs[oid]
    except KeyError:
        return False
    return True


class _Modules:
    """Which files of a tree a module name stands for."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    @cached_property
    def _folders(self) -> set[str]:
        folders = {""}
        for path in self._tree:
            name = dirname(path.decode("utf-8", "surrogateescape"))
            while name not in folders:
                folders.add(name)
                name = dirname(name)
        return folders

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return name.encode("utf-8", "surrogateescape") in self._tree

    def roots(self, path: bytes) -> Iterator[str]:
        """From where absolute imports of a file are looked up: the usual roots, and for a script its own folder."""
        yield from IMPORT_ROOTS
        folder = dirname(path.decode("utf-8", "surrogateescape"))
        if folder not in IMPORT_ROOTS and not self.has(f"{folder}/__init__.py"):
            yield folder

    def files(self, root: str, name: str) -> list[bytes]:
        """What importing a dotted name from a root runs."""
        found = module_files(name, lambda file: self.has(join(root, file)))
        return [join(root, file).encode("utf-8", "surrogateescape") for file in found]

    def holds(self, root: str, name: str) -> bool:
        """Whether a name is a module, a package or a folder below a root."""
        base = join(root, *name.split("."))
        return base in self._folders or self.has(f"{base}.py")


class _Walk:
    """What has been found so far."""

    def __init__(self, modules: _Modules, installed: frozenset[str]) -> None:
        self.seen: set[bytes] = set()
        self.needed_by: dict[bytes, Edge] = {}
        self.unresolved: set[Edge] = set()
        self.dynamic: dict[Edge, bytes | None] = {}
        self.unreadable: set[bytes] = set()
        self.external: set[str] = set()
        self._modules = modules
        self._installed = installed

    def visit(self, path: bytes, content: bytes) -> Iterator[tuple[bytes, Edge]]:
        """The files that a file imports, each with the statement."""
        name = path.decode("utf-8", "surrogateescape")
        yield from ((init, Edge(path, 0, dirname(name))) for init in self._packages_of(name))
        if not path.endswith(b".py"):
            return
        module = parse_module(content)
        if module is None:
            self.unreadable.add(path)
            return
        for each in imports_of(module, name):
            if each.when is not When.NEVER:
                yield from ((file, Edge(path, each.line, each.module)) for file in self._follow(path, each))
        for call in dynamic_imports(module):
            root = self._root(path, call.module) if call.module else None
            files = self._modules.files(root, call.module) if root is not None and call.module else []
            self.dynamic[Edge(path, call.line, call.module or "a computed name")] = files[-1] if files else None

    def _packages_of(self, name: str) -> Iterator[bytes]:
        """The ``__init__`` files that run before a module of a package does."""
        folder = dirname(name)
        while folder and self._modules.has(f"{folder}/__init__.py"):
            yield f"{folder}/__init__.py".encode("utf-8", "surrogateescape")
            folder = dirname(folder)

    def _follow(self, path: bytes, each: Import) -> list[bytes]:
        if each.relative:
            root: str | None = ""
            # A relative import that nothing answers is a hole in the tree, never another distribution.
            if each.module and not self._modules.holds("", each.module):
                self.unresolved.add(Edge(path, each.line, each.module))
        else:
            root = self._root(path, each.module)
        if root is None:
            return []
        return [file for name in each.dotted() for file in self._modules.files(root, name)]

    def _root(self, path: bytes, module: str) -> str | None:
        """Where an absolute import is found; None for other distributions, which are noted."""
        outermost = module.partition(".")[0]
        if outermost in sys.stdlib_module_names:
            return None
        if outermost not in self._installed:
            roots = [root for root in self._modules.roots(path) if self._modules.holds(root, outermost)]
            for root in roots:
                if self._modules.holds(root, module):
                    return root
            # A part of it may be defined in a module rather than be one: what there is of it still runs.
            for root in roots:
                if self._modules.files(root, module):
                    return root
        self.external.add(outermost)
        return None
