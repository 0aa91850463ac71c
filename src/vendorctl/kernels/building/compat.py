# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl compat`: compile the instance table with several published flydsl versions, and compare the objects.

Answers which versions work, which is the oldest that does, and where another version gives other bytes. Objects and
manifests of the workspace are not touched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from vendorctl import digest
from vendorctl.kernels.building.build import BuildOptions
from vendorctl.kernels.building.plan import Unit, make_plan
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.building.schedule import Pending, compile_pending, failure
from vendorctl.kernels.compiler.compile import Compiled, Failed, Outcome
from vendorctl.kernels.compiler.toolchain import Toolchain
from vendorctl.kernels.executor.work import Executor
from vendorctl.kernels.object.instance import Instance
from vendorctl.model import Finding, Json, Report, Severity
from vendorctl.progress import Progress, Silent

SCHEMA = "vendorctl/compat/1"


@dataclass(slots=True)
class VersionResult:
    """What one version made of the table: digests of objects, and failures, by unit folder and instance."""

    version: str
    objects: dict[tuple[str, Instance], str] = field(default_factory=dict)
    failures: list[tuple[Unit, Failed]] = field(default_factory=list)

    @property
    def works(self) -> bool:
        """True when every row compiled."""
        return bool(self.objects) and not self.failures


def compat(
    project: Project,
    toolchains: Sequence[Toolchain],
    executor: Executor,
    options: BuildOptions,
    *,
    progress: Progress | None = None,
) -> Report:
    """Compile every row (of the operations and targets in `options`) with each toolchain, oldest first.

    Bytes are compared with those of the pinned version, or else of the last toolchain. A version on which rows fail is
    a warning; the pinned version failing is an error.
    """
    results = []
    for tools in toolchains:
        units = make_plan(project, tools, operations=options.operations, targets=options.targets, jobs=options.jobs)
        result = VersionResult(version=tools.flydsl)
        pending = [Pending(unit=unit, rows=tuple(planned.row.instance for planned in unit.rows)) for unit in units]
        compile_pending(
            pending,
            tools,
            executor,
            _collector(result),
            limits=options.limits,
            progress=progress or Silent(),
            install=True,
        )
        results.append(result)
    base = next((result for result in results if result.version == project.flydsl), results[-1])
    return _report(project, results, base)


def _collector(result: VersionResult) -> Callable[[Unit, Outcome], None]:
    def accept(unit: Unit, outcome: Outcome) -> None:
        if isinstance(outcome, Compiled):
            result.objects[unit.folder, outcome.instance] = digest.sha256(outcome.code)
        else:
            result.failures.append((unit, outcome))

    return accept


def _report(project: Project, results: Sequence[VersionResult], base: VersionResult) -> Report:
    rows: list[Json] = []
    lines = [f"{'flydsl':10} {'pass':>6} {'fail':>6} {'same bytes':>11} {'other bytes':>12}  (against {base.version})"]
    findings: list[Finding] = []
    for result in results:
        same = sum(base.objects.get(key) == sha256 for key, sha256 in result.objects.items())
        other = sum(key in base.objects for key in result.objects) - same
        lines.append(f"{result.version:10} {len(result.objects):6,} {len(result.failures):6,} {same:11,} {other:12,}")
        rows.append(
            {
                "flydsl": result.version,
                "pass": len(result.objects),
                "fail": len(result.failures),
                "same_bytes": same,
                "other_bytes": other,
                "changed": _changed(result, base),
            }
        )
        findings += _findings(result, pinned=result.version == project.flydsl)
    minimum = _minimum(results)
    lines.append(f"oldest version that works, with all newer ones tried: {minimum or 'none'}")
    return Report(
        schema=SCHEMA,
        title="compat",
        lines=tuple(lines),
        findings=tuple(findings),
        counts={"versions": len(results), "objects": sum(len(result.objects) for result in results)},
        data={"versions": rows, "base": base.version, "minimum": minimum, "pinned": project.flydsl},
    )


def _minimum(results: Sequence[VersionResult]) -> str | None:
    """The oldest version from which on every version tried compiles everything (`results` are oldest first)."""
    minimum = None
    for result in reversed(results):
        if not result.works:
            break
        minimum = result.version
    return minimum


def _changed(result: VersionResult, base: VersionResult) -> Json:
    """How many objects have other bytes than with the base version, by unit folder."""
    changed = Counter(
        folder
        for (folder, instance), sha256 in result.objects.items()
        if base.objects.get((folder, instance), sha256) != sha256
    )
    return dict(sorted(changed.items()))


def _findings(result: VersionResult, *, pinned: bool) -> list[Finding]:
    """One finding per distinct reason, with the number of rows that it hits: versions tend to fail everywhere alike."""
    groups: dict[tuple[str, str], list[tuple[Unit, Failed]]] = {}
    for unit, failed in result.failures:
        groups.setdefault((unit.table.operation, failed.reason), []).append((unit, failed))
    findings = []
    for members in groups.values():
        unit, failed = members[0]
        example = failure(unit, failed)
        count = f"{len(members)} rows of {unit.table.operation}"
        findings.append(
            Finding(
                rule=example.rule,
                severity=Severity.ERROR if pinned else Severity.WARNING,
                upstream=example.upstream,
                location=example.location,
                message=f"flydsl {result.version}: {count} fail: {example.message}",
                detail=example.detail,
                hint="pin another version under kernels.toolchain, or exclude the rows" if pinned else None,
            )
        )
    return findings
