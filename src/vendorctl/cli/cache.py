# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl cache`: what the user's cache holds, and the removal of what was not used for long."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options
from vendorctl.model import Report

#: What bytes are shown in, each 1024 times the one before.
_UNITS = ("KiB", "MiB", "GiB")


@click.group("cache")
@options()
def command() -> None:
    """Look after the user's cache: upstreams, objects, test results, compilers.

    Everything in it can be had again, and is checked when it is used. It is one folder for all workspaces
    (VENDORCTL_CACHE). The shared cache of VENDOR.yaml is another one, and is not touched.
    """


@command.command("status")
@options()
def status_command() -> int:
    """Show how much there is, and when it was used."""
    from vendorctl.upstream.cache import default_folder
    from vendorctl.upstream.housekeeping import status

    return emit(_for_people(status(default_folder(os.environ), time.time())))


@command.command("clean")
@click.option("--older-than", metavar="SPAN", help="What was not used for that long: 30d, 12h, 2w.")
@click.option("--max-size", metavar="SIZE", help="What was not used for longest, until the rest fits: 500M, 2G.")
@click.option("--dry-run", is_flag=True, help="Say what would go; remove nothing.")
@options()
def clean_command(older_than: str | None, max_size: str | None, dry_run: bool) -> int:
    """Remove what was not used for longest.

    What was used within the last hour stays, so that this is safe while other commands run.
    """
    from vendorctl.upstream.cache import default_folder
    from vendorctl.upstream.housekeeping import clean, parse_size, parse_span

    report = clean(
        default_folder(os.environ),
        time.time(),
        older_than=parse_span(older_than) if older_than is not None else None,
        max_size=parse_size(max_size) if max_size is not None else None,
        dry_run=dry_run,
    )
    return emit(_for_people(report))


def _for_people(report: Report) -> Report:
    """The report as text has it: what it counts in bytes is counted in the largest unit that fits, as in its table."""
    if current().format != "text":
        return report
    return replace(report, counts=dict(_in_units(name, count) for name, count in report.counts.items()))


def _in_units(name: str, count: int) -> tuple[str, int]:
    """``bytes left``, 3 << 20 -> ``MiB left``, 3; everything else as it is."""
    first, _, rest = name.partition(" ")
    unit = first
    for larger in _UNITS if first == "bytes" else ():
        if count < 1024:
            break
        count, unit = count // 1024, larger
    return f"{unit} {rest}".rstrip(), count
