# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`patch drop|move|refresh` from request to report, and going on after a conflict: --continue, --skip, --abort.

Each step plans the same rework again with the decisions made so far; nothing half done is kept, so nothing can be lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Json, Report
from vendorctl.series.authoring import SCHEMA, Rework, rework_report, stage_rework
from vendorctl.series.conflict import read_decisions, stage_abort, stage_decisions, stage_end
from vendorctl.series.operation import Operation
from vendorctl.series.relay import Choices, StuckError
from vendorctl.series.resolutions import Resolution
from vendorctl.series.stopped import open_conflicts, series_digests
from vendorctl.series.store import load_series
from vendorctl.series.waiting import REWORKS, Waiting, stage_waiting
from vendorctl.series.workspace import Dresser
from vendorctl.workspace.lock import Lock
from vendorctl.workspace.manifest import Upstream
from vendorctl.workspace.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a rework of one upstream is done with."""

    root: Path
    upstream: Upstream
    lock: Lock | None
    dresser: Dresser
    transaction: Callable[[], Transaction]

    @property
    def name(self) -> str:
        """The upstream's name."""
        return self.upstream.name

    def plan(self, operation: Operation, choices: Choices) -> Rework:
        """Compute an operation; nothing is written. Raises StuckError where a later patch conflicts."""
        return operation.plan(self.root, self.upstream, self.lock, self.dresser, choices)


def run_rework(bench: Bench, operation: Operation, *, dry_run: bool) -> Report:
    """Do it, or say what it would do.

    Raises VendorError (exit code 5) when a later patch conflicts; its folder is then written, unless it is a dry run,
    and nothing else.
    """
    if not dry_run:
        REWORKS.refuse(bench.root, bench.name)
    try:
        rework = bench.plan(operation, Choices(root=bench.root))
    except StuckError as error:
        if dry_run:
            raise
        series = series_digests(load_series(bench.root, bench.name))
        begun = Waiting(upstream=bench.name, operation=operation, patch="", number=0, series=series, conflicts={})
        raise _halt(bench, begun, error, {}) from error
    if not dry_run:
        with bench.transaction() as tx:
            stage_rework(tx, rework)
            tx.commit()
    return rework_report(rework, dry_run=dry_run)


def continue_rework(bench: Bench) -> Report:
    """Take the edited files as the decision, and go on.

    Raises VendorError (exit code 5) while markers remain, and again when a later patch conflicts.
    """
    waiting = _checked(bench)
    decisions: dict[str, Resolution] = {}
    try:
        bench.plan(waiting.operation, Choices(root=bench.root, skip=waiting.skip))
    except StuckError as error:
        decisions = read_decisions(bench.root, REWORKS, waiting, error.stuck)
    return _go_on(bench, waiting.decide(decisions), decisions)


def skip_patch(bench: Bench) -> Report:
    """Leave the patch in conflict out of the series, and go on."""
    return _go_on(bench, _checked(bench).skip_patch(), {})


def abort_rework(bench: Bench) -> Report:
    """Give the rework up. The workspace is as it was before it began, because nothing of it was written."""
    unreadable = REWORKS.is_unreadable(bench.root, bench.name)
    with bench.transaction() as tx:
        if unreadable:
            stage_end(tx, REWORKS, bench.name)
            line = f"{bench.name}: removed the unreadable state of a rework; nothing else had changed"
        else:
            waiting = REWORKS.require(bench.root, bench.name)
            line = f"{bench.name}: gave up {waiting.words}; nothing had changed"
            stage_abort(tx, REWORKS, waiting)
        tx.commit()
    data: dict[str, Json] = {"upstream": bench.name, "dry_run": False, "removed": [], "written": [], "changed": []}
    return Report(schema=SCHEMA, title="patch", lines=(line,), data=data)


def _checked(bench: Bench) -> Waiting:
    waiting = REWORKS.require(bench.root, bench.name)
    REWORKS.check_series(waiting, load_series(bench.root, bench.name))
    return waiting


def _go_on(bench: Bench, waiting: Waiting, decisions: Mapping[str, Resolution]) -> Report:
    choices = Choices(root=bench.root, decisions=decisions, skip=waiting.skip)
    try:
        rework = bench.plan(waiting.operation, choices)
    except StuckError as error:
        raise _halt(bench, waiting, error, decisions) from error
    with bench.transaction() as tx:
        stage_decisions(tx, decisions)
        stage_end(tx, REWORKS, bench.name)
        stage_rework(tx, rework)
        tx.commit()
    return rework_report(rework)


def _halt(bench: Bench, waiting: Waiting, error: StuckError, decisions: Mapping[str, Resolution]) -> VendorError:
    """Record what was decided, write the folder of the next conflict, and return the error that tells of it."""
    stuck = error.stuck
    patch = stuck.patch
    stopped = replace(waiting, patch=patch.file_name, number=patch.number, conflicts=open_conflicts(stuck))
    with bench.transaction() as tx:
        stage_decisions(tx, decisions)
        summary = stage_waiting(tx, stopped, error)
        tx.commit()
    return VendorError(summary, code=ExitCode.CONFLICT)
