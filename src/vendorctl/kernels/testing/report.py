# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What tests found, as a report: findings for people, everything in numbers for machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vendorctl.digest import parse_json
from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.kernels.object import manifest
from vendorctl.kernels.testing import results as forms
from vendorctl.kernels.testing.backend import Category
from vendorctl.kernels.testing.comparison import BINS, OutputError
from vendorctl.kernels.testing.results import ObjectResult, Verdict
from vendorctl.model import Finding, Json, Report

SCHEMA = "vendorctl/test/1"
_RULES = {Category.FAULT: "VC531", Category.RACE: "VC532", Category.HAZARD: "VC533"}
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class TestReport:
    """A report with the exit code of a test: 0, or 6 when it has errors."""

    report: Report
    __test__ = False  # not a test of pytest's

    @property
    def exit_code(self) -> ExitCode:
        """What the process returns."""
        return ExitCode.OK if self.report.ok else ExitCode.BUILD_FAILED


def make_report(
    results: Sequence[ObjectResult],
    *,
    backend: str,
    full: bool,
    findings: Iterable[Finding] = (),
    may_be_empty: bool = False,
    details: bool = False,
) -> TestReport:
    """The report on `results`; `findings` come on top. Testing nothing is an error unless `may_be_empty`.

    With `details`, every object has a line of its own.
    """
    found = [*findings, *(finding for result in results for finding in findings_of(result))]
    if not results and not may_be_empty:
        found.append(Finding(rule="VC535", message="there is no object to test", hint="run `vendorctl build`"))
    verdicts = Counter(result.verdict for result in results)
    counts = {"objects": len(results)} | {verdict.value: verdicts[verdict] for verdict in Verdict if verdicts[verdict]}
    reused = sum(result.reused for result in results)
    document: dict[str, Json] = {
        "backend": backend,
        "full": full,
        "bins": list(BINS),
        "summary": [row.json() for row in summary(results)],
        "results": [forms.dump(result) for result in results],
    }
    report = Report(
        schema=SCHEMA,
        title="test",
        lines=(*(_details(results) if details else ()), *table(results)),
        notes=tuple(_unproven(results)),
        findings=tuple(found),
        counts=counts | ({"reused": reused} if reused else {}),
        data=document,
    )
    return TestReport(report)


def read_report(file: Path) -> tuple[str, Sequence[ObjectResult]]:
    """The backend and the results in what ``vendorctl test --format json`` wrote.

    Raises VendorError (exit code 2) for anything else.
    """
    try:
        return _parse_report(parse_json(file.read_bytes()))
    except (OSError, KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise VendorError(
            f"not a report of the form {SCHEMA}",
            location=Location(str(file)),
            hint="write it with `vendorctl test --format json`",
            code=ExitCode.USAGE,
        ) from error


def _parse_report(document: Any) -> tuple[str, Sequence[ObjectResult]]:
    if document["schema"] != SCHEMA:
        raise ValueError(f"its schema is {document['schema']!r}")
    results = [forms.parse(each) for each in document["results"]]
    list(summary(results))  # so that numbers which nothing can add are noticed here
    return str(document["backend"]), results


def _unproven(results: Iterable[ObjectResult]) -> Iterator[str]:
    """Instructions of the objects that no unit test of the backend covers: they rest on these results alone."""
    names = {name for result in results if result.coverage for name in result.coverage.unproven}
    if names:
        yield f"instructions without a unit test of the backend: {', '.join(sorted(names))}"


def findings_of(result: ObjectResult) -> Iterator[Finding]:
    """What is wrong with one object, one finding for each kind of thing in each trial."""
    if result.verdict is Verdict.UNTESTED:
        yield _finding("VC535", result, result.reason or "no test case ran")
    for trial in result.trials:
        for output in trial.outputs:
            if not output.ok:
                yield _finding("VC530", result, f"{trial.name}: {_wrong(output)}")
        for category, rule in _RULES.items():
            entries = [(schedule, item) for schedule, item in trial.problems if item.category is category]
            if entries:
                schedule, first = entries[0]
                detail = "\n".join(item.message for _, item in entries[1:_SHOWN])
                yield _finding(rule, result, f"{trial.name}, {schedule} schedule: {first.message}", detail or None)
        for text in trial.disagreements:
            yield _finding("VC534", result, f"{trial.name}: {text}")
        for text in trial.notes:
            yield _finding("VC530", result, f"{trial.name}: {text}")


def _wrong(output: OutputError) -> str:
    return (
        f"{output.wrong} of {output.elements} elements of {output.name} are wrong (worst error {output.worst:.3g},"
        f" allowed {output.tolerance:.3g}); {output.name}{output.first}"
    )


def _finding(rule: str, result: ObjectResult, message: str, detail: str | None = None) -> Finding:
    path = f"{manifest.FOLDER}/{result.operation}/{result.target}/{result.instance}{manifest.SUFFIX}"
    again = f"--op {result.operation} --target {result.target} --instance '{result.instance}'"
    get = f"run `vendorctl build`, or `vendorctl objects pull {result.operation}` where objects are kept"
    hint = get if rule == "VC535" else f"again: vendorctl test {again}"
    return Finding(
        rule=rule,
        location=Location(path),
        message=message,
        detail=detail,
        hint=hint,
        data={"operation": result.operation, "target": result.target, "instance": result.instance},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The results of one operation for one target, in numbers. `coverage` is a part of all instructions, 0 to 1."""

    operation: str
    target: str
    objects: int
    passed: int
    schedules: tuple[str, ...]
    worst: OutputError | None
    histogram: tuple[int, ...]
    instructions: int
    coverage: float | None

    def json(self) -> Json:
        """For machines."""
        return {
            "operation": self.operation,
            "target": self.target,
            "objects": self.objects,
            "passed": self.passed,
            "schedules": list(self.schedules),
            "worst": None if self.worst is None else self.worst.worst,
            "tolerance": None if self.worst is None else self.worst.tolerance,
            "histogram": list(self.histogram),
            "instructions": self.instructions,
            "coverage": self.coverage,
        }

    def __str__(self) -> str:
        error = part = ""
        if self.worst is not None:
            error, part = f"{self.worst.worst:.2e}", f"{self.worst.part:.0%}"
        covered = "" if self.coverage is None else f"{self.coverage:.1%}"
        passed = f"{self.passed}/{self.objects}"
        return f"{self.target:14} {passed:>7}  {error:>11}  {part:>12}  {self.instructions:12,}  {covered:>7}"


def summary(results: Sequence[ObjectResult]) -> Iterator[Row]:
    """One row per operation and target, in order of appearance."""
    groups: dict[tuple[str, str], list[ObjectResult]] = {}
    for result in results:
        groups.setdefault((result.operation, result.target), []).append(result)
    for (operation, target), members in groups.items():
        yield Row(
            operation=operation,
            target=target,
            objects=len(members),
            passed=sum(member.verdict is Verdict.PASSED for member in members),
            schedules=tuple(dict.fromkeys(name for member in members for name in member.schedules)),
            worst=worst_of(members),
            histogram=_added(members),
            instructions=sum(member.instructions for member in members),
            coverage=coverage_of(members),
        )


def worst_of(results: Iterable[ObjectResult]) -> OutputError | None:
    """The output, of all objects, that comes nearest to its tolerance or exceeds it most."""
    outputs = [output for result in results if (output := result.worst) is not None]
    return max(outputs, key=lambda output: (output.wrong > 0, output.part), default=None)


def coverage_of(results: Iterable[ObjectResult]) -> float | None:
    """Executed instructions as a part of all, or None where nothing is known."""
    known = [result.coverage for result in results if result.coverage is not None]
    total = sum(item.total for item in known)
    return sum(item.executed for item in known) / total if total else None


def _added(results: Iterable[ObjectResult]) -> tuple[int, ...]:
    rows = [result.histogram for result in results if result.histogram]
    return tuple(map(sum, zip(*rows, strict=True))) if rows else (0,) * (len(BINS) + 1)


def _details(results: Sequence[ObjectResult]) -> Iterator[str]:
    """One line per object, with how many elements have which error."""
    bounds = " ".join(f"<={bound:g}" for bound in BINS)
    yield f"elements by error, as a part of the tolerance: {bounds} more"
    wide = max((len(result.name) for result in results), default=0)
    for result in results:
        counts = " ".join(map(str, result.histogram))
        schedules = ",".join(result.schedules)
        yield f"{result.name:{wide}}  {result.verdict:8}  {counts}  {result.instructions:,} instructions  {schedules}"


def table(results: Sequence[ObjectResult]) -> Iterator[str]:
    """The summary for people: what passed, how close to the tolerance, how much was executed."""
    rows = list(summary(results))
    wide = max((len(row.operation) for row in rows), default=0)
    if rows:
        head = f"{'operation':{wide}}"
        yield f"{head}  target          passed  worst error  of tolerance  instructions  covered"
    yield from (f"{row.operation:{wide}}  {row}" for row in rows)
