# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl diff-upstream`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.places import executor_option
from vendorctl.cli.session import FINDING_FORMATS, current, options
from vendorctl.model import Report


@click.command("diff-upstream")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--against", default="pin", metavar="pin|track|REF", help="What to compare with (default: the pin).")
@click.option("--offline", is_flag=True, help="Use the cache only.")
@click.option("--objects", is_flag=True, help="What the patches do to the compiled objects, as instructions.")
@click.option("--op", "operations", multiple=True, metavar="OP", help="With --objects: only this operation.")
@click.option("--target", "targets", multiple=True, metavar="TARGET", help="With --objects: only this target.")
@executor_option
@options(formats=(*FINDING_FORMATS, "patch"))
def command(
    names: tuple[str, ...],
    against: str,
    offline: bool,
    objects: bool,
    operations: tuple[str, ...],
    targets: tuple[str, ...],
    executor: str,
) -> int:
    """Every difference from upstream, hunk by hunk, with the patch that explains it.

    A difference that no patch explains is a finding. With --against track (or a REF): what upstream changed since the
    pin, and what a bump would bring.
    """
    if objects:
        from vendorctl.cli.objectdrift import BuildChoice, object_changes

        chosen = BuildChoice(operations=operations, targets=targets, executor=executor)
        return emit(object_changes(current(), names, against, chosen, offline=offline))
    if against != "pin":
        return emit(drift_of(names, against, offline=offline))
    return _at_pin(names)


def _at_pin(names: tuple[str, ...]) -> int:
    from vendorctl.cli.surroundings import standings
    from vendorctl.drift.diff import compare_with_upstream, diff_report, difference_patch
    from vendorctl.workspace.guard import reading

    root = current().root()
    with reading(root):
        compared = [compare_with_upstream(standing) for standing in standings(root, names)]
        report = diff_report(root, compared)
    if current().format != "patch":
        return emit(report)
    click.echo(b"".join(difference_patch(each) for each in compared), nl=False)
    return report.exit_code


def drift_of(names: tuple[str, ...], against: str, *, offline: bool) -> Report:
    """The drift report of the workspace in hand, against `track` or a ref."""
    from vendorctl.cli.surroundings import standings, sync_tools
    from vendorctl.drift.measure import measure_all
    from vendorctl.drift.report import drift_report
    from vendorctl.licenses.facts import scan

    root = current().root()
    ref = None if against == "track" else against
    with sync_tools(root, offline=offline) as tools:
        drifts = measure_all(standings(root, names), tools.opener, scan, against=ref, progress=current().progress())
    return drift_report(drifts)
