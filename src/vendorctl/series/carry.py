# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Carries a series over with what lies outside the two pristine trees: upstream's history and people's decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Tree
from vendorctl.series.bump import BumpPlan, BumpRequest, plan_bump
from vendorctl.series.content import ContentMerger, Labels
from vendorctl.series.evidence import Evidence
from vendorctl.series.history import History
from vendorctl.series.moves import Move, find_moves
from vendorctl.series.patch import Patch
from vendorctl.series.resolutions import Resolution, Resolutions
from vendorctl.series.stack import Applied
from vendorctl.series.trace import trace_moves
from vendorctl.upstream.source import Source
from vendorctl.workspace.lock import LockedUpstream
from vendorctl.workspace.manifest import Upstream


@dataclass
class Carry:
    """Plans bumps for `sync`: call it with what the pin was and becomes.

    `opener` gives an upstream's cached source; it is asked only when a patched file went away, and for evidence.
    `skip` holds, per upstream, numbers of patches to leave out; `decisions` are resolutions not on disk yet. With
    `follow_all` every vendored file that went away is looked for, not only those that patches change.
    """

    root: Path
    opener: Callable[[Upstream], Source]
    merger: ContentMerger
    skip: Mapping[str, frozenset[int]] = field(default_factory=dict)
    decisions: Mapping[str, Resolution] = field(default_factory=dict)
    follow_all: bool = False

    def __call__(
        self,
        upstream: Upstream,
        before: LockedUpstream,
        after: LockedUpstream,
        chain: Applied,
        pristine: Tree,
        blobs: Blobs,
    ) -> BumpPlan:
        """The plan for moving `chain` onto `pristine`, the selected tree of `after`; `blobs` reads both trees."""
        resolutions = Resolutions(self.root, self.merger, self.decisions)
        request = BumpRequest(
            old=chain,
            new=pristine,
            blobs=blobs,
            moves=self._moves(upstream, before.commit, after.commit, chain, pristine, blobs),
            labels=lambda patch: side_labels(before.commit, after.commit, patch),
            resolve=lambda _patch, conflict: resolutions.settle(conflict),
            skip=self.skip.get(upstream.name, frozenset()),
        )
        return plan_bump(request, self.merger)

    def evidence(self, upstream: Upstream, old: Oid, new: Oid, chain: Applied, plan: BumpPlan) -> Evidence | None:
        """What can answer which commit did what; None when upstream's history is not to be had."""
        history = open_history(self.opener(upstream), old, new)
        return None if history is None else Evidence(history, chain, plan.moves, self.merger)

    def _moves(
        self, upstream: Upstream, old: Oid, new: Oid, chain: Applied, pristine: Tree, blobs: Blobs
    ) -> tuple[Move, ...]:
        found = find_moves(chain.trees[0], pristine, blobs)
        known = {move.old for move in found}
        wanted = chain.trees[0] if self.follow_all else touched_paths(chain)
        lost = [path for path in wanted if path not in pristine and path not in known]
        if not lost:
            return found
        history = open_history(self.opener(upstream), old, new)
        traced = () if history is None else trace_either_way(self.opener(upstream), history, lost, pristine)
        taken = {move.new for move in found}
        return tuple(sorted([*found, *(move for move in traced if move.new not in taken)]))


def side_labels(old: Oid, new: Oid, patch: Patch) -> Labels:
    """What conflict markers call the sides, by commit and patch."""
    return Labels(
        base=f"{old.short} before {patch.file_name}", ours=f"upstream {new.short}", theirs=f"{patch.file_name}"
    )


def touched_paths(chain: Applied) -> list[bytes]:
    """The pristine paths that some patch of the series changes, sorted."""
    pristine = chain.trees[0]
    return sorted(path for path in pristine.difference(chain.patched) if path in pristine)


def open_history(source: Source, old: Oid, new: Oid) -> History | None:
    """The history between two commits, downloaded when needed (commits and folders only); None when unreachable."""
    try:
        complete = source.fetch_history([old, new])
    except VendorError as error:
        if error.code is ExitCode.UNREACHABLE:
            return None
        raise
    if not {old, new} <= complete:
        return None

    def read(oids: Iterable[Oid]) -> Blobs:
        return source.blobs(oids, str)

    return History(source.git, read, old, new)


def trace_either_way(source: Source, history: History, lost: list[bytes], pristine: Tree) -> tuple[Move, ...]:
    """Where lost files went, also when the pin moves back: then what came is traced forward, and turned round."""
    try:
        if history.is_forward:
            return trace_moves(history, lost, source.tree(history.new))
        back = History(history.git, history.read, history.new, history.old)
        if not back.is_forward:
            return ()
        whole = source.tree(history.old)
        came = [path for path in pristine if path not in whole]
        forward = trace_moves(back, came, whole)
    except (VendorError, KeyError):
        # Contents that cannot be had leave a move unknown; the patch is then shown as a conflict.
        return ()
    return tuple(Move(move.new, move.old, move.similarity) for move in forward if move.new in lost)
