# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Mutation control: objects damaged on purpose must fail their tests; those that do not show what tests cannot see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from vendorctl import digest
from vendorctl.errors import VendorError
from vendorctl.kernels.executor.work import Items, Place, Tell
from vendorctl.kernels.testing import harness
from vendorctl.kernels.testing.backend import Backend, LoadedObject
from vendorctl.kernels.testing.harness import Subject
from vendorctl.kernels.testing.results import TrialResult
from vendorctl.kernels.testing.specimen import Kit, Specimen, each_aside
from vendorctl.model import Json


class Kind(StrEnum):
    """What was changed."""

    OPCODE = "opcode"
    REGISTER = "register"
    LITERAL = "literal"
    CONSTANT = "constant"
    BARRIER = "barrier"
    WAIT = "wait"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A damaged copy of an object: `place` is the instruction's offset and text, `change` what became of it."""

    kind: Kind
    place: str
    change: str
    code: bytes = field(repr=False)


#: Makes mutants of an object: its bytes, the addresses that tests reach, how many of each kind, a seed.
Mutator: TypeAlias = Callable[[bytes, frozenset[int], int, int], Sequence[Mutant]]


class Reason(StrEnum):
    """Why a mutant survived."""

    EQUIVALENT = "every output is the same, bit for bit"
    TOLERATED = "outputs differ by less than the tolerance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Survivor:
    """A mutant that passed all trials."""

    kind: Kind
    place: str
    change: str
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationResult:
    """The mutants of one object. `tried` and `killed` count by kind, `means` by what gave the mutant away.

    `excuse` says why nothing was tried: the object itself does not pass, or is not there.
    """

    name: str
    tried: Mapping[Kind, int] = field(default_factory=dict)
    killed: Mapping[Kind, int] = field(default_factory=dict)
    means: Mapping[str, int] = field(default_factory=dict)
    survivors: tuple[Survivor, ...] = ()
    excuse: str = ""

    def json(self) -> Json:
        """For machines."""
        return {
            "object": self.name,
            "tried": {kind.value: count for kind, count in self.tried.items()},
            "killed": {kind.value: count for kind, count in self.killed.items()},
            "means": dict(self.means),
            "survivors": [
                {"kind": item.kind.value, "place": item.place, "change": item.change, "reason": item.reason.value}
                for item in self.survivors
            ],
            "excuse": self.excuse,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationKit:
    """What mutating one recipe's objects takes, beside what testing them does."""

    tests: Kit
    mutator: Mutator
    per_kind: int


def mutate_items(place: Place, kit: MutationKit, items: Items[Specimen], tell: Tell[MutationResult]) -> None:
    """Test the mutants of objects at some place; see `work.Job`."""
    each_aside(place, mutate_object, kit, items, no_mutants, tell)


def no_mutants(specimen: Specimen, why: str) -> MutationResult:
    """The result of an object that nothing was tried with."""
    return MutationResult(name=specimen.blank.name, excuse=why)


def mutate_object(kit: MutationKit, specimen: Specimen) -> MutationResult:
    """Test the mutants of one object, in whichever process this is."""
    record = specimen.record
    try:
        backend = kit.tests.factory()
        with kit.tests.opened() as recipe:
            subject = harness.prepare(recipe, record.instance, record.launch, backend, full=kit.tests.full)
        return _mutate(kit, specimen, backend, subject)
    except VendorError as error:
        return no_mutants(specimen, error.message)


def _mutate(kit: MutationKit, specimen: Specimen, backend: Backend, subject: Subject) -> MutationResult:
    name, code = specimen.blank.name, specimen.code
    sound, covered = {}, frozenset[int]()
    loaded = backend.load(code)
    for trial in subject.trials:
        result, reached = harness.run_trial(subject, trial, loaded)
        sound[trial.name] = result.fingerprint
        covered |= reached
        if not result.ok:
            return MutationResult(name=name, excuse=f"the object itself does not pass: {trial.name}")
    tried: Counter[Kind] = Counter()
    killed: Counter[Kind] = Counter()
    means: Counter[str] = Counter()
    survivors = []
    seed = int(digest.sha256(name.encode())[:8], 16)
    for mutant in kit.mutator(code, covered, kit.per_kind, seed):
        tried[mutant.kind] += 1
        outcome = _try(subject, backend.load(mutant.code), sound)
        if isinstance(outcome, Reason):
            survivors.append(Survivor(kind=mutant.kind, place=mutant.place, change=mutant.change, reason=outcome))
        else:
            killed[mutant.kind] += 1
            means[outcome] += 1
    return MutationResult(name=name, tried=tried, killed=killed, means=means, survivors=tuple(survivors))


def _try(subject: Subject, mutant: LoadedObject, sound: Mapping[str, str]) -> str | Reason:
    """What gave a mutant away, or why it survived. Fast schedules first: most mutants die at once."""
    for trial in subject.trials:
        quick = replace(trial, schedules=trial.schedules[:1])
        result, _ = harness.run_trial(subject, quick, mutant)
        if not result.ok:
            return _means(result)
    same = True
    for trial in subject.trials:
        result, _ = harness.run_trial(subject, trial, mutant)
        if not result.ok:
            return _means(result)
        same = same and result.fingerprint == sound[trial.name]
    return Reason.EQUIVALENT if same else Reason.TOLERATED


def _means(result: TrialResult) -> str:
    for _, problem in result.problems:
        return problem.category.value
    if result.disagreements:
        return "schedules disagree"
    return "wrong result"


def rate(results: Sequence[MutationResult]) -> float:
    """Killed mutants as a part of all, 0 to 1; 0 when none was tried."""
    tried = sum(sum(result.tried.values()) for result in results)
    return sum(sum(result.killed.values()) for result in results) / tried if tried else 0.0


def by_kind(results: Sequence[MutationResult]) -> Iterator[tuple[Kind, int, int]]:
    """(kind, tried, killed) over all results, for the kinds that occur."""
    for kind in Kind:
        tried = sum(result.tried.get(kind, 0) for result in results)
        if tried:
            yield kind, tried, sum(result.killed.get(kind, 0) for result in results)
