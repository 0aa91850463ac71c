# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the test of one object found, as plain values with an exact JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from vendorctl.kernels.testing.backend import Category, Covered, Problem
from vendorctl.kernels.testing.comparison import OutputError
from vendorctl.model import Json


class Verdict(StrEnum):
    """How a test ended. `UNTESTED` is neither a pass nor a failure: nothing ran."""

    PASSED = "passed"
    FAILED = "failed"
    UNTESTED = "untested"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """One trial: errors of the outputs under the first schedule, and what differs or goes wrong under any.

    `disagreements` says which outputs are not bit for bit the same under another schedule. `notes` are faults of other
    kinds: an input that was overwritten, an output that was not written. `instructions` is the sum over schedules.
    `fingerprint` is a digest of all output bytes under all schedules: two machines must agree on it.
    """

    name: str
    schedules: tuple[str, ...]
    outputs: tuple[OutputError, ...] = ()
    problems: tuple[tuple[str, Problem], ...] = ()
    disagreements: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    instructions: int = 0
    fingerprint: str = ""

    @property
    def ok(self) -> bool:
        """True when nothing is wrong."""
        clean = not (self.problems or self.disagreements or self.notes)
        return clean and all(output.ok for output in self.outputs)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectResult:
    """The test of one object. `reason` says why it is untested; `reused` that the result was not computed just now."""

    operation: str
    target: str
    instance: str
    sha256: str
    trials: tuple[TrialResult, ...] = ()
    coverage: Covered | None = None
    reason: str = ""
    reused: bool = field(default=False, compare=False)

    @property
    def name(self) -> str:
        """`operation target instance`, for people."""
        return f"{self.operation} {self.target} {self.instance}"

    @property
    def verdict(self) -> Verdict:
        """How it ended; a test that ran nothing is no pass."""
        if self.reason or not self.trials:
            return Verdict.UNTESTED
        return Verdict.PASSED if all(trial.ok for trial in self.trials) else Verdict.FAILED

    @property
    def instructions(self) -> int:
        """Instructions executed in all trials, each once per wave."""
        return sum(trial.instructions for trial in self.trials)

    @property
    def worst(self) -> OutputError | None:
        """The output that comes nearest to its tolerance, or exceeds it most."""
        outputs = [output for trial in self.trials for output in trial.outputs]
        return max(outputs, key=lambda output: (output.wrong > 0, output.part), default=None)

    @property
    def histogram(self) -> tuple[int, ...]:
        """Elements of all outputs by error (see `comparison.BINS`)."""
        rows = [output.histogram for trial in self.trials for output in trial.outputs]
        return tuple(map(sum, zip(*rows, strict=True)))

    @property
    def schedules(self) -> tuple[str, ...]:
        """Every schedule that some trial ran under, in order of use."""
        return tuple(dict.fromkeys(name for trial in self.trials for name in trial.schedules))


def dump(result: ObjectResult) -> dict[str, Json]:
    """The JSON form; `parse` is its inverse."""
    found: dict[str, Json] = {
        "operation": result.operation,
        "target": result.target,
        "instance": result.instance,
        "sha256": result.sha256,
        "verdict": result.verdict.value,
        "reason": result.reason,
        "instructions": result.instructions,
        "trials": [_dump_trial(trial) for trial in result.trials],
    }
    if result.coverage is not None:
        cover = result.coverage
        found["coverage"] = {
            "executed": cover.executed,
            "total": cover.total,
            "missed": dict(cover.missed),
            "unproven": list(cover.unproven),
        }
    return found


def _dump_trial(trial: TrialResult) -> Json:
    return {
        "name": trial.name,
        "schedules": list(trial.schedules),
        "outputs": [_dump_output(output) for output in trial.outputs],
        "problems": [
            {"schedule": schedule, "category": item.category.value, "kind": item.kind, "message": item.message}
            for schedule, item in trial.problems
        ],
        "disagreements": list(trial.disagreements),
        "notes": list(trial.notes),
        "instructions": trial.instructions,
        "fingerprint": trial.fingerprint,
    }


def _dump_output(output: OutputError) -> Json:
    found: dict[str, Json] = {name: getattr(output, name) for name in output.__slots__ if name != "histogram"}
    return found | {"histogram": list(output.histogram)}


def parse(value: Mapping[str, Any]) -> ObjectResult:
    """A result from its JSON form. Raises KeyError, TypeError or ValueError when it is not one."""
    cover = value.get("coverage")
    return ObjectResult(
        operation=str(value["operation"]),
        target=str(value["target"]),
        instance=str(value["instance"]),
        sha256=str(value["sha256"]),
        reason=str(value["reason"]),
        trials=tuple(_parse_trial(trial) for trial in value["trials"]),
        coverage=None if cover is None else Covered(
            executed=int(cover["executed"]),
            total=int(cover["total"]),
            missed={str(name): int(count) for name, count in cover["missed"].items()},
            unproven=tuple(map(str, cover["unproven"])),
        ),
    )  # fmt: skip


def _parse_trial(value: Mapping[str, Any]) -> TrialResult:
    return TrialResult(
        name=str(value["name"]),
        schedules=tuple(map(str, value["schedules"])),
        outputs=tuple(OutputError(**{**item, "histogram": tuple(item["histogram"])}) for item in value["outputs"]),
        problems=tuple(
            (str(item["schedule"]), Problem(Category(item["category"]), str(item["kind"]), str(item["message"])))
            for item in value["problems"]
        ),
        disagreements=tuple(map(str, value["disagreements"])),
        notes=tuple(map(str, value["notes"])),
        instructions=int(value["instructions"]),
        fingerprint=str(value["fingerprint"]),
    )
