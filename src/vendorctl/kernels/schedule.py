# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Spreads rows to compile over an executor, and tells of every outcome as it arrives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from threading import Event

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
    accept: Callable[[Unit, Outcome], object],
    *,
    jobs: int,
    limits: Limits,
    progress: Progress,
    keep_going: bool = True,
) -> None:
    """Compile everything that is pending. `accept` gets each outcome, in any order.

    Without `keep_going`, nothing is begun after the first failure. What is being compiled at that moment, or when the
    user interrupts, is finished; after a failure it is handed to `accept` as well.
    """
    local = isinstance(executor, ThreadPoolExecutor)
    stop = Event()
    with progress.task("compile", total=sum(len(entry.rows) for entry in pending)) as task:
        futures: dict[Future[tuple[Outcome, ...]], Unit] = {}
        try:
            for unit, chunk in _tasks(pending, tools, jobs, limits):
                # A thread tells of each row; a remote worker, which cannot be sent a bar, when its piece is done.
                run = partial(_compile_here, _Ticker(task, unit, stop, keep_going)) if local else compile_rows
                futures[executor.submit(run, chunk)] = unit
            _collect(futures, accept, stop, keep_going)
        finally:
            stop.set()
            for future in futures:
                future.cancel()


def _collect(
    futures: Mapping[Future[tuple[Outcome, ...]], Unit],
    accept: Callable[[Unit, Outcome], object],
    stop: Event,
    keep_going: bool,
) -> None:
    """Hand outcomes on until none is left; after a stop, only those of pieces that are already running."""
    waiting = set(futures)
    while waiting:
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            for outcome in future.result():
                accept(futures[future], outcome)
                if isinstance(outcome, Failed) and not keep_going:
                    stop.set()
        if stop.is_set():
            waiting = {future for future in waiting if not future.cancel()}


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
    stop: Event
    keep_going: bool

    def __call__(self, outcome: Outcome) -> bool:
        if isinstance(outcome, Failed) and not self.keep_going:
            self.stop.set()
        self.task.advance(note=f"{self.unit.table.operation} {self.unit.target.name} {outcome.instance.name}")
        return not self.stop.is_set()


def _compile_here(ticker: _Ticker, chunk: CompileTask) -> tuple[Outcome, ...]:
    """`compile_rows` in a thread of this process; nothing when the work was stopped before its turn."""
    return () if ticker.stop.is_set() else compile_rows(chunk, ticker)


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
