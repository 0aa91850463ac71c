# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl sbom`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options


@click.command("sbom")
@click.option("--check", is_flag=True, help="Write nothing; fail when a document is not as generated.")
@click.option("--require", is_flag=True, help="What is not restored here (store: fetch) is an error, not a note.")
@options(formats=("text", "json", "markdown", "sarif", "github"))
def command(check: bool, require: bool) -> int:
    """Generate CycloneDX, SPDX and provenance documents in sbom/, or check them.

    They list every file with its licence and hash, every patch in order with its difference, and every built object.
    """
    from vendorctl.licenses.bill import check_bills, publish_bills

    root = current().root()
    return emit(check_bills(root, require=require) if check else publish_bills(root))
