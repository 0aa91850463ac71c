# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl diff-upstream`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options
from vendorctl.model import Report


@click.command("diff-upstream")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--against", default="pin", metavar="pin|track|REF", help="What to compare with (default: the pin).")
@click.option("--offline", is_flag=True, help="Use the cache only.")
@options(formats=("text", "json", "markdown", "patch", "sarif", "github", "html"))
def command(names: tuple[str, ...], against: str, offline: bool) -> int:
    """Every difference from upstream, hunk by hunk, with the patch that explains it.

    A difference that no patch explains is a finding. With --against track (or a REF): what upstream changed since the
    pin, and what a bump would bring.
    """
    return emit(_at_pin(names) if against == "pin" else _against(names, against, offline=offline))


def _at_pin(names: tuple[str, ...]) -> Report:
    from vendorctl.cli.surroundings import standings
    from vendorctl.drift.diff import compare_with_upstream, diff_report

    root = current().root()
    return diff_report(root, [compare_with_upstream(standing) for standing in standings(root, names)])


def _against(names: tuple[str, ...], against: str, *, offline: bool) -> Report:
    from vendorctl.cli.surroundings import standings, sync_tools
    from vendorctl.drift.measure import measure_all
    from vendorctl.drift.report import drift_report
    from vendorctl.licenses.facts import scan

    root = current().root()
    ref = None if against == "track" else against
    with sync_tools(root, offline=offline) as tools:
        drifts = measure_all(standings(root, names), tools.opener, scan, against=ref, progress=current().progress())
    return drift_report(drifts)
