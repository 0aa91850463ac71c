# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The upstream commit that put a line where it is, followed through renames."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import canonical_mode
from vendorctl.git.oid import Oid
from vendorctl.git.program import GitError
from vendorctl.paths import display
from vendorctl.series.history import UpstreamCommit
from vendorctl.series.moves import compared_contents, find_moves
from vendorctl.series.trace import removed_and_added
from vendorctl.upstream.source import Source

#: A file that was renamed more often than this is followed no further.
_MAX_HOPS = 20


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
    return _parse(output)


def _parse(output: bytes) -> Blamed:
    """The first entry of ``git blame --porcelain``: id, old line, new line, count; then ``key value`` rows."""
    rows = output.split(b"\n")
    oid, old_line = rows[0].split(b" ")[:2]
    facts = dict(row.partition(b" ")[::2] for row in reversed(rows[1:]) if not row.startswith(b"\t"))
    commit = UpstreamCommit(
        oid=Oid.parse(oid.decode()),
        parents=(),
        date=datetime.fromtimestamp(int(facts[b"author-time"]), UTC).isoformat(),
        author=facts[b"author"].decode("utf-8", "replace"),
        subject=facts[b"summary"].decode("utf-8", "replace"),
        paths=(facts[b"filename"],),
    )
    return Blamed(commit, facts[b"filename"], int(old_line))


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
    versions: set[Oid] = set()
    births: list[tuple[Oid, Oid]] = []
    commit: list[Oid] = []
    for field in source.git.exact(*arguments).stdout.split(b"\0"):
        row = field.lstrip(b"\n")
        if row.startswith(b":"):
            _, mode, _, new, status = row[1:].decode("ascii").split(" ")
            if status != "D" and canonical_mode(int(mode, 8)).is_regular:
                versions.add(Oid.parse(new))
            if status == "A" and len(commit) > 1:
                births.append((commit[0], commit[1]))
        elif row and row != path:
            commit = [Oid.parse(text) for text in row.decode("ascii").split()]
    return versions, births
