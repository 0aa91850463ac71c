# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl why`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options


@click.command("why")
@click.argument("place", metavar="FILE:LINE")
@click.option("--offline", is_flag=True, help="Use the cache only.")
@options()
def command(place: str, offline: bool) -> int:
    """The upstream commit, or the patch with its reason, that put a line where it is.

    FILE is a file of a patched tree or of vendored/, as it is in the workspace.
    """
    from vendorctl.cli.surroundings import open_cache, standings
    from vendorctl.drift.why import explain_line, find_spot
    from vendorctl.workspace.guard import reading

    root, session = current().root(), current()
    with reading(root):
        spot = find_spot(root, session.folder, standings(root, ()), place)
        cache = open_cache(session, offline=offline)
        return emit(explain_line(spot, lambda: cache.open(spot.standing.upstream.url, root)))
