# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Why a patch does not apply: already applied, drifted and broken are three different answers."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.paths import display
from vendorctl.series.patch import PatchHunk

_HINTS = {
    "already-applied": "drop the patch, or let `vendorctl sync --drop-merged` do it",
    "drifted": "`vendorctl patch refresh` rewrites the patch for the tree as it is",
    "broken": "restore the patch file from version control; it must not be edited by hand",
}


class Misfit(StrEnum):
    """The three reasons. Drifted: a good patch, made for another content. Broken: no content could satisfy it."""

    ALREADY_APPLIED = "already-applied"
    DRIFTED = "drifted"
    BROKEN = "broken"


class ApplyError(VendorError):
    """A patch that does not apply exactly. `misfit` says why, `path` to which file; exit code 5."""

    def __init__(self, message: str, *, misfit: Misfit, path: bytes, location: Location) -> None:
        text = f"{display(path)}: {message} ({misfit.value.replace('-', ' ')})"
        super().__init__(text, hint=_HINTS[misfit.value], location=location, code=ExitCode.CONFLICT)
        self.misfit = misfit
        self.path = path


def old_side(hunk: PatchHunk) -> list[bytes]:
    """The lines that a hunk expects to find."""
    return [line.text for line in hunk.lines if line.sign != b"+"]


def new_side(hunk: PatchHunk) -> list[bytes]:
    """The lines that a hunk leaves behind."""
    return [line.text for line in hunk.lines if line.sign != b"-"]


def first_index(start: int, count: int) -> int:
    """Where a hunk's side begins, as an index from 0: a side without lines names the line before it."""
    return start - 1 if count else start


def explain_misfit(content: Sequence[bytes], hunks: Sequence[PatchHunk]) -> tuple[Misfit, str, PatchHunk]:
    """Say why `hunks` do not fit the lines of `content`: the reason, a text for people, and the hunk concerned."""
    failing = [
        hunk for hunk in hunks if not _stands(content, old_side(hunk), first_index(hunk.old_start, hunk.old_count))
    ]
    first = failing[0] if failing else hunks[0]
    # A side without lines stands everywhere and so proves nothing.
    telling = all(new_side(hunk) for hunk in hunks)
    if telling and all(_stands(content, new_side(hunk), first_index(hunk.new_start, hunk.new_count)) for hunk in hunks):
        return Misfit.ALREADY_APPLIED, "every hunk's result is there already", first
    wanted = old_side(first)
    start = first_index(first.old_start, first.old_count)
    found = _nearest(content, wanted, start)
    if found is not None:
        return Misfit.DRIFTED, f"the lines of this hunk are {_offset_text(found - start)} (line {found + 1})", first
    if telling and all(_nearest(content, new_side(hunk), 0) is not None for hunk in hunks):
        return Misfit.ALREADY_APPLIED, "every hunk's result is there already, at other lines", first
    return Misfit.DRIFTED, _first_difference(content, wanted, start), first


def _stands(content: Sequence[bytes], wanted: list[bytes], start: int) -> bool:
    return list(content[start : start + len(wanted)]) == wanted and start + len(wanted) <= len(content)


def _nearest(content: Sequence[bytes], wanted: list[bytes], start: int) -> int | None:
    """The index nearest to `start` at which all of `wanted` stands."""
    if not wanted:
        return None
    places = [index for index, line in enumerate(content) if line == wanted[0] and _stands(content, wanted, index)]
    return min(places, key=lambda index: abs(index - start), default=None)


def _offset_text(offset: int) -> str:
    lines = "line" if abs(offset) == 1 else "lines"
    return f"{abs(offset)} {lines} further {'down' if offset > 0 else 'up'}"


def _first_difference(content: Sequence[bytes], wanted: list[bytes], start: int) -> str:
    for index, line in enumerate(wanted, start):
        actual = content[index] if index < len(content) else None
        if actual is None:
            return f"line {index + 1} should be {_shown(line)}, but the file ends before it"
        if actual != line:
            return f"line {index + 1} should be {_shown(line)}, but is {_shown(actual)}"
    return f"the file has {len(content)} lines; this hunk belongs after line {start}"


def _shown(line: bytes) -> str:
    text = display(line.rstrip(b"\n"))
    text = text if len(text) <= 80 else text[:77] + "..."
    return f"`{text}`" + ("" if line.endswith(b"\n") else " without a newline")
