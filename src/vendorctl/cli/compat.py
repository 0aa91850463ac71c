# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl compat`."""

from __future__ import annotations

import os

import click

from vendorctl.cli.output import emit
from vendorctl.cli.places import executor_option
from vendorctl.cli.session import current, options

_DEFAULT = ("0.3.4", "0.4.2", "0.5.0")


@click.command("compat")
@click.option("--version", "versions", multiple=True, metavar="VERSION",
              help=f"A published flydsl to try (repeatable; default: {', '.join(_DEFAULT)}).")  # fmt: skip
@click.option("--op", "operations", multiple=True, metavar="OP", help="Only this operation (repeatable).")
@click.option("--target", "targets", multiple=True, metavar="TARGET", help="Only this target (repeatable).")
@click.option("-j", "--jobs", type=click.IntRange(1, 512), help="Compiles at a time (default: one per processor).")
@executor_option
@options()
def command(
    versions: tuple[str, ...], operations: tuple[str, ...], targets: tuple[str, ...], jobs: int | None, executor: str
) -> int:
    """Compile the instance table against several toolchain versions.

    Each version is installed with pip into an environment of its own, in the user's cache. Reports pass, fail, and
    objects whose bytes differ from the pinned version's; the workspace is not changed.
    """
    from vendorctl.cli.kernels import compiling
    from vendorctl.kernels.building.build import BuildOptions
    from vendorctl.kernels.building.compat import compat
    from vendorctl.kernels.compiler import venvs
    from vendorctl.upstream.cache import default_folder

    with compiling(current(), jobs=jobs, executor=executor, any_flydsl=True) as work:
        chosen = BuildOptions(operations=operations, targets=targets, jobs=work.jobs)
        folder = default_folder(os.environ) / "environments"
        tried = [
            venvs.with_environment(work.tools, venvs.environment(folder, version, variables=os.environ), version)
            for version in versions or _DEFAULT
        ]
        return emit(compat(work.project, tried, work.executor, chosen, progress=work.progress))
