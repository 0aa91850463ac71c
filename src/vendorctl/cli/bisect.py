# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl bisect`."""

from __future__ import annotations

import click

from vendorctl.cli.places import executor_option
from vendorctl.cli.session import current, options


@click.command("bisect")
@click.argument("name")
@click.option("--test", "operations", multiple=True, required=True, metavar="OP",
              help="The operation to test (repeatable).")  # fmt: skip
@click.option("--from", "start", metavar="REF", help="Where to begin (default: the pin).")
@click.option("--to", "end", metavar="REF", help="Where to end (default: the pin: then patches are searched).")
@click.option("--target", "targets", multiple=True, metavar="TARGET", help="Only this target (repeatable).")
@click.option("--instance", "instances", multiple=True, metavar="GLOB", help="Only these instances (repeatable).")
@click.option("--full", is_flag=True, help="Every instance and case under every schedule.")
@click.option("-j", "--jobs", type=click.IntRange(1, 512), help="Objects at a time (default: one per processor).")
@executor_option
@click.option("--offline", is_flag=True, help="Use the cache only.")
@options()
def command(
    name: str,
    operations: tuple[str, ...],
    start: str | None,
    end: str | None,
    targets: tuple[str, ...],
    instances: tuple[str, ...],
    full: bool,
    jobs: int | None,
    executor: str,
    offline: bool,
) -> int:
    """Find the upstream commit, or the patch, that changed how an operation's tests end.

    Between two commits, the series is carried over to each that is tried. Without --from and --to, the patches of the
    series are tried one after the other at the pin. The workspace is not changed.
    """
    from vendorctl.cli.testing import Choosing
    from vendorctl.cli.variants import bisected

    choosing = Choosing(operations=operations, targets=targets, instances=instances)
    session = current()
    return bisected(session, choosing, name, start, end, full=full, jobs=jobs, executor=executor, offline=offline)
