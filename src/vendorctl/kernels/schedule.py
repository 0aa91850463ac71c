# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Spreads rows to compile over an executor, and tells of every outcome as it arrives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial

from vendorctl.errors import Location
from vendorctl.kernels.child import Limits
from vendorctl.kernels.compile import CompileTask, Failed, Outcome, compile_rows
from vendorctl.kernels.instance import Instance
from vendorctl.kernels.plan import Unit
from vendorctl.kernels.pool import Executor
from vendorctl.kernels.toolchain import Toolchain
from vendorctl.model import Finding
from vendorctl.progress import Progress, Task
from vendorctl.workspace.root import STATE_FOLDER

_MIN_CHUNK, _MAX_CHUNK = 6, 32
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
    accept: Callable[[Unit, Outcome], bool],
    *,
    jobs: int,
    limits: Limits,
    progress: Progress,
) -> None:
    """Compile everything that is pending. `accept` gets each outcome, in any order; False from it stops the work."""
    with progress.task("compile", total=sum(len(entry.rows) for entry in pending)) as task:
        futures: dict[Future[tuple[Outcome, ...]], Unit] = {}
        for unit, chunk in _tasks(pending, tools, jobs, limits):
            # A thread tells of each row; a remote worker, which cannot be sent a bar, when its piece is done.
            local = isinstance(executor, ThreadPoolExecutor)
            run = partial(compile_rows, notify=_Ticker(task, unit)) if local else compile_rows
            futures[executor.submit(run, chunk)] = unit
        go_on = True
        while futures and go_on:
            done, _ = wait(futures, return_when=FIRST_COMPLETED)
            for future in done:
                unit = futures.pop(future)
                for outcome in future.result():
                    go_on = accept(unit, outcome) and go_on
        if not go_on:
            executor.shutdown(cancel_futures=True)


def _tasks(pending: Sequence[Pending], tools: Toolchain, jobs: int, limits: Limits) -> list[tuple[Unit, CompileTask]]:
    """Cut the work into pieces: large enough to pay for starting a compiler, small enough to keep every job busy."""
    total = sum(len(entry.rows) for entry in pending)
    size = max(_MIN_CHUNK, min(_MAX_CHUNK, -(-total // (2 * jobs))))
    return [
        (
            entry.unit,
            CompileTask(
                operation=entry.unit.table.operation,
                target=entry.unit.target,
                sources=entry.unit.sources,
                rows=entry.rows[start : start + size],
                tools=tools,
                limits=limits,
            ),
        )
        for entry in pending
        for start in range(0, len(entry.rows), size)
    ]


@dataclass(frozen=True, slots=True)
class _Ticker:
    task: Task
    unit: Unit

    def __call__(self, outcome: Outcome) -> None:
        self.task.advance(note=f"{self.unit.table.operation} {self.unit.target.name} {outcome.instance.name}")


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
