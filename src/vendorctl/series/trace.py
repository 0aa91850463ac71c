# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Follows files through upstream's history, where two distant trees alone no longer look alike.

A file that was moved once and then rewritten over many commits shares little with its ancestor. Its history still
tells: at the commit that took it away, the file that appeared is nearly the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from vendorctl.git.objects import canonical_mode
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Entry, Tree
from vendorctl.series.history import History, UpstreamCommit
from vendorctl.series.moves import Move, compared_contents, find_moves

#: A file that moves more often than this between two pins is not worth following.
_MAX_HOPS = 20


def trace_moves(history: History, gone: Iterable[bytes], new: Tree) -> tuple[Move, ...]:
    """Where the files `gone` are in `new`, the whole upstream tree at `history.new`; found commit by commit.

    `similarity` is the least of all hops. Files that were deleted, not moved, are not in the result.
    """
    tracer = _Tracer(history)
    found = (tracer.follow(path, new) for path in sorted(set(gone)))
    return tuple(move for move in found if move is not None)


@dataclass
class _Tracer:
    history: History
    _moves: dict[Oid, dict[bytes, Move]] = field(default_factory=dict)

    def follow(self, path: bytes, new: Tree) -> Move | None:
        name, since, similarity = path, self.history.old, 100
        for _ in range(_MAX_HOPS):
            if name in new:
                return Move(path, name, similarity)
            removal = self.history.removal(name, since)
            if removal is None or not removal.parents:
                return None
            hop = self._moves_in(removal).get(name)
            if hop is None:
                return None
            name, since, similarity = hop.new, removal.oid, min(similarity, hop.similarity)
        return None

    def _moves_in(self, commit: UpstreamCommit) -> dict[bytes, Move]:
        """What one commit moved, by old path."""
        if commit.oid not in self._moves:
            removed, added = _removed_and_added(self.history, commit.oid, commit.parents[0])
            blobs = self.history.read(compared_contents(removed, added))
            self._moves[commit.oid] = {move.old: move for move in find_moves(removed, added, blobs)}
        return self._moves[commit.oid]


def _removed_and_added(history: History, commit: Oid, parent: Oid) -> tuple[Tree, Tree]:
    rows = history.git.exact("diff-tree", "-r", "-z", "--no-renames", str(parent), str(commit)).stdout.split(b"\0")
    removed: dict[bytes, Entry] = {}
    added: dict[bytes, Entry] = {}
    for facts, path in zip(rows[::2], rows[1::2], strict=False):
        old_mode, new_mode, old, new, status = facts.removeprefix(b":").decode().split(" ")
        if status == "D":
            removed[path] = Entry(canonical_mode(int(old_mode, 8)), Oid.parse(old))
        elif status == "A":
            added[path] = Entry(canonical_mode(int(new_mode, 8)), Oid.parse(new))
    return Tree(removed), Tree(added)
