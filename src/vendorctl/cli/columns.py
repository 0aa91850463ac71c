# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Tables as text: columns under a header, and what gives way where a terminal is narrower than its table.

Left-aligned columns with two blanks between them, as all reports have them. Only columns of words are ever cut: an id,
a number or a name that is cut is another one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile

from vendorctl.model import Report

_ELLIPSIS = "\u2026"
#: What stays of a column that is cut, however narrow the terminal, in characters.
_LEAST = 10
_TITLE = re.compile(r"\S+(?: \S+)*")


@dataclass(frozen=True, slots=True)
class _Table:
    """Where a report has its table: the name of the count of its rows, and the titles of its columns of words."""

    rows: str
    words: frozenset[str]


#: The reports whose first line is the header of a table, by document. `vendorctl cache status` has no words to cut.
_TABLES = {
    "vendorctl/patch-list/1": _Table("patches", frozenset({"title"})),
    "vendorctl/status/1": _Table("upstreams", frozenset({"patches", "licences", "objects"})),
    "vendorctl/submit-queue/1": _Table("patches", frozenset({"title"})),
}


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Header and rows with each column as wide as its widest cell; nothing where there are no rows."""
    table = [header, *rows]
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) for cells in table)
    return tuple(line.rstrip() for line in lines) if rows else ()


def fitted(report: Report, width: int) -> Report:
    """The report with its table, if it has one, no wider than `width` characters, as far as its words can be cut.

    The widest column of words gives way, with an ellipsis where text is missing.
    """
    table = _TABLES.get(report.schema)
    count = 1 + report.counts.get(table.rows, 0) if table is not None else 0
    lines = report.lines[:count]
    over = max(map(_cells, lines), default=0) - width
    if table is None or count < 2 or over <= 0:
        return report
    columns = [part for part in _columns(lines) if lines[0][part].rstrip() in table.words]
    if not columns:
        return report
    part = max(columns, key=lambda part: _widest(lines, part))
    room = max(_widest(lines, part) - over, _LEAST)
    cut = (line[: part.start] + _cut(line[part].rstrip(), room) + line[part.stop :] for line in lines)
    return replace(report, lines=(*map(str.rstrip, cut), *report.lines[count:]))


def _columns(lines: Sequence[str]) -> list[slice]:
    """Where each column of a table is, without the blanks before the next."""
    starts = [found.start() for found in _TITLE.finditer(lines[0])]
    ends = [start - 2 for start in starts[1:]] + [max(map(len, lines))]
    return list(map(slice, starts, ends))


def _widest(lines: Sequence[str], part: slice) -> int:
    return max(_cells(line[part].rstrip()) for line in lines)


def _cut(text: str, room: int) -> str:
    """A text in exactly this room, with an ellipsis for what is missing; never the first digits of a longer number."""
    if _cells(text) > room:
        ends = takewhile(lambda end: end < room, accumulate(map(_cells, text)))
        kept, missing = text[: (count := sum(1 for _ in ends))], text[count:]
        if kept[-1:].isdigit() and missing[:1].isdigit():
            kept = kept.rstrip("0123456789")
        text = kept.rstrip() + _ELLIPSIS
    return text + " " * (room - _cells(text))


def _cells(text: str) -> int:
    """How many places of a terminal a text takes: two for wide characters, none for marks above others."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
