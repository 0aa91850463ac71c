# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl check`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options


@click.command("check")
@click.option("--require", is_flag=True, help="Objects that are not built here are an error, not a warning.")
@options()
def command(require: bool) -> int:
    """Prove that every object comes from these sources, recipes and toolchain.

    Needs no compiler and runs no recipe: hashes, target stamps, input digests, census, resource policy.
    """
    from vendorctl.kernels.check import check
    from vendorctl.kernels.project import load_project

    return emit(check(load_project(current().root()), require=require))
