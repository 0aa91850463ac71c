# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl sync`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Report
from vendorctl.series.sync.command import SyncRequest


@click.command("sync")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--pin", "pins", multiple=True, metavar="NAME=REF", help="Move NAME's pin to a tag, branch or commit.")
@click.option("--dry-run", is_flag=True, help="Show what would happen; write nothing.")
@click.option("--drop-merged", is_flag=True, help="Drop patches that upstream has taken.")
@click.option("--follow-moves", is_flag=True, help="Let include: follow files that upstream moved.")
@click.option("--locked", is_flag=True, help="Fail rather than change VENDOR.lock.")
@click.option("--offline", is_flag=True, help="Use the cache only.")
@click.option("--discard", is_flag=True, help="Replace edits that no patch records (a copy is kept).")
@click.option("--gate", type=click.Choice(["test"]), help="Refuse a bump that makes a kernel's test fail.")
@click.option("--continue", "resume", flag_value="continue", help="Go on after editing a conflict's files.")
@click.option("--skip", "resume", flag_value="skip", help="Leave the patch in conflict out, and go on.")
@click.option("--abort", "resume", flag_value="abort", help="Give the interrupted bump up.")
@options(formats=("text", "json", "markdown"))
def command(
    names: tuple[str, ...],
    pins: tuple[str, ...],
    dry_run: bool,
    drop_merged: bool,
    follow_moves: bool,
    locked: bool,
    offline: bool,
    discard: bool,
    gate: str | None,
    resume: str | None,
) -> int:
    """Make disk agree with VENDOR.yaml; with --pin, move a pin and carry the patches over.

    Without NAME, all upstreams. Edits that no patch records are never overwritten.
    """
    request = SyncRequest(
        names=names,
        pins=_parse_pins(pins),
        dry_run=dry_run,
        drop_merged=drop_merged,
        follow=follow_moves,
        locked=locked,
        discard=discard,
    )
    return emit(_run(request, resume, offline=offline, gated=gate is not None))


def _run(request: SyncRequest, resume: str | None, *, offline: bool, gated: bool) -> Report:
    from vendorctl.cli.surroundings import begin, sync_tools
    from vendorctl.series.sync import command as plain
    from vendorctl.series.sync import resume as again
    from vendorctl.workspace.guard import exclusive

    root = current().root()
    transaction = partial(begin, root, "sync")
    with exclusive(root, title="sync", on_wait=current().say), sync_tools(root, offline=offline) as tools:
        if gated:
            from vendorctl.cli.variants import test_gate

            tools = replace(tools, gate=test_gate)
        match resume:
            case "continue":
                return again.continue_bumps(root, request, tools, transaction)
            case "skip":
                return again.skip_patch(root, request, tools, transaction)
            case "abort":
                return again.abort_bump(root, request, transaction)
            case _:
                return plain.run_sync(root, request, tools, transaction)


def _parse_pins(pins: tuple[str, ...]) -> dict[str, str]:
    parsed = {}
    for pin in pins:
        name, equals, ref = pin.partition("=")
        if not (name and equals and ref) or ref.startswith("-"):
            raise VendorError(f"--pin takes NAME=REF, not {pin!r}", code=ExitCode.USAGE)
        parsed[name] = ref
    return parsed
