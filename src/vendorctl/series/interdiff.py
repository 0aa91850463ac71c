# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""How a patch changed: the difference between its old and its new diff, as git-range-diff shows it.

Object ids and line numbers are left out of the comparison: they change whenever anything above does, and say nothing.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from vendorctl.model import Json
from vendorctl.paths import display
from vendorctl.series.bump import Outcome, OutcomeKind
from vendorctl.series.lines import split_lines
from vendorctl.series.patch import Patch

_HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@(.*)", re.DOTALL)
_IDS = re.compile(rb"index [0-9a-f]{4,40}\.\.[0-9a-f]{4,40}")
_CONTEXT = 3


@dataclass(frozen=True, slots=True)
class Interdiff:
    """The changed lines of a patch's diff, with context. Each line starts with what happened to it: blank, - or +.

    `old` and `new` are file names; an absent side is empty. No lines: only positions and ids changed.
    """

    old: str
    new: str
    kind: OutcomeKind
    lines: tuple[str, ...]

    def to_json(self) -> Json:
        """The machine-readable form."""
        lines: list[Json] = list(self.lines)
        return {"old": self.old or None, "new": self.new or None, "kind": self.kind.value, "lines": lines}


def interdiff(outcome: Outcome) -> Interdiff:
    """How one patch changes in a bump."""
    new = outcome.new
    before = _comparable(outcome.patch)
    after = _comparable(new) if new is not None else before
    found = list(difflib.unified_diff(before, after, n=_CONTEXT, lineterm=""))[2:]
    return Interdiff(outcome.patch.file_name, new.file_name if new else "", outcome.kind, tuple(found))


def _comparable(patch: Patch) -> list[str]:
    start = patch.changes[0].patch_line - 1
    lines = split_lines(patch.raw)[start:]
    return [_comparable_line(line) for line in lines if not _IDS.match(line)]


def _comparable_line(line: bytes) -> str:
    hunk = _HUNK.match(line)
    text = b"@@" + hunk[1] if hunk else line
    return display(text.removesuffix(b"\n"))


def review_lines(outcome: Outcome, limit: int) -> Iterator[str]:
    """What a reviewer of a rewritten patch should see: at most `limit` lines; nothing when only positions changed."""
    if not outcome.kind.keeps:
        return
    found = interdiff(outcome).lines
    yield from found[:limit]
    if len(found) > limit:
        yield f"... and {len(found) - limit} more lines (--format json has all)"
