# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl build --verify`: compile everything again and compare bytes with the manifests. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from vendorctl import digest
from vendorctl.errors import Location
from vendorctl.kernels.building.build import BuildOptions, BuildReport, other_bytes
from vendorctl.kernels.building.plan import State, Unit, differences, make_plan
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.building.schedule import Pending, compile_pending, failure
from vendorctl.kernels.compiler.compile import Compiled, Failed, Outcome
from vendorctl.kernels.compiler.toolchain import Toolchain
from vendorctl.kernels.executor.work import Executor
from vendorctl.kernels.object.instance import Instance
from vendorctl.kernels.object.manifest import ObjectRecord
from vendorctl.model import Finding, Report
from vendorctl.progress import Progress, Silent

VERIFY_SCHEMA = "vendorctl/build-verify/1"


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
    outcomes: dict[str, dict[Instance, Outcome]] = {unit.folder: {} for unit in units}
    findings = [finding for unit in units for finding in _not_comparable(unit, tools)]

    def accept(unit: Unit, outcome: Outcome) -> None:
        outcomes[unit.folder][outcome.instance] = outcome

    pending = [Pending(unit=unit, rows=_comparable(unit)) for unit in units]
    compile_pending(pending, tools, executor, accept, limits=options.limits, progress=progress or Silent())
    wrong = [finding for unit in units for finding in _compare(unit, outcomes[unit.folder])]
    rebuilt = sum(len(rows) for rows in outcomes.values())
    counts = {"objects rebuilt": rebuilt, "identical": rebuilt - len(wrong)}
    return BuildReport(
        Report(schema=VERIFY_SCHEMA, title="build --verify", findings=(*findings, *wrong), counts=counts)
    )


def _comparable(unit: Unit) -> tuple[Instance, ...]:
    """Rows that are recorded with the inputs that they have now."""
    states = (State.CURRENT, State.MISSING)
    return tuple(planned.row.instance for planned in unit.rows if planned.state in states)


def _compare(unit: Unit, outcomes: dict[Instance, Outcome]) -> Iterator[Finding]:
    for planned in unit.rows:
        outcome = outcomes.get(planned.row.instance)
        if isinstance(outcome, Failed):
            yield failure(unit, outcome)
        elif isinstance(outcome, Compiled) and planned.record is not None and not _equal(outcome, planned.record):
            yield other_bytes(unit, planned.record.file)


def _equal(outcome: Compiled, record: ObjectRecord) -> bool:
    return digest.sha256(outcome.code) == record.sha256


def _not_comparable(unit: Unit, tools: Toolchain) -> Iterator[Finding]:
    count = len(unit.rows) - len(_comparable(unit))
    if count == 0:
        return
    if unit.previous is None:
        message = f"{unit.table.operation} for {unit.target.name} has no manifest that could be compared with"
    else:
        changes = differences(unit.previous, unit.origin, tools.identity())
        why = "; ".join(changes) or "rows were added"
        message = f"{count} rows of {unit.table.operation} for {unit.target.name} were not compared: {why}"
    yield Finding(
        rule="VC512",
        upstream=unit.table.upstream,
        location=Location(f"{unit.folder}/manifest.json"),
        message=message,
        hint="run `vendorctl build` first",
    )
