# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where a comment block may stand at the top of a file, and how a comment line looks there."""

from __future__ import annotations

import re
from typing import NamedTuple


class CommentStyle(NamedTuple):
    """What stands before and after the text of a comment that fills its line."""

    prefix: bytes
    suffix: bytes = b""


_HASH = CommentStyle(b"# ")
_SLASHES = CommentStyle(b"// ")
_BLOCK = CommentStyle(b"/* ", b" */")
_MARKUP = CommentStyle(b"<!-- ", b" -->")
_STYLES = {
    _HASH: b"py pyi pyx sh bash zsh pl rb r yaml yml toml cfg ini conf cmake mk jl dockerfile",
    _SLASHES: b"c h cc hh cpp hpp cxx hxx inc cu cuh hip cl m mm js mjs ts tsx rs go java kt swift mlir td proto s",
    _BLOCK: b"css",
    _MARKUP: b"html htm xml svg md markdown",
    CommentStyle(b"; "): b"ll asm el lisp",
    CommentStyle(b"-- "): b"lua sql hs",
    CommentStyle(b"% "): b"tex sty",
    CommentStyle(b"! "): b"f90 f95 f03",
}
_BY_EXTENSION = {extension: style for style, names in _STYLES.items() for extension in names.split()}
_HASH_NAMES = b"makefile gnumakefile dockerfile cmakelists.txt .gitignore .gitattributes"
_BY_NAME = dict.fromkeys(_HASH_NAMES.split(), _HASH)
_BOM = b"\xef\xbb\xbf"
_KEEPS_FIRST_LINE = re.compile(rb"#!|#[ \t]*(?:syntax|escape|check)[ \t]*=|<\?xml\b|<!doctype\b", re.IGNORECASE)
#: PEP 263: the encoding of a Python file stands in one of its first two lines.
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")
_EMPTY_OR_COMMENT = re.compile(rb"[ \t\f]*(?:#.*)?\r?\n")


def comment_style(path: bytes, content: bytes) -> CommentStyle | None:
    """How comments look in this file, by its name or hash-bang; None for binary files and unknown kinds."""
    if b"\0" in content:
        return None
    name = path.rpartition(b"/")[2].lower()
    style = _BY_NAME.get(name) or _BY_EXTENSION.get(name.rpartition(b".")[2] if b"." in name[1:] else b"")
    if style is None and content.startswith(b"#!"):
        return _HASH
    # Front matter must be the first thing in a Markdown file.
    return None if style is _MARKUP and content.startswith(b"---") else style


def comment_offset(content: bytes) -> int | None:
    """The first offset at which a comment line may stand: after byte order mark, hash-bang, encoding and the like.

    None when the lines that must stay first are all that there is, without a newline to end them.
    """
    start = len(_BOM) if content.startswith(_BOM) else 0
    lines = content[start : start + 4096].splitlines(keepends=True)[:2]
    keep = 1 if lines and _KEEPS_FIRST_LINE.match(lines[0]) else 0
    if lines and _CODING.match(lines[0]):
        keep = 1
    elif len(lines) == 2 and _CODING.match(lines[1]) and _EMPTY_OR_COMMENT.fullmatch(lines[0]):
        keep = 2
    kept = b"".join(lines[:keep])
    return None if keep and not kept.endswith(b"\n") else start + len(kept)


def line_ending(content: bytes) -> bytes:
    """The ending of the file's first line; LF when it has none."""
    end = content.find(b"\n")
    return b"\r\n" if end > 0 and content[end - 1 : end] == b"\r" else b"\n"
