# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl build`: bring objects and manifests in line with sources, recipes and toolchain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from vendorctl import digest
from vendorctl.errors import ExitCode, Location
from vendorctl.kernels.building import store
from vendorctl.kernels.building.plan import PlannedRow, State, Unit, make_plan
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.building.schedule import Pending, compile_pending, failure
from vendorctl.kernels.caching.cache import ObjectCache
from vendorctl.kernels.caching.entry import Wanted
from vendorctl.kernels.compiler.child import Limits
from vendorctl.kernels.compiler.compile import COMPILE_LIMITS, Compiled, Failed, Outcome
from vendorctl.kernels.compiler.toolchain import Toolchain
from vendorctl.kernels.compiler.watch import Snapshot
from vendorctl.kernels.executor import confine
from vendorctl.kernels.executor.work import Executor
from vendorctl.kernels.object.folder import stage_ignore
from vendorctl.kernels.object.instance import Instance
from vendorctl.model import Finding, Json, Report, Severity
from vendorctl.progress import Progress, Silent
from vendorctl.workspace.guard import reading
from vendorctl.workspace.transaction import Transaction

BUILD_SCHEMA = "vendorctl/build/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """What to build (everything, unless operations or targets are named) and how.

    `force` accepts bytes that differ from a manifest's although no input did.
    """

    operations: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    jobs: int = 1
    keep_going: bool = False
    force: bool = False
    limits: Limits = COMPILE_LIMITS


@dataclass(frozen=True, slots=True)
class BuildReport:
    """A report with the exit code of a build: 0, or 6 when it has errors."""

    report: Report

    @property
    def exit_code(self) -> ExitCode:
        """What the process returns."""
        return ExitCode.OK if self.report.ok else ExitCode.BUILD_FAILED


@dataclass(slots=True)
class _Results:
    """What came of each row, by unit (its folder) and instance, and what is wrong."""

    outcomes: dict[str, dict[Instance, Outcome]] = field(default_factory=dict)
    failures: list[tuple[Unit, Failed]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    cached: Counter[str] = field(default_factory=Counter)

    def add(self, unit: Unit, outcome: Outcome) -> None:
        self.outcomes.setdefault(unit.folder, {})[outcome.instance] = outcome
        if isinstance(outcome, Failed):
            self.failures.append((unit, outcome))
            self.findings.append(failure(unit, outcome))

    def of(self, unit: Unit) -> dict[Instance, Outcome]:
        return self.outcomes.get(unit.folder, {})


def build(
    project: Project,
    tools: Toolchain,
    cache: ObjectCache,
    executor: Executor,
    options: BuildOptions,
    *,
    begin: Callable[[], Transaction],
    progress: Progress | None = None,
) -> BuildReport:
    """Compile what is missing or stale, write objects and manifests, remove leftovers.

    A unit (one operation for one target) is written completely or, when one of its rows failed, not at all; without
    `keep_going` nothing is written after a failure. What did compile is kept in the cache. `begin` opens the
    transaction that everything is written in. Raises VendorError when recipes or sources cannot be read.
    """
    with reading(project.root):  # a sync must not swap the patched trees while they are read
        units = make_plan(project, tools, operations=options.operations, targets=options.targets, jobs=options.jobs)
    results = _Results()
    pending = _from_cache(units, cache, results, trust=options.force)
    _compile(project, pending, tools, cache, executor, options, results, progress or Silent())
    spoiled = set() if options.force else _refuseother_bytes(units, results)
    store.write_logs(project.root, results.failures)
    removed: list[str] = []
    if options.keep_going or not any(item.severity is Severity.ERROR for item in results.findings):
        with begin() as tx:
            whole = [unit for unit in units if unit.folder not in spoiled]
            staged = [store.stage_unit(tx, project.root, unit, tools, results.of(unit)) for unit in whole]
            if any(staged):
                stage_ignore(tx, project.root)
            if not (options.operations or options.targets):
                removed = store.stage_removals(tx, project.root, {unit.folder for unit in units})
            if not tx.empty:
                tx.commit()
    return BuildReport(_report(units, results, removed, cache.settle()))


def _wanted(unit: Unit, planned: PlannedRow, *, trust: bool) -> Wanted:
    """What a cache is asked for: the recorded bytes, where a manifest records the very same inputs, unless `trust`."""
    recorded = planned.record.sha256 if planned.record is not None and planned.state is State.MISSING else None
    return Wanted(
        key=planned.input,
        instance=planned.row.instance,
        target=unit.target,
        expected=None if trust else recorded,
    )


def _from_cache(units: Sequence[Unit], cache: ObjectCache, results: _Results, *, trust: bool) -> list[Pending]:
    """Take what the cache has; return what is left to compile. With `trust`, whatever the manifests record."""
    wanted = [(unit, planned) for unit in units for planned in unit.rows if planned.state is not State.CURRENT]
    cache.prefetch([_wanted(unit, planned, trust=trust) for unit, planned in wanted])
    pending = []
    for unit in units:
        rest = []
        for planned in unit.rows:
            if planned.state is State.CURRENT:
                continue
            asked = _wanted(unit, planned, trust=trust)
            found = cache.get(asked.key, asked.instance, asked.target, expected=asked.expected)
            if found is None:
                rest.append(planned.row.instance)
            else:
                results.add(unit, found)
                results.cached[unit.folder] += 1
        if rest:
            pending.append(Pending(unit=unit, rows=tuple(rest)))
    return pending


def _compile(
    project: Project,
    pending: Sequence[Pending],
    tools: Toolchain,
    cache: ObjectCache,
    executor: Executor,
    options: BuildOptions,
    results: _Results,
    progress: Progress,
) -> None:
    """Compile what is pending, into the results and the cache; look for stray writes where they cannot be prevented."""
    inputs = {(u.folder, planned.row.instance): planned.input for u in (p.unit for p in pending) for planned in u.rows}

    def accept(unit: Unit, outcome: Outcome) -> None:
        results.add(unit, outcome)
        cache.learn(inputs[unit.folder, outcome.instance], outcome)

    unwatched = executor.remote or confine.supported() or not pending
    before = None if unwatched else Snapshot.take(project.root)
    compile_pending(
        pending,
        tools,
        executor,
        accept,
        limits=options.limits,
        progress=progress,
        keep_going=options.keep_going,
    )
    results.findings += before.changes() if before is not None else map(_unconfined, executor.unconfined())


def _unconfined(worker: str) -> Finding:
    return Finding(
        rule="VC506",
        severity=Severity.WARNING,
        message=f"{worker} compiled without Landlock: what recipes wrote there, they could write anywhere",
        hint="run workers on Linux 5.13 or newer",
    )


def _refuseother_bytes(units: Iterable[Unit], results: _Results) -> set[str]:
    """Find rows with their record's inputs but not its bytes; return the folders they spoil."""
    spoiled = set()
    for unit in units:
        for planned in unit.rows:
            outcome = results.of(unit).get(planned.row.instance)
            if planned.state is not State.MISSING or planned.record is None or not isinstance(outcome, Compiled):
                continue
            if digest.sha256(outcome.code) != planned.record.sha256:
                spoiled.add(unit.folder)
                results.findings.append(other_bytes(unit, planned.record.file))
    return spoiled


def other_bytes(unit: Unit, file: str) -> Finding:
    """The finding for an object whose inputs are as recorded while its bytes are not."""
    return Finding(
        rule="VC505",
        upstream=unit.table.upstream,
        location=Location(f"{unit.folder}/{file}"),
        message="the same inputs now give other bytes than the manifest records",
        hint="is the linker or flydsl modified? `vendorctl build --force` accepts the new bytes",
    )


def _report(units: Sequence[Unit], results: _Results, removed: Sequence[str], warnings: Sequence[Finding]) -> Report:
    rows = [_row(unit, results) for unit in units]
    totals: Counter[str] = Counter()
    for row in rows:
        totals += Counter({name: int(str(row[name])) for name in _STATES})
    return Report(
        schema=BUILD_SCHEMA,
        title="build",
        lines=tuple(_table(rows)),
        findings=(*results.findings, *warnings),
        counts={"objects": 0} | {name.replace("_", " "): count for name, count in totals.items()},
        notes=(*(f"removed {path}: no recipe builds it any more" for path in removed), *_second_tries(units, results)),
        data={"units": [dict(row) for row in rows]},
    )


def _second_tries(units: Iterable[Unit], results: _Results) -> Iterator[str]:
    for unit in units:
        for row, outcome in results.of(unit).items():
            if isinstance(outcome, Compiled) and outcome.retried:
                yield (
                    f"{unit.table.operation} {row.name} for {unit.target.name} compiled at the second try;"
                    f" the first: {outcome.retried}"
                )


#: What can be said of a row after a build; `objects` are those that are there.
_STATES = ("objects", "unchanged", "from_cache", "compiled", "failed", "not_built")


def _row(unit: Unit, results: _Results) -> dict[str, Json]:
    outcomes = results.of(unit)
    kept = sum(planned.state is State.CURRENT for planned in unit.rows)
    made = sum(isinstance(outcome, Compiled) for outcome in outcomes.values())
    cached = results.cached[unit.folder]
    return {
        "operation": unit.table.operation,
        "target": unit.target.name,
        "objects": kept + made,
        "unchanged": kept,
        "from_cache": cached,
        "compiled": made - cached,
        "failed": len(outcomes) - made,
        "not_built": len(unit.rows) - kept - len(outcomes),
        "excluded": len(unit.table.excluded[unit.target.name]),
    }


def _table(rows: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    """One line per operation, summed over its targets; nothing when nothing was done."""
    if all(row["objects"] == row["unchanged"] for row in rows):
        return
    yield f"{'operation':20} {'targets':>8} " + " ".join(f"{name.replace('_', ' '):>10}" for name in _STATES)
    for operation in dict.fromkeys(str(row["operation"]) for row in rows):
        group = [row for row in rows if row["operation"] == operation]
        sums = [sum(int(str(row[name])) for row in group) for name in _STATES]
        yield f"{operation:20} {len(group):8} " + " ".join(f"{number:10,}" for number in sums)
