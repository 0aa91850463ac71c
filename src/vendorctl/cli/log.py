# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl log`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options


@click.command("log")
@click.argument("name")
@options()
def command(name: str) -> int:
    """The history of NAME's pin in this workspace: who moved it when, from where to where, and what its series became.

    Read from VENDOR.lock in the workspace's git repository.
    """
    from vendorctl.cli.surroundings import open_cache
    from vendorctl.drift.pinlog import log_report, pin_history, upstream_distance
    from vendorctl.series.workspace import chosen_upstreams
    from vendorctl.workspace.parse import load_manifest

    root = current().root()
    (upstream,) = chosen_upstreams(load_manifest(root), (name,))
    source = open_cache(current(), offline=True).open(upstream.url, root)
    changes, unreadable = pin_history(root, name)
    return emit(log_report(name, changes, unreadable, upstream_distance(source)))
