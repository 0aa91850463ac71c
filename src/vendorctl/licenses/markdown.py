# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Text from upstreams and patches in Markdown, so that nothing in it can be read as Markdown or HTML."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&])")
_TICKS = re.compile(r"`+")

#: Characters that hide, reorder or break what is around them. A fixed list: Python's own idea of them grows with
#: Unicode, and a document must be the same on every machine.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")


def plain(text: str) -> str:
    """Text on one line, with everything escaped that Markdown or HTML would act on."""
    return _SPECIAL.sub(r"\\\1", _visible(" ".join(text.split())))


def code(text: str) -> str:
    """A code span, with delimiters longer than any run of backticks in the text."""
    text = _visible(" ".join(text.split()))
    ticks = "`" * (max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def cell(text: str) -> str:
    """A code span for a table cell, where a bar ends the cell even inside code."""
    return code(text).replace("|", "\\|")


def fence(text: str) -> str:
    """A fenced block with the text verbatim, in a fence longer than any run of backticks in it."""
    ticks = "`" * max(3, max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
    return f"{ticks}text\n{text.rstrip(chr(10))}\n{ticks}\n"


def decode(content: bytes) -> str:
    """A licence text or notice as text with LF line ends: UTF-8, else Latin-1, so that nothing in it is lost."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _visible(text: str) -> str:
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
