# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where a submission lands: the upstream's branch at its tip, whole, and what is needed to carry patches there.

Unlike a bump, a submission is made against everything that upstream has, whatever the globs of VENDOR.yaml select.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.paths import display
from vendorctl.series.carry import open_history, touched_paths, trace_either_way
from vendorctl.series.history import History
from vendorctl.series.moves import Move, compared_contents, find_moves
from vendorctl.series.workspace import Standing
from vendorctl.upstream.refs import ResolvedRef
from vendorctl.upstream.source import Source
from vendorctl.vendor.contents import ChainedBlobs
from vendorctl.vendor.select import select


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """One upstream's series, and the tip that it is to be carried to.

    `tree` is the whole tree at the tip, `moves` lead to where patched files went since the pin, `history` is None when
    upstream's commits cannot be had. `blobs` reads the series' contents, and at the tip every file in a folder that
    the series changes.
    """

    standing: Standing
    source: Source
    tip: ResolvedRef
    tree: Tree
    history: History | None
    moves: tuple[Move, ...]
    blobs: Blobs

    @property
    def name(self) -> str:
        """The upstream's name."""
        return self.standing.upstream.name


def survey_ground(standing: Standing, source: Source, tip: ResolvedRef) -> Ground:
    """Fetch what carrying the series of `standing` to `tip` needs: commits, folders, and the contents nearby.

    Raises VendorError (exit code 4) when the tip or a content cannot be had.
    """
    source.fetch_commit(tip.commit)
    tree = source.tree(tip.commit)
    history = open_history(source, standing.locked.commit, tip.commit)
    moves = _moves(standing, source, history, tree)
    return Ground(
        standing=standing,
        source=source,
        tip=tip,
        tree=tree,
        history=history,
        moves=moves,
        blobs=ChainedBlobs(standing.blobs, _read(source, tree, _neighbours(standing, moves, tree))),
    )


def _moves(standing: Standing, source: Source, history: History | None, whole: Tree) -> tuple[Move, ...]:
    """Where patched files went: inside the selection by comparing, elsewhere by upstream's history."""
    pristine, upstream = standing.applied.trees[0], standing.upstream
    if all(path in whole for path in touched_paths(standing.applied)):
        return ()
    chosen = select(whole, upstream.include, upstream.exclude).tree
    needed = compared_contents(pristine, chosen)
    paths = [path for path, entry in chosen.items() if entry.oid in needed]
    found = find_moves(pristine, chosen, ChainedBlobs(standing.blobs, _read(source, chosen, paths)))
    known = {move.old for move in found}
    lost = [path for path in touched_paths(standing.applied) if path not in whole and path not in known]
    if not lost or history is None:
        return found
    taken = {move.new for move in found}
    traced = trace_either_way(source, history, lost, whole)
    return tuple(sorted([*found, *(move for move in traced if move.new not in taken)]))


def _neighbours(standing: Standing, moves: Iterable[Move], tree: Tree) -> list[bytes]:
    """Every file of the tip that shares a folder with a changed path, or with a folder above one.

    git wants these contents when it writes the folders of a commit; licence headers are compared with them.
    """
    touched = {path for before, after in pairwise(standing.applied.trees) for path in before.difference(after)}
    touched |= {move.new for move in moves if move.old in touched}
    folders = {b""}
    for path in touched:
        parts = path.split(b"/")[:-1]
        folders |= {b"/".join(parts[:count]) for count in range(1, len(parts) + 1)}
    return [path for path, entry in tree.items() if entry.mode.is_blob and path.rpartition(b"/")[0] in folders]


def _read(source: Source, tree: Tree, paths: Iterable[bytes]) -> Blobs:
    names = {tree[path].oid: display(path) for path in paths}
    return source.blobs(names, lambda oid: names.get(oid, str(oid)))
