# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Compiles what is pending with an executor, and tells of every outcome as it arrives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event

from vendorctl import digest
from vendorctl.errors import Location
from vendorctl.kernels.building.plan import Unit
from vendorctl.kernels.compiler import likeness
from vendorctl.kernels.compiler.child import Limits
from vendorctl.kernels.compiler.compile import (
    NOT_REPRODUCIBLE,
    CompileTask,
    Failed,
    Outcome,
    Sealed,
    compile_items,
    unseal,
)
from vendorctl.kernels.compiler.toolchain import Toolchain
from vendorctl.kernels.executor.work import Executor, Job, Lot
from vendorctl.kernels.object.instance import Instance
from vendorctl.model import Finding
from vendorctl.progress import Progress
from vendorctl.workspace.root import STATE_FOLDER

_LOG_LINES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """Rows of one unit that have to be compiled."""

    unit: Unit
    rows: tuple[Instance, ...]


def compile_pending(
    pending: Sequence[Pending],
    tools: Toolchain,
    executor: Executor,
    accept: Callable[[Unit, Outcome], object],
    *,
    limits: Limits,
    progress: Progress,
    keep_going: bool = True,
    install: bool = False,
) -> None:
    """Compile everything that is pending. `accept` gets each outcome, in any order, and what arrived is checked.

    Without `keep_going`, nothing is begun after the first failure; what is being compiled at that moment is finished,
    and handed to `accept` as well. With `install`, other machines may install the flydsl of `tools`. Raises VendorError
    when the executor has no place that can do it.
    """
    stop = Event()
    lots = [_lot(entry, tools, limits, install=install, remote=executor.remote) for entry in pending]
    with progress.task("compile", total=sum(len(lot.items) for lot in lots)) as task:

        def receive(number: int, index: int, sent: Sealed | Failed) -> None:
            unit, row = pending[number].unit, pending[number].rows[index]
            outcome = unseal(sent, row, unit.target)
            accept(unit, outcome)
            if isinstance(outcome, Failed) and not keep_going:
                stop.set()
            where = f" ({words})" if (words := executor.describe()) else ""
            task.advance(note=f"{unit.table.operation} {unit.target.name} {row.name}{where}")

        executor.run(compile_job(tools, install=install), lots, receive, stop)


def _lot(
    entry: Pending, tools: Toolchain, limits: Limits, *, install: bool, remote: bool
) -> Lot[CompileTask, Instance]:
    task = CompileTask(
        operation=entry.unit.table.operation,
        target=entry.unit.target,
        sources=entry.unit.sources,
        tools=tools,
        limits=limits,
        install=install,
    )
    return Lot(shared=task.for_another_machine() if remote else task, items=entry.rows)


def compile_job(tools: Toolchain, *, install: bool = False) -> Job[CompileTask, Instance, Sealed | Failed]:
    """How rows are compiled, wherever that is. Starting a compiler takes as long as compiling a few rows."""
    return Job(
        title="compile",
        perform=compile_items,
        faults=partial(likeness.compile_faults, likeness.package_identity(), tools.named(), install),
        lost=_lost,
        torn=_torn,
        fingerprint=_fingerprint,
        least=6,
    )


def _lost(row: Instance, why: str) -> Failed:
    return Failed(instance=row, rule="VC502", reason=why)


def _torn(row: Instance, why: str) -> Failed:
    return Failed(instance=row, rule=NOT_REPRODUCIBLE, reason=why)


def _fingerprint(outcome: Sealed | Failed) -> str:
    """Equal for outcomes of one row that agree. Failures do, whatever the compiler said."""
    if isinstance(outcome, Failed):
        return "failed"
    return digest.sha256(digest.canonical_json([digest.sha256(outcome.code), outcome.plan]))


def log_path(unit: Unit, instance: Instance) -> str:
    """Where the log of a failed compile is kept, relative to the workspace."""
    return f"{STATE_FOLDER}/build/{unit.table.operation}/{unit.target.name}/{instance.name}.log"


def failure(unit: Unit, outcome: Failed) -> Finding:
    """The finding for a row that gave no object: it names the instance, the reason, the log and how to repeat it."""
    log = log_path(unit, outcome.instance)
    again = f"--op {unit.table.operation} --target {unit.target.name}"
    return Finding(
        rule=outcome.rule,
        upstream=unit.table.upstream,
        location=Location(unit.sources.recipe),
        message=f"{unit.table.operation} {outcome.instance.name} for {unit.target.name}: {outcome.reason}",
        detail="\n".join(outcome.log.strip().splitlines()[-_LOG_LINES:]) or None,
        hint=f"whole log: {log}; again: vendorctl build {again}",
        data={"instance": outcome.instance.name, "target": unit.target.name, "log": log},
    )
