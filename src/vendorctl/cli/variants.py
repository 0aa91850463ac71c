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
from vendorctl.cli.session import Session
from vendorctl.cli.surroundings import standings
from vendorctl.cli.testing import Choosing, backend_factory, result_cache
from vendorctl.kernels.testing import necessity
from vendorctl.kernels.testing.contrast import Bench
from vendorctl.kernels.testing.variant import Scope, Workshop
from vendorctl.series.content import ContentMerger

#: Rows of each operation and target that are tried unless everything is asked for.
_SAMPLE = 3


@contextmanager
def bench(session: Session, choosing: Choosing, *, backend: str, full: bool, jobs: int | None) -> Iterator[Bench]:
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
        compiling(session, jobs=jobs) as work,
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


def without(session: Session, choosing: Choosing, wanted: str, *, backend: str, full: bool, jobs: int | None) -> int:
    """`vendorctl test --without`."""
    with bench(session, choosing, backend=backend, full=full, jobs=jobs) as at, ContentMerger() as merger:
        root = at.shop.project.root
        standing, patch = necessity.find_patch(standings(root, ()), wanted)
        done = necessity.without(at, standing, patch, merger)
        emit(done.report)
        return done.exit_code
