# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl init`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options
from vendorctl.model import Report


@click.command("init")
@options()
def command() -> int:
    """Start a workspace in this folder: write a VENDOR.yaml without upstreams."""
    from vendorctl.cli.surroundings import begin
    from vendorctl.vendor.intake import EMPTY_MANIFEST, refuse_workspace

    root = current().folder
    current().settle(root)
    refuse_workspace(root)
    with begin(root, "init") as tx:
        tx.write("VENDOR.yaml", EMPTY_MANIFEST.encode(), expect=None)
        tx.commit()
    line = "started a workspace: VENDOR.yaml. Next: vendorctl add NAME URL --ref REF --include GLOB"
    return emit(Report(schema="vendorctl/init/1", title="init", lines=(line,)))
