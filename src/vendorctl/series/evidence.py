# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which upstream commit took a patch, broke it, or moved and deleted its files: found by merging in memory.

A question about one patch needs only the files that the patch touches. Each probe reads those files at one commit,
brings the patches before it along, and merges; bisection keeps the number of probes logarithmic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Tree
from vendorctl.series.bump import Stuck, declared_moves
from vendorctl.series.content import ContentMerger
from vendorctl.series.history import History, UpstreamCommit
from vendorctl.series.landed import settle_reformatted
from vendorctl.series.merge import Conflict, Merged, Settled, merge_trees
from vendorctl.series.moves import Move, as_mapping, find_moves
from vendorctl.series.stack import Applied
from vendorctl.vendor.contents import ChainedBlobs


@dataclass
class Evidence:
    """Answers questions about one series and the stretch of upstream history that a bump crosses.

    Every answer is None where it cannot be had: history or contents that are not in the cache while offline, or an
    effect that no single commit has.
    """

    history: History
    old: Applied
    moves: tuple[Move, ...]
    merger: ContentMerger
    _probes: dict[tuple[Oid, int], tuple[Tree, Merged]] = field(default_factory=dict)

    def landed_in(self, position: int) -> UpstreamCommit | None:
        """The commit with which upstream has all of patch `position` (from 1)."""

        def has_landed(commit: Oid) -> bool:
            before, merged = self._probe(commit, position)
            return not merged.conflicts and merged.tree == before

        return self._first(position, has_landed)

    def broken_by(self, position: int) -> UpstreamCommit | None:
        """The first commit onto which patch `position` (from 1) cannot be carried."""
        return self._first(position, lambda commit: bool(self._probe(commit, position)[1].conflicts))

    def reason(self, stuck: Stuck) -> UpstreamCommit | None:
        """The commit behind a conflict: the first that the patch cannot follow, or that took its file away."""
        found = self.broken_by(stuck.position)
        gone = [side.path for conflict in stuck.conflicts if conflict.ours is None and (side := conflict.base)]
        return found or next(filter(None, map(self.removed_by, gone)), None)

    def removed_by(self, path: bytes) -> UpstreamCommit | None:
        """The commit with which `path` went away."""
        return self._ask([path], lambda commit: path not in self.history.state(commit, [path]))

    def touching(self, position: int) -> tuple[UpstreamCommit, ...]:
        """Every commit that changed a file of patch `position`; none where history is not to be had."""
        try:
            return self.history.touching(self._paths(position))
        except VendorError:
            return ()

    def _first(self, position: int, done: Callable[[Oid], bool]) -> UpstreamCommit | None:
        return self._ask(sorted(self._paths(position)), done)

    def _ask(self, paths: list[bytes], done: Callable[[Oid], bool]) -> UpstreamCommit | None:
        try:
            # Going back, the commits to look at are undone, not made: no commit *makes* the state we see.
            return self.history.first(paths, done) if self.history.is_forward else None
        except KeyError:
            return None
        except VendorError as error:
            if error.code in (ExitCode.UNREACHABLE, ExitCode.INTERNAL):
                return None
            raise

    def _paths(self, position: int) -> set[bytes]:
        """What patch `position` touches, under every name: before and after renames of the series and of upstream."""
        before, after = self.old.trees[position - 1], self.old.trees[position]
        paths = set(before.difference(after))
        for patch in reversed(self.old.series.patches[: position - 1]):
            renamed = declared_moves(patch)
            paths |= {old for old, new in renamed.items() if new in paths}
        return paths | {move.new for move in self.moves if move.old in paths}

    def _probe(self, commit: Oid, position: int) -> tuple[Tree, Merged]:
        """Upstream at `commit` with the patches before `position` on it, and the merge of that patch onto it."""
        key = (commit, position)
        if key not in self._probes:
            self._probes[key] = self._merge_at(commit, position)
        return self._probes[key]

    def _merge_at(self, commit: Oid, position: int) -> tuple[Tree, Merged]:
        paths = self._paths(position)
        state = self.history.state(commit, paths)
        pristine, before, after = (_limited(self.old.trees[index], paths) for index in (0, position - 1, position))
        fetched = self.history.read([entry.oid for tree in (state, pristine) for entry in tree.values()])
        blobs = ChainedBlobs(self.old.blobs, fetched)
        moves = as_mapping(find_moves(pristine, state, blobs))
        carried = merge_trees(
            pristine, state, before, blobs, merger=self.merger, our_moves=moves, settle=_prefer_upstream
        )
        layered = ChainedBlobs(carried.blobs, blobs)
        merged = merge_trees(
            before,
            carried.tree,
            after,
            layered,
            merger=self.merger,
            our_moves=moves,
            their_moves=declared_moves(self.old.series.patches[position - 1]),
            settle=lambda conflict: settle_reformatted(conflict, layered, self.merger),
        )
        return carried.tree, merged


def _limited(tree: Tree, paths: set[bytes]) -> Tree:
    return Tree({path: tree[path] for path in paths if path in tree})


def _prefer_upstream(conflict: Conflict) -> Settled:
    """An earlier patch that does not fit there is another patch's question."""
    return Settled(conflict.ours.entry if conflict.ours is not None else None)
