# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Text hunks of a unified diff, read strictly: the stated counts are what is there.

Source of the format: git-diff(1) and the unified format of GNU diff.
"""

from __future__ import annotations

import re

from vendorctl.series.lines import Lines
from vendorctl.series.patch import HunkLine, PatchHunk

_HEADER = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: ([^\n]*))?\n?")
_NO_NEWLINE = b"\\ "
_SIGNS = frozenset((b" ", b"-", b"+"))


def read_hunks(lines: Lines) -> tuple[PatchHunk, ...]:
    """Read all hunks of one file, up to the first line that is no hunk header.

    Raises VendorError with the line for a malformed header, counts that the lines do not bear out, hunks that overlap,
    are out of order, or whose new position does not follow from their old one.
    """
    hunks: list[PatchHunk] = []
    end = shift = 0
    while lines.peek().startswith(b"@@"):
        hunk = _read_hunk(lines)
        start = hunk.old_start if hunk.old_count else hunk.old_start + 1
        if start <= end:
            lines.fail("this hunk overlaps the one before it, or stands out of order", line=hunk.patch_line)
        expected = start + shift - (0 if hunk.new_count else 1)
        if hunk.new_start != expected:
            message = f"this hunk should start at line {expected} of the new file, not {hunk.new_start}"
            lines.fail(message, line=hunk.patch_line)
        end = start + hunk.old_count - 1
        shift += hunk.new_count - hunk.old_count
        hunks.append(hunk)
    return tuple(hunks)


def _read_hunk(lines: Lines) -> PatchHunk:
    patch_line = lines.number
    match = _HEADER.fullmatch(lines.peek())
    if not match:
        lines.fail("not a hunk header (`@@ -LINE,COUNT +LINE,COUNT @@`)")
    old_start, new_start = int(match.group(1)), int(match.group(3))
    old_count, new_count = int(match.group(2) or b"1"), int(match.group(4) or b"1")
    if (old_count and not old_start) or (new_count and not new_start):
        lines.fail("lines are numbered from 1")
    lines.take()
    body = _read_body(lines, old_count, new_count, patch_line)
    if all(line.sign == b" " for line in body):
        lines.fail("this hunk changes nothing", line=patch_line)
    return PatchHunk(
        old_start=old_start,
        old_count=old_count,
        new_start=new_start,
        new_count=new_count,
        section=match.group(5) or b"",
        lines=body,
        patch_line=patch_line,
    )


def _read_body(lines: Lines, old_left: int, new_left: int, patch_line: int) -> tuple[HunkLine, ...]:
    body: list[HunkLine] = []
    cut = False
    # Most of a patch is read here, so the loop works on the list of lines itself.
    rows, position = lines.rows, lines.position
    while old_left or new_left:
        line = rows[position] if position < len(rows) else b""
        sign = line[:1]
        if sign == b"\n":
            # An empty context line whose blank some tool stripped; git and patch read it so.
            sign, text = b" ", line
        else:
            text = line[1:]
        old_left -= sign != b"+"
        new_left -= sign != b"-"
        if sign not in _SIGNS or old_left < 0 or new_left < 0:
            lines.fail(f"the hunk of line {patch_line} states other counts than it holds", line=position + 1)
        position += 1
        if text[-1:] != b"\n":
            lines.fail("the file ends in the middle of a hunk", line=position)
        if position < len(rows) and rows[position][:2] == _NO_NEWLINE:
            position += 1
            text = text[:-1]
            cut = True
        body.append(HunkLine(sign, text))
    lines.position = position
    if cut:
        _check_ends(lines, body, patch_line)
    return tuple(body)


def _check_ends(lines: Lines, body: list[HunkLine], patch_line: int) -> None:
    """Only the last line of a side may lack its newline."""
    for side in (b"-", b"+"):
        texts = [line.text for line in body if line.sign in {b" ", side}]
        if any(not text.endswith(b"\n") for text in texts[:-1]):
            lines.fail("a line without a newline is followed by another line", line=patch_line)
