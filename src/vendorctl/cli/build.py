# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl build`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.places import executor_option
from vendorctl.cli.session import current, options


@click.command("build")
@click.option("--op", "operations", multiple=True, metavar="OP", help="Only this operation (repeatable).")
@click.option("--target", "targets", multiple=True, metavar="TARGET", help="Only this target (repeatable).")
@click.option("-j", "--jobs", type=click.IntRange(1, 512), help="Compiles at a time (default: one per processor).")
@click.option("--keep-going", is_flag=True, help="Go on after a failure, and keep every operation that is whole.")
@click.option("--force", is_flag=True, help="Accept bytes that differ from a manifest's although no input changed.")
@click.option("--verify", "again", is_flag=True, help="Compile everything again, compare bytes, write nothing.")
@executor_option
@click.option("--timeout", type=click.FloatRange(1), default=120.0, help="Seconds for one object (default: 120).")
@options()
def command(
    operations: tuple[str, ...],
    targets: tuple[str, ...],
    jobs: int | None,
    keep_going: bool,
    force: bool,
    again: bool,
    executor: str,
    timeout: float,
) -> int:
    """Compile the patched kernels to AMD code objects, with no GPU.

    Objects whose inputs did not change are left alone; others come from the user's cache or are compiled in confined
    child processes. Exit code 6 when anything failed.
    """
    from vendorctl.cli.kernels import compiling
    from vendorctl.cli.surroundings import begin
    from vendorctl.kernels.building.build import BuildOptions, build
    from vendorctl.kernels.building.verify import verify
    from vendorctl.kernels.compiler.child import Limits

    with compiling(current(), jobs=jobs, executor=executor) as work:
        chosen = BuildOptions(
            operations=operations,
            targets=targets,
            jobs=work.jobs,
            keep_going=keep_going,
            force=force,
            limits=Limits(seconds=timeout),
        )
        if again:
            done = verify(work.project, work.tools, work.executor, chosen, progress=work.progress)
        else:
            root = work.project.root
            done = build(work.project, work.tools, work.cache, work.executor, chosen,
                         begin=lambda: begin(root, "build"), progress=work.progress)  # fmt: skip
    emit(done.report)
    return done.exit_code
