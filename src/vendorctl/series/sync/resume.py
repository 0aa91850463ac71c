# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Going on after a conflict: --continue, --skip and --abort.

Each plans the same bump again, with the decisions made so far: nothing half done is kept, so nothing can be lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Report
from vendorctl.series.conflict import read_decisions, stage_abort, stage_decisions, stage_end
from vendorctl.series.pending import BUMPS, Pending
from vendorctl.series.resolutions import Resolution
from vendorctl.series.store import load_series
from vendorctl.series.sync.command import SyncRequest, finish_sync, halt
from vendorctl.series.sync.follow import plan_following
from vendorctl.series.sync.pins import set_pin
from vendorctl.series.sync.plan import SyncPlan, Tools
from vendorctl.series.sync.report import SCHEMA, join_reports
from vendorctl.workspace.lockfile import load_lock
from vendorctl.workspace.manifest import Manifest
from vendorctl.workspace.parse import load_manifest
from vendorctl.workspace.transaction import Transaction


def waiting_bumps(root: Path, manifest: Manifest, names: tuple[str, ...]) -> list[Pending]:
    """The interrupted bumps among the named upstreams (or all), by name. Raises VendorError (exit code 2) if none."""
    found = [BUMPS.load(root, name) for name in names or sorted(manifest.upstreams)]
    waiting = [pending for pending in found if pending is not None]
    if not waiting:
        if not names:
            raise VendorError("no bump is waiting for a decision", code=ExitCode.USAGE)
        return [BUMPS.require(root, names[0])]
    return waiting


def waiting_bump(root: Path, manifest: Manifest, names: tuple[str, ...]) -> Pending:
    """The one interrupted bump among the named upstreams (or all). Raises VendorError (exit code 2) otherwise."""
    waiting = waiting_bumps(root, manifest, names)
    if len(waiting) > 1:
        listed = ", ".join(pending.upstream for pending in waiting)
        raise VendorError(f"several bumps wait for a decision: {listed}", hint="name one", code=ExitCode.USAGE)
    return waiting[0]


def continue_bumps(root: Path, request: SyncRequest, tools: Tools, transaction: Callable[[], Transaction]) -> Report:
    """Take the edited files of each waiting bump as its decision and carry the rest of its series over.

    One bump after the other, each written for itself. Raises VendorError (exit code 5) when markers remain in one of
    them, or a later patch conflicts, after those that could go on did.
    """
    done: list[Report] = []
    stopped: list[VendorError] = []
    for pending in waiting_bumps(root, load_manifest(root), request.names):
        try:
            done.append(_continue_one(root, pending, request, tools, transaction))
        except VendorError as error:
            if error.code is not ExitCode.CONFLICT:
                raise
            stopped.append(error)
    report = join_reports(done)
    if stopped:
        told = [*report.lines, *(error.message for error in stopped)]
        raise VendorError("\n".join(told), hint=stopped[0].hint, code=ExitCode.CONFLICT)
    return report


def _continue_one(
    root: Path, pending: Pending, request: SyncRequest, tools: Tools, transaction: Callable[[], Transaction]
) -> Report:
    BUMPS.check_series(pending, load_series(root, pending.upstream))
    plan = _replan(root, pending, tools, {})
    decisions: dict[str, Resolution] = {}
    if plan.halted:
        stuck = plan.halted[0].plan.stuck
        assert stuck is not None
        decisions = read_decisions(root, BUMPS, pending, stuck)
    return _go_on(root, pending.decide(decisions), request, tools, transaction, decisions)


def skip_patch(root: Path, request: SyncRequest, tools: Tools, transaction: Callable[[], Transaction]) -> Report:
    """Leave the patch in conflict out of the series and carry the rest over."""
    pending = waiting_bump(root, load_manifest(root), request.names)
    BUMPS.check_series(pending, load_series(root, pending.upstream))
    return _go_on(root, pending.skip_patch(), request, tools, transaction, {})


def abort_bump(root: Path, request: SyncRequest, transaction: Callable[[], Transaction]) -> Report:
    """Give the bump up. The workspace is as it was before it began, because nothing of it was written."""
    manifest = load_manifest(root)
    unreadable = [name for name in request.names or sorted(manifest.upstreams) if BUMPS.is_unreadable(root, name)]
    with transaction() as tx:
        if unreadable:
            stage_end(tx, BUMPS, unreadable[0])
            line = f"{unreadable[0]}: removed the unreadable state of a bump; nothing else had changed"
        else:
            pending = waiting_bump(root, manifest, request.names)
            stage_abort(tx, BUMPS, pending)
            line = _given_up(pending)
        tx.commit()
    return Report(schema=SCHEMA, title="sync", lines=(line,), data={"changed": False, "upstreams": {}})


def _given_up(pending: Pending) -> str:
    return f"{pending.upstream}: gave up moving from {pending.old.short} to {pending.new.short}; nothing had changed"


def _replan(root: Path, pending: Pending, tools: Tools, decisions: dict[str, Resolution]) -> SyncPlan:
    manifest = load_manifest(root)
    moved = set_pin(manifest, pending.upstream, pending.new, pending.ref)
    carry = replace(tools.carry, skip={pending.upstream: pending.skip}, decisions=decisions)
    again = replace(tools, carry=carry)
    edited = moved is not manifest
    names = (pending.upstream,)
    return plan_following(root, moved, load_lock(root), names, again, edited=edited, follow=pending.follow)


def _go_on(
    root: Path,
    pending: Pending,
    request: SyncRequest,
    tools: Tools,
    transaction: Callable[[], Transaction],
    decisions: dict[str, Resolution],
) -> Report:
    plan = _replan(root, pending, tools, decisions)
    request = replace(request, drop_merged=request.drop_merged or pending.drop_merged, follow=pending.follow)
    if plan.halted:
        if decisions:
            with transaction() as tx:
                stage_decisions(tx, decisions)
                tx.commit()
        raise halt(root, plan, request, tools, transaction, earlier=pending)

    def prepare(tx: Transaction) -> None:
        stage_decisions(tx, decisions)
        stage_end(tx, BUMPS, pending.upstream)

    return finish_sync(root, plan, request, tools, transaction, prepare)
