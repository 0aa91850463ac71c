# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Comments of a source file, told apart from its string literals, for every language that upstreams bring.

Each style is one regular expression that walks the file once: an alternative for every literal of the language (whose
text is no comment, whatever it looks like) and one for its comments. Possessive quantifiers keep the walk
linear, and a literal that never closes takes the rest of the file, so that hostile text cannot make it start over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import TypeAlias

_Pattern: TypeAlias = "re.Pattern[bytes]"

_DOUBLE = rb'"(?:[^"\\\n]++|\\.?)*+"?'
_SINGLE = rb"'(?:[^'\\\n]++|\\.?)*+'?"
_TRIPLE = rb'"""(?:[^"\\]++|\\.?|"(?!""))*+(?:"""|\Z)' + rb"|'''(?:[^'\\]++|\\.?|'(?!''))*+(?:'''|\Z)"
# A character literal, or a C++ digit separator (1'000'000), which has the same shape and holds no comment either.
_CHARACTER = rb"'(?:\\.|[^'\\\n]){1,8}'"
_RAW_CPP = rb'R"(?P<raw>[^\s()\\"]{0,16})\(.*?(?:\)(?P=raw)"|\Z)'
_SLASHES = rb"(?P<comment>//[^\n]*+|/\*.*?(?:\*/|\Z))"
_HEREDOC = (
    rb"(?<!<)<<-?[ \t]*\\?(?P<quote>[\"']?)(?P<word>\w+)(?P=quote)[^\n]*+"
    rb"(?:\n(?:.*?\n)??[ \t]*(?P=word)(?=\n|\Z)|.*\Z)"
)
# `1 << x` in arithmetic looks like the opening of a here-document.
_ARITHMETIC = rb"\(\([^\n]{0,200}?\)\)"


def _compile(*alternatives: bytes) -> _Pattern:
    return re.compile(b"|".join(alternatives), re.DOTALL | re.MULTILINE)


class Style(Enum):
    """How a language writes comments; the value is the expression whose group `comment` holds each of them."""

    PYTHON = _compile(rb"(?P<comment>\#[^\n]*+)", _TRIPLE, _DOUBLE, _SINGLE)
    C = _compile(_SLASHES, _RAW_CPP, _DOUBLE, _CHARACTER)
    SCRIPT = _compile(_SLASHES, rb"`(?:[^`\\]++|\\.?)*+(?:`|\Z)", _DOUBLE, _SINGLE)
    SHELL = _compile(
        rb"\\.",
        rb"(?P<comment>(?:^|(?<=[\s;&|(]))\#[^\n]*+)",
        _ARITHMETIC,
        _HEREDOC,
        rb"\$'(?:[^'\\]++|\\.?)*+(?:'|\Z)",
        rb"'[^']*+(?:'|\Z)",
        rb'"(?:[^"\\]++|\\.?)*+(?:"|\Z)',
    )
    CMAKE = _compile(
        rb"(?P<comment>\#\[(?P<eq>=*)\[.*?(?:\](?P=eq)\]|\Z)|\#[^\n]*+)",
        rb"\[(?P<open>=*)\[.*?(?:\](?P=open)\]|\Z)",
        rb'"(?:[^"\\]++|\\.?)*+(?:"|\Z)',
    )
    HASH_LINES = _compile(rb"(?P<comment>^[ \t]*\#[^\n]*+)")
    # The text of a block scalar is always indented, so only a comment in the first column is surely none of it.
    YAML = _compile(rb"(?P<comment>^\#[^\n]*+)")
    INI = _compile(rb"(?P<comment>^[ \t]*[\#;][^\n]*+)")
    SEMICOLON = _compile(rb"(?P<comment>;[^\n]*+)", rb'"(?:[^"\\]++|\\.?)*+(?:"|\Z)')
    ASSEMBLY = _compile(rb"(?P<comment>//[^\n]*+|/\*.*?(?:\*/|\Z)|[;\#@][^\n]*+)", _DOUBLE)
    DASHES = _compile(rb"(?P<comment>--\[\[.*?(?:\]\]|\Z)|--[^\n]*+|/\*.*?(?:\*/|\Z))", _DOUBLE, rb"'[^'\n]*+'?")
    PERCENT = _compile(rb"(?P<comment>^[ \t]*%[^\n]*+)")
    BANG = _compile(rb"(?P<comment>^[ \t]*![^\n]*+)")
    QUOTE = _compile(rb'(?P<comment>^[ \t]*"[^\n]*+)')
    BATCH = _compile(rb"(?P<comment>^[ \t]*(?:@?[Rr][Ee][Mm]\b|::)[^\n]*+)")
    MARKUP = _compile(rb"(?P<comment><!--.*?(?:-->|\Z))", rb"^ {0,3}(?P<fence>```+|~~~+).*?(?:^ {0,3}(?P=fence)|\Z)")
    # Explicit markup that is neither a directive nor a target; its body is what stays indented.
    RST = _compile(rb"(?P<comment>^\.\.(?=[ \t\n])(?![^\n]*::)(?!\s*[_\[|])[^\n]*+(?:\n[ \t]+[^\n]++)*+)")
    #: Text without a syntax of its own: every line may carry a header.
    PLAIN = _compile(rb"(?P<comment>[^\n]++)")


_STYLES: dict[Style, str] = {
    Style.PYTHON: "py pyi pyx pxd bzl bazel toml gn star",
    Style.C: "c cc cpp cxx cu cuh h hh hpp hxx hip inc inl td mlir m mm java cs kt scala swift go rs proto cl metal "
    "glsl v sv zig dart ipp tpp",
    Style.SCRIPT: "js mjs cjs ts tsx jsx css scss less php",
    Style.SHELL: "sh bash zsh ksh fish env",
    Style.CMAKE: "cmake",
    Style.HASH_LINES: "pl pm rb r jl mk am awk tcl conf properties nix tf dockerfile gitignore gitattributes",
    Style.YAML: "yaml yml",
    Style.INI: "ini cfg editorconfig gitmodules",
    Style.SEMICOLON: "ll el lisp clj scm",
    Style.ASSEMBLY: "s asm",
    Style.DASHES: "sql lua hs adb ads vhd vhdl",
    Style.PERCENT: "tex sty cls bib erl hrl",
    Style.BANG: "f90 f95 f03 f08",
    Style.QUOTE: "vim",
    Style.BATCH: "bat cmd",
    Style.MARKUP: "md html htm xml svg xhtml vue markdown",
    Style.RST: "rst",
}
_BY_SUFFIX = {suffix.encode(): style for style, suffixes in _STYLES.items() for suffix in suffixes.split()}
_BY_NAME = {
    b"cmakelists.txt": Style.CMAKE,
    b"dockerfile": Style.HASH_LINES,
    b"makefile": Style.HASH_LINES,
    b"gnumakefile": Style.HASH_LINES,
    b"build": Style.PYTHON,
    b"sconstruct": Style.PYTHON,
    b".clang-format": Style.YAML,
    b".clang-tidy": Style.YAML,
}
_BY_INTERPRETER = ((b"python", Style.PYTHON), (b"sh", Style.SHELL), (b"node", Style.SCRIPT))
#: Formats that have no comments: text in them is data, however much it looks like a header.
_DATA = frozenset(b"json ipynb csv tsv co hsaco lock map diff patch".split())


def style_of(path: bytes, content: bytes) -> Style | None:
    """The comment style of a file by name, else by its interpreter line; None when the format has no comments."""
    name = path.rpartition(b"/")[2].lower()
    if name in _BY_NAME:
        return _BY_NAME[name]
    suffix = name.rpartition(b".")[2] if b"." in name else b""
    if suffix in _DATA or b"\0" in content[:8000]:
        return None
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if content.startswith(b"#!"):
        interpreter = content.partition(b"\n")[0]
        return next((style for word, style in _BY_INTERPRETER if word in interpreter), Style.HASH_LINES)
    return Style.PLAIN


def comments(path: bytes, content: bytes) -> Iterator[bytes]:
    """The comments of a file in order, with their signs, without anything that stands in a string literal.

    Files of an unknown format count as one comment per line; formats without comments have none.
    """
    style = style_of(path, content)
    if style is not None:
        for match in style.value.finditer(content):
            if match["comment"] is not None:
                yield match["comment"]


def docstring(path: bytes, content: bytes) -> bytes:
    """The string literal that a Python module starts with, else nothing."""
    if style_of(path, content) is not Style.PYTHON:
        return b""
    found = _DOCSTRING.match(content)
    return found["text"] if found else b""


_DOCSTRING = re.compile(
    rb"(?:\s++|\#[^\n]*+)*+[rRuU]?(?P<text>" + _TRIPLE + rb"|" + _DOUBLE + rb"|" + _SINGLE + rb")", re.DOTALL
)
