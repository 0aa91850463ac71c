# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl check`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import FINDING_FORMATS, current, options
from vendorctl.model import merge


@click.command("check")
@click.option("--require", is_flag=True, help="Objects that are not built here are an error, not a warning.")
@click.option("--instructions", is_flag=True, help="Also decode every object for every architecture that may load it.")
@options(formats=FINDING_FORMATS)
def command(require: bool, instructions: bool) -> int:
    """Prove that every object comes from these sources, recipes and toolchain.

    Needs no compiler and runs no recipe: hashes, target stamps, input digests, census, resource policy.
    """
    from vendorctl.kernels.building.project import load_project
    from vendorctl.kernels.check import SCHEMA, check
    from vendorctl.workspace.guard import reading

    root = current().root()
    with reading(root):
        project = load_project(root)
        report = check(project, require=require)
    if not instructions or not report.ok:
        return emit(report)
    from vendorctl.emulator import decode
    from vendorctl.kernels.shipping.members import check_instructions

    return emit(merge(SCHEMA, "check", [report, check_instructions(project, decode)]))
