# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`Forwarded` and `Applied-Upstream`, kept in the patch itself: one line of its message is set, the rest stays."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.series.message import breaks_message
from vendorctl.series.parse import parse_patch
from vendorctl.series.patch import Patch, Trailers
from vendorctl.series.stack import Applied, Series

FORWARDED = "Forwarded"
APPLIED = "Applied-Upstream"

#: The order in which recorded facts stand.
_ORDER = ("Origin", FORWARDED, APPLIED, "Reason")
_TRAILER = re.compile(rb"[A-Za-z][A-Za-z0-9-]*:(?:[ \t]|$)|\(cherry picked from commit ")


def state_facts(chain: Applied, facts: Mapping[int, Mapping[str, str]]) -> Applied:
    """The chain with facts stated in its patches, by patch number; trees and diffs stay as they are."""
    patches = [
        state_all(patch, facts[patch.number]) if patch.number in facts else patch for patch in chain.series.patches
    ]
    return replace(chain, series=Series(chain.series.upstream, tuple(patches)))


def state_all(patch: Patch, facts: Mapping[str, str]) -> Patch:
    """`patch` with every one of these trailers set."""
    for name, value in facts.items():
        patch = state_fact(patch, name, value)
    return patch


def state_fact(patch: Patch, name: str, value: str) -> Patch:
    """`patch` with the trailer `name`, one of FORWARDED and APPLIED, set to `value`.

    Raises VendorError when the value is not one line (exit code 2), and when the message is such that the trailer
    would not be read back.
    """
    if not value or any(ord(char) < 32 or ord(char) == 127 for char in value):
        raise VendorError(f"not a value for `{name}:`: {value!r}", code=ExitCode.USAGE)
    lines = patch.raw.split(b"\n")
    end = next(index for index, line in enumerate(lines) if breaks_message(line) or line.startswith(b"diff --git "))
    text = lines[:end]
    start, stop = _last_paragraph(text)
    row = f"{name}: {value}".encode()
    if _are_trailers(text, start, stop):
        new = [*text[:start], *_set_row(text[start:stop], name, row), *text[stop:]]
    else:
        new = [*text[:stop], b"", row, *text[stop:]]
    stated = parse_patch(patch.file_name, b"\n".join([*new, *lines[end:]]))
    if _read_back(stated.trailers, name) != value or _diffs(stated) != _diffs(patch):
        raise VendorError(
            f"`{name}:` cannot be stated in this message",
            location=Location(patch.file_name),
            hint="write the line into the last paragraph of the message by hand",
        )
    return stated


def _are_trailers(text: list[bytes], start: int, stop: int) -> bool:
    """Whether a paragraph holds trailers. The file's first one is the mail's header, which only looks like them."""
    rows = text[start:stop]
    if start == 0 or not rows or not _TRAILER.match(rows[0]):
        return False
    return all(_TRAILER.match(line) or line[:1] in (b" ", b"\t") for line in rows)


def _last_paragraph(text: list[bytes]) -> tuple[int, int]:
    """Where the last run of lines that are not empty starts and stops."""
    stop = len(text)
    while stop and not text[stop - 1].strip():
        stop -= 1
    start = stop
    while start and text[start - 1].strip():
        start -= 1
    return start, stop


def _set_row(rows: list[bytes], name: str, row: bytes) -> list[bytes]:
    """The trailers with one of them set: in its place, or where the order of facts wants it."""
    kept: list[bytes] = []
    place = None
    dropping = False
    for line in rows:
        folded = line[:1] in (b" ", b"\t")
        dropping = dropping if folded else line.lower().startswith(name.lower().encode() + b":")
        if dropping:
            place = len(kept) if place is None else place
        else:
            kept.append(line)
    if place is None:
        before = tuple(f"{each.lower()}:".encode() for each in _ORDER[: _ORDER.index(name)])
        place = next((index + 1 for index in reversed(range(len(kept))) if kept[index].lower().startswith(before)), 0)
        while place < len(kept) and kept[place][:1] in (b" ", b"\t"):
            place += 1
    return [*kept[:place], row, *kept[place:]]


def _read_back(trailers: Trailers, name: str) -> str:
    return trailers.forwarded if name == FORWARDED else trailers.applied_upstream


def _diffs(patch: Patch) -> bytes:
    return b"\n".join(patch.raw.split(b"\n")[patch.changes[0].patch_line - 1 :])
