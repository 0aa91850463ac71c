# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the commands that test kernels share: backends, the choice of objects, the cache, how results are shown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import click

from vendorctl.cli.output import emit
from vendorctl.cli.places import places
from vendorctl.cli.session import Session, current
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.building.project import Project, load_project
from vendorctl.kernels.executor.pool import LOCAL, processors
from vendorctl.kernels.testing.backend import BackendFactory
from vendorctl.kernels.testing.cache import ResultCache
from vendorctl.kernels.testing.junit import render_junit
from vendorctl.kernels.testing.report import TestReport, make_report
from vendorctl.kernels.testing.results import ObjectResult
from vendorctl.kernels.testing.selection import Choice, same_as, subjects
from vendorctl.kernels.testing.session import run_tests
from vendorctl.upstream.cache import default_folder

#: What the extra `test` brings.
_NEEDED = ("numpy", "ml_dtypes", "tinygrad")
#: Objects of each operation and target that are mutated unless all are asked for.
_MUTATED = 2
#: The part of the mutants that tests must notice.
_KILL_RATE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """The options that say which objects are meant; `changed` is a git revision to compare manifests with."""

    operations: Sequence[str]
    targets: Sequence[str]
    instances: Sequence[str] = ()
    changed: str | None = None

    def choice(self, root: Path) -> Choice:
        """The choice of objects in the workspace at `root`."""
        unchanged = None if self.changed is None else same_as(root, self.changed)
        return Choice(operations=self.operations, targets=self.targets, instances=self.instances, unchanged=unchanged)


@dataclass(frozen=True, slots=True)
class Done:
    """Results, and the report made of them."""

    results: tuple[ObjectResult, ...]
    report: TestReport


def backend_factory(name: str) -> BackendFactory:
    """The factory of the backend called `name`. Raises VendorError (exit code 7) where it cannot run here."""
    if name == "hip":
        from vendorctl.kernels.testing.hip import hip

        hip()  # says now, not in a worker, that there is no device
        return hip
    # Said now and once, not by every worker for every object.
    missing = [module for module in _NEEDED if find_spec(module) is None]
    if missing:
        raise VendorError(
            f"running objects needs {', '.join(missing)}",
            hint="`pip install 'vendorctl[test]'`",
            code=ExitCode.TOOL_MISSING,
        )
    from vendorctl.emulator.backend import emulator

    return emulator


def tested(
    session: Session,
    choosing: Choosing,
    *,
    backend: str,
    full: bool,
    jobs: int | None,
    cached: bool,
    executor: str = LOCAL,
) -> Done:
    """Test the chosen objects of the session's workspace; with the backend `hip`, one after the other."""
    project: Project = load_project(session.root())
    chosen = subjects(project, choosing.choice(project.root))
    factory = backend_factory(backend)
    with places(session, executor, 1 if backend == "hip" else jobs or processors()) as at:
        results = run_tests(
            project.root,
            chosen.objects,
            factory,
            full=full,
            executor=at,
            cache=result_cache() if cached else None,
            progress=session.progress(),
        )
    nothing_changed = choosing.changed is not None and not results
    report = make_report(
        results,
        backend=backend,
        full=full,
        findings=chosen.findings,
        may_be_empty=nothing_changed,
        details=session.verbosity > 0,
    )
    return Done(results, report)


def mutated(
    session: Session, choosing: Choosing, *, per_kind: int, full: bool, jobs: int | None, executor: str = LOCAL
) -> int:
    """`vendorctl test --mutate`: without --full or --instance, a few objects of each operation and target."""
    from vendorctl.emulator.backend import cautious_emulator
    from vendorctl.emulator.mutants import mutants
    from vendorctl.kernels.testing.mutating import mutation_report, run_mutants, sample

    project = load_project(session.root())
    objects = subjects(project, choosing.choice(project.root)).objects
    with places(session, executor, jobs or processors()) as at:
        results = run_mutants(
            project.root,
            objects if full or choosing.instances else sample(objects, _MUTATED),
            cautious_emulator,
            mutants,
            per_kind=per_kind,
            full=full,
            executor=at,
            progress=session.progress(),
        )
    done = mutation_report(results, least=_KILL_RATE)
    emit(done.report)
    return done.exit_code


def result_cache() -> ResultCache:
    """The user's cache of test results."""
    return ResultCache(default_folder(os.environ) / "tests")


def show(done: Done, junit: Path | None) -> int:
    """Write results to stdout in the session's format, and as JUnit XML to `junit`; return the exit code."""
    if junit is not None:
        junit.write_text(render_junit(done.results), "utf-8")
    if current().format == "junit":
        click.echo(render_junit(done.results), nl=False)
    else:
        emit(done.report.report)
    return done.report.exit_code
