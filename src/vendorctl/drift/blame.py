# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The upstream commit that put a line where it is, followed through renames."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.answers import commit_seconds, log_records, misread, one_id, raw_changes
from vendorctl.git.oid import Oid
from vendorctl.git.program import GitError
from vendorctl.paths import display
from vendorctl.series.history import UpstreamCommit
from vendorctl.series.moves import compared_contents, find_moves
from vendorctl.series.quoting import unquote
from vendorctl.series.trace import removed_and_added
from vendorctl.upstream.source import Source

#: A file that was renamed more often than this is followed no further.
_MAX_HOPS = 20

_BLAMED = re.compile(rb"([0-9a-f]{40}) ([1-9][0-9]{0,9}) [1-9][0-9]{0,9}(?: [1-9][0-9]{0,9})?")
_FACTS = {b"author", b"author-time", b"summary", b"filename"}


@dataclass(frozen=True, slots=True)
class Blamed:
    """The commit that brought a line, and the file and line (from 1) that it had there."""

    commit: UpstreamCommit
    path: bytes
    line: int


def blame_line(source: Source, commit: Oid, path: bytes, line: int) -> Blamed:
    """Who brought line `line` (from 1) of the file at `path` as it stands at `commit`.

    Downloads the history, and the versions of this one file. Raises VendorError (exit code 4) when they cannot be had.
    """
    source.fetch_history([commit])
    _fetch_versions(source, commit, path)
    try:
        output = source.git.exact(
            "blame", "--porcelain", "--encoding=UTF-8", f"-L{line},{line}", str(commit), "--", path
        ).stdout
    except GitError as error:
        raise VendorError(
            f"the history of {display(path)} cannot be read: {error.message}",
            hint="run the command without --offline",
            code=ExitCode.UNREACHABLE,
        ) from error
    return parse_blame(output)


def parse_blame(output: bytes) -> Blamed:
    """The first entry of ``git blame --porcelain``: id, old line, new line, count; then ``key value`` rows.

    Raises GitError for what git cannot have said.
    """
    rows = output.split(b"\n")
    head = _BLAMED.fullmatch(rows[0])
    facts = dict(row.partition(b" ")[::2] for row in reversed(rows[1:]) if not row.startswith(b"\t"))
    if head is None or not facts.keys() >= _FACTS or not facts[b"filename"]:
        raise misread("entry of a blame", output)
    path = _path(facts[b"filename"])
    commit = UpstreamCommit(
        oid=one_id(head[1]),
        parents=(),
        date=datetime.fromtimestamp(commit_seconds(facts[b"author-time"]), UTC).isoformat(),
        author=facts[b"author"].decode("utf-8", "replace"),
        subject=facts[b"summary"].decode("utf-8", "replace"),
        paths=(path,),
    )
    return Blamed(commit, path, int(head[2]))


def _path(name: bytes) -> bytes:
    """A path as blame prints it: there is no ``-z``, so that git quotes what is not plain."""
    if not name.startswith(b'"'):
        return name
    try:
        path, end = unquote(name)
    except ValueError as error:
        raise misread("quoted path", name) from error
    if end != len(name):
        raise misread("quoted path", name)
    return path


def _fetch_versions(source: Source, commit: Oid, path: bytes) -> None:
    """Bring every version of a file into the cache, and what git compares to find out where it was renamed from."""
    seen: set[bytes] = set()
    pending = [path]
    while pending and len(seen) < _MAX_HOPS:
        name = pending.pop()
        seen.add(name)
        versions, births = _versions(source, commit, name)
        source.blobs(sorted(versions), lambda oid: f"{display(path)} ({oid.short})")
        for birth, parent in births:
            removed, added = removed_and_added(source.git, birth, parent)
            blobs = source.blobs(sorted(compared_contents(removed, added)), str)
            pending += [move.old for move in find_moves(removed, added, blobs) if move.new == name]
        pending = [name for name in pending if name not in seen]


def _versions(source: Source, tip: Oid, path: bytes) -> tuple[set[Oid], list[tuple[Oid, Oid]]]:
    """The contents that a path had up to `tip`, and the commits, with their parents, that made the file."""
    options = ("--full-history", "--diff-merges=first-parent", "--raw", "-z", "--no-renames", "--no-abbrev")
    arguments = ("--literal-pathspecs", "log", *options, "--format=%x00%H %P", str(tip), "--", path)
    return parse_versions(source.git.exact(*arguments).stdout, path)


def parse_versions(output: bytes, path: bytes) -> tuple[set[Oid], list[tuple[Oid, Oid]]]:
    """The same from a log in our format. Raises GitError for what git cannot have said."""
    versions: set[Oid] = set()
    births: list[tuple[Oid, Oid]] = []
    for (ids,), rows in log_records(output, 1):
        # A root commit has no parents, but the blank before them.
        commit, *parents = map(one_id, ids.removesuffix(b" ").split(b" "))
        for change in (change for name, change in raw_changes(rows) if name == path):
            if change.new is not None and change.new.mode.is_regular:
                versions.add(change.new.oid)
            if change.old is None and parents:
                births.append((commit, parents[0]))
    return versions, births
