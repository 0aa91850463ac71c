# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the commands share that test other states of an upstream than the workspace's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vendorctl.cli.kernels import compiling
from vendorctl.cli.output import emit
from vendorctl.cli.session import Session, current
from vendorctl.cli.surroundings import open_cache, standings
from vendorctl.cli.testing import Choosing, backend_factory, result_cache
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.executor.pool import LOCAL
from vendorctl.kernels.testing import bisect, gate, necessity
from vendorctl.kernels.testing.contrast import Bench
from vendorctl.kernels.testing.variant import Scope, Workshop
from vendorctl.report.text import escape
from vendorctl.series.carry import open_history
from vendorctl.series.content import ContentMerger
from vendorctl.series.sync.plan import UpstreamPlan

#: Rows of each operation and target that are tried unless everything is asked for.
_SAMPLE = 3


@contextmanager
def bench(
    session: Session, choosing: Choosing, *, backend: str, full: bool, jobs: int | None, executor: str = LOCAL
) -> Iterator[Bench]:
    """A bench for the session's workspace; its scratch folder goes when the context is left."""
    named = bool(choosing.instances) or full
    scope = Scope(
        operations=choosing.operations,
        targets=choosing.targets,
        instances=choosing.instances,
        sample=None if named else _SAMPLE,
    )
    factory = backend_factory(backend)
    with (
        compiling(session, jobs=jobs, executor=executor) as work,
        tempfile.TemporaryDirectory(prefix="vendorctl-variants-") as scratch,
    ):
        shop = Workshop(
            project=work.project,
            tools=work.tools,
            cache=work.cache,
            executor=work.executor,
            progress=work.progress,
            jobs=work.jobs,
        )
        yield Bench(shop=shop, factory=factory, cache=result_cache(), scratch=Path(scratch), scope=scope, full=full)


def test_gate(plan: UpstreamPlan) -> None:
    """`vendorctl sync --gate test`: show both sides of a bump on stderr; refuse it when an object got worse.

    Raises VendorError (exit code 6) for a regression.
    """
    session = current()
    choosing = Choosing(operations=(), targets=())
    with bench(session, choosing, backend="emulator", full=False, jobs=None) as at:
        done = gate.examine_bump(at, plan)
    session.say("".join(f"{escape(line)}\n" for line in done.report.lines).rstrip())
    if not done.report.ok:
        count = len(done.report.findings)
        raise VendorError(
            f"the bump of {plan.upstream.name} is refused: {count} objects pass their tests before it and not after",
            hint=f"vendorctl bisect {plan.upstream.name} --test OP --to {plan.upstream.pin} finds what did it",
            code=ExitCode.BUILD_FAILED,
        )


def without(
    session: Session, choosing: Choosing, wanted: str, *, backend: str, full: bool, jobs: int | None, executor: str
) -> int:
    """`vendorctl test --without`."""
    with (
        bench(session, choosing, backend=backend, full=full, jobs=jobs, executor=executor) as at,
        ContentMerger() as merger,
    ):
        root = at.shop.project.root
        standing, patch = necessity.find_patch(standings(root, ()), wanted)
        done = necessity.without(at, standing, patch, merger)
        emit(done.report)
        return done.exit_code


def bisected(
    session: Session,
    choosing: Choosing,
    name: str,
    start: str | None,
    end: str | None,
    *,
    full: bool,
    jobs: int | None,
    executor: str,
    offline: bool,
) -> int:
    """`vendorctl bisect`. Raises VendorError (exit code 4) when upstream's history cannot be had."""
    with (
        bench(session, choosing, backend="emulator", full=full, jobs=jobs, executor=executor) as at,
        ContentMerger() as merger,
    ):
        root = at.shop.project.root
        standing = standings(root, (name,))[0]
        source = open_cache(session, offline=offline).open(standing.upstream.url, root)
        work = bisect.Bisection(at, standing, source, merger)
        pin = standing.locked.commit
        old, new = (source.resolve(ref).commit if ref else pin for ref in (start, end))
        if old == new:
            return emit(bisect.bisect_patches(work))
        history = open_history(source, old, new)
        if history is None:
            raise VendorError(f"the history from {old.short} to {new.short} cannot be had", code=ExitCode.UNREACHABLE)
        return emit(bisect.bisect_commits(work, history))
