# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Tests many objects: spread over the places of an executor, known results reused, each kept as it arrives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event

from vendorctl import digest
from vendorctl.errors import VendorError
from vendorctl.kernels.executor.work import Executor, Job, Lot
from vendorctl.kernels.testing import results
from vendorctl.kernels.testing.backend import Backend, BackendFactory
from vendorctl.kernels.testing.cache import Conditions, ResultCache
from vendorctl.kernels.testing.results import ObjectResult
from vendorctl.kernels.testing.selection import Built
from vendorctl.kernels.testing.specimen import (
    Kit,
    Specimen,
    backend_facts,
    believed,
    blank_result,
    examine_items,
    kit_for,
    read_specimen,
    test_faults,
)
from vendorctl.model import Json
from vendorctl.progress import Progress

#: The objects of one piece at most: a test takes much longer than handing it out.
TEST_PIECE = 8
ABSENT = "the object is not there, or not as its manifest records it"


@dataclass(frozen=True, slots=True)
class _Task:
    """An object to test: the number of its result, and the key of what is executed, where results are kept."""

    index: int
    specimen: Specimen
    executed: str = ""


@dataclass(slots=True)
class _Session:
    """What is known, what is to be tested, and what waits for the test of another object that is executed alike."""

    backend: Backend
    cache: ResultCache | None
    conditions: Mapping[str, Conditions]
    results: dict[int, ObjectResult] = field(default_factory=dict)
    pending: dict[str, list[_Task]] = field(default_factory=dict)
    alike: dict[str, list[_Task]] = field(default_factory=dict)

    def take(self, index: int, built: Built) -> None:
        """Find the object's result, or note what has to be done for it."""
        specimen = read_specimen(built)
        if specimen is None:
            self.results[index] = replace(blank_result(built), reason=ABSENT)
            return
        task = _Task(index, specimen)
        if self.cache is not None:
            known = self.cache.get(self._own_key(built.recipe, specimen), specimen.blank)
            if known is not None:
                self.results[index] = known
                return
            try:
                executed = self.backend.identity(specimen.code)
            except VendorError as error:
                self.results[index] = replace(specimen.blank, reason=error.message)
                return
            task = _Task(index, specimen, self.conditions[built.recipe].key(specimen.record, executed))
            found = self.cache.get(task.executed, specimen.blank)
            if found is not None:
                self._keep(built.recipe, task, found)
                return
            group = self.alike.setdefault(task.executed, [])
            group.append(task)
            if len(group) > 1:
                return
        self.pending.setdefault(built.recipe, []).append(task)

    def arrived(self, recipe: str, task: _Task, result: ObjectResult) -> None:
        """Keep a result, also for the objects that are executed in exactly the same way."""
        self._keep(recipe, task, result)
        if self.cache is not None:
            self.cache.learn(task.executed, result)
        for other in self.alike.get(task.executed, [])[1:]:
            blank = other.specimen.blank
            same = replace(result, target=blank.target, sha256=blank.sha256, reused=bool(result.trials))
            self._keep(recipe, other, same)

    def _keep(self, recipe: str, task: _Task, result: ObjectResult) -> None:
        self.results[task.index] = result
        if self.cache is not None:
            self.cache.learn(self._own_key(recipe, task.specimen), result)

    def _own_key(self, recipe: str, specimen: Specimen) -> str:
        return self.conditions[recipe].key(specimen.record, specimen.record.sha256)


def run_tests(
    root: Path,
    objects: Sequence[Built],
    factory: BackendFactory,
    *,
    full: bool,
    executor: Executor,
    cache: ResultCache | None,
    progress: Progress,
) -> tuple[ObjectResult, ...]:
    """Test `objects` of the workspace at `root`; results in the order given.

    What a kernel does wrong is in its result. With a cache, results are kept as they arrive, and objects that are
    executed alike are tested once. Raises VendorError when the backend cannot be had (exit code 7), or when the
    executor has no place that can test.
    """
    backend = factory()
    kits = {recipe: kit_for(root, recipe, factory, full=full) for recipe in dict.fromkeys(b.recipe for b in objects)}
    conditions = {recipe: _conditions(kit, backend) for recipe, kit in kits.items()}
    session = _Session(backend=backend, cache=cache, conditions=conditions)
    with progress.task("test", total=len(objects)) as task:
        for index, built in enumerate(objects):
            session.take(index, built)
        task.advance(len(session.results), note="known results")
        recipes = list(session.pending)

        def receive(number: int, position: int, sent: Mapping[str, Json]) -> None:
            asked = session.pending[recipes[number]][position]
            before = len(session.results)
            session.arrived(recipes[number], asked, believed(sent, asked.specimen))
            where = f" ({words})" if (words := executor.describe()) else ""
            task.advance(len(session.results) - before, note=f"{asked.specimen.blank.name}{where}")

        lots = [
            Lot(shared=kits[recipe], items=tuple(each.specimen for each in session.pending[recipe]))
            for recipe in recipes
        ]
        executor.run(_job(factory, backend), lots, receive, Event())
    return tuple(session.results[index] for index in range(len(objects)))


def _conditions(kit: Kit, backend: Backend) -> Conditions:
    return Conditions(
        backend=backend.name,
        backend_version=backend.version,
        recipe={file.path: file.digest() for file in kit.files},
        full=kit.full,
    )


def _job(factory: BackendFactory, backend: Backend) -> Job[Kit, Specimen, Mapping[str, Json]]:
    return Job(
        title="test",
        perform=examine_items,
        faults=faults_of(factory, backend),
        lost=_without_result,
        torn=_without_result,
        fingerprint=_fingerprint,
        most=TEST_PIECE,
    )


def faults_of(factory: BackendFactory, backend: Backend) -> Callable[[], Sequence[str]]:
    """What tells, on another machine, why it cannot test as this one does."""
    package, numpy, version = backend_facts(backend)
    return partial(test_faults, package, numpy, factory, version)


def _without_result(specimen: Specimen, why: str) -> Mapping[str, Json]:
    return results.dump(replace(specimen.blank, reason=why))


def _fingerprint(sent: Mapping[str, Json]) -> str:
    return digest.sha256(digest.canonical_json(sent))
