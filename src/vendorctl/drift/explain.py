# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Who answers for each changed line: the series replayed while the origin of every line is tracked.

No diff algorithm decides an alignment here. A patch says exactly which lines it removes and adds, so replaying the
series keeps, for every line of the patched file, either its line number upstream or the patch that brought it, and
for every upstream line that is gone, the patch that removed it. Hunks fall out of that record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.series.patch import Change, ChangeKind, Patch

#: Stands in for a patch number where no patch answers for a change.
UNRECORDED = -1

#: Unchanged lines shown around a change, as in a unified diff.
CONTEXT = 3


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a hunk. `owner` is the patch number that answers for it: 0 for context, UNRECORDED for nobody."""

    sign: bytes
    text: bytes
    owner: int


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of changes with context. Starts count from 1 (0 for an empty side), as in a unified diff."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[DiffLine, ...]

    @property
    def owners(self) -> tuple[int, ...]:
        """The patches that answer for this hunk, UNRECORDED among them where a line has none."""
        return tuple(sorted({line.owner for line in self.lines if line.owner != 0}))


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDifference:
    """How one file differs from upstream. `owners` answer for the file as a whole (mode, name, existence, binary)."""

    old_path: bytes | None
    path: bytes | None
    old: Entry | None
    new: Entry | None
    owners: tuple[int, ...]
    hunks: tuple[Hunk, ...] = ()
    binary: bool = False

    @property
    def name(self) -> bytes:
        """The path people know it by: the new one, or the old one of a deleted file."""
        name = self.path if self.path is not None else self.old_path
        assert name is not None
        return name

    @property
    def kind(self) -> ChangeKind:
        """What happened to the file, in one word."""
        if self.old is None:
            return ChangeKind.ADD
        if self.new is None:
            return ChangeKind.DELETE
        return ChangeKind.RENAME if self.old_path != self.path else ChangeKind.MODIFY

    @property
    def unexplained(self) -> bool:
        """True when some part of the difference has no patch that answers for it."""
        return UNRECORDED in self.owners or any(UNRECORDED in hunk.owners for hunk in self.hunks)


@dataclass(slots=True)
class _Line:
    """A line of the replayed file: its text, its index upstream (None: added), and the patch that added it."""

    text: bytes
    upstream: int | None
    owner: int


@dataclass(slots=True)
class _File:
    """One path while the series is replayed."""

    source: bytes | None
    lines: list[_Line]
    owners: set[int] = field(default_factory=set)
    removed: dict[int, int] = field(default_factory=dict)
    opaque: bool = False

    def copy(self) -> _File:
        lines = [_Line(line.text, line.upstream, line.owner) for line in self.lines]
        return _File(self.source, lines, set(self.owners), dict(self.removed), self.opaque)


def explain(
    pristine: Tree, final: Tree, patches: Sequence[Patch], unrecorded: Sequence[Change], blobs: Blobs
) -> list[FileDifference]:
    """Every difference between `pristine` and `final`, line by line with the patch that answers for it.

    `patches` applied to `pristine` in order, and then the `unrecorded` changes, must give `final`; both have been
    proven by whoever applied them. `blobs` must have the contents of every path that differs.
    """
    replay = _Replay(pristine, blobs)
    for patch in patches:
        replay.apply(patch.changes, patch.number)
    replay.apply(unrecorded, UNRECORDED)
    return list(replay.differences(final))


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """Where a line of the patched tree comes from.

    `owner` is 0 for upstream's own lines, whose file and line (from 1) at the pin are `path` and `line`; else it is the
    number of the patch that brought the line, or UNRECORDED.
    """

    owner: int
    path: bytes | None = None
    line: int = 0


def line_origins(
    pristine: Tree, patches: Sequence[Patch], unrecorded: Sequence[Change], blobs: Blobs, path: bytes
) -> list[LineOrigin] | None:
    """The origin of every line of the file at `path` once everything is applied; None for a binary file.

    Arguments are those of `explain`.
    """
    replay = _Replay(pristine, blobs)
    for patch in patches:
        replay.apply(patch.changes, patch.number)
    replay.apply(unrecorded, UNRECORDED)
    return replay.origins(path)


class _Replay:
    def __init__(self, pristine: Tree, blobs: Blobs) -> None:
        self._pristine = pristine
        self._blobs = blobs
        self._files: dict[bytes, _File] = {}
        self._deleted: dict[bytes, _File] = {}

    def apply(self, changes: Sequence[Change], owner: int) -> None:
        # A patch's sources are the tree before it: a swap of two names reads both before either is written.
        before = {change.old_path: self._file(change.old_path) for change in changes if change.old_path is not None}
        for change in changes:
            if change.kind in {ChangeKind.DELETE, ChangeKind.RENAME} and change.old_path is not None:
                self._forget(change.old_path, before[change.old_path], owner, deleted=change.kind is ChangeKind.DELETE)
        for change in changes:
            if change.kind is not ChangeKind.DELETE:
                self._bring(change, before, owner)

    def _file(self, path: bytes) -> _File:
        if path not in self._files:
            if path in self._pristine:
                content = self._blobs[self._pristine[path].oid]
                lines = [_Line(text, index, 0) for index, text in enumerate(split_lines(content))]
                self._files[path] = _File(path, lines)
            else:
                self._files[path] = _File(None, [])
        return self._files[path]

    def _forget(self, path: bytes, file: _File, owner: int, *, deleted: bool) -> None:
        if deleted:
            gone = file.copy()
            gone.owners.add(owner)
            self._remove_lines(gone, 0, len(gone.lines), owner)
            self._deleted[gone.source if gone.source is not None else path] = gone
        self._files.pop(path, None)

    def _bring(self, change: Change, before: Mapping[bytes, _File], owner: int) -> None:
        assert change.path is not None
        if change.kind is ChangeKind.ADD:
            # A path that a patch deleted earlier comes back as a change of what upstream has there.
            file = self._deleted.pop(change.path, None) or _File(None, [])
            file.owners.add(owner)
        else:
            assert change.old_path is not None
            source = before[change.old_path]
            file = source if change.kind is ChangeKind.MODIFY else source.copy()
            if change.kind is ChangeKind.COPY:
                file = _File(None, [_Line(line.text, None, owner) for line in source.lines])
        if change.kind in {ChangeKind.RENAME, ChangeKind.COPY} or change.old_mode != change.new_mode:
            file.owners.add(owner)
        if change.binary is not None:
            file.opaque = True
            file.owners.add(owner)
        else:
            self._edit(file, change, owner)
        self._files[change.path] = file

    def _edit(self, file: _File, change: Change, owner: int) -> None:
        shift = 0
        for hunk in change.hunks:
            start = (hunk.old_start - 1 if hunk.old_count else hunk.old_start) + shift
            at = start
            for line in hunk.lines:
                if line.sign == b"-":
                    self._remove_lines(file, at, at + 1, owner)
                elif line.sign == b"+":
                    file.lines.insert(at, _Line(line.text, None, owner))
                    at += 1
                else:
                    at += 1
            shift += hunk.new_count - hunk.old_count

    @staticmethod
    def _remove_lines(file: _File, start: int, end: int, owner: int) -> None:
        for line in file.lines[start:end]:
            if line.upstream is not None:
                file.removed[line.upstream] = owner
        del file.lines[start:end]

    def origins(self, path: bytes) -> list[LineOrigin] | None:
        file = self._file(path)
        if file.opaque:
            return None
        return [
            LineOrigin(line.owner) if line.upstream is None else LineOrigin(0, file.source, line.upstream + 1)
            for line in file.lines
        ]

    def differences(self, final: Tree) -> Iterator[FileDifference]:
        sources = {file.source: path for path, file in self._files.items() if file.source is not None}
        for path, (old, new) in self._pristine.difference(final).items():
            if new is None:
                if path not in sources:
                    yield self._difference(path, None, old, None, self._deleted[path])
                continue
            file = self._file(path)
            before = self._pristine.get(file.source) if file.source is not None else None
            yield self._difference(file.source, path, before, new, file)

    def _difference(
        self, old_path: bytes | None, path: bytes | None, old: Entry | None, new: Entry | None, file: _File
    ) -> FileDifference:
        opaque = file.opaque or any(entry is not None and entry.mode is Mode.GITLINK for entry in (old, new))
        hunks: tuple[Hunk, ...] = ()
        if not opaque and (old is None or new is None or old.oid != new.oid):
            upstream = split_lines(self._blobs[old.oid]) if old is not None else []
            hunks = tuple(_hunks(_events(upstream, file)))
        owners = tuple(sorted(file.owners))
        return FileDifference(old_path=old_path, path=path, old=old, new=new, owners=owners, hunks=hunks, binary=opaque)


def split_lines(content: bytes) -> list[bytes]:
    """Lines as git counts them: each ends with LF, which the last one may lack. CR and form feed split nothing."""
    lines = content.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def _events(upstream: Sequence[bytes], file: _File) -> list[DiffLine]:
    """The whole file as context, removals and additions, in order, with owners."""
    events: list[DiffLine] = []
    position = 0
    for line in file.lines:
        if line.upstream is None:
            events.append(DiffLine(b"+", line.text, line.owner))
            continue
        events += _removals(upstream, position, line.upstream, file)
        events.append(DiffLine(b" ", line.text, 0))
        position = line.upstream + 1
    events += _removals(upstream, position, len(upstream), file)
    return list(_tidy(events))


def _removals(upstream: Sequence[bytes], start: int, end: int, file: _File) -> list[DiffLine]:
    return [DiffLine(b"-", upstream[index], file.removed.get(index, UNRECORDED)) for index in range(start, end)]


def _tidy(events: Sequence[DiffLine]) -> Iterator[DiffLine]:
    """Each run of changes as removals, then additions, less what one patch removed and another brought back."""
    removed: list[DiffLine] = []
    added: list[DiffLine] = []
    for event in [*events, DiffLine(b" ", b"", 0)]:
        if event.sign == b"-":
            removed.append(event)
        elif event.sign == b"+":
            added.append(event)
        else:
            yield from _block(removed, added)
            removed, added = [], []
            yield event


def _block(removed: list[DiffLine], added: list[DiffLine]) -> Iterator[DiffLine]:
    same_head = 0
    while same_head < min(len(removed), len(added)) and removed[same_head].text == added[same_head].text:
        same_head += 1
    same_tail = 0
    room = min(len(removed), len(added)) - same_head
    while same_tail < room and removed[-1 - same_tail].text == added[-1 - same_tail].text:
        same_tail += 1
    yield from (DiffLine(b" ", line.text, 0) for line in removed[:same_head])
    yield from removed[same_head : len(removed) - same_tail]
    yield from added[same_head : len(added) - same_tail]
    yield from (DiffLine(b" ", line.text, 0) for line in removed[len(removed) - same_tail :])


def _hunks(events: Sequence[DiffLine]) -> Iterator[Hunk]:
    """Group changes that are at most twice CONTEXT lines apart, with CONTEXT lines around."""
    events = events[:-1]  # the sentinel of _tidy
    changed = [index for index, event in enumerate(events) if event.sign != b" "]
    old_before, new_before = _line_numbers(events)
    start = 0
    while start < len(changed):
        end = start
        while end + 1 < len(changed) and changed[end + 1] - changed[end] <= 2 * CONTEXT:
            end += 1
        low = max(0, changed[start] - CONTEXT)
        high = min(len(events), changed[end] + CONTEXT + 1)
        lines = tuple(events[low:high])
        old_count = sum(line.sign != b"+" for line in lines)
        new_count = sum(line.sign != b"-" for line in lines)
        old_start = old_before[low] + (1 if old_count else 0)
        new_start = new_before[low] + (1 if new_count else 0)
        yield Hunk(old_start, old_count, new_start, new_count, lines)
        start = end + 1


def _line_numbers(events: Sequence[DiffLine]) -> tuple[list[int], list[int]]:
    """For each event: how many upstream lines and how many patched lines stand before it."""
    old, new = [0], [0]
    for event in events:
        old.append(old[-1] + (event.sign != b"+"))
        new.append(new[-1] + (event.sign != b"-"))
    return old, new
