# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reworking a series in memory: dropping, moving and refreshing a patch, and folding edits into one.

Later patches are carried over (`vendorctl.series.relay`).
"""

from __future__ import annotations

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.series.bump import BumpRequest, Link, Stuck, links_of, plan_bump
from vendorctl.series.content import ContentMerger
from vendorctl.series.refresh import refresh_patch
from vendorctl.series.relay import UNDECIDED, Choices, explain_rework_conflict, find_link, relay
from vendorctl.series.stack import Applied
from vendorctl.vendor.contents import ChainedBlobs


def drop_patch(
    number: int, chain: Applied, blobs: Blobs, merger: ContentMerger, choices: Choices = UNDECIDED
) -> Applied:
    """The series without one patch. Raises StuckError (exit code 5) when a later patch needs it."""
    dropped = find_link(chain, number)
    links = [link for link in links_of(chain) if link.patch is not dropped.patch]
    return relay(chain, links, [link.patch.number for link in links], blobs, merger, choices).applied


def move_patch(
    number: int, target: int, chain: Applied, blobs: Blobs, merger: ContentMerger, choices: Choices = UNDECIDED
) -> Applied:
    """The series with one patch moved to the place of patch `target`; those between move over by one.

    The numbers in use stay the same. Raises StuckError (exit code 5) when two patches cannot change places, and
    VendorError when they can, but give another tree and nobody decided anything.
    """
    moved, place = find_link(chain, number), find_link(chain, target)
    links = list(links_of(chain))
    numbers = [link.patch.number for link in links]
    at = links.index(place)
    links.remove(moved)
    links.insert(at, moved)
    result = relay(chain, links, numbers, blobs, merger, choices)
    if result.applied.patched != chain.patched and not result.decided:
        raise VendorError(
            f"in that order the series gives another tree; patch {number:04d} depends on its place",
            code=ExitCode.CONFLICT,
        )
    return result.applied


def refresh_with(
    chain: Applied, number: int, tree: Tree, blobs: Blobs, merger: ContentMerger, choices: Choices = UNDECIDED
) -> Applied:
    """The series with patch `number` leading to `tree`; later patches are carried over.

    `blobs` reads `tree` as well. Raises VendorError when nothing would be left of the patch, and StuckError (exit code
    5) when a later one does not fit any more.
    """
    refreshed = find_link(chain, number)
    if tree == refreshed.before:
        hint = f"`vendorctl patch drop {chain.series.upstream} {number}` removes the patch"
        raise VendorError("nothing is left of the patch", hint=hint, code=ExitCode.USAGE)
    patch = refreshed.patch
    if tree != refreshed.after:
        patch = refresh_patch(patch, refreshed.before, tree, blobs)
    links = [Link(patch, link.before, tree) if link.patch is refreshed.patch else link for link in links_of(chain)]
    numbers = [link.patch.number for link in links]
    return relay(chain, links, numbers, blobs, merger, choices, extra=(tree,)).applied


def fold_edits(
    chain: Applied, number: int, edited: Tree, blobs: Blobs, merger: ContentMerger, choices: Choices = UNDECIDED
) -> Applied:
    """The series with edits of the patched tree, given as the `edited` tree, made part of patch `number`.

    Raises VendorError (exit code 5) when the edits touch what a later patch made, so that they belong there.
    """
    target = find_link(chain, number)
    last = chain.series.patches[-1].number
    if number == last:
        return refresh_with(chain, number, edited, blobs, merger, choices)
    edit = Link(target.patch, chain.patched, edited)
    request = BumpRequest(old=chain, new=target.after, blobs=blobs, moves=(), links=(edit,))
    plan = plan_bump(request, merger)
    if plan.applied is None or plan.stuck is not None:
        raise _stopped(plan.stuck, f"the edits do not fit at patch {number:04d}; fold them into a later one")
    result = refresh_with(chain, number, plan.applied.patched, ChainedBlobs(plan.blobs, blobs), merger, choices)
    if result.patched != edited:
        raise VendorError(f"with the edits in patch {number:04d} the series gives another tree", code=ExitCode.CONFLICT)
    return result


def _stopped(stuck: Stuck | None, what: str) -> VendorError:
    if stuck is None:
        return VendorError(what, code=ExitCode.CONFLICT)
    causes = "; ".join(explain_rework_conflict(conflict) for conflict in stuck.conflicts)
    return VendorError(
        f"{what}: {stuck.patch.file_name}: {causes}",
        hint="nothing was changed; rework that patch first",
        code=ExitCode.CONFLICT,
    )
