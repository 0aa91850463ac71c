# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Tests many objects: spread over processes, known results reused, each reported as it arrives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from vendorctl import digest
from vendorctl.errors import VendorError
from vendorctl.kernels import closure
from vendorctl.kernels.testing import harness
from vendorctl.kernels.testing.backend import Backend, BackendFactory
from vendorctl.kernels.testing.cache import Conditions, ResultCache
from vendorctl.kernels.testing.recipes import imported
from vendorctl.kernels.testing.results import ObjectResult
from vendorctl.kernels.testing.selection import Built
from vendorctl.kernels.testing.spread import spread
from vendorctl.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One object of the workspace `root` to test, as a value that can be sent to another process."""

    root: Path
    built: Built
    conditions: Conditions
    cache: ResultCache | None

    @property
    def blank(self) -> ObjectResult:
        """The result before anything was run."""
        return ObjectResult(
            operation=self.built.operation,
            target=self.built.target,
            instance=self.built.record.instance.name,
            sha256=self.built.record.sha256,
        )

    def key(self, executed: str) -> str:
        """The key of its result in the cache; `executed` is the object's SHA-256 or the backend's identity of it."""
        return self.conditions.key(self.built.record, executed)


def run_tests(
    root: Path,
    objects: Sequence[Built],
    factory: BackendFactory,
    *,
    full: bool,
    jobs: int,
    cache: ResultCache | None,
    progress: Progress,
) -> tuple[ObjectResult, ...]:
    """Test `objects` of the workspace at `root`, `jobs` at a time; results in the order given.

    With one job everything runs in this process. What a kernel does wrong is in its result. Raises VendorError when
    the backend cannot be had (exit code 7), or when a process dies.
    """
    pending: list[tuple[int, Work]] = []
    results: dict[int, ObjectResult] = {}
    for index, work in enumerate(works_of(root, objects, factory(), full=full, cache=cache)):
        known = _known(work)
        if known is not None:
            results[index] = known
        else:
            pending.append((index, work))
    with progress.task("test", total=len(objects)) as task:
        task.advance(len(results), note="known results")
        run = partial(examine_object, factory=factory)
        for position, result in spread(run, [work for _, work in pending], jobs):
            results[pending[position][0]] = result
            task.advance(note=result.name)
    return tuple(results[index] for index in range(len(objects)))


def works_of(
    root: Path,
    objects: Iterable[Built],
    backend: Backend,
    *,
    full: bool,
    cache: ResultCache | None,
) -> Iterator[Work]:
    """The objects with all that their tests depend on, as work for this process or another."""
    recipes: dict[str, dict[str, str]] = {}
    for built in objects:
        recipe = built.recipe
        if recipe not in recipes:
            recipes[recipe] = {file.path: file.digest() for file in closure.recipe_closure(root, recipe)}
        conditions = Conditions(
            backend=backend.name, backend_version=backend.version, recipe=recipes[recipe], full=full
        )
        yield Work(root=root, built=built, conditions=conditions, cache=cache)


def _known(work: Work) -> ObjectResult | None:
    """The result of an earlier test of the very same bytes, if they are (still) there."""
    if work.cache is None or read_object(work) is None:
        return None
    return work.cache.get(work.key(work.built.record.sha256), work.blank)


def read_object(work: Work) -> bytes | None:
    """The object, if it is there with the bytes that its manifest records."""
    try:
        code = (work.built.folder / work.built.record.file).read_bytes()
    except OSError:
        return None
    return code if digest.sha256(code) == work.built.record.sha256 else None


def examine_object(work: Work, factory: BackendFactory) -> ObjectResult:
    """Test one object, in whichever process this is."""
    code = read_object(work)
    if code is None:
        return replace(work.blank, reason="the object is not there, or not as its manifest records it")
    backend = factory()
    try:
        known = _same_execution(work, backend, code)
        return known if known is not None else _tested(work, backend, code)
    except VendorError as error:
        return replace(work.blank, reason=error.message)


def _same_execution(work: Work, backend: Backend, code: bytes) -> ObjectResult | None:
    """The result of another object that is executed in exactly the same way (of another target, as a rule)."""
    if work.cache is None:
        return None
    found = work.cache.get(work.key(backend.identity(code)), work.blank)
    if found is not None:
        work.cache.put(work.key(work.built.record.sha256), found)
    return found


def _tested(work: Work, backend: Backend, code: bytes) -> ObjectResult:
    record = work.built.record
    with imported(work.root, work.built.recipe) as recipe:
        subject = harness.prepare(recipe, record.instance, record.launch, backend, full=work.conditions.full)
        if not subject.trials:
            return replace(work.blank, reason="its recipe has no test cases")
        trials, coverage = harness.examine(subject, backend.load(code))
    result = replace(work.blank, trials=trials, coverage=coverage)
    if work.cache is not None:
        for executed in (record.sha256, backend.identity(code)):
            work.cache.put(work.key(executed), result)
    return result
