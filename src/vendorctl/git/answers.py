# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What git prints about commits, changes and its index, read as values.

Every reader here takes exactly what git can print and raises GitError (exit code 70) for anything else: what is misread
would be taken for upstream's history. Sources of the formats: git-log(1), git-rev-list(1), git-ls-files(1), and
"Raw output format" of git-diff-tree(1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vendorctl.errors import ExitCode
from vendorctl.git.objects import calendar_time, canonical_mode
from vendorctl.git.oid import Oid
from vendorctl.git.program import GitError
from vendorctl.git.tree import Entry, Mode

_CHANGE = re.compile(rb":([0-7]{6}) ([0-7]{6}) ([0-9a-f]{40}) ([0-9a-f]{40}) ([ADMT])")
_COUNT = re.compile(rb"[0-9]{1,18}\n")
_ID = re.compile(rb"[0-9a-f]{40}")
#: What ``%aI`` gives: any year, and any time zone that a commit states.
_DATE = re.compile(rb"[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:Z|[-+][0-9]{2,}:[0-9]{2})")
#: In place of the date of a commit that states none that can be read; git leaves its placeholder alone.
_NO_DATE = b"%aI"
_STAGED = re.compile(rb"([0-7]{6}) ([0-9a-f]{40}) ([0-3])\t(.+)", re.DOTALL)
_NUMSTAT = re.compile(rb"(?:([0-9]{1,18})\t([0-9]{1,18})|-\t-)\t(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class StagedEntry:
    """One row of the index. `stage` is 0, or 1 to 3 for the sides of a path that is in conflict."""

    path: bytes
    entry: Entry
    stage: int


@dataclass(frozen=True, slots=True)
class RawChange:
    """What happened to one path. Entries are made when they are asked for: a history has millions of rows."""

    row: re.Match[bytes]

    @property
    def old(self) -> Entry | None:
        """The entry before; None: not there."""
        return _side(self.row[1], self.row[3])

    @property
    def new(self) -> Entry | None:
        """The entry after; None: not there."""
        return _side(self.row[2], self.row[4])


def misread(what: str, said: bytes) -> GitError:
    """The error for an answer that git cannot have given; `what` names what was expected."""
    return GitError(
        f"git said something that is no {what}: {said[:80]!r}",
        hint="git or a repository is damaged: look at `git --version`, and at `git fsck` in the repository",
        code=ExitCode.INTERNAL,
    )


def fields(output: bytes) -> list[bytes]:
    """The fields of an answer to ``-z``, each of which a NUL ends."""
    parts = output.split(b"\0")
    if parts.pop():
        raise misread("list that NUL ends", output[-80:])
    return parts


def log_records(output: bytes, count: int) -> Iterator[tuple[Sequence[bytes], Sequence[bytes]]]:
    """The commits of ``git log -z`` whose format is `count` fields, each after a ``%x00``.

    Yields those fields and, apart from them, what git says of the paths. Paths are never empty, so that the empty field
    before the next commit ends them, whatever they and the fields hold.
    """
    parts = fields(output)
    position = 0
    while position < len(parts):
        start = position + 1
        if parts[position] or len(parts) < start + count:
            raise misread("commit of a log", b"\0".join(parts[position : start + count]))
        end = position = start + count
        while position < len(parts) and parts[position]:
            position += 1
        about = parts[end:position]
        if about:
            # A line feed parts the fields from the rest; further ones belong to a path.
            if not about[0].startswith(b"\n"):
                raise misread("first path of a commit", about[0])
            about[0] = about[0][1:]
        yield parts[start:end], about


def raw_changes(parts: Sequence[bytes]) -> Iterator[tuple[bytes, RawChange]]:
    """Paths and what happened to them, of ``--raw -z --no-abbrev``: ``:100644 100755 <id> <id> M``, then the path."""
    if len(parts) % 2:
        raise misread("row and its path", parts[-1])
    for row, path in zip(parts[::2], parts[1::2], strict=True):
        found = _CHANGE.fullmatch(row)
        if found is None or not path:
            raise misread("row about a change", row)
        old_mode, new_mode, _, _, status = found.groups()
        if (status == b"A") != (_mode(old_mode) is None) or (status == b"D") != (_mode(new_mode) is None):
            raise misread("row about a change", row)
        yield path, RawChange(found)


def _side(mode: bytes, oid: bytes) -> Entry | None:
    known = _mode(mode)
    return None if known is None else Entry(known, Oid(bytes.fromhex(oid.decode("ascii"))))


@lru_cache(maxsize=64)
def _mode(text: bytes) -> Mode | None:
    """The mode that six octal digits stand for; None for those of a side that there is not."""
    bits = int(text, 8)
    if bits == 0:
        return None
    if bits & 0o170000 not in {0o100000, 0o120000, 0o160000}:
        raise misread("mode of a file, link or submodule", text)
    return canonical_mode(bits)


def staged_entries(output: bytes) -> Iterator[StagedEntry]:
    """What ``ls-files --stage -z`` says of each path, in the order of the index. No path leads out of its folder."""
    for row in fields(output):
        found = _STAGED.fullmatch(row)
        entry = _side(found[1], found[2]) if found is not None else None
        if found is None or entry is None or not {b"", b".", b".."}.isdisjoint(found[4].split(b"/")):
            raise misread("row of the index", row)
        yield StagedEntry(found[4], entry, int(found[3]))


def line_counts(output: bytes) -> dict[bytes, tuple[int | None, int | None]]:
    """Lines added and removed per path, of ``--numstat -z --no-renames``; None for binary content."""
    counts: dict[bytes, tuple[int | None, int | None]] = {}
    for row in fields(output):
        found = _NUMSTAT.fullmatch(row)
        if found is None or found[3] in counts:
            raise misread("count of lines", row)
        counts[found[3]] = (None, None) if found[1] is None else (int(found[1]), int(found[2]))
    return counts


def id_rows(output: bytes, count: int = 1) -> Iterator[tuple[Oid, ...]]:
    """Lines of `count` object ids each, as git-rev-list(1) prints them; read as they are asked for."""
    rows = output.split(b"\n")
    if rows.pop():
        raise misread("list of lines", output[-80:])
    for row in rows:
        oids = id_list(row)
        if len(oids) != count:
            raise misread("row of object ids", row)
        yield oids


def id_list(field: bytes) -> tuple[Oid, ...]:
    """Object ids with one blank between them, such as the parents of a commit; none in an empty field."""
    return tuple(one_id(text) for text in field.split(b" ")) if field else ()


def diffs(output: bytes, pairs: Sequence[bytes]) -> list[bytes]:
    """The difference of each pair of ``diff-tree --stdin``, which git announces by the line that it was asked with.

    No line of a difference looks like that.
    """
    found: list[bytes] = []
    for row, following in zip(pairs, [*pairs[1:], b""], strict=True):
        end = output.find(b"\n" + following, len(row)) + 1 if following else len(output)
        if not output.startswith(row) or end < len(row):
            raise misread("difference of two trees", output)
        found.append(output[len(row) : end])
        output = output[end:]
    return found


def iso_date(field: bytes) -> str:
    """The date of ``%aI``; the first second of 1970 for a commit whose own cannot be read."""
    if field == _NO_DATE:
        return "1970-01-01T00:00:00+00:00"
    if not _DATE.fullmatch(field):
        raise misread("date", field)
    return field.decode("ascii")


def commit_seconds(field: bytes) -> int:
    """The seconds of ``%ct`` and of a blame: digits of any number, none for a commit whose time cannot be read."""
    if field and not field.isdigit():
        raise misread("time of a commit", field)
    return calendar_time(field)


def one_count(output: bytes) -> int:
    """The number on the only line of an answer."""
    if not _COUNT.fullmatch(output):
        raise misread("count", output)
    return int(output)


def one_id(text: bytes) -> Oid:
    """Exactly one object id."""
    if not _ID.fullmatch(text):
        raise misread("object id", text)
    return Oid(bytes.fromhex(text.decode("ascii")))
