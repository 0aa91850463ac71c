# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Three-way merge of trees, path by path: carrying the change from `base` to `theirs` over to `ours`.

Contents are merged as git merges them; modes, links, additions, deletions and moves follow the rules below, which say
"conflict" wherever git's own merge would. Nothing is written anywhere: trees and contents come in and go out as values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.series.content import ContentMerger, Labels, MergedContent, is_binary


class ConflictKind(StrEnum):
    """Why a path cannot be merged without a person."""

    CONTENT = "content"
    ADDED_TWICE = "added-twice"
    ADDED_BY_BOTH = "added-by-both"
    DELETED_UPSTREAM = "deleted-upstream"
    DELETED_BY_PATCH = "deleted-by-patch"
    BINARY = "binary"
    TYPE = "type"
    MOVED_BY_BOTH = "moved-by-both"
    OCCUPIED = "occupied"
    FOLDER_MOVED = "folder-moved"


@dataclass(frozen=True, slots=True)
class Side:
    """A path with its entry on one side of a merge."""

    path: bytes
    entry: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One path that needs a decision: where the result belongs, and what each side has (None: nothing).

    `content` is present where lines could be compared; `suggestion` is another path for the result, where one is known.
    """

    kind: ConflictKind
    path: bytes
    base: Side | None
    ours: Side | None
    theirs: Side | None
    content: MergedContent | None = None
    suggestion: bytes | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """How a conflict was decided. `entry` None deletes the path; `content` is needed where it is new.

    `landed` says that upstream's state was taken because it already has what the patch does, shown `by` that evidence.
    """

    entry: Entry | None
    content: bytes | None = None
    landed: bool = False
    by: str = ""


#: Decides a conflict, or leaves it (None).
Settle: TypeAlias = "Callable[[Conflict], Settled | None]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The merged tree (paths in conflict stand as in `ours`), new contents, and what was noticed.

    `landed` are paths where `ours` already had the whole change, `absorbed` those where it had a part of it, and
    `settled` how conflicts were decided, by path.
    """

    tree: Tree
    blobs: Mapping[Oid, bytes]
    conflicts: tuple[Conflict, ...]
    landed: tuple[bytes, ...]
    absorbed: tuple[bytes, ...]
    settled: Mapping[bytes, Settled]


#: Labels for merges whose conflicts nobody will read.
UNNAMED = Labels()


def _undecided(_conflict: Conflict) -> None:
    return None


def merge_trees(
    base: Tree,
    ours: Tree,
    theirs: Tree,
    blobs: Blobs,
    *,
    merger: ContentMerger,
    our_moves: Mapping[bytes, bytes] | None = None,
    their_moves: Mapping[bytes, bytes] | None = None,
    labels: Labels = UNNAMED,
    settle: Settle = _undecided,
) -> Merged:
    """Carry what changed from `base` to `theirs` over to `ours`.

    `our_moves` and `their_moves` say where each side moved files of `base`. Only paths that differ between `base` and
    `theirs` are looked at, so the cost follows the size of the change. Raises KeyError when `blobs` lacks a content.
    """
    work = _TreeMerge(base, ours, blobs, merger, our_moves or {}, labels, settle)
    for old, new in _pair_changes(base, theirs, their_moves or {}):
        work.merge_path(
            Side(old, base[old]) if old is not None else None,
            Side(new, theirs[new]) if new is not None else None,
        )
    return work.result()


def _pair_changes(base: Tree, theirs: Tree, moves: Mapping[bytes, bytes]) -> list[tuple[bytes | None, bytes | None]]:
    """The changed paths, a moved file as one pair; deletions first, so that a file may replace a folder."""
    changed = base.difference(theirs)
    pairs: list[tuple[bytes | None, bytes | None]] = []
    moved_to = {new for old, new in moves.items() if old in changed and new in changed}
    for path, (before, after) in changed.items():
        if after is None:
            pairs.append((path, moves[path]) if moves.get(path) in moved_to else (path, None))
        elif before is not None:
            pairs.append((path, path))
        elif path not in moved_to:
            pairs.append((None, path))
    return sorted(pairs, key=lambda pair: (pair[1] is not None, pair[1] or b"", pair[0] or b""))


@dataclass
class _TreeMerge:
    """One merge under way: `tree` starts as `ours` and receives each change that can be carried over."""

    base: Tree
    tree: Tree
    blobs: Blobs
    merger: ContentMerger
    our_moves: Mapping[bytes, bytes]
    labels: Labels
    settle: Settle
    made: dict[Oid, bytes] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    landed: list[bytes] = field(default_factory=list)
    absorbed: list[bytes] = field(default_factory=list)
    settled: dict[bytes, Settled] = field(default_factory=dict)

    def result(self) -> Merged:
        return Merged(
            tree=self.tree,
            blobs=self.made,
            conflicts=tuple(self.conflicts),
            landed=tuple(self.landed),
            absorbed=tuple(self.absorbed),
            settled=self.settled,
        )

    def merge_path(self, base: Side | None, theirs: Side | None) -> None:
        if base is None:
            assert theirs is not None
            self._add(theirs)
            return
        ours = self._find(base.path)
        if theirs is None:
            self._delete(base, ours)
        elif ours is None:
            if theirs.path != base.path and self.tree.get(theirs.path) == theirs.entry:
                self.landed.append(theirs.path)
                return
            # A known move leads to a path that the vendored set does not include.
            went = self.our_moves.get(base.path)
            self._conflict(ConflictKind.DELETED_UPSTREAM, theirs.path, base, None, theirs, suggestion=went)
        else:
            self._modify(base, ours, theirs)

    def _find(self, path: bytes) -> Side | None:
        """Where `ours` has the file that `base` has at `path`."""
        for candidate in (path, self.our_moves.get(path)):
            entry = self.tree.get(candidate) if candidate is not None else None
            if candidate is not None and entry is not None:
                return Side(candidate, entry)
        return None

    def _add(self, theirs: Side) -> None:
        ours = self.tree.get(theirs.path)
        if ours == theirs.entry:
            self.landed.append(theirs.path)
        elif ours is not None:
            side = Side(theirs.path, ours)
            content = self._content(None, ours, theirs.entry)
            self._conflict(ConflictKind.ADDED_BY_BOTH, theirs.path, None, side, theirs, content)
        elif (moved := self._moved_folder(theirs.path)) is not None:
            self._conflict(ConflictKind.FOLDER_MOVED, moved, None, None, theirs, suggestion=moved)
        elif not self._put({theirs.path: theirs.entry}):
            self._conflict(ConflictKind.OCCUPIED, theirs.path, None, None, theirs)

    def _moved_folder(self, path: bytes) -> bytes | None:
        """Where `path` would be if it moved with its folder, when upstream moved everything out of that folder."""
        folder = path
        while b"/" in folder:
            folder = folder.rpartition(b"/")[0]
            inside = folder + b"/"
            targets = {new.rpartition(b"/")[0] for old, new in self.our_moves.items() if _is_directly_in(folder, old)}
            if len(targets) == 1 and not any(other.startswith(inside) for other in self.tree):
                return targets.pop() + b"/" + path[len(inside) :]
        return None

    def _delete(self, base: Side, ours: Side | None) -> None:
        if ours is None:
            self.landed.append(base.path)
        elif ours == base:
            self._put({base.path: None})
        else:
            self._conflict(ConflictKind.DELETED_BY_PATCH, ours.path, base, ours, None)

    def _modify(self, base: Side, ours: Side, theirs: Side) -> None:
        target = ours.path
        if theirs.path != base.path:
            if ours.path not in (base.path, theirs.path):
                self._conflict(ConflictKind.MOVED_BY_BOTH, ours.path, base, ours, theirs, suggestion=theirs.path)
                return
            target = theirs.path
        if target != ours.path and target in self.tree:
            self._conflict(ConflictKind.OCCUPIED, target, base, Side(target, self.tree[target]), theirs)
            return
        merged = self._merge_entry(base, ours, theirs, target)
        if merged is None:
            return
        if merged == ours.entry and target == ours.path:
            self.landed.append(target)
            return
        changes: dict[bytes, Entry | None] = {target: merged}
        if target != ours.path:
            changes[ours.path] = None
        if not self._put(changes):
            self._conflict(ConflictKind.OCCUPIED, target, base, ours, theirs)

    def _merge_entry(self, base: Side, ours: Side, theirs: Side, target: bytes) -> Entry | None:
        """Mode and content merged; None when that is a conflict, which is then recorded."""
        was, mine, other = base.entry, ours.entry, theirs.entry
        if was == mine:
            return other
        if mine == other or was == other:
            return mine
        kinds = {_kind(entry.mode) for entry in (was, mine, other)}
        if len(kinds) > 1:
            self._conflict(ConflictKind.TYPE, target, base, ours, theirs)
            return None
        mode = other.mode if mine.mode == was.mode else mine.mode
        for one, another in ((mine, other), (other, mine)):
            if one.oid == was.oid or one.oid == another.oid:
                return Entry(mode, another.oid)
        if not mine.mode.is_regular or any(is_binary(self._read(entry)) for entry in (was, mine, other)):
            self._conflict(ConflictKind.BINARY, target, base, ours, theirs)
            return None
        content = self.merger.merge(self._read(was), self._read(mine), self._read(other), self.labels)
        if not content.clean:
            kind = ConflictKind.ADDED_TWICE if content.twice else ConflictKind.CONTENT
            self._conflict(kind, target, base, ours, theirs, content)
            return None
        if content.absorbed:
            self.absorbed.append(target)
        return Entry(mode, self._keep(content.choose(lambda region: region.ours)))

    def _content(self, base: Entry | None, ours: Entry, theirs: Entry) -> MergedContent | None:
        if not (ours.mode.is_regular and theirs.mode.is_regular):
            return None
        sides = b"" if base is None else self._read(base), self._read(ours), self._read(theirs)
        if any(is_binary(side) for side in sides):
            return None
        return self.merger.merge(*sides, self.labels)

    def _conflict(
        self,
        kind: ConflictKind,
        path: bytes,
        base: Side | None,
        ours: Side | None,
        theirs: Side | None,
        content: MergedContent | None = None,
        suggestion: bytes | None = None,
    ) -> None:
        conflict = Conflict(
            kind=kind, path=path, base=base, ours=ours, theirs=theirs, content=content, suggestion=suggestion
        )
        decided = self.settle(conflict)
        if decided is None:
            self.conflicts.append(conflict)
            return
        changes: dict[bytes, Entry | None] = {path: decided.entry}
        if ours is not None and ours.path != path:
            changes[ours.path] = None
        if not self._put({at: to for at, to in changes.items() if to is not None or at in self.tree}):
            self.conflicts.append(conflict)
            return
        self.settled[path] = decided
        if decided.landed:
            self.landed.append(path)
        if decided.content is not None:
            self._keep(decided.content)

    def _put(self, changes: Mapping[bytes, Entry | None]) -> bool:
        """Make changes; False when a file stands where they need a folder, or the other way round."""
        try:
            self.tree = self.tree.replace(changes)
        except ValueError:
            return False
        return True

    def _read(self, entry: Entry) -> bytes:
        made = self.made.get(entry.oid)
        return self.blobs[entry.oid] if made is None else made

    def _keep(self, content: bytes) -> Oid:
        oid = hash_blob(content)
        self.made[oid] = content
        return oid


def _kind(mode: Mode) -> str:
    """Files of either mode are one kind; a link or a gitlink is another."""
    return "file" if mode.is_regular else mode.value


def _is_directly_in(folder: bytes, path: bytes) -> bool:
    return path.rpartition(b"/")[0] == folder
