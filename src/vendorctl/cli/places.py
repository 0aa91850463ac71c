# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`--executor`: where the commands that compile and test do their work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from vendorctl.cli.session import Session

if TYPE_CHECKING:
    from vendorctl.kernels.executor.work import Executor

#: The option, the same for every command that has it.
executor_option = click.option(
    "--executor",
    default="local",
    metavar="SPEC",
    help="Where to work: local, or a Dask cluster: dask://HOST:PORT (default: local).",
)


@contextmanager
def places(session: Session, spec: str, jobs: int) -> Iterator[Executor]:
    """The executor that `spec` names, with `jobs` places if it is this machine; closed with the context."""
    from vendorctl.kernels.executor.pool import open_executor

    executor = open_executor(spec, jobs, session.say)
    try:
        yield executor
    finally:
        executor.close()
