# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Explained differences as text: a unified diff whose gutter names, line by line, the patch that answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from vendorctl.drift.explain import UNRECORDED, DiffLine, FileDifference, Hunk
from vendorctl.git.tree import Entry
from vendorctl.model import Json
from vendorctl.paths import display
from vendorctl.series.patch import ChangeKind


@dataclass(frozen=True, slots=True)
class Statistics:
    """Lines added and removed, and files changed."""

    files: int
    added: int
    removed: int


def statistics(differences: Iterable[FileDifference]) -> Statistics:
    """Count what the differences change."""
    files = added = removed = 0
    for difference in differences:
        files += 1
        signs = [line.sign for hunk in difference.hunks for line in hunk.lines]
        added += signs.count(b"+")
        removed += signs.count(b"-")
    return Statistics(files, added, removed)


def gutter(owner: int) -> str:
    """Four characters that name who answers for a line."""
    if owner == UNRECORDED:
        return "????"
    return f"{owner:04d}" if owner else "    "


def difference_lines(difference: FileDifference) -> Iterator[str]:
    """One file: a heading, facts about the file as a whole, and its hunks with the gutter."""
    yield heading(difference)
    for hunk in difference.hunks:
        yield f"     @@ -{_range(hunk.old_start, hunk.old_count)} +{_range(hunk.new_start, hunk.new_count)} @@"
        for line in hunk.lines:
            text = line.text.removesuffix(b"\n").decode("utf-8", "backslashreplace")
            yield f"{gutter(line.owner)} {line.sign.decode()}{text}"
            if not line.text.endswith(b"\n"):
                yield "     \\ No newline at end of file"


def heading(difference: FileDifference) -> str:
    """What happened to a file, with the patches that answer for it as a whole."""
    name = display(difference.name)
    words = {
        ChangeKind.ADD: f"added    {name}",
        ChangeKind.DELETE: f"deleted  {name}",
        ChangeKind.RENAME: f"renamed  {display(difference.old_path or b'')} -> {name}",
    }.get(difference.kind, f"modified {name}")
    facts = [fact for fact in (_mode_change(difference.old, difference.new), _binary(difference)) if fact]
    owners = [gutter(owner) for owner in difference.owners]
    by = f"  [{', '.join(owners)}]" if owners else ""
    return words + "".join(f", {fact}" for fact in facts) + by


def _mode_change(old: Entry | None, new: Entry | None) -> str:
    if old is None or new is None or old.mode is new.mode:
        return ""
    return f"mode {old.mode.value} -> {new.mode.value}"


def _binary(difference: FileDifference) -> str:
    return "binary" if difference.binary else ""


def _range(start: int, count: int) -> str:
    return str(start) if count == 1 else f"{start},{count}"


def hunk_text(hunk: Hunk) -> str:
    """A hunk with its gutter, for a finding's detail."""
    difference = FileDifference(old_path=b"", path=b"", old=None, new=None, owners=(), hunks=(hunk,))
    return "\n".join(list(difference_lines(difference))[1:])


def difference_value(difference: FileDifference, titles: Mapping[int, str]) -> dict[str, Json]:
    """One file's difference as JSON. Owners are patch numbers; null stands for changes that no patch records."""
    return {
        "path": display(difference.name),
        "old_path": display(difference.old_path) if difference.old_path is not None else None,
        "kind": difference.kind.value,
        "old_mode": difference.old.mode.value if difference.old is not None else None,
        "new_mode": difference.new.mode.value if difference.new is not None else None,
        "binary": difference.binary,
        "patches": [_owner(owner) for owner in difference.owners],
        "unexplained": difference.unexplained,
        "hunks": [_hunk_value(hunk, titles) for hunk in difference.hunks],
    }


def _hunk_value(hunk: Hunk, titles: Mapping[int, str]) -> dict[str, Json]:
    return {
        "old_start": hunk.old_start,
        "old_count": hunk.old_count,
        "new_start": hunk.new_start,
        "new_count": hunk.new_count,
        "patches": [
            {"number": _owner(owner), "title": titles.get(owner, "not recorded by any patch")} for owner in hunk.owners
        ],
        "lines": [_line_value(line) for line in hunk.lines],
    }


def _line_value(line: DiffLine) -> dict[str, Json]:
    text = line.text.decode("utf-8", "backslashreplace")
    return {"sign": line.sign.decode(), "text": text, "patch": _owner(line.owner) if line.owner else 0}


def _owner(owner: int) -> int | None:
    return None if owner == UNRECORDED else owner
