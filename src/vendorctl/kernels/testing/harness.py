# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Tests one object: runs every trial under its schedules and compares what comes out with the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vendorctl import digest
from vendorctl.errors import VendorError
from vendorctl.kernels.object.instance import Instance
from vendorctl.kernels.object.launch import LaunchPlan
from vendorctl.kernels.recipe import Case, Expected, Recipe
from vendorctl.kernels.testing import trials as planning
from vendorctl.kernels.testing.backend import Backend, Call, Category, Covered, LoadedObject, Problem, Ran
from vendorctl.kernels.testing.comparison import OutputError, compare
from vendorctl.kernels.testing.results import TrialResult
from vendorctl.kernels.testing.trials import Trial

if TYPE_CHECKING:
    from vendorctl.kernels.testing.backend import Array

#: What outputs hold before a call, in turn: a value that leaks into a result then differs between schedules.
_FILLS = (0xFF, 0x3C, 0xA5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """An instance with everything that its test needs but the object: trials, and references by case name.

    References are computed once, so that many objects (mutants) can be tested against them.
    """

    plan: LaunchPlan
    trials: tuple[Trial, ...]
    references: Mapping[str, Mapping[str, Expected]] = field(repr=False)


def prepare(recipe: Recipe, instance: Instance, plan: LaunchPlan, backend: Backend, *, full: bool) -> Subject:
    """Cases and references of an instance. Raises VendorError when the recipe's cases cannot be used."""
    listed = planning.cases(recipe, instance)
    names = [case.name for case in listed]
    if len(set(names)) != len(names):
        raise VendorError(f"{recipe.operation} {instance.name}: two cases have the same name")
    references = {}
    for case in listed:
        reference = recipe.reference(instance, case)
        if missing := sorted(set(case.outputs) - set(reference)):
            raise VendorError(f"{recipe.operation} {instance.name}: no reference for output {', '.join(missing)}")
        references[case.name] = reference
    wanted = tuple(planning.trials(listed, backend.schedules, full=full))
    return Subject(plan=plan, trials=wanted, references=references)


def examine(subject: Subject, loaded: LoadedObject) -> tuple[tuple[TrialResult, ...], Covered | None]:
    """Run all trials; what they found, and what they covered of the object."""
    results, covered = [], frozenset[int]()
    for trial in subject.trials:
        result, reached = run_trial(subject, trial, loaded)
        results.append(result)
        covered |= reached
    return tuple(results), loaded.coverage(covered)


def run_trial(subject: Subject, trial: Trial, loaded: LoadedObject) -> tuple[TrialResult, frozenset[int]]:
    """Run one trial under its schedules; the addresses of the instructions that ran come second."""
    runs: list[Ran] = []
    for number, schedule in enumerate(trial.schedules):
        call = Call(
            plan=subject.plan,
            arguments=trial.case.arguments,
            outputs=trial.case.outputs,
            aliases=trial.aliases,
            schedule=schedule,
            fill=_FILLS[number % len(_FILLS)],
        )
        runs.append(loaded.run(call))
    reference = subject.references[trial.case.name]
    result = TrialResult(
        name=trial.name,
        schedules=trial.schedules,
        outputs=tuple(_compare_all(trial.case, runs[0], reference)),
        problems=_united(trial.schedules, runs),
        disagreements=tuple(_disagreements(trial, runs, reference)),
        notes=tuple(_overwritten(trial, runs[0])),
        instructions=sum(run.instructions for run in runs),
        fingerprint=digest.sha256(b"".join(run.arrays[name].tobytes() for run in runs for name in trial.case.outputs)),
    )
    return result, frozenset[int]().union(*(run.covered for run in runs))


def _compare_all(case: Case, ran: Ran, reference: Mapping[str, Expected]) -> list[OutputError]:
    # After a fault the outputs are half written; the fault says what is wrong.
    if any(problem.category is Category.FAULT for problem in ran.problems):
        return []
    return [compare(name, ran.arrays[name], reference[name]) for name in case.outputs]


def _united(schedules: Sequence[str], runs: Sequence[Ran]) -> tuple[tuple[str, Problem], ...]:
    """Every problem once, with the first schedule that showed it."""
    found: dict[Problem, str] = {}
    for schedule, ran in zip(schedules, runs, strict=True):
        for problem in ran.problems:
            found.setdefault(problem, schedule)
    return tuple((schedule, problem) for problem, schedule in found.items())


def _disagreements(trial: Trial, runs: Sequence[Ran], reference: Mapping[str, Expected]) -> list[str]:
    """Outputs that are not the same, bit for bit, under every schedule."""
    found = []
    for name in trial.case.outputs:
        first = runs[0].arrays[name]
        for schedule, ran in zip(trial.schedules[1:], runs[1:], strict=True):
            if first.tobytes() != ran.arrays[name].tobytes():
                text = _difference(name, first, ran.arrays[name], trial.schedules[0], schedule)
                wrong = compare(name, ran.arrays[name], reference[name]).wrong
                found.append(f"{text}; under {schedule}, {wrong} elements are wrong" if wrong else text)
    return found


def _difference(name: str, first: Array, second: Array, one: str, other: str) -> str:
    import numpy as np

    width = first.dtype.itemsize
    a, b = (np.frombuffer(array.tobytes(), np.uint8).reshape(-1, width) for array in (first, second))
    differs = (a != b).any(axis=1)
    where = int(differs.argmax())
    values = f"{first.reshape(-1)[where]} and {second.reshape(-1)[where]}"
    return (
        f"{int(differs.sum())} of {len(differs)} elements of {name} differ between the {one} and {other} schedules;"
        f" the first, element {where}, is {values}"
    )


def _overwritten(trial: Trial, ran: Ran) -> list[str]:
    """Inputs that the kernel changed although nothing says it may."""
    allowed = {*trial.case.outputs, *trial.aliases.values()}
    return [
        f"the input {name} was overwritten"
        for name, array in ran.arrays.items()
        if name not in allowed and array.tobytes() != _given(trial.case, name)
    ]


def _given(case: Case, name: str) -> bytes:
    array = case.arguments[name]
    assert not isinstance(array, bool | int | float)
    return array.tobytes()
