# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which files a compile depends on, and the digest under which each of them counts.

The import closure is found statically: every import statement at any depth of a function counts, and a package's
`__init__` counts for each of its modules. A compile sees the files of the closure and nothing else of the patched tree,
so a dependency that the analysis missed fails to import instead of escaping the digest.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vendorctl import digest
from vendorctl.errors import Location, VendorError
from vendorctl.kernels.sources.normalform import normal_form
from vendorctl.vendor.closure import module_files
from vendorctl.vendor.imports import imports_of
from vendorctl.vendor.rewriting import NO_REWRITES, restore_imports

_MAX_FILES = 5000


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that a compile reads. `path` is POSIX and relative to the root it was found under."""

    path: str
    content: bytes

    def digest(self) -> str:
        """SHA-256 over the file without what cannot reach an object; see `normal_form`."""
        return digest.sha256(normal_form(self.content) if self.path.endswith(".py") else self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Everything that a compile of one recipe reads: files of the patched tree and of the recipe folder, by content."""

    recipe: str
    recipe_files: tuple[SourceFile, ...]
    tree_files: tuple[SourceFile, ...] = ()
    import_root: str = ""


def recipe_closure(root: Path, recipe: str) -> tuple[SourceFile, ...]:
    """The recipe file (relative to `root`) and the helper modules beside it that it imports; paths below its folder."""
    path = PurePosixPath(recipe)
    return _close(root / path.parent, [path.name], NO_REWRITES)


def tree_closure(
    root: Path,
    recipe_files: Iterable[SourceFile],
    import_root: str,
    data_files: Iterable[str],
    imports: Mapping[str, str] = NO_REWRITES,
) -> tuple[SourceFile, ...]:
    """The files of the patched tree at `root` that the recipe reaches by imports, and its declared data files.

    Paths are relative to `root`. `imports` are the prefixes that are rewritten on disk (old to new): a compile sees
    upstream's names, so that where the output is kept changes no object. Raises VendorError when `root` is missing,
    when the recipe imports nothing from it, or when a data file is not there.
    """
    folder = root / import_root
    if not root.is_dir():
        raise VendorError("the patched tree of the recipe's upstream is not there", hint="run `vendorctl sync` first")
    if not folder.is_dir():
        raise VendorError(
            f"the patched tree of the recipe's upstream has no folder {import_root!r}",
            hint="correct `import_root` in the recipe",
        )
    entries = [
        path
        for file in recipe_files
        for name in _imported(file.content, PurePosixPath(file.path))
        for path in _module_paths(folder, name)
    ]
    if not entries:
        raise VendorError(
            "the recipe imports nothing from its upstream's patched tree",
            hint="import the kernel's module in launcher(); the import tells which files the object depends on",
        )
    prefix = PurePosixPath(import_root)
    files = [SourceFile(str(prefix / file.path), file.content) for file in _close(folder, entries, imports)]
    return (*files, *(SourceFile(name, _read_inside(root, name)) for name in data_files))


def _close(folder: Path, entries: Iterable[str], imports: Mapping[str, str]) -> tuple[SourceFile, ...]:
    """Everything reachable by imports from `entries` (paths below `folder`) that lies below `folder`."""
    found: dict[str, SourceFile] = {}
    waiting = list(entries)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        if len(found) >= _MAX_FILES:
            raise VendorError(f"the import closure has more than {_MAX_FILES} files")
        content = restore_imports(os.fsencode(path), _read_inside(folder, path), imports)
        found[path] = SourceFile(path, content)
        for name in _imported(content, PurePosixPath(path)):
            waiting += _module_paths(folder, name)
    return tuple(found[path] for path in sorted(found))


def _read_inside(root: Path, name: str) -> bytes:
    path = root / name
    if not path.resolve().is_relative_to(root.resolve()):
        raise VendorError(f"{name} leads outside of {root.name}", location=Location(name))
    try:
        return path.read_bytes()
    except OSError as error:
        raise VendorError(f"cannot read {name}: {error.strerror}", location=Location(name)) from error


def _imported(content: bytes, path: PurePosixPath) -> Iterator[str]:
    """Dotted names that a module may import: for `from a import b` both `a` and `a.b`."""
    try:
        module = ast.parse(content)
    except (SyntaxError, ValueError) as error:
        raise VendorError(f"cannot parse: {error}", location=Location(str(path))) from error
    for each in imports_of(module, str(path)):
        yield from each.dotted()


def _module_paths(folder: Path, name: str) -> list[str]:
    """The files below `folder` that importing `name` runs."""
    return module_files(name, lambda file: (folder / file).is_file())
