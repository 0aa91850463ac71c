# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Moving the pin: each patch's change is carried over to the new pristine tree, or it is said why it cannot be.

Everything happens in memory. With P_0 = U, P_1 ... the chain at the old pin and P'_0 = U' the new pristine tree,
patch k gives P'_k as the three-way merge of P_{k-1}, P'_{k-1} and P_k. What upstream already has changes nothing in
that merge, which is how a landed patch is recognised: by content, whatever its message says.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Entry, Tree
from vendorctl.series.apply import apply_patch
from vendorctl.series.content import ContentMerger, Labels
from vendorctl.series.landed import settle_reformatted
from vendorctl.series.lines import split_lines
from vendorctl.series.merge import Conflict, Merged, Settle, Settled, merge_trees
from vendorctl.series.moves import Move, as_mapping, find_moves
from vendorctl.series.patch import ChangeKind, Patch
from vendorctl.series.refresh import Draft, refresh_patches
from vendorctl.series.stack import Applied, Series
from vendorctl.vendor.contents import ChainedBlobs


class OutcomeKind(StrEnum):
    """What a bump does to one patch."""

    UNCHANGED = "unchanged"
    REFRESHED = "refreshed"
    PARTLY_MERGED = "partly-merged"
    MERGED_UPSTREAM = "merged-upstream"
    SKIPPED = "skipped"
    CONFLICT = "conflict"

    @property
    def keeps(self) -> bool:
        """Whether the patch stays in the series."""
        return self in (OutcomeKind.UNCHANGED, OutcomeKind.REFRESHED, OutcomeKind.PARTLY_MERGED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One patch after a bump. `new` is None when it leaves the series or is in conflict.

    `landed` are paths where upstream already has what the patch does, wholly or in part; `by` says how that was seen
    where the bytes differ; `reused` are paths decided by a recorded resolution.
    """

    patch: Patch
    kind: OutcomeKind
    new: Patch | None
    landed: tuple[bytes, ...] = ()
    by: tuple[str, ...] = ()
    reused: tuple[bytes, ...] = ()

    @property
    def new_raw(self) -> bytes | None:
        """The exact bytes of the patch file at the new pin; None when there is none."""
        return self.new.raw if self.new is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stuck:
    """Where a bump stopped: patch `position` (from 1) in conflict, the tree before it, and what merged cleanly."""

    position: int
    patch: Patch
    conflicts: tuple[Conflict, ...]
    before: Tree
    merged: Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class BumpPlan:
    """What a bump would do. `applied` is the new chain, None when a conflict stopped it.

    `outcomes` has one entry per patch up to the end or the conflict. `blobs` reads every content of old and new trees.
    """

    outcomes: tuple[Outcome, ...]
    applied: Applied | None
    stuck: Stuck | None
    moves: tuple[Move, ...]
    blobs: Blobs

    def of_kind(self, *kinds: OutcomeKind) -> tuple[Outcome, ...]:
        """The outcomes of these kinds, in series order."""
        return tuple(outcome for outcome in self.outcomes if outcome.kind in kinds)

    @property
    def landed(self) -> tuple[Outcome, ...]:
        """Patches that upstream has taken whole: dropping them needs consent."""
        return self.of_kind(OutcomeKind.MERGED_UPSTREAM)


@dataclass(frozen=True, slots=True)
class Link:
    """One patch as it stands in a chain: the trees before and after it."""

    patch: Patch
    before: Tree
    after: Tree


def links_of(applied: Applied) -> tuple[Link, ...]:
    """The links of a chain, in order."""
    return tuple(map(Link, applied.series.patches, applied.trees, applied.trees[1:]))


#: Recognised by the recorded resolution of an earlier, equal conflict.
BY_RESOLUTION = "a recorded resolution"


@dataclass(frozen=True, slots=True, kw_only=True)
class BumpRequest:
    """A series to carry over. `old` is the chain at the old pin, `new` the new pristine tree, `blobs` read both.

    `moves` are upstream's; when None they are looked for in the two pristine trees. `labels` names the sides of a
    patch's conflict. `resolve` offers recorded decisions. `skip` holds numbers of patches to leave out.
    With `halt` off, the plan goes on after a conflict as if the patch's side had been chosen there: for reports, which
    then say of each later patch whether it has trouble of its own. `links` are the changes to carry over, when they are
    not those of `old` in its order.
    """

    old: Applied
    new: Tree
    blobs: Blobs
    moves: tuple[Move, ...] | None = None
    labels: Callable[[Patch], Labels] = field(default=lambda patch: Labels(theirs=patch.file_name))
    resolve: Callable[[Patch, Conflict], Settled | None] = field(default=lambda _patch, _conflict: None)
    skip: frozenset[int] = frozenset()
    halt: bool = True
    links: tuple[Link, ...] | None = None


def plan_bump(request: BumpRequest, merger: ContentMerger) -> BumpPlan:
    """Carry a series over to a new pristine tree.

    Deterministic: the same request gives the same plan. Raises KeyError when a content that a merge needs is missing.
    """
    bump = _Bump(request, merger)
    for position, link in enumerate(request.links or links_of(request.old), start=1):
        bump.carry(position, link)
        if bump.stuck is not None and request.halt:
            break
    return bump.plan()


class _Bump:
    """A bump under way: `tree` is P'_k so far."""

    def __init__(self, request: BumpRequest, merger: ContentMerger) -> None:
        self.request = request
        self.merger = merger
        self.made: dict[Oid, bytes] = {}
        self.blobs = ChainedBlobs(self.made, request.old.blobs, request.blobs)
        pristine = request.old.trees[0]
        found = find_moves(pristine, request.new, self.blobs) if request.moves is None else request.moves
        self.moves = found
        self.our_moves = as_mapping(found)
        self.tree = request.new
        self.trees = [request.new]
        self.outcomes: list[Outcome] = []
        self.drafts: dict[int, Draft] = {}
        self.stuck: Stuck | None = None

    def plan(self) -> BumpPlan:
        self._rewrite()
        applied = None
        if self.stuck is None:
            patches = tuple(outcome.new for outcome in self.outcomes if outcome.new is not None)
            applied = Applied(Series(self.request.old.series.upstream, patches), tuple(self.trees), self.made)
        return BumpPlan(
            outcomes=tuple(self.outcomes), applied=applied, stuck=self.stuck, moves=self.moves, blobs=self.blobs
        )

    def carry(self, position: int, link: Link) -> None:
        patch, before, after = link.patch, link.before, link.after
        if patch.number in self.request.skip:
            self.outcomes.append(Outcome(patch=patch, kind=OutcomeKind.SKIPPED, new=None))
            return
        changes = before.difference(after)
        # Where upstream moved folders, an added file may have to follow: only the merge can tell.
        if not self.our_moves and _fits(patch, before, self.tree, changes):
            try:
                tree = self.tree.replace({path: new for path, (_old, new) in changes.items()})
            except ValueError:
                pass  # A file stands in a folder's place; the merge says which.
            else:
                self._accept(Outcome(patch=patch, kind=OutcomeKind.UNCHANGED, new=patch), tree)
                return
        self._merge(position, patch, before, after)

    def _merge(self, position: int, patch: Patch, before: Tree, after: Tree) -> None:
        merged = merge_trees(
            before,
            self.tree,
            after,
            self.blobs,
            merger=self.merger,
            our_moves=self.our_moves,
            their_moves=declared_moves(patch),
            labels=self.request.labels(patch),
            settle=self._settler(patch),
        )
        if merged.conflicts:
            self.stuck = self.stuck or Stuck(
                position=position, patch=patch, conflicts=merged.conflicts, before=self.tree, merged=merged.tree
            )
            landed = tuple(sorted({*merged.landed, *merged.absorbed}))
            self.outcomes.append(Outcome(patch=patch, kind=OutcomeKind.CONFLICT, new=None, landed=landed))
            self.made.update(merged.blobs)
            self.tree = self._assumed(merged)
            return
        self.made.update(merged.blobs)
        self._accept(self._judge(patch, before, after, merged), merged.tree)

    def _assumed(self, merged: Merged) -> Tree:
        """The merge with the patch's side taken in every conflict, as far as the tree allows."""
        tree = merged.tree
        for conflict in merged.conflicts:
            entry = conflict.theirs.entry if conflict.theirs is not None else None
            if entry is not None and conflict.content is not None:
                content = conflict.content.choose(lambda region: region.theirs)
                entry = Entry(entry.mode, hash_blob(content))
                self.made[entry.oid] = content
            if entry is not None or conflict.path in tree:
                with contextlib.suppress(ValueError):  # where a folder has the file's name, nothing can be assumed
                    tree = tree.replace({conflict.path: entry})
        return tree

    def _settler(self, patch: Patch) -> Settle:
        def settle(conflict: Conflict) -> Settled | None:
            return self.request.resolve(patch, conflict) or settle_reformatted(conflict, self.blobs, self.merger)

        return settle

    def _judge(self, patch: Patch, before: Tree, after: Tree, merged: Merged) -> Outcome:
        by = tuple(sorted({settled.by for settled in merged.settled.values()} - {"", BY_RESOLUTION}))
        reused = tuple(path for path, settled in merged.settled.items() if settled.by == BY_RESOLUTION)
        shrunk = _shrunk(before, after, self.tree, merged.tree, self.blobs)
        landed = {*merged.landed, *merged.absorbed, *shrunk}
        landed |= {path for path, settled in merged.settled.items() if settled.by not in ("", BY_RESOLUTION)}
        facts = tuple(sorted(landed))
        changes = before.difference(after)
        if merged.tree == self.tree:
            # A person who resolved a conflict to upstream's state left the patch out; upstream need not have it.
            kind, new = OutcomeKind.SKIPPED if reused else OutcomeKind.MERGED_UPSTREAM, None
        elif self.tree.difference(merged.tree) == changes and _fits(patch, before, self.tree, changes):
            kind, new = OutcomeKind.UNCHANGED, patch
        else:
            kind, new = OutcomeKind.PARTLY_MERGED if landed else OutcomeKind.REFRESHED, patch
            self.drafts[len(self.outcomes)] = Draft(patch, self.tree, merged.tree)
        return Outcome(patch=patch, kind=kind, new=new, landed=facts, by=by, reused=reused)

    def _accept(self, outcome: Outcome, tree: Tree) -> None:
        if outcome.new is not None:
            made = (entry.oid for _, entry in self.tree.difference(tree).values() if entry is not None)
            known = self.request.old.blobs
            self.made.update({oid: known[oid] for oid in made if oid in known})
            self.trees.append(tree)
        self.tree = tree
        self.outcomes.append(outcome)

    def _rewrite(self) -> None:
        """Write the patches whose diffs changed, all at once, and prove that each gives what the merge gave."""
        written = refresh_patches(list(self.drafts.values()), self.blobs, runner=self.merger.runner)
        for (index, draft), patch in zip(self.drafts.items(), written, strict=True):
            result, _ = apply_patch(patch, draft.old, self.blobs)
            if result != draft.new:
                message = f"{patch.file_name} does not give the tree that the merge gave"
                raise VendorError(message, code=ExitCode.INTERNAL)
            outcome = self.outcomes[index]
            kind = OutcomeKind.UNCHANGED if patch.raw == draft.patch.raw else outcome.kind
            self.outcomes[index] = replace(outcome, new=patch, kind=kind)


def declared_moves(patch: Patch) -> dict[bytes, bytes]:
    """The renames that a patch states, old path to new."""
    return {
        change.old_path: change.path
        for change in patch.changes
        if change.kind is ChangeKind.RENAME and change.old_path is not None
    }


def _fits(patch: Patch, before: Tree, now: Tree, changes: Mapping[bytes, tuple[Entry | None, Entry | None]]) -> bool:
    """Whether `now` has, at every path that the patch reads, what the patch starts from: its file stays as it is."""
    copied = {change.old_path for change in patch.changes if change.kind is ChangeKind.COPY and change.old_path}
    return all(now.get(path) == before.get(path) for path in {*changes, *copied})


def _shrunk(before: Tree, after: Tree, ours: Tree, merged: Tree, blobs: Blobs) -> tuple[bytes, ...]:
    """Paths in which the patch now changes fewer lines, none of them other than before: the rest has landed."""
    was = _changed_lines(before, after, blobs)
    now = _changed_lines(ours, merged, blobs)
    return tuple(path for path, changed in now.items() if path in was and changed < was[path])


def _changed_lines(old: Tree, new: Tree, blobs: Blobs) -> dict[bytes, Counter[bytes]]:
    """Per path that both trees have: added lines with a plus and removed lines with a minus, counted."""
    found = {}
    for path, (before, after) in old.difference(new).items():
        if before is not None and after is not None and before.mode.is_regular and after.mode.is_regular:
            one, other = Counter(split_lines(blobs[before.oid])), Counter(split_lines(blobs[after.oid]))
            changed = Counter({b"-" + line: count for line, count in (one - other).items()})
            changed.update({b"+" + line: count for line, count in (other - one).items()})
            found[path] = changed
    return found
