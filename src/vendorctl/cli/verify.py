# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl verify`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import FINDING_FORMATS, current, options


@click.command("verify")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--require", is_flag=True, help="What is not restored here (store: fetch) is an error, not a note.")
@options(formats=FINDING_FORMATS)
def command(names: tuple[str, ...], require: bool) -> int:
    """Prove offline that every byte is accounted for.

    The pristine trees are upstream's as locked, the series give exactly the locked trees, and the patched trees on
    disk hold exactly those (plus the change notices that licences require).
    """
    from vendorctl.licenses.notices import notices_for
    from vendorctl.series.proofs import verify_workspace
    from vendorctl.workspace.guard import reading

    root = current().root()
    with reading(root):
        report = verify_workspace(root, names, notices_for, require=require)
    return emit(report)
