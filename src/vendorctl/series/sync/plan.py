# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""sync: makes disk agree with VENDOR.yaml, or changes nothing.

Everything is computed in memory first (`plan_sync`), then shown, or written in one transaction (`write_sync`). A file
is replaced only when it is what the tool itself wrote: edits that no patch records stop the command.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.model import Finding
from vendorctl.series.bump import BumpPlan
from vendorctl.series.carry import Carry
from vendorctl.series.recording import locked_series
from vendorctl.series.stack import Applied, apply_series
from vendorctl.series.store import load_series
from vendorctl.series.sync.ondisk import OnDisk, look, require_folders
from vendorctl.series.workspace import Dresser, Standing, missing_content, stand
from vendorctl.upstream.abreast import abreast
from vendorctl.upstream.source import Source
from vendorctl.vendor.contents import ChainedBlobs
from vendorctl.vendor.disk import scan
from vendorctl.vendor.edits import Edit
from vendorctl.vendor.obtain import Obtained, Surveyor, obtain
from vendorctl.vendor.placed import Placed, load_placed
from vendorctl.vendor.select import on_disk
from vendorctl.workspace.lock import Lock, LockedUpstream
from vendorctl.workspace.manifest import Manifest, Upstream
from vendorctl.workspace.root import vendored_dir

#: Opens the source of an upstream; called only when the workspace lacks something.
Opener: TypeAlias = Callable[[Upstream], Source]

#: Says what a bump does to licences, from one locked state to the next; the licences layer has the real one.
LicenceWatch: TypeAlias = Callable[[LockedUpstream, LockedUpstream], Sequence[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What sync needs from the layers above and from outside. Several threads call it, each for its own upstream.

    `gate` is called with each upstream whose series was carried over, before anything is written; it raises
    VendorError to refuse the bump.
    """

    opener: Opener
    surveyor: Surveyor
    dresser: Dresser
    carry: Carry
    gate: Callable[[UpstreamPlan], None] = lambda _plan: None
    licences: LicenceWatch = lambda _before, _after: ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PinMove:
    """A pin that moved under a series: the chain at the old pin, the new pristine tree, and all their contents."""

    upstream: Upstream
    before: LockedUpstream
    after: LockedUpstream
    chain: Applied
    pristine: Tree
    blobs: Blobs


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamPlan:
    """What sync will make of one upstream.

    `disk` is what is there now, with the edits that must not be touched; `placed` is what the tool put there last.
    `bump` says what became of each patch when the pin moved, and `chain_before` is the chain at the old one.
    `unmatched` are globs that match nothing, in a plan that is not strict.
    """

    standing: Standing
    before: LockedUpstream | None
    disk: OnDisk
    placed: Placed
    fetched: bool
    bump: BumpPlan | None = None
    chain_before: Applied | None = None
    unmatched: tuple[str, ...] = ()

    @property
    def upstream(self) -> Upstream:
        """The upstream as the new VENDOR.yaml has it."""
        return self.standing.upstream

    @property
    def pristine_wanted(self) -> Tree:
        """U as it belongs on disk."""
        return on_disk(self.standing.applied.trees[0])

    @property
    def output_wanted(self) -> Tree:
        """P with change notices, as it belongs on disk."""
        return on_disk(self.standing.output)


@dataclass(frozen=True, slots=True, kw_only=True)
class Halted:
    """An upstream whose series met a conflict; nothing of it is written. `unmatched`: as in `UpstreamPlan`."""

    move: PinMove
    plan: BumpPlan
    unmatched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncPlan:
    """What sync will do.

    `manifest_text` is VENDOR.yaml as it will stand (None: as it is), `lock` VENDOR.lock as it will stand; `gone` are
    upstreams that VENDOR.yaml dropped.
    """

    manifest: Manifest
    manifest_text: str | None
    before: Lock
    lock: Lock
    upstreams: tuple[UpstreamPlan, ...]
    halted: tuple[Halted, ...]
    gone: tuple[LockedUpstream, ...]
    findings: tuple[Finding, ...]

    @property
    def changes(self) -> bool:
        """Whether anything on disk would change."""
        trees = any(
            plan.disk.pristine != plan.pristine_wanted or plan.disk.output != plan.output_wanted
            for plan in self.upstreams
        )
        return trees or bool(self.gone) or self.manifest_text is not None or self.lock != self.before

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All edits that stand in the way."""
        return tuple(edit for plan in self.upstreams for edit in plan.disk.edits)


def plan_sync(
    root: Path,
    manifest: Manifest,
    lock: Lock | None,
    names: Sequence[str],
    tools: Tools,
    *,
    edited: bool = False,
    strict: bool = True,
) -> SyncPlan:
    """Compute what disk and lock must become for the named upstreams (all of them when none is named).

    `edited` says that `manifest` is not what VENDOR.yaml says yet (a pin that this command moves) but is to be written.
    Unless `strict`, globs that match nothing any more are no error: such a plan tells where files went, and must not be
    written.
    Reads disk, and the cache or the network only for what the workspace lacks. Raises VendorError when an upstream
    cannot be had, or a series does not apply at its pin.
    """
    before = lock or Lock(upstreams={})
    plans: list[UpstreamPlan] = []
    halted: list[Halted] = []
    findings: list[Finding] = []

    def planned_for(name: str) -> tuple[UpstreamPlan | Halted, tuple[Finding, ...]]:
        return _plan_upstream(root, manifest.upstreams[name], before.upstreams.get(name), tools, strict=strict)

    for planned, found in abreast(planned_for, list(names or sorted(manifest.upstreams))):
        findings += found
        if isinstance(planned, Halted):
            halted.append(planned)
        else:
            plans.append(planned)
    gone = () if names else tuple(value for name, value in before.upstreams.items() if name not in manifest.upstreams)
    kept = {name: value for name, value in before.upstreams.items() if value not in gone}
    kept |= {plan.upstream.name: plan.standing.locked for plan in plans}
    return SyncPlan(
        manifest=manifest,
        manifest_text=manifest.text if edited else None,
        before=before,
        lock=Lock(upstreams=dict(sorted(kept.items()))),
        upstreams=tuple(plans),
        halted=tuple(halted),
        gone=gone,
        findings=tuple(findings),
    )


def _plan_upstream(
    root: Path, upstream: Upstream, before: LockedUpstream | None, tools: Tools, *, strict: bool
) -> tuple[UpstreamPlan | Halted, tuple[Finding, ...]]:
    require_folders(root, upstream)
    folder = root / vendored_dir(upstream.name)
    pristine_now = scan(folder)
    obtained = obtain(upstream, before, pristine_now.tree, folder, tools.opener, tools.surveyor, strict=strict)
    chain, bump, chain_before = _chain(root, upstream, before, obtained, tools.carry)
    if isinstance(chain, PinMove):
        assert bump is not None
        return Halted(move=chain, plan=bump, unmatched=obtained.unmatched), obtained.findings
    locked = replace(obtained.locked, series=locked_series(chain))
    contents = ChainedBlobs(obtained.blobs, bump.blobs) if bump is not None else obtained.blobs
    standing = stand(root, upstream, locked, chain, tools.dresser, contents)
    placed = load_placed(root, upstream.name)
    earlier = None
    if before is not None and chain_before is not None:
        earlier = stand(root, upstream, before, chain_before, tools.dresser, obtained.blobs)
    plan = UpstreamPlan(
        standing=standing,
        before=before,
        placed=placed,
        disk=look(standing, pristine_now, placed, earlier),
        fetched=obtained.fetched,
        bump=bump,
        chain_before=chain_before,
        unmatched=obtained.unmatched,
    )
    moved = tools.licences(before, locked) if before is not None and before.commit != locked.commit else ()
    return plan, (*obtained.findings, *plan.disk.findings, *moved)


def _chain(
    root: Path, upstream: Upstream, before: LockedUpstream | None, obtained: Obtained, carry: Carry
) -> tuple[Applied | PinMove, BumpPlan | None, Applied | None]:
    """The series over the obtained pristine tree: as it is, or carried over from the locked one.

    A PinMove in place of the chain stands for a conflict, which the plan beside it describes. The third value is the
    chain at the old pin, where there is one.
    """
    series = load_series(root, upstream.name)
    pristine = obtained.locked.tree
    try:
        if before is None or before.tree == pristine:
            return apply_series(pristine, series, obtained.blobs), None, None
        chain = apply_series(before.tree, series, obtained.blobs)
    except KeyError as error:
        raise missing_content(upstream.name) from error
    move = PinMove(
        upstream=upstream,
        before=before,
        after=obtained.locked,
        chain=chain,
        pristine=pristine,
        blobs=obtained.blobs,
    )
    bump = carry(upstream, before, obtained.locked, chain, pristine, obtained.blobs)
    return (bump.applied if bump.applied is not None else move), bump, chain
