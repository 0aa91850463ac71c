# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl pack`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options


@click.command("pack")
@click.option(
    "--check", "only_check", is_flag=True, help="Take the census of the shards that are there; write nothing."
)
@click.option(
    "--output", "folder", default="shards", metavar="DIR", help="Folder below the workspace (default: shards)."
)
@options()
def command(only_check: bool, folder: str) -> int:
    """Pack one shard per device architecture.

    Also writes descriptors/, from which consumers select kernels, and the coverage page. Nothing is packed unless
    `check --require` passes.
    """
    from vendorctl.cli.surroundings import begin
    from vendorctl.kernels.building.project import load_project
    from vendorctl.kernels.shipping.pack import check_pack, pack
    from vendorctl.workspace.guard import reading

    root = current().root()
    if only_check:
        with reading(root):
            return emit(check_pack(load_project(root), folder=folder))
    project = load_project(root)
    return emit(pack(project, lambda: begin(project.root, "pack"), folder=folder))
