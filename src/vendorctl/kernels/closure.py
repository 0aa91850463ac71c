# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which files a compile depends on, and the digest under which each of them counts.

The import closure is found statically: every import statement at any depth of a function counts, and a package's
`__init__` counts for each of its modules. A compile sees the files of the closure and nothing else of the patched tree,
so a dependency that the analysis missed fails to import instead of escaping the digest.
"""

from __future__ import annotations

import ast
import io
import os
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vendorctl import digest
from vendorctl.errors import Location, VendorError
from vendorctl.vendor.closure import module_files
from vendorctl.vendor.imports import imports_of
from vendorctl.vendor.rewriting import NO_REWRITES, restore_imports

_MAX_FILES = 5000

#: A module that mentions one of these may see its own text or where it is; its digest is over its exact bytes.
_SELF_AWARE = frozenset(
    {"__doc__", "__file__", "_getframe", "co_firstlineno", "f_lineno", "getsource", "inspect", "linecache", "traceback"}
)
_NO_STATEMENT = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that a compile reads. `path` is POSIX and relative to the root it was found under."""

    path: str
    content: bytes

    def digest(self) -> str:
        """SHA-256 over the file without what cannot reach an object; see `normal_form`."""
        return digest.sha256(normal_form(self.content) if self.path.endswith(".py") else self.content)


def normal_form(content: bytes) -> bytes:
    """A Python module without comments, docstrings, blank lines and trailing blanks.

    flydsl keeps source positions out of objects unless debug information is asked for, which the fixed environment
    does not (`tests/kernels/test_comments.py` compiles to make sure), so these cannot change a byte of an object.
    Text is compared rather than syntax trees, because the spelling of a dumped tree changes between Python versions.
    A module that looks at itself, or does not tokenise, is returned unchanged.
    """
    try:
        tokens = list(tokenize.tokenize(io.BytesIO(content).readline))
        lines = content.decode("utf-8").splitlines()
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError, ValueError):
        return content
    if any(token.type == tokenize.NAME and token.string in _SELF_AWARE for token in tokens):
        return content
    inside_strings = _lines_inside_strings(tokens)
    dropped = _docstring_lines(tokens)
    for token in tokens:
        row, column = token.start
        if token.type == tokenize.COMMENT and row - 1 < len(lines):
            lines[row - 1] = lines[row - 1][:column]
    kept = [
        line if number in inside_strings else line.rstrip()
        for number, line in enumerate(lines, start=1)
        if number not in dropped and (number in inside_strings or line.strip())
    ]
    return ("\n".join(kept) + "\n").encode()


def _docstring_lines(tokens: Sequence[tokenize.TokenInfo]) -> set[int]:
    """Numbers of the lines of statements that are nothing but one string."""
    lines: set[int] = set()
    statement: list[tokenize.TokenInfo] = []
    for token in tokens:
        if token.type == tokenize.NEWLINE:
            if len(statement) == 1 and statement[0].type == tokenize.STRING:
                lines.update(range(statement[0].start[0], statement[0].end[0] + 1))
            statement = []
        elif token.type not in _NO_STATEMENT:
            statement.append(token)
    return lines


def _lines_inside_strings(tokens: Iterable[tokenize.TokenInfo]) -> set[int]:
    """Numbers of the lines that hold part of a string going over several lines; blanks there are content."""
    inside: set[int] = set()
    open_at: list[int] = []
    for token in tokens:
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_START":  # since Python 3.12 a formatted string is several tokens
            open_at.append(token.start[0])
        elif kind == "FSTRING_END" and open_at:
            first = open_at.pop()
            if token.end[0] > first:
                inside.update(range(first, token.end[0] + 1))
        elif token.type == tokenize.STRING and token.end[0] > token.start[0]:
            inside.update(range(token.start[0], token.end[0] + 1))
    return inside


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
    if not folder.is_dir():
        raise VendorError(f"the patched tree {root} is not there", hint="run `vendorctl sync` first")
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
