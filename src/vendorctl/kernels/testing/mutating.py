# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl test --mutate`: damages objects on purpose, and reports which damage the tests notice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from vendorctl.kernels.testing.backend import BackendFactory
from vendorctl.kernels.testing.mutation import (
    MutationResult,
    MutationWork,
    Mutator,
    Reason,
    by_kind,
    mutate_object,
    rate,
)
from vendorctl.kernels.testing.report import TestReport
from vendorctl.kernels.testing.selection import Built
from vendorctl.kernels.testing.session import works_of
from vendorctl.kernels.testing.spread import spread
from vendorctl.model import Finding, Report, Severity
from vendorctl.progress import Progress

SCHEMA = "vendorctl/mutation/1"


def run_mutants(
    root: Path,
    objects: Sequence[Built],
    factory: BackendFactory,
    mutator: Mutator,
    *,
    per_kind: int,
    full: bool,
    jobs: int,
    progress: Progress,
) -> tuple[MutationResult, ...]:
    """Mutate `objects`, up to `per_kind` mutants of each kind for each, `jobs` objects at a time."""
    tasks = [
        MutationWork(work=work, factory=factory, mutator=mutator, per_kind=per_kind)
        for work in works_of(root, objects, factory(), full=full, cache=None)
    ]
    results: dict[int, MutationResult] = {}
    with progress.task("mutate", total=len(tasks)) as task:
        for index, result in spread(mutate_object, tasks, jobs):
            results[index] = result
            task.advance(note=result.name)
    return tuple(results[index] for index in range(len(tasks)))


def sample(objects: Sequence[Built], most: int) -> tuple[Built, ...]:
    """At most `most` objects of each operation and target, evenly spaced from the first to the last."""
    groups: dict[tuple[str, str], list[Built]] = {}
    for built in objects:
        groups.setdefault((built.operation, built.target), []).append(built)
    chosen: list[Built] = []
    for members in groups.values():
        count = min(most, len(members))
        chosen += [members[index * (len(members) - 1) // max(count - 1, 1)] for index in range(count)]
    return tuple(chosen)


def mutation_report(results: Sequence[MutationResult], *, least: float) -> TestReport:
    """The report; a kill rate below `least` (0 to 1), or an object that could not be mutated, is an error."""
    reached = rate(results)
    findings = list(_survivors(results))
    findings += [
        Finding(rule="VC535", message=f"{result.name}: {result.excuse}", hint="run `vendorctl test` first")
        for result in results
        if result.excuse
    ]
    if not results or reached < least:
        findings.append(
            Finding(
                rule="VC536",
                message=f"{reached:.1%} of the mutants were noticed; at least {least:.0%} should be",
                hint="the notes above say which survived",
            )
        )
    counts = {
        "mutants": sum(sum(result.tried.values()) for result in results),
        "killed": sum(sum(result.killed.values()) for result in results),
    }
    reasons = Counter(item.reason for result in results for item in result.survivors)
    report = Report(
        schema=SCHEMA,
        title="test --mutate",
        lines=tuple(_table(results)),
        findings=tuple(findings),
        counts=counts | {f"survived: {reason.value}": reasons[reason] for reason in Reason if reasons[reason]},
        data={"kill_rate": round(reached, 6), "least": least, "objects": [result.json() for result in results]},
    )
    return TestReport(report)


def _survivors(results: Sequence[MutationResult]) -> Iterator[Finding]:
    for result in results:
        for item in result.survivors:
            yield Finding(
                rule="VC536",
                severity=Severity.NOTE,
                message=f"{result.name} {item.place}: {item.kind.value}, {item.change}; {item.reason.value}",
                data={"object": result.name, "kind": item.kind.value, "reason": item.reason.name.lower()},
            )


def _table(results: Sequence[MutationResult]) -> Iterator[str]:
    wide = max((len(result.name) for result in results), default=0)
    for result in results:
        tried, killed = sum(result.tried.values()), sum(result.killed.values())
        means = ", ".join(f"{count} {name}" for name, count in sorted(result.means.items()))
        yield f"{result.name:{wide}}  {killed:4}/{tried:<4} {rate([result]):6.1%}  by {means}" if tried else result.name
    for kind, tried, killed in by_kind(results):
        yield f"{kind.value:10} {killed:5}/{tried:<5} {killed / tried:6.1%}"
    yield f"kill rate  {rate(results):.1%}"
