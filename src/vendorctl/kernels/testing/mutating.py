# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl test --mutate`: damages objects on purpose, and reports which damage the tests notice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

from vendorctl import digest
from vendorctl.kernels.executor.work import Executor, Job, Lot
from vendorctl.kernels.testing.backend import BackendFactory
from vendorctl.kernels.testing.mutation import (
    MutationKit,
    MutationResult,
    Mutator,
    Reason,
    by_kind,
    mutate_items,
    no_mutants,
    rate,
)
from vendorctl.kernels.testing.report import TestReport
from vendorctl.kernels.testing.selection import Built
from vendorctl.kernels.testing.session import ABSENT, faults_of
from vendorctl.kernels.testing.specimen import Specimen, blank_result, kit_for, read_specimen
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
    executor: Executor,
    progress: Progress,
) -> tuple[MutationResult, ...]:
    """Mutate `objects`, up to `per_kind` mutants of each kind for each; results in the order given."""
    found: dict[int, MutationResult] = {}
    pending: dict[str, list[tuple[int, Specimen]]] = {}
    for index, built in enumerate(objects):
        specimen = read_specimen(built)
        if specimen is None:
            found[index] = MutationResult(name=blank_result(built).name, excuse=ABSENT)
        else:
            pending.setdefault(built.recipe, []).append((index, specimen))
    recipes = list(pending)
    with progress.task("mutate", total=len(objects)) as task:
        task.advance(len(found))

        def receive(number: int, position: int, result: MutationResult) -> None:
            index, specimen = pending[recipes[number]][position]
            before = len(found)
            found[index] = result
            task.advance(len(found) - before, note=specimen.blank.name)

        lots = [
            Lot(
                shared=MutationKit(tests=kit_for(root, recipe, factory, full=full), mutator=mutator, per_kind=per_kind),
                items=tuple(specimen for _, specimen in pending[recipe]),
            )
            for recipe in recipes
        ]
        executor.run(_job(factory), lots, receive, Event())
    return tuple(found[index] for index in range(len(objects)))


def _job(factory: BackendFactory) -> Job[MutationKit, Specimen, MutationResult]:
    return Job(
        title="mutate",
        perform=mutate_items,
        faults=faults_of(factory, factory()),
        lost=no_mutants,
        torn=no_mutants,
        fingerprint=_fingerprint,
        most=1,
    )


def _fingerprint(result: MutationResult) -> str:
    return digest.sha256(digest.canonical_json(result.json()))


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
