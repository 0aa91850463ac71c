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
from vendorctl.kernels.work import Executor, Job, Lot
from vendorctl.model import Json
from vendorctl.progress import Progress

#: The objects of one piece at most: a test takes much longer than handing it out.
TEST_PIECE = 8
ABSENT = "the object is not there, or not as its manifest records it"


@dataclass(slots=True)
class _Session:
    """What is known, what is to be tested, and what waits for the test of another object that is executed alike."""

    backend: Backend
    cache: ResultCache | None
    kits: Mapping[str, Kit]
    results: dict[int, ObjectResult] = field(default_factory=dict)
    pending: dict[str, list[tuple[int, Specimen]]] = field(default_factory=dict)
    alike: dict[str, list[tuple[int, Specimen]]] = field(default_factory=dict)

    def take(self, index: int, built: Built) -> None:
        """Find the object's result, or note what has to be done for it."""
        specimen = read_specimen(built)
        if specimen is None:
            self.results[index] = replace(blank_result(built), reason=ABSENT)
            return
        known = self._known(built.recipe, specimen)
        if known is not None:
            self.results[index] = known
            return
        if self.cache is not None:
            try:
                key = self._key(built.recipe, specimen, self.backend.identity(specimen.code))
            except VendorError as error:
                self.results[index] = replace(specimen.blank, reason=error.message)
                return
            found = self.cache.get(key, specimen.blank)
            if found is not None:
                self._keep(built.recipe, index, specimen, found)
                return
            group = self.alike.setdefault(key, [])
            group.append((index, specimen))
            if len(group) > 1:
                return
        self.pending.setdefault(built.recipe, []).append((index, specimen))

    def arrived(self, recipe: str, index: int, specimen: Specimen, result: ObjectResult) -> None:
        """Keep a result, also for the objects that are executed in exactly the same way."""
        self._keep(recipe, index, specimen, result)
        if self.cache is None:
            return
        key = self._key(recipe, specimen, self.backend.identity(specimen.code))
        if result.trials:
            self.cache.put(key, result)
        for other, follower in self.alike.get(key, [])[1:]:
            blank = follower.blank
            same = replace(result, target=blank.target, sha256=blank.sha256, reused=bool(result.trials))
            self._keep(recipe, other, follower, same)

    def _known(self, recipe: str, specimen: Specimen) -> ObjectResult | None:
        if self.cache is None:
            return None
        return self.cache.get(self._key(recipe, specimen, specimen.record.sha256), specimen.blank)

    def _keep(self, recipe: str, index: int, specimen: Specimen, result: ObjectResult) -> None:
        self.results[index] = result
        if self.cache is not None and result.trials:
            self.cache.put(self._key(recipe, specimen, specimen.record.sha256), result)

    def _key(self, recipe: str, specimen: Specimen, executed: str) -> str:
        kit = self.kits[recipe]
        conditions = Conditions(
            backend=self.backend.name,
            backend_version=self.backend.version,
            recipe={file.path: file.digest() for file in kit.files},
            full=kit.full,
        )
        return conditions.key(specimen.record, executed)


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
    session = _Session(backend=backend, cache=cache, kits=kits)
    with progress.task("test", total=len(objects)) as task:
        for index, built in enumerate(objects):
            session.take(index, built)
        task.advance(len(session.results), note="known results")
        recipes = list(session.pending)

        def receive(number: int, position: int, sent: Mapping[str, Json]) -> None:
            index, specimen = session.pending[recipes[number]][position]
            before = len(session.results)
            session.arrived(recipes[number], index, specimen, believed(sent, specimen))
            where = f" ({words})" if (words := executor.describe()) else ""
            task.advance(len(session.results) - before, note=f"{specimen.blank.name}{where}")

        lots = [
            Lot(shared=kits[recipe], items=tuple(specimen for _, specimen in session.pending[recipe]))
            for recipe in recipes
        ]
        executor.run(_job(factory, backend), lots, receive, Event())
    return tuple(session.results[index] for index in range(len(objects)))


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
