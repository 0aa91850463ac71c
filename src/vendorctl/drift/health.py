# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""How each patch would fare in a bump, and which upstream commit is the reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.series.bump import BumpRequest, Outcome, OutcomeKind, plan_bump
from vendorctl.series.content import ContentMerger
from vendorctl.series.evidence import Evidence
from vendorctl.series.history import History, UpstreamCommit
from vendorctl.series.moves import Move
from vendorctl.series.patch import Patch
from vendorctl.series.stack import Applied


class PatchHealth(StrEnum):
    """What a bump to the other end of the history would mean for a patch."""

    CLEAN = "clean"
    MOVED = "moved"
    PARTLY_LANDED = "partly-upstream"
    LANDED = "already-upstream"
    CONFLICT = "conflict"


_HEALTH = {
    OutcomeKind.UNCHANGED: PatchHealth.CLEAN,
    OutcomeKind.REFRESHED: PatchHealth.MOVED,
    OutcomeKind.PARTLY_MERGED: PatchHealth.PARTLY_LANDED,
    OutcomeKind.MERGED_UPSTREAM: PatchHealth.LANDED,
    OutcomeKind.SKIPPED: PatchHealth.LANDED,
    OutcomeKind.CONFLICT: PatchHealth.CONFLICT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prognosis:
    """One patch with its health, and the upstream commit that took it or first breaks it, where that was found."""

    patch: Patch
    health: PatchHealth
    commit: UpstreamCommit | None
    outcome: Outcome


def examine_series(
    chain: Applied,
    new: Tree,
    blobs: Blobs,
    moves: tuple[Move, ...],
    history: History | None,
    merger: ContentMerger,
) -> tuple[Prognosis, ...]:
    """The prognosis of every patch of `chain` for the pristine tree `new`, each on its own feet.

    Commits are named where `history` is given and knows them.
    """
    request = BumpRequest(old=chain, new=new, blobs=blobs, moves=moves, halt=False)
    plan = plan_bump(request, merger)
    evidence = None if history is None else Evidence(history, chain, moves, merger)
    return tuple(
        Prognosis(
            patch=outcome.patch,
            health=_HEALTH[outcome.kind],
            commit=_reason(position, outcome, evidence),
            outcome=outcome,
        )
        for position, outcome in enumerate(plan.outcomes, start=1)
    )


def _reason(position: int, outcome: Outcome, evidence: Evidence | None) -> UpstreamCommit | None:
    if evidence is None:
        return None
    match outcome.kind:
        case OutcomeKind.MERGED_UPSTREAM:
            return evidence.landed_in(position)
        case OutcomeKind.CONFLICT:
            return evidence.broken_by(position)
        case _:
            return None
