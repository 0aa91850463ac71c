# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl test`."""

from __future__ import annotations

from pathlib import Path

import click

from vendorctl.cli.given import GivenPath
from vendorctl.cli.places import executor_option
from vendorctl.cli.session import FINDING_FORMATS, current, options


@click.command("test")
@click.option("--op", "operations", multiple=True, metavar="OP", help="Only this operation (repeatable).")
@click.option("--target", "targets", multiple=True, metavar="TARGET", help="Only this target (repeatable).")
@click.option("--instance", "instances", multiple=True, metavar="GLOB", help="Only these instances (repeatable).")
@click.option("--changed", is_flag=False, flag_value="HEAD", metavar="[REV]",
              help="Only objects that the manifests of a git revision (default: HEAD) do not record.")  # fmt: skip
@click.option("--full", is_flag=True, help="Every case under every schedule.")
@click.option("--backend", default="emulator", type=click.Choice(["emulator", "hip"]), help="What runs the objects.")
@click.option("-j", "--jobs", type=click.IntRange(1, 512), help="Objects at a time (default: one per processor).")
@executor_option
@click.option("--no-cache", is_flag=True, help="Test again what was tested before.")
@click.option("--junit", type=GivenPath(path_type=Path, dir_okay=False), help="Write JUnit XML to this file, too.")
@click.option("--mutate", is_flag=True, help="Damage objects on purpose; report which damage the tests notice.")
@click.option("--mutants", "per_kind", type=click.IntRange(1), default=12, metavar="N",
              help="With --mutate: mutants of each kind and object (default: 12).")  # fmt: skip
@click.option("--without", "patch", metavar="PATCH", help="Show what goes wrong without this patch.")
@options(formats=FINDING_FORMATS)
def command(
    operations: tuple[str, ...],
    targets: tuple[str, ...],
    instances: tuple[str, ...],
    changed: str | None,
    full: bool,
    backend: str,
    jobs: int | None,
    executor: str,
    no_cache: bool,
    junit: Path | None,
    mutate: bool,
    per_kind: int,
    patch: str | None,
) -> int:
    """Run every object and compare it with its float64 reference, with no GPU.

    The emulator executes the shipped bytes under several orders of waves and finds races, missing waits, accesses
    out of bounds and values that nothing wrote. Exit code 6 when anything is wrong.
    """
    from vendorctl.cli.testing import Choosing, mutated, show, tested

    choosing = Choosing(operations=operations, targets=targets, instances=instances, changed=changed)
    if patch is not None:
        from vendorctl.cli.variants import without

        return without(current(), choosing, patch, backend=backend, full=full, jobs=jobs, executor=executor)
    if mutate:
        return mutated(current(), choosing, per_kind=per_kind, full=full, jobs=jobs, executor=executor)
    cached = not no_cache
    done = tested(current(), choosing, backend=backend, full=full, jobs=jobs, cached=cached, executor=executor)
    return show(done, junit)
