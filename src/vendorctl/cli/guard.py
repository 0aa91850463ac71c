# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl guard`."""

from __future__ import annotations

from pathlib import Path

import click

from vendorctl.cli.given import GivenPath
from vendorctl.cli.output import emit
from vendorctl.cli.session import FINDING_FORMATS, current, options


@click.command("guard")
@click.argument("file", type=GivenPath(path_type=Path, dir_okay=False))
@click.option("--check", is_flag=True, help="Write nothing; fail when FILE is not as generated.")
@options(formats=FINDING_FORMATS)
def command(file: Path, check: bool) -> int:
    """Write FILE, the module by which a library refuses a wrong toolchain or target.

    Under 100 lines, standard library only. Versions and targets come from `kernels:` in VENDOR.yaml; the error names
    the command that installs what is missing.
    """
    from vendorctl.consumer.guard import check_guard, write_guard

    root = current().root()
    place = current().folder / file
    return emit(check_guard(root, place) if check else write_guard(root, place))
