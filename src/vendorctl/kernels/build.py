# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl build`: bring objects and manifests in line with sources, recipes and toolchain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from vendorctl import digest
from vendorctl.errors import ExitCode, Location
from vendorctl.kernels import confine, store
from vendorctl.kernels.cache import ObjectCache
from vendorctl.kernels.child import Limits
from vendorctl.kernels.compile import COMPILE_LIMITS, Compiled, Failed, Outcome
from vendorctl.kernels.instance import Instance
from vendorctl.kernels.plan import State, Unit, differences, make_plan
from vendorctl.kernels.pool import Executor
from vendorctl.kernels.project import Project
from vendorctl.kernels.schedule import Pending, compile_pending, failure
from vendorctl.kernels.toolchain import Toolchain
from vendorctl.kernels.watch import Snapshot
from vendorctl.model import Finding, Json, Report, Severity
from vendorctl.progress import Progress, Silent
from vendorctl.workspace.transaction import Transaction

BUILD_SCHEMA = "vendorctl/build/1"
VERIFY_SCHEMA = "vendorctl/build-verify/1"


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
    cached: int = 0

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
    units = make_plan(project, tools, operations=options.operations, targets=options.targets, jobs=options.jobs)
    results = _Results()
    pending = _from_cache(units, cache, results)
    _compile(project, pending, tools, cache, executor, options, results, progress or Silent())
    spoiled = set() if options.force else _refuse_other_bytes(units, results)
    store.write_logs(project.root, results.failures)
    removed: list[str] = []
    if not results.findings or options.keep_going:
        with begin() as tx:
            for unit in units:
                if unit.folder not in spoiled:
                    store.stage_unit(tx, project.root, unit, tools, results.of(unit))
            if not (options.operations or options.targets):
                removed = store.stage_removals(tx, project.root, {unit.folder for unit in units})
            if not tx.empty:
                tx.commit()
    return BuildReport(_report(units, results, removed))


def _from_cache(units: Iterable[Unit], cache: ObjectCache, results: _Results) -> list[Pending]:
    """Take what the cache has; return what is left to compile."""
    pending = []
    for unit in units:
        rest = []
        for planned in unit.rows:
            if planned.state is State.CURRENT:
                continue
            found = cache.get(planned.input, planned.row.instance, unit.target)
            if found is None:
                rest.append(planned.row.instance)
            else:
                results.add(unit, found)
                results.cached += 1
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

    def accept(unit: Unit, outcome: Outcome) -> bool:
        results.add(unit, outcome)
        if isinstance(outcome, Compiled):
            cache.put(inputs[unit.folder, outcome.instance], outcome)
        return options.keep_going or not results.findings

    before = None if confine.supported() or not pending else Snapshot.take(project.root)
    compile_pending(pending, tools, executor, accept, jobs=options.jobs, limits=options.limits, progress=progress)
    if before is not None:
        results.findings += before.changes()


def _refuse_other_bytes(units: Iterable[Unit], results: _Results) -> set[str]:
    """Find rows with their record's inputs but not its bytes; return the folders they spoil."""
    spoiled = set()
    for unit in units:
        for planned in unit.rows:
            outcome = results.of(unit).get(planned.row.instance)
            if planned.state is not State.MISSING or planned.record is None or not isinstance(outcome, Compiled):
                continue
            if digest.sha256(outcome.code) != planned.record.sha256:
                spoiled.add(unit.folder)
                results.findings.append(_other_bytes(unit, planned.record.file))
    return spoiled


def _other_bytes(unit: Unit, file: str) -> Finding:
    return Finding(
        rule="VC505",
        upstream=unit.table.upstream,
        location=Location(f"{unit.folder}/{file}"),
        message="the same inputs now give other bytes than the manifest records",
        hint="is the linker or flydsl modified? `vendorctl build --force` accepts the new bytes",
    )


def _report(units: Sequence[Unit], results: _Results, removed: Sequence[str]) -> Report:
    rows: list[Json] = []
    totals: Counter[str] = Counter()
    for unit in units:
        outcomes = results.of(unit)
        kept = sum(planned.state is State.CURRENT for planned in unit.rows)
        made = sum(isinstance(outcome, Compiled) for outcome in outcomes.values())
        failed = len(outcomes) - made
        totals += Counter({"objects": kept + made, "unchanged": kept, "compiled": made, "failed": failed})
        rows.append(
            {
                "operation": unit.table.operation,
                "target": unit.target.name,
                "objects": kept + made,
                "unchanged": kept,
                "failed": failed,
                "not_built": len(unit.rows) - kept - len(outcomes),
                "excluded": len(unit.table.excluded[unit.target.name]),
            }
        )
    totals += Counter({"compiled": -results.cached, "from cache": results.cached})
    return Report(
        schema=BUILD_SCHEMA,
        title="build",
        findings=tuple(results.findings),
        counts={"objects": 0} | totals,
        notes=tuple(f"removed {path}: no recipe builds it any more" for path in removed),
        data={"units": rows},
    )


def verify(
    project: Project,
    tools: Toolchain,
    executor: Executor,
    options: BuildOptions,
    *,
    progress: Progress | None = None,
) -> BuildReport:
    """Compile every recorded row again, without the cache, and compare bytes with the manifests. Writes nothing.

    A row whose inputs changed since is reported with the inputs that differ, and is not compiled.
    """
    units = make_plan(project, tools, operations=options.operations, targets=options.targets, jobs=options.jobs)
    results = _Results()
    wanted = (State.CURRENT, State.MISSING)
    pending = []
    for unit in units:
        rows = tuple(planned.row.instance for planned in unit.rows if planned.state in wanted)
        if len(rows) < len(unit.rows):
            results.findings.append(_stale(unit, len(unit.rows) - len(rows), tools))
        pending.append(Pending(unit=unit, rows=rows))

    def accept(unit: Unit, outcome: Outcome) -> bool:
        results.add(unit, outcome)
        return True

    compile_pending(
        pending, tools, executor, accept, jobs=options.jobs, limits=options.limits, progress=progress or Silent()
    )
    same = 0
    for unit in units:
        for planned in unit.rows:
            outcome = results.of(unit).get(planned.row.instance)
            if isinstance(outcome, Compiled) and planned.record is not None:
                equal = digest.sha256(outcome.code) == planned.record.sha256
                same += equal
                results.findings += [] if equal else [_other_bytes(unit, planned.record.file)]
    counts = {"objects rebuilt": sum(len(rows) for rows in results.outcomes.values()), "identical": same}
    return BuildReport(
        Report(schema=VERIFY_SCHEMA, title="build --verify", findings=tuple(results.findings), counts=counts)
    )


def _stale(unit: Unit, count: int, tools: Toolchain) -> Finding:
    if unit.previous is None:
        message = f"{unit.table.operation} for {unit.target.name} has no manifest that could be compared with"
    else:
        changes = differences(unit.previous, unit.origin, tools.identity())
        why = "; ".join(changes) or "rows were added"
        message = f"{count} rows of {unit.table.operation} for {unit.target.name} were not compared: {why}"
    return Finding(
        rule="VC512",
        severity=Severity.ERROR,
        upstream=unit.table.upstream,
        location=Location(f"{unit.folder}/manifest.json"),
        message=message,
        hint="run `vendorctl build` first",
    )
