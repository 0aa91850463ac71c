# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Carrying a series over its own pristine tree: what every rework comes to.

It is a bump onto the same tree with other links; what needs no change keeps its bytes. A patch that does not fit any
more stops it (`StuckError`): nothing is half done, and it can be planned again with `Choices`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.series.bump import BumpRequest, Link, OutcomeKind, Stuck, links_of, plan_bump
from vendorctl.series.conflict import explain_conflict
from vendorctl.series.content import ContentMerger, Labels
from vendorctl.series.merge import Conflict, Settled
from vendorctl.series.resolutions import Resolution, Resolutions
from vendorctl.series.stack import Applied, Series
from vendorctl.vendor.contents import ChainedBlobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What people decided about conflicts of a rework: `decisions` made now, and those recorded below `root`.

    `skip` holds numbers of patches to leave out.
    """

    root: Path | None = None
    decisions: Mapping[str, Resolution] = field(default_factory=dict)
    skip: frozenset[int] = frozenset()

    def settle(self, conflict: Conflict, merger: ContentMerger) -> Settled | None:
        """The decision about one conflict; None where there is none."""
        return None if self.root is None else Resolutions(self.root, merger, self.decisions).settle(conflict)


#: Nobody was asked.
UNDECIDED = Choices()


class StuckError(VendorError):
    """A patch conflicts with the rework: `stuck` says where, `blobs` read the sides."""

    def __init__(self, stuck: Stuck, blobs: Blobs) -> None:
        causes = "; ".join(explain_rework_conflict(conflict) for conflict in stuck.conflicts)
        super().__init__(
            f"a later patch does not fit any more: {stuck.patch.file_name}: {causes}",
            hint="nothing was changed; without --dry-run, the files in conflict are laid out to be edited",
            code=ExitCode.CONFLICT,
        )
        self.stuck = stuck
        self.blobs = blobs


def explain_rework_conflict(conflict: Conflict) -> str:
    """One conflict in a few words, where it is the rework that stands in upstream's place."""
    return explain_conflict(conflict).replace("upstream", "the rework")


def find_link(chain: Applied, number: int) -> Link:
    """The link of one patch. Raises VendorError (exit code 2) when the series has none of that number."""
    return links_of(chain)[chain.series.index(number)]


@dataclass(frozen=True, slots=True)
class Relaid:
    """A chain that was carried over, and whether people's decisions had a part in it."""

    applied: Applied
    decided: bool


def relay(
    chain: Applied,
    links: Sequence[Link],
    numbers: Sequence[int],
    blobs: Blobs,
    merger: ContentMerger,
    choices: Choices,
    extra: Iterable[Tree] = (),
) -> Relaid:
    """Carry `links` over the same pristine tree and give the results `numbers`.

    `extra` are trees that the links lead through and the chain does not have; `blobs` reads them too. Raises StuckError
    (exit code 5) at a conflict that nobody decided, and VendorError when nothing would be left of a patch.
    """
    contents = ChainedBlobs(chain.blobs, blobs)
    made = {
        entry.oid: contents[entry.oid]
        for tree in extra
        for _, entry in chain.trees[0].difference(tree).values()
        if entry is not None and entry.mode.is_blob
    }
    # No links at all is a series without patches; the request's own default would be the old ones.
    if not links:
        return Relaid(Applied(Series(chain.series.upstream, ()), (chain.trees[0],), {}), decided=False)
    old = Applied(chain.series, chain.trees, {**chain.blobs, **made})
    request = BumpRequest(
        old=old,
        new=chain.trees[0],
        blobs=blobs,
        moves=(),
        links=tuple(links),
        labels=lambda patch: Labels(f"before {patch.file_name}", "the series as it becomes", patch.file_name),
        resolve=lambda _patch, conflict: choices.settle(conflict, merger),
        skip=choices.skip,
    )
    plan = plan_bump(request, merger)
    if plan.stuck is not None:
        raise StuckError(plan.stuck, plan.blobs)
    assert plan.applied is not None
    left_out = plan.of_kind(OutcomeKind.SKIPPED)
    empty = [outcome.patch for outcome in plan.outcomes if outcome.new is None and outcome not in left_out]
    if empty:
        raise VendorError(
            f"nothing would be left of {empty[0].file_name}",
            hint=f"drop it first: `vendorctl patch drop {chain.series.upstream} {empty[0].number}`",
            code=ExitCode.CONFLICT,
        )
    patches = tuple(
        replace(outcome.new, number=number)
        for outcome, number in zip(plan.outcomes, numbers, strict=True)
        if outcome.new is not None
    )
    applied = replace(plan.applied, series=Series(chain.series.upstream, patches))
    return Relaid(applied, decided=bool(left_out) or any(outcome.reused for outcome in plan.outcomes))
