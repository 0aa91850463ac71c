# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The pin's own history: when this workspace moved it, from where to where, and what became of the series.

Told by the versions of VENDOR.lock in the workspace's own git repository, which is only read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.answers import iso_date, log_records, one_count, one_id, raw_changes
from vendorctl.git.objects import read_blobs
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.program import Git
from vendorctl.model import Json, Report
from vendorctl.proc import Runner, run
from vendorctl.upstream.source import Source
from vendorctl.workspace.lock import FILE_NAME, Lock, LockedUpstream
from vendorctl.workspace.lockparse import parse_lock

SCHEMA = "vendorctl/log/1"

#: Commit, date, author and subject.
_FIELDS = 4
#: In place of a lock that a commit removed.
_GONE = Oid(bytes(20))

#: How many commits the second pin has that the first has not, negative for a move back; None where not known.
Distance = Callable[[Oid, Oid], int | None]


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of the workspace and the lock's blob after it. Not committed yet: everything but `blob` is empty."""

    commit: str
    date: str
    author: str
    subject: str
    blob: Oid


@dataclass(frozen=True, slots=True)
class PinChange:
    """What one revision did to an upstream: its lock entry before and after (None: not there)."""

    revision: Revision
    before: LockedUpstream | None
    after: LockedUpstream | None

    @property
    def patches_added(self) -> list[str]:
        """Files of the series that are new."""
        return _files(self.after, minus=self.before)

    @property
    def patches_dropped(self) -> list[str]:
        """Files of the series that are gone."""
        return _files(self.before, minus=self.after)


def _files(locked: LockedUpstream | None, *, minus: LockedUpstream | None) -> list[str]:
    known = {patch.file for patch in minus.series} if minus is not None else set()
    return [patch.file for patch in locked.series if patch.file not in known] if locked is not None else []


def pin_history(root: Path, name: str, *, runner: Runner = run) -> tuple[list[PinChange], int]:
    """Every revision that changed the pin or the list of patches of an upstream, newest first.

    The second value counts versions of the lock that could not be read. Raises VendorError (exit code 2) when the
    workspace is in no git repository.
    """
    git = _repository(root, runner)
    revisions = list(_revisions(git, root))
    contents = read_blobs(git, {revision.blob for revision in revisions})
    lock = root / FILE_NAME
    if lock.is_file():
        content = lock.read_bytes()
        oid = hash_blob(content)
        if not revisions or revisions[-1].blob != oid:
            revisions.append(Revision("", "", "", "not committed yet", oid))
            contents[oid] = content
    changes: list[PinChange] = []
    unreadable = 0
    before: LockedUpstream | None = None
    for revision in revisions:
        parsed = _parsed(contents.get(revision.blob, b""))
        if parsed is None:
            unreadable += 1
            continue
        after = parsed.upstreams.get(name)
        if _identity(before) != _identity(after):
            changes.append(PinChange(revision, before, after))
        before = after
    return changes[::-1], unreadable


def _identity(locked: LockedUpstream | None) -> tuple[object, ...]:
    return () if locked is None else (locked.commit, locked.ref, tuple(patch.file for patch in locked.series))


def _parsed(content: bytes) -> Lock | None:
    try:
        return parse_lock(content)
    except VendorError:
        return None  # a version with conflict markers, or of another format, says nothing


def _repository(root: Path, runner: Runner) -> Git:
    found = Git(runner=runner).exact("-C", str(root), "rev-parse", "--absolute-git-dir", check=False)
    if not found.ok:
        hint = "the history of a pin is that of VENDOR.lock in git"
        raise VendorError(f"the workspace {root} is in no git repository", hint=hint, code=ExitCode.USAGE)
    return Git(git_dir=Path(found.stdout.decode("utf-8", "surrogateescape").rstrip("\n")), runner=runner)


def _revisions(git: Git, root: Path) -> Iterator[Revision]:
    """The commits of the first-parent line that changed the lock, oldest first."""
    prefix = Git(runner=git.runner).exact("-C", str(root), "rev-parse", "--show-prefix").stdout.rstrip(b"\n")
    if not git.exact("rev-parse", "--verify", "--quiet", "HEAD", check=False).ok:
        return
    options = (
        "--first-parent",
        "--diff-merges=first-parent",
        "--reverse",
        "--raw",
        "-z",
        "--no-renames",
        "--no-abbrev",
    )
    arguments = ("--literal-pathspecs", "log", *options, "--encoding=UTF-8", "--format=%x00%H%x00%aI%x00%an%x00%s")
    path = prefix + FILE_NAME.encode()
    yield from parse_revisions(git.exact(*arguments, "HEAD", "--", path).stdout, path)


def parse_revisions(output: bytes, lock: bytes) -> Iterator[Revision]:
    """The commits of a log in our format that leave something at the path `lock`, or take it away.

    Raises GitError for what git cannot have said.
    """
    for parts, rows in log_records(output, _FIELDS):
        commit = one_id(parts[0])
        date = iso_date(parts[1])
        author, subject = (part.decode("utf-8", "replace") for part in parts[2:])
        # Where a folder has that name, git tells what is in it.
        for change in (change for path, change in raw_changes(rows) if path == lock):
            yield Revision(str(commit), date, author, subject, change.new.oid if change.new is not None else _GONE)


def upstream_distance(source: Source) -> Distance:
    """The distance between two commits of an upstream, as far as `source` has their history."""

    def distance(old: Oid, new: Oid) -> int | None:
        try:
            complete = source.fetch_history([old, new])
        except VendorError as error:
            if error.code is ExitCode.UNREACHABLE:
                return None
            raise
        if not {old, new} <= complete:
            return None
        ahead, behind = (
            one_count(source.git.exact("rev-list", "--count", str(tip), f"^{since}", "--").stdout)
            for tip, since in ((new, old), (old, new))
        )
        return ahead or -behind

    return distance


def log_report(name: str, changes: Sequence[PinChange], unreadable: int, distance: Distance) -> Report:
    """The history for people and machines; `distance` counts upstream commits."""
    rows: list[Json] = []
    lines: list[str] = []
    for change in changes:
        revision = change.revision
        moved = _moved(change, distance)
        who = f"{revision.date[:10]} {revision.commit[:12]} {revision.author}: " if revision.commit else ""
        lines.append(f"{who}{revision.subject}")
        lines.append(f"  {moved}")
        lines += [f"  + {file}" for file in change.patches_added]
        lines += [f"  - {file}" for file in change.patches_dropped]
        rows.append(_value(change, distance))
    notes = (f"{unreadable} versions of {FILE_NAME} could not be read",) if unreadable else ()
    return Report(
        schema=SCHEMA,
        title="log",
        lines=tuple(lines),
        notes=notes,
        counts={"changes": len(rows)},
        data={"upstream": name, "changes": rows},
    )


def _moved(change: PinChange, distance: Distance) -> str:
    before, after = change.before, change.after
    if after is None:
        return "no longer vendored"
    ref = f" ({after.ref.name})" if after.ref is not None else ""
    if before is None:
        return f"vendored at {after.commit.short}{ref}"
    if before.commit == after.commit:
        return f"stays at {after.commit.short}{ref}"
    count = distance(before.commit, after.commit)
    steps = "" if count is None else f", {abs(count)} commits {'on' if count > 0 else 'back'}"
    return f"{before.commit.short} -> {after.commit.short}{ref}{steps}"


def _value(change: PinChange, distance: Distance) -> dict[str, Json]:
    before, after, revision = change.before, change.after, change.revision
    moved = before is not None and after is not None and before.commit != after.commit
    return {
        "commit": revision.commit or None,
        "date": revision.date or None,
        "author": revision.author or None,
        "subject": revision.subject,
        "from": str(before.commit) if before is not None else None,
        "to": str(after.commit) if after is not None else None,
        "ref": after.ref.name if after is not None and after.ref is not None else None,
        "upstream_commits": distance(before.commit, after.commit) if before and after and moved else None,
        "patches_added": list(change.patches_added),
        "patches_dropped": list(change.patches_dropped),
    }
