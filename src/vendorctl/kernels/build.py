# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl build`: bring objects and manifests in line with sources, recipes and toolchain."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from vendorctl import digest
from vendorctl.errors import ExitCode, Location
from vendorctl.kernels import confine, elf, manifest, toolchain
from vendorctl.kernels.cache import ObjectCache, write_atomically
from vendorctl.kernels.child import Limits
from vendorctl.kernels.compile import COMPILE_LIMITS, Compiled, CompileTask, Failed, Outcome, compile_rows
from vendorctl.kernels.instance import Instance
from vendorctl.kernels.manifest import ObjectManifest, ObjectRecord, Resources
from vendorctl.kernels.plan import PlannedRow, State, Unit, make_plan
from vendorctl.kernels.pool import Executor
from vendorctl.kernels.project import Project
from vendorctl.kernels.toolchain import Toolchain
from vendorctl.kernels.watch import Snapshot
from vendorctl.model import Finding, Json, Report
from vendorctl.progress import Progress, Silent, Task

SCHEMA = "vendorctl/build/1"
_MIN_CHUNK, _MAX_CHUNK = 6, 32


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """What to build and how: `force` accepts bytes that differ from a manifest's although no input did."""

    operations: tuple[str, ...] = ()
    jobs: int = 1
    keep_going: bool = False
    force: bool = False
    limits: Limits = COMPILE_LIMITS


@dataclass(slots=True)
class _Work:
    """The state of one build: outcomes by unit and row, and what is to be told at the end."""

    outcomes: dict[tuple[str, Instance], Outcome] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    cached: int = 0
    stopped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """A report, and the exit code that a failed build has instead of the report's own."""

    report: Report

    @property
    def exit_code(self) -> ExitCode:
        """0, or 6 when anything failed."""
        return ExitCode.OK if self.report.ok else ExitCode.BUILD_FAILED


def build(
    project: Project,
    tools: Toolchain,
    cache: ObjectCache,
    executor: Executor,
    options: BuildOptions,
    *,
    progress: Progress | None = None,
) -> BuildReport:
    """Compile what is missing or stale, write objects and manifests, remove leftovers.

    A unit (one operation for one target) is written completely or, when one of its rows failed, not at all; without
    `keep_going` nothing is written after a failure. What did compile is kept in the cache. Raises VendorError when
    recipes or sources cannot be read.
    """
    units = make_plan(project, tools, operations=options.operations, jobs=options.jobs)
    before = None if confine.supported() else Snapshot.take(project.root)
    work = _Work()
    pending = _from_cache(units, cache, work)
    _compile_all(pending, tools, executor, options, work, progress or Silent(), cache)
    if before is not None:
        work.findings += before.changes()
    _refuse_other_bytes(units, options, work)
    _write_logs(project.root, work)
    if not work.findings or options.keep_going:
        for unit in units:
            _write_unit(project.root, unit, tools, work)
        if not options.operations:
            _remove_leftovers(project, units)
    return BuildReport(report=_report(units, work))


def _from_cache(units: Iterable[Unit], cache: ObjectCache, work: _Work) -> list[tuple[Unit, list[PlannedRow]]]:
    """Take what the cache has; return what is left to compile."""
    pending = []
    for unit in units:
        rest = []
        for planned in unit.rows:
            if planned.state is State.CURRENT:
                continue
            found = cache.get(planned.input, planned.row.instance, unit.target)
            if found is None:
                rest.append(planned)
            else:
                work.outcomes[unit.folder, planned.row.instance] = found
                work.cached += 1
        if rest:
            pending.append((unit, rest))
    return pending


def _tasks(
    pending: Sequence[tuple[Unit, list[PlannedRow]]], tools: Toolchain, options: BuildOptions
) -> list[tuple[Unit, CompileTask]]:
    """Cut the work into pieces: large enough to pay for starting a compiler, small enough to keep every job busy."""
    total = sum(len(rows) for _, rows in pending)
    size = max(_MIN_CHUNK, min(_MAX_CHUNK, -(-total // (2 * options.jobs))))
    return [
        (
            unit,
            CompileTask(
                operation=unit.table.operation,
                target=unit.target,
                sources=unit.sources,
                rows=tuple(planned.row.instance for planned in rows[start : start + size]),
                tools=tools,
                limits=options.limits,
            ),
        )
        for unit, rows in pending
        for start in range(0, len(rows), size)
    ]


def _compile_all(
    pending: Sequence[tuple[Unit, list[PlannedRow]]],
    tools: Toolchain,
    executor: Executor,
    options: BuildOptions,
    work: _Work,
    progress: Progress,
    cache: ObjectCache,
) -> None:
    keys = {(unit.folder, row.row.instance): row.input for unit, rows in pending for row in rows}
    with progress.task("compile", total=len(keys)) as task:
        futures: dict[Future[tuple[Outcome, ...]], Unit] = {}
        for unit, chunk in _tasks(pending, tools, options):
            # A thread may tell of each row; a remote worker tells when its piece is done.
            run = partial(compile_rows, notify=_Ticker(task, unit)) if executor_is_local(executor) else compile_rows
            futures[executor.submit(run, chunk)] = unit
        while futures and not work.stopped:
            done, _ = wait(futures, return_when=FIRST_COMPLETED)
            for future in done:
                unit = futures.pop(future)
                for outcome in future.result():
                    _record(unit, outcome, keys, cache, work)
            work.stopped = bool(work.findings) and not options.keep_going
        if work.stopped:
            executor.shutdown(cancel_futures=True)


def executor_is_local(executor: Executor) -> bool:
    """True when tasks run in threads of this process."""
    from concurrent.futures import ThreadPoolExecutor

    return isinstance(executor, ThreadPoolExecutor)


@dataclass(frozen=True, slots=True)
class _Ticker:
    task: Task
    unit: Unit

    def __call__(self, outcome: Outcome) -> None:
        self.task.advance(note=f"{self.unit.table.operation} {self.unit.target.name} {outcome.instance.name}")


def _record(
    unit: Unit, outcome: Outcome, keys: Mapping[tuple[str, Instance], str], cache: ObjectCache, work: _Work
) -> None:
    work.outcomes[unit.folder, outcome.instance] = outcome
    if isinstance(outcome, Compiled):
        cache.put(keys[unit.folder, outcome.instance], outcome)
        return
    log = _log_path(unit, outcome.instance)
    again = f"--op {unit.table.operation} --target {unit.target.name}"
    work.findings.append(
        Finding(
            rule=outcome.rule,
            upstream=unit.table.upstream,
            location=Location(unit.sources.recipe),
            message=f"{unit.table.operation} {outcome.instance.name} for {unit.target.name}: {outcome.reason}",
            detail=_tail(outcome.log),
            hint=f"whole log: {log}; again: vendorctl build {again}",
            data={"instance": outcome.instance.name, "target": unit.target.name, "log": log},
        )
    )


def _tail(log: str, lines: int = 8) -> str | None:
    return "\n".join(log.strip().splitlines()[-lines:]) or None


def _log_path(unit: Unit, instance: Instance) -> str:
    return f".vendorctl/build/{unit.table.operation}/{unit.target.name}/{instance.name}.log"


def _write_logs(root: Path, work: _Work) -> None:
    """One log per failure; those of the last build are removed."""
    folder = root / ".vendorctl" / "build"
    shutil.rmtree(folder, ignore_errors=True)
    for (unit_folder, instance), outcome in work.outcomes.items():
        if isinstance(outcome, Failed):
            path = folder / Path(unit_folder).relative_to(manifest.FOLDER) / f"{instance.name}.log"
            write_atomically(path, f"{outcome.rule} {outcome.reason}\n\n{outcome.log}".encode())


def _refuse_other_bytes(units: Iterable[Unit], options: BuildOptions, work: _Work) -> None:
    """A row whose inputs are those of its record must give the recorded bytes."""
    for unit in units:
        for planned in unit.rows:
            outcome = work.outcomes.get((unit.folder, planned.row.instance))
            if planned.state is not State.MISSING or planned.record is None or not isinstance(outcome, Compiled):
                continue
            if digest.sha256(outcome.code) != planned.record.sha256 and not options.force:
                work.findings.append(
                    Finding(
                        rule="VC505",
                        upstream=unit.table.upstream,
                        location=Location(f"{unit.folder}/{planned.record.file}"),
                        message=f"{unit.table.operation} {planned.row.instance.name} for {unit.target.name}: the same "
                        "inputs now give other bytes than the manifest records",
                        hint="is the linker or flydsl modified? `vendorctl build --force` accepts the new bytes",
                    )
                )


def _write_unit(root: Path, unit: Unit, tools: Toolchain, work: _Work) -> None:
    """Write new objects, then the manifest, then remove objects that no record names. Does nothing after a failure."""
    faulty = {finding.location.path for finding in work.findings if finding.location is not None}
    records: list[ObjectRecord] = []
    fresh: dict[str, bytes] = {}
    for planned in unit.rows:
        outcome = work.outcomes.get((unit.folder, planned.row.instance))
        if outcome is None and planned.state is State.CURRENT and planned.record is not None:
            records.append(_carried(planned, planned.record))
            continue
        if not isinstance(outcome, Compiled):
            return
        record = _new_record(planned, outcome)
        if f"{unit.folder}/{record.file}" in faulty:
            return
        records.append(record)
        fresh[record.file] = outcome.code
    folder = root / unit.folder
    for name, code in fresh.items():
        write_atomically(folder / name, code)
    data = manifest.dump(_manifest(unit, tools, records))
    path = folder / manifest.FILE_NAME
    if not path.is_file() or path.read_bytes() != data:
        write_atomically(path, data)
    named = {record.file for record in records}
    for leftover in folder.glob(f"*{manifest.SUFFIX}"):
        if leftover.name not in named:
            leftover.unlink()


def _carried(planned: PlannedRow, record: ObjectRecord) -> ObjectRecord:
    """A record that stays, with the acceptance rules that the recipe gives now."""
    return ObjectRecord(
        file=record.file,
        sha256=record.sha256,
        size=record.size,
        instance=planned.row.instance,
        input=planned.input,
        accepts=planned.row.accepts,
        resources=record.resources,
        launch=record.launch,
    )


def _new_record(planned: PlannedRow, outcome: Compiled) -> ObjectRecord:
    return ObjectRecord(
        file=planned.row.instance.name + manifest.SUFFIX,
        sha256=digest.sha256(outcome.code),
        size=len(outcome.code),
        instance=planned.row.instance,
        input=planned.input,
        accepts=planned.row.accepts,
        resources=Resources.of(elf.parse(outcome.code)),
        launch=outcome.plan,
    )


def _manifest(unit: Unit, tools: Toolchain, records: list[ObjectRecord]) -> ObjectManifest:
    return ObjectManifest(
        operation=unit.table.operation,
        target=unit.target.name,
        provenance=unit.origin,
        toolchain=tools.identity(),
        environment=toolchain.FIXED_ENVIRONMENT,
        declines=unit.table.declines,
        excluded=unit.table.excluded[unit.target.name],
        objects=tuple(records),
    )


def _remove_leftovers(project: Project, units: Iterable[Unit]) -> None:
    """Remove folders of operations that no recipe builds any more. A folder without our manifest is not touched."""
    kept = {unit.table.operation for unit in units}
    for path in sorted((project.root / manifest.FOLDER).glob(f"*/*/{manifest.FILE_NAME}")):
        if path.parents[1].name not in kept:
            for leftover in path.parent.glob(f"*{manifest.SUFFIX}"):
                leftover.unlink()
            path.unlink()
            for folder in path.parents[:2]:
                if not any(folder.iterdir()):
                    folder.rmdir()


def _report(units: Sequence[Unit], work: _Work) -> Report:
    rows: list[Json] = []
    counts = {"objects": 0, "unchanged": 0, "from cache": work.cached, "compiled": 0, "failed": 0}
    for unit in units:
        outcomes = [work.outcomes.get((unit.folder, planned.row.instance)) for planned in unit.rows]
        failed = sum(isinstance(outcome, Failed) for outcome in outcomes)
        kept = sum(planned.state is State.CURRENT for planned in unit.rows)
        made = sum(isinstance(outcome, Compiled) for outcome in outcomes)
        counts["objects"] += kept + made
        counts["unchanged"] += kept
        counts["compiled"] += made
        counts["failed"] += failed
        rows.append(
            {
                "operation": unit.table.operation,
                "target": unit.target.name,
                "objects": kept + made,
                "unchanged": kept,
                "failed": failed,
                "excluded": len(unit.table.excluded[unit.target.name]),
                "not built": sum(outcome is None for outcome in outcomes) - kept,
            }
        )
    counts["compiled"] -= work.cached
    return Report(
        schema=SCHEMA,
        title="build",
        findings=tuple(work.findings),
        counts={name: count for name, count in counts.items() if count or name == "objects"},
        data={"units": rows},
    )
