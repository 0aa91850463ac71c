# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Import prefixes replaced in Python source, and put back: ``from kernels.norm import x`` under another package's name.

Syntax trees say where a module is named; only those characters change, so comments and layout survive. What is touched:
module names of absolute imports, and of ``importlib.import_module("...")`` with a plain string. The names that an
import binds stay the same:

    import kernels               import vendored.kernels as kernels
    import kernels.norm          import vendored.kernels.norm, vendored.kernels as kernels
    import kernels.norm as n     import vendored.kernels.norm as n
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from vendorctl.errors import Location, VendorError
from vendorctl.paths import display
from vendorctl.vendor.syntax import parse_module

#: No import is rewritten.
NO_REWRITES: Mapping[str, str] = MappingProxyType({})

_FROM = re.compile(rb"from(?:[ \t\f]|\\\r?\n)+")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class _Edit:
    """Bytes from `start` to `end` that become `text`."""

    start: int
    end: int
    text: bytes


def rewrite_imports(path: bytes, content: bytes, prefixes: Mapping[str, str]) -> bytes:
    """`content` with the import prefixes (old to new, whole components) replaced; the longest that fits counts.

    Files that are not Python, or cannot be parsed, come back as they are. Raises VendorError for an import that cannot
    be rewritten, and when `restore_imports` would not give `content` back: it imports from a new prefix already.
    """
    if not path.endswith(b".py") or not _mentions(content, prefixes):
        return content
    module = parse_module(content)
    if module is None:
        return content
    source = _Source(path, content)
    result = source.edited([edit for node in ast.walk(module) for edit in _forward(source, node, prefixes)])
    if restore_imports(path, result, prefixes) != content:
        raise VendorError(
            f"the imports of {display(path)} cannot be rewritten and put back: it uses both prefixes already",
            hint="choose another prefix in rewrite_imports:",
            location=Location(display(path)),
        )
    return result


def restore_imports(path: bytes, content: bytes, prefixes: Mapping[str, str]) -> bytes:
    """The inverse of `rewrite_imports`, with the same prefixes (old to new). What it cannot read stays as it is."""
    back = {new: old for old, new in prefixes.items()}
    if not path.endswith(b".py") or not _mentions(content, back):
        return content
    module = parse_module(content)
    if module is None:
        return content
    source = _Source(path, content)
    return source.edited([edit for node in ast.walk(module) for edit in _backward(source, node, back)])


def _mentions(content: bytes, prefixes: Mapping[str, str]) -> bool:
    """A quick look: the last component cannot be written in two ways, whatever stands around it."""
    return any(prefix.rpartition(".")[2].encode() in content for prefix in prefixes)


def _replaced(name: str, prefixes: Mapping[str, str]) -> tuple[str, str] | None:
    """The prefix that fits a module name, and the name with it replaced."""
    fitting = [prefix for prefix in prefixes if name == prefix or name.startswith(f"{prefix}.")]
    if not fitting:
        return None
    prefix = max(fitting, key=len)
    return prefix, prefixes[prefix] + name[len(prefix) :]


class _Source:
    """A file's bytes, addressed as syntax trees do: by line, and by column in bytes."""

    def __init__(self, path: bytes, content: bytes) -> None:
        self.path = path
        self.content = content
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(content))]
        if content.startswith(_BOM):
            self._starts[0] = len(_BOM)

    def offset(self, line: int, column: int) -> int:
        """Where a node stands."""
        return self._starts[line - 1] + column

    def name_at(self, start: int, name: str) -> tuple[int, int] | None:
        """The span of a module name; None where it is not written plainly (blanks around dots, other encodings)."""
        end = start + len(name.encode())
        return (start, end) if self.content[start:end] == name.encode() else None

    def edited(self, edits: list[_Edit]) -> bytes:
        """The content with all edits made."""
        pieces: list[bytes] = []
        position = 0
        for edit in sorted(edits, key=lambda each: each.start):
            pieces += [self.content[position : edit.start], edit.text]
            position = edit.end
        return b"".join([*pieces, self.content[position:]])

    def refuse(self, line: int, why: str) -> VendorError:
        """The error for an import that cannot be rewritten."""
        return VendorError(
            f"this import cannot be rewritten: {why}",
            hint="a patch can spell it as `from … import …`",
            location=Location(display(self.path), line),
        )


def _forward(source: _Source, node: ast.AST, prefixes: Mapping[str, str]) -> Iterator[_Edit]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            found = _replaced(alias.name, prefixes)
            if found is None:
                continue
            span = source.name_at(source.offset(alias.lineno, alias.col_offset), alias.name)
            if span is None:
                raise source.refuse(alias.lineno, "the module is not written in one piece")
            yield _Edit(*span, _bound(source, alias, *found, prefixes).encode())
        return
    found, span = _named(source, node, prefixes)
    if found is not None and span is not None:
        yield _Edit(*span, found[1].encode())
    elif found is not None and isinstance(node, ast.ImportFrom):
        raise source.refuse(node.lineno, "the module is not written in one piece")


def _bound(source: _Source, alias: ast.alias, prefix: str, name: str, prefixes: Mapping[str, str]) -> str:
    """What stands in an `import` statement so that the module binds the same name as before."""
    if alias.asname is not None:
        return name
    if "." in prefix:
        raise source.refuse(alias.lineno, f"it binds {prefix.partition('.')[0]!r}, and uses of it would have to change")
    if alias.name == prefix:
        return f"{name} as {prefix}"
    return f"{name}, {prefixes[prefix]} as {prefix}"


def _backward(source: _Source, node: ast.AST, back: Mapping[str, str]) -> Iterator[_Edit]:
    if not isinstance(node, ast.Import):
        found, span = _named(source, node, back)
        if found is not None and span is not None:
            yield _Edit(*span, found[1].encode())
        return
    names = node.names
    for index, alias in enumerate(names):
        found = _replaced(alias.name, back)
        if found is None:
            continue
        prefix, name = found
        start = source.offset(alias.lineno, alias.col_offset)
        span = source.name_at(start, alias.name)
        after = names[index + 1] if index + 1 < len(names) else None
        if span is None:
            continue
        if alias.asname is None:
            # Ours only with the second name beside it, which `rewrite_imports` put there.
            if after is not None and (after.name, after.asname) == (prefix, back[prefix]) and name != back[prefix]:
                yield _Edit(start, _end(source, after), name.encode())
        elif alias.asname != back[prefix] or name != back[prefix]:
            yield _Edit(*span, name.encode())
        elif not _is_second(names, index, prefix):
            yield _Edit(start, _end(source, alias), name.encode())


def _is_second(names: list[ast.alias], index: int, prefix: str) -> bool:
    """Whether a name is the one that keeps a binding for the name before it."""
    before = names[index - 1] if index else None
    return before is not None and before.asname is None and before.name.startswith(f"{prefix}.")


def _end(source: _Source, alias: ast.alias) -> int:
    assert alias.end_lineno is not None
    assert alias.end_col_offset is not None
    return source.offset(alias.end_lineno, alias.end_col_offset)


def _named(
    source: _Source, node: ast.AST, prefixes: Mapping[str, str]
) -> tuple[tuple[str, str] | None, tuple[int, int] | None]:
    """The replacement and the span of the module that a `from` statement or a call of `import_module` names."""
    if isinstance(node, ast.ImportFrom) and not node.level and node.module:
        found = _replaced(node.module, prefixes)
        match = _FROM.match(source.content, source.offset(node.lineno, node.col_offset)) if found else None
        return found, source.name_at(match.end(), node.module) if match else None
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        first = node.args[0]
        if name == "import_module" and isinstance(first.value, str):
            # One quote before it; strings with prefixes or escapes are left alone.
            start = source.offset(first.lineno, first.col_offset) + 1
            return _replaced(first.value, prefixes), source.name_at(start, first.value)
    return None, None
