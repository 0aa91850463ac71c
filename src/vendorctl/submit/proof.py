# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What tests say about a change, read from reports of `vendorctl test` and of object comparisons.

A number is stated only when a report states it: where there is none, the text for upstream says that there is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vendorctl.digest import parse_json
from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.kernels.building.objectdrift import SCHEMA as OBJECTS_SCHEMA
from vendorctl.kernels.testing.backend import Category
from vendorctl.kernels.testing.report import SCHEMA as TEST_SCHEMA
from vendorctl.kernels.testing.report import read_report
from vendorctl.kernels.testing.results import ObjectResult, Verdict

_SAME = ("same", "metadata")


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationTests:
    """How the objects of one operation fared: counts of objects, races found, and the worst error of any output.

    `worst` and `tolerance` belong to the output that comes nearest to its tolerance; None where nothing was compared.
    """

    operation: str
    objects: int
    passed: int
    failed: int
    races: int
    worst: float | None
    tolerance: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TestNumbers:
    """One report of `vendorctl test`, by operation. `race` is the message of the first race, if any was found."""

    backend: str
    operations: tuple[OperationTests, ...]
    race: str
    __test__ = False  # not a test of pytest's

    @property
    def races(self) -> int:
        """Races in all operations."""
        return sum(each.races for each in self.operations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The evidence at hand; None: no such report. `objects` counts instances by what the change does to them."""

    before: TestNumbers | None = None
    after: TestNumbers | None = None
    objects: Mapping[str, int] | None = None

    @property
    def empty(self) -> bool:
        """Whether there is no evidence at all."""
        return self.before is None and self.after is None and self.objects is None

    @property
    def changed_objects(self) -> int:
        """Instances whose instructions, registers or existence change."""
        return sum(count for verdict, count in (self.objects or {}).items() if verdict not in _SAME)


def read_proof(before: Path | None, after: Path | None, objects: Path | None) -> Proof:
    """Read the reports that are given. Raises VendorError naming a file that is not what it should be."""
    return Proof(
        before=None if before is None else read_tests(before),
        after=None if after is None else read_tests(after),
        objects=None if objects is None else _read_objects(objects),
    )


def read_tests(file: Path) -> TestNumbers:
    """The numbers in what ``vendorctl test --format json`` wrote."""
    backend, results = read_report(file)
    operations = sorted({result.operation for result in results})
    try:
        numbers = tuple(_summarize(name, [each for each in results if each.operation == name]) for name in operations)
    except ArithmeticError as error:
        raise _unreadable(file, TEST_SCHEMA) from error
    races = [message for result in results for message in _races(result)]
    return TestNumbers(backend=backend, operations=numbers, race=races[0] if races else "")


def _summarize(operation: str, results: Sequence[ObjectResult]) -> OperationTests:
    worst = [found for result in results if (found := result.worst) is not None]
    nearest = max(worst, key=lambda output: (output.wrong > 0, output.worst / output.tolerance), default=None)
    return OperationTests(
        operation=operation,
        objects=len(results),
        passed=sum(result.verdict is Verdict.PASSED for result in results),
        failed=sum(result.verdict is Verdict.FAILED for result in results),
        races=sum(len(_races(result)) for result in results),
        worst=None if nearest is None else nearest.worst,
        tolerance=None if nearest is None else nearest.tolerance,
    )


def _races(result: ObjectResult) -> list[str]:
    """Messages of the distinct races of one object; one that several schedules show counts once."""
    found = (item.message for trial in result.trials for _, item in trial.problems if item.category is Category.RACE)
    return list(dict.fromkeys(found))


def _read_objects(file: Path) -> Mapping[str, int]:
    document = _load(file, OBJECTS_SCHEMA)
    try:
        return Counter(str(row["verdict"]) for row in document["instances"])
    except (KeyError, TypeError) as error:
        raise _unreadable(file, OBJECTS_SCHEMA) from error


def _load(file: Path, schema: str) -> dict[str, Any]:
    try:
        document = parse_json(file.read_bytes())
    except (OSError, ValueError) as error:
        raise _unreadable(file, schema) from error
    if not isinstance(document, dict) or document.get("schema") != schema:
        raise _unreadable(file, schema)
    return document


def _unreadable(file: Path, schema: str) -> VendorError:
    return VendorError(
        f"not a report of the form {schema}",
        location=Location(str(file)),
        hint="write it with `--format json`",
        code=ExitCode.USAGE,
    )
