# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Follows files through upstream's history, where two distant trees alone no longer look alike.

A file that was moved once and then rewritten over many commits shares little with its ancestor. Its history still
tells: at the commit that took it away, the file that appeared is nearly the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from vendorctl.git.answers import fields, raw_changes
from vendorctl.git.objects import tree_of, unusable
from vendorctl.git.oid import Oid
from vendorctl.git.program import Git
from vendorctl.git.tree import Tree
from vendorctl.series.history import History, UpstreamCommit
from vendorctl.series.moves import Move, compared_contents, find_moves

#: A file that moves more often than this between two pins is not worth following.
_MAX_HOPS = 20


def trace_moves(history: History, gone: Iterable[bytes], new: Tree) -> tuple[Move, ...]:
    """Where the files `gone` are in `new`, the whole upstream tree at `history.new`; found commit by commit.

    `similarity` is the least of all hops. Files that were deleted, not moved, are not in the result.
    """
    tracer = _Tracer(history)
    trails = {path: Move(path, path, 100) for path in gone}
    since = dict.fromkeys(trails, history.old)
    for _ in range(_MAX_HOPS):
        lost = {path for path, trail in trails.items() if trail.new not in new}
        hops = tracer.hops({path: trails[path] for path in lost}, since)
        trails = {path: hops.get(path, trail) for path, trail in trails.items() if path not in lost or path in hops}
        if not hops:
            break
    return tuple(sorted(trail for trail in trails.values() if trail.new in new))


@dataclass
class _Tracer:
    history: History
    _moves: dict[Oid, dict[bytes, Move]] = field(default_factory=dict)

    def hops(self, trails: Mapping[bytes, Move], since: dict[bytes, Oid]) -> dict[bytes, Move]:
        """Each trail one move further, as far as the file was moved and not deleted; updates `since`."""
        starts: dict[Oid, list[bytes]] = {}
        for path in trails:
            starts.setdefault(since[path], []).append(path)
        found = {}
        for start, paths in starts.items():
            removals = self.history.removals([trails[path].new for path in paths], start)
            for path in paths:
                trail = trails[path]
                removal = removals.get(trail.new)
                hop = self._moves_in(removal).get(trail.new) if removal is not None and removal.parents else None
                if removal is not None and hop is not None:
                    since[path] = removal.oid
                    found[path] = Move(path, hop.new, min(trail.similarity, hop.similarity))
        return found

    def _moves_in(self, commit: UpstreamCommit) -> dict[bytes, Move]:
        """What one commit moved, by old path."""
        if commit.oid not in self._moves:
            removed, added = removed_and_added(self.history.git, commit.oid, commit.parents[0])
            blobs = self.history.read(compared_contents(removed, added))
            self._moves[commit.oid] = {move.old: move for move in find_moves(removed, added, blobs)}
        return self._moves[commit.oid]


def removed_and_added(git: Git, commit: Oid, parent: Oid) -> tuple[Tree, Tree]:
    """What a commit took away from its parent, and what it brought; files that it only changed are in neither.

    Raises VendorError (exit code 3) for a commit whose paths no folder can hold.
    """
    output = git.exact("diff-tree", "-r", "-z", "--no-renames", str(parent), str(commit)).stdout
    changes = list(raw_changes(fields(output)))
    try:
        removed = tree_of((path, each.old) for path, each in changes if each.old is not None and each.new is None)
        added = tree_of((path, each.new) for path, each in changes if each.new is not None and each.old is None)
    except ValueError as error:
        raise unusable(f"commit {commit}", error) from error
    return removed, added
