# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl licenses`."""

from __future__ import annotations

from pathlib import Path

import click

from vendorctl.cli.given import GivenPath
from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options


@click.command("licenses")
@click.option("--check", is_flag=True, help="Write nothing; fail when a document is not as generated.")
@click.option(
    "--export",
    "export_to",
    type=GivenPath(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Also copy everything to DIR, such as share/doc/PRODUCT of an installation.",
)
@click.option("--require", is_flag=True, help="What is not restored here (store: fetch) is an error, not a note.")
@options(formats=("text", "json", "markdown", "sarif", "github"))
def command(check: bool, export_to: Path | None, require: bool) -> int:
    """Generate THIRD_PARTY_LICENSES.md, NOTICE and licenses/, or check them.

    Everything comes from VENDOR.lock, the patches and the licence texts that ship with vendorctl: the same state gives
    the same bytes on every machine.
    """
    from vendorctl.licenses.publish import check_notices, publish_notices

    root = current().root()
    report = check_notices(root, require=require) if check else publish_notices(root, export_to=export_to)
    return emit(report)
