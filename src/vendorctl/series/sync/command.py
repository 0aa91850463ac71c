# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The sync command from request to report: plan, ask for consent where something would be lost, write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.model import Report
from vendorctl.series.bump import OutcomeKind, Stuck
from vendorctl.series.evidence import Evidence
from vendorctl.series.history import UpstreamCommit
from vendorctl.series.pending import BUMPS, Pending, stage_stuck, summarize
from vendorctl.series.stopped import open_conflicts, series_digests
from vendorctl.series.sync.follow import plan_following
from vendorctl.series.sync.pins import move_pins
from vendorctl.series.sync.plan import Halted, SyncPlan, Tools
from vendorctl.series.sync.report import Landings, sync_report
from vendorctl.series.sync.write import unrecorded, write_sync
from vendorctl.series.workspace import chosen_upstreams
from vendorctl.workspace.lockfile import load_lock
from vendorctl.workspace.manifest import Manifest
from vendorctl.workspace.parse import load_manifest
from vendorctl.workspace.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncRequest:
    """What a user asked for. `pins` maps upstream names to the refs or commits to move to.

    `follow` consents to new paths in `include:` for vendored files that upstream moved elsewhere.
    """

    names: tuple[str, ...] = ()
    pins: Mapping[str, str] = field(default_factory=dict)
    dry_run: bool = False
    locked: bool = False
    discard: bool = False
    drop_merged: bool = False
    follow: bool = False


def run_sync(root: Path, request: SyncRequest, tools: Tools, transaction: Callable[[], Transaction]) -> Report:
    """Make disk agree with VENDOR.yaml, moving pins where asked.

    Raises VendorError: exit code 1 where edits, landed patches or a changed lock need a person's consent, 4 when an
    upstream cannot be had, 5 when patches conflict (the folder of each conflict is then written, nothing else).
    """
    manifest = load_manifest(root)
    names = check_names(manifest, (*request.names, *request.pins))
    for name in names or tuple(manifest.upstreams):
        BUMPS.refuse(root, name)
    moved = move_pins(manifest, request.pins, tools.opener)
    edited = moved is not manifest
    plan = plan_following(root, moved, load_lock(root), names, tools, edited=edited, follow=request.follow)
    if plan.halted:
        raise halt(root, plan, request, tools, transaction)
    return finish_sync(root, plan, request, tools, transaction)


def finish_sync(
    root: Path,
    plan: SyncPlan,
    request: SyncRequest,
    tools: Tools,
    transaction: Callable[[], Transaction],
    prepare: Callable[[Transaction], None] = lambda _tx: None,
) -> Report:
    """Ask for what still needs consent, then write the plan; `prepare` adds to the same transaction."""
    landings = find_landings(plan, tools)
    if request.dry_run:
        return sync_report(plan, dry_run=True, landings=landings)
    if not request.drop_merged:
        _refuse_landed(plan, landings)
    if plan.edits and not request.discard:
        raise unrecorded(plan.edits)
    if request.locked:
        _refuse_lock_change(plan)
    for upstream in plan.upstreams:
        if upstream.bump is not None:
            tools.gate(upstream)
    with transaction() as tx:
        prepare(tx)
        write_sync(plan, tx, discard=request.discard)
    return sync_report(plan, dry_run=False, landings=landings)


def check_names(manifest: Manifest, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, each once. Raises VendorError (exit code 2) for one that VENDOR.yaml does not have."""
    if names:
        chosen_upstreams(manifest, names)
    return tuple(dict.fromkeys(names))


def halt(
    root: Path,
    plan: SyncPlan,
    request: SyncRequest,
    tools: Tools,
    transaction: Callable[[], Transaction],
    earlier: Pending | None = None,
) -> VendorError:
    """Write a folder for each conflict of the plan (unless it is a dry run) and return the error that tells of all.

    `earlier` is the bump that goes on, when one does.
    """
    stops = [_stop(halted, request, tools, earlier) for halted in plan.halted]
    if not request.dry_run:
        with transaction() as tx:
            for stop in stops:
                stage_stuck(tx, stop.pending, stop.stuck, stop.blobs, stop.commits, stop.culprit)
            tx.commit()
    told = [summarize(stop.pending, stop.stuck, stop.culprit) for stop in stops]
    return VendorError("\n".join([*told, *_left_behind(plan, request)]), code=ExitCode.CONFLICT)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stop:
    """One conflict with all that its folder shows."""

    pending: Pending
    stuck: Stuck
    blobs: Blobs
    commits: tuple[UpstreamCommit, ...]
    culprit: UpstreamCommit | None


def _stop(halted: Halted, request: SyncRequest, tools: Tools, earlier: Pending | None) -> _Stop:
    move, stuck = halted.move, halted.plan.stuck
    assert stuck is not None
    pending = Pending(
        upstream=move.upstream.name,
        old=move.before.commit,
        new=move.after.commit,
        ref=move.upstream.ref,
        patch=stuck.patch.file_name,
        number=stuck.patch.number,
        series=series_digests(move.chain.series),
        skip=earlier.skip if earlier is not None else frozenset(),
        drop_merged=request.drop_merged,
        follow=request.follow,
        decided=earlier.decided if earlier is not None else (),
        conflicts=open_conflicts(stuck),
    )
    evidence = halted_evidence(halted, tools)
    return _Stop(
        pending=pending,
        stuck=stuck,
        blobs=halted.plan.blobs,
        commits=tuple(evidence.touching(stuck.position)) if evidence is not None else (),
        culprit=evidence.reason(stuck) if evidence is not None else None,
    )


def _left_behind(plan: SyncPlan, request: SyncRequest) -> Iterator[str]:
    """What the same command asked for without conflict: it is not written either, and no conflict's folder keeps it."""
    stuck = {halted.move.upstream.name for halted in plan.halted}
    pins = [f"--pin {name}={ref}" for name, ref in request.pins.items() if name not in stuck]
    if pins:
        yield f"The other pins were not moved either: `vendorctl sync {' '.join(pins)}` moves them."


def halted_evidence(halted: Halted, tools: Tools) -> Evidence | None:
    """What can answer which upstream commit caused a conflict."""
    move = halted.move
    return tools.carry.evidence(move.upstream, move.before.commit, move.after.commit, move.chain, halted.plan)


def find_landings(plan: SyncPlan, tools: Tools) -> Landings:
    """The upstream commits that took patches, where a bump met patches that have landed."""
    found: Landings = {}
    for upstream in plan.upstreams:
        bump = upstream.bump
        if bump is None or not bump.of_kind(OutcomeKind.MERGED_UPSTREAM, OutcomeKind.PARTLY_MERGED):
            continue
        assert upstream.before is not None
        assert upstream.chain_before is not None
        evidence = tools.carry.evidence(
            upstream.upstream, upstream.before.commit, upstream.upstream.pin, upstream.chain_before, bump
        )
        for position, outcome in enumerate(bump.outcomes, start=1):
            if outcome.kind is OutcomeKind.MERGED_UPSTREAM and evidence is not None:
                commit = evidence.landed_in(position)
                if commit is not None:
                    found[upstream.upstream.name, outcome.patch.file_name] = commit
    return found


def _refuse_landed(plan: SyncPlan, landings: Landings) -> None:
    """A patch that upstream has taken leaves the series, but only with consent."""
    told = []
    for upstream in plan.upstreams:
        for outcome in upstream.bump.landed if upstream.bump is not None else ():
            commit = landings.get((upstream.upstream.name, outcome.patch.file_name))
            where = f" by {commit.oid.short} ({commit.subject})" if commit is not None else ""
            told.append(f"\n  {upstream.upstream.name}: {outcome.patch.file_name} is already upstream{where}")
    if told:
        raise VendorError(
            f"patches have landed upstream and would leave the series:{''.join(told)}",
            hint="run the same command with --drop-merged to drop them, or with --dry-run to see everything first",
            code=ExitCode.FINDINGS,
        )


def _refuse_lock_change(plan: SyncPlan) -> None:
    if plan.manifest_text is not None or plan.lock != plan.before:
        changed = sorted(
            name
            for name in {*plan.lock.upstreams, *plan.before.upstreams}
            if plan.lock.upstreams.get(name) != plan.before.upstreams.get(name)
        )
        raise VendorError(
            f"VENDOR.lock would change ({', '.join(changed) or 'VENDOR.yaml'}), and --locked forbids that",
            hint="run `vendorctl sync` without --locked and review the change",
            code=ExitCode.FINDINGS,
        )
