# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What every recorded modification must say about itself: title, reason, upstream status, author.

`Forwarded` and `Origin` follow DEP-3 (https://dep-team.pages.debian.net/deps/dep3/).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vendorctl.errors import Location
from vendorctl.model import Finding, Report, Severity
from vendorctl.paths import display, display_text
from vendorctl.series.message import unsafe_lines
from vendorctl.series.patch import Change, Patch
from vendorctl.series.stack import Series

SCHEMA = "vendorctl/patch-lint/1"

_FORWARDED = re.compile(r"no|not-needed|yes|https?://\S+", re.IGNORECASE)
_ORIGIN = re.compile(r"(vendor|upstream|backport|other)\b.*|https?://\S+.*|commit:.*", re.IGNORECASE)
#: Longer titles are cut in most listings, and by git-format-patch when it makes file names.
_LONG_TITLE = 100


def lint_series(series: Series) -> Report:
    """All findings of `lint_patch` over a series, and numbers that it skips, as a report."""
    findings = [finding for patch in series.patches for finding in lint_patch(series, patch)]
    counts = {"patches": len(series.patches)}
    findings += _gaps(series)
    return Report(schema=SCHEMA, title="patch lint", findings=tuple(findings), counts=counts)


def _gaps(series: Series) -> Iterator[Finding]:
    numbers = {patch.number for patch in series.patches}
    for patch in series.patches:
        if patch.number > 1 and patch.number - 1 not in numbers:
            message = f"number {patch.number - 1:04d} is not used: dropped on purpose, or lost?"
            place = Location(f"{series.folder}/{patch.file_name}")
            yield Finding(
                rule="VC205", message=message, severity=Severity.NOTE, upstream=series.upstream, location=place
            )


def lint_patch(series: Series, patch: Patch) -> Iterator[Finding]:
    """What one patch leaves unsaid or says in a way that other tools misread. The content is not judged."""
    for rule, message, severity, line in _faults(patch):
        place = Location(f"{series.folder}/{patch.file_name}", line)
        yield Finding(rule=rule, message=message, severity=severity, upstream=series.upstream, location=place)


def _faults(patch: Patch) -> Iterator[tuple[str, str, Severity, int | None]]:
    yield from _title_faults(patch)
    trailers = patch.trailers
    if not trailers.reason:
        yield "VC232", "no `Reason:` in the last paragraph of the message", Severity.ERROR, None
    if not trailers.forwarded and not trailers.applied_upstream:
        yield "VC233", "neither `Forwarded:` nor `Applied-Upstream:` is stated", Severity.ERROR, None
    if trailers.forwarded and not _FORWARDED.fullmatch(trailers.forwarded):
        message = f"`Forwarded: {display_text(trailers.forwarded)}` is not no, not-needed or a URL"
        yield "VC234", message, Severity.ERROR, _line_of(patch, b"Forwarded:")
    if trailers.origin and not _ORIGIN.fullmatch(trailers.origin):
        message = f"`Origin: {display_text(trailers.origin)}` is not vendor, upstream, backport, other, or a URL"
        yield "VC234", message, Severity.WARNING, _line_of(patch, b"Origin:")
    for _number, text in unsafe_lines(patch.body):
        yield "VC235", f"`{display_text(text)[:60]}`", Severity.ERROR, _line_of(patch, text.encode())
    if not re.search(r"<[^<>\s]+@[^<>\s]+>", patch.author) or not patch.date:
        yield "VC236", "no author (`From: Name <mail>`) or no date", Severity.WARNING, None
    for change in patch.changes:
        yield from _change_faults(change)


def _title_faults(patch: Patch) -> Iterator[tuple[str, str, Severity, int | None]]:
    line = _line_of(patch, b"Subject:")
    if not patch.title:
        yield "VC231", "no title (`Subject:`)", Severity.ERROR, line
    elif patch.title.startswith("["):
        yield "VC231", "git am removes the bracket at the start of the title", Severity.WARNING, line
    elif len(patch.title) > _LONG_TITLE:
        yield "VC231", f"the title has {len(patch.title)} characters; listings cut it", Severity.WARNING, line


def _change_faults(change: Change) -> Iterator[tuple[str, str, Severity, int | None]]:
    path = display(change.path)
    if change.hunks and change.old_oid is None and change.new_oid is None:
        yield "VC237", f"{path}: no full object ids", Severity.WARNING, change.patch_line
    sides = [
        b"".join(line.text for hunk in change.hunks for line in hunk.lines if line.sign == sign)
        for sign in (b"-", b"+")
    ]
    if change.hunks and b"".join(sides[0].split()) == b"".join(sides[1].split()) and all(sides):
        yield "VC238", f"{path}: only white space changes", Severity.WARNING, change.hunks[0].patch_line


def _line_of(patch: Patch, start: bytes) -> int | None:
    """The first line of the file that starts so."""
    if patch.raw.startswith(start):
        return 1
    at = patch.raw.find(b"\n" + start)
    return patch.raw.count(b"\n", 0, at + 1) + 1 if at >= 0 else None
