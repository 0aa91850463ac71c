# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl outdated`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options
from vendorctl.errors import ExitCode


@click.command("outdated")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--offline", is_flag=True, help="Use what the cache knows of the upstreams' refs.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 when an upstream has something newer.")
@click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
@options()
def command(names: tuple[str, ...], offline: bool, exit_code: bool, as_json: bool) -> int:
    """What could be pinned instead: the newest release for a pin on a release, else the tip of `track:`.

    Asks for refs only; downloads nothing. With --format json the answer suits update bots.
    """
    from vendorctl.cli.surroundings import open_cache
    from vendorctl.drift.outdated import find_candidates, outdated_report
    from vendorctl.series.workspace import chosen_upstreams
    from vendorctl.workspace.parse import load_manifest

    if as_json:
        current().format = "json"
    root = current().root()
    cache = open_cache(current(), offline=offline)
    chosen = chosen_upstreams(load_manifest(root), names)
    report = outdated_report(find_candidates(chosen, lambda upstream: cache.open(upstream.url, root)))
    emit(report)
    return ExitCode.FINDINGS if exit_code and report.counts["outdated"] else ExitCode.OK
