# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl patch`: record, list, show, lint; the commands that rework a series are in `patch_author`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vendorctl.cli.group import Suggesting
from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options
from vendorctl.errors import ExitCode
from vendorctl.model import Report

if TYPE_CHECKING:
    from vendorctl.series.record import Statement

#: Commands of `patch_author`, which is imported when one of them is called.
_AUTHORING = ("edit", "refresh", "drop", "move", "resume", "split")


class _PatchGroup(Suggesting):
    """The four commands below and, looked up when needed, those that rework a series."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.commands, *_AUTHORING]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _AUTHORING:
            return super().get_command(ctx, cmd_name)
        module = import_module("vendorctl.cli.patch_author")
        found = [value for value in vars(module).values() if isinstance(value, click.Command)]
        return next((each for each in found if each.name == cmd_name), None)


@click.group("patch", cls=_PatchGroup)
@options()
def command() -> None:
    """Record, list, show and rework the numbered patches of a series."""


@command.command("record")
@click.argument("name")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--title", required=True, help="What the patch does, in one line.")
@click.option("--reason", required=True, help="Why it is local, in one line.")
@click.option("--forwarded", default="no", show_default=True, metavar="no|not-needed|URL", help="Sent upstream?")
@click.option("--origin", default="vendor", show_default=True, help="Where the change comes from (DEP-3).")
@click.option("--body", default="", help="More about it, below the title.")
@click.option("--author", help="Name <mail> (default: git's).")
@click.option("--signoff", "--sign-off", is_flag=True, help="Add a Signed-off-by line.")
@click.option("--dry-run", is_flag=True, help="Show the patch; write nothing.")
@options()
def record(
    name: str, paths: tuple[str, ...], title: str, reason: str, forwarded: str, origin: str, body: str,
    author: str | None, signoff: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Turn the unrecorded edits of NAME's patched tree (all, or those at PATHs) into the next numbered patch."""
    from vendorctl.series.authorship import check_author, git_author, mail_date, recording_time
    from vendorctl.series.record import Statement

    root = current().root()
    who = check_author(author) if author else git_author(root, os.environ)
    date = mail_date(recording_time(os.environ, time.time()))
    statement = Statement(title=title, reason=reason, body=body, author=who, date=date, forwarded=forwarded,
                          origin=origin, sign_off=signoff)  # fmt: skip
    return emit(_record(root, name, statement, paths, dry_run=dry_run))


def _record(root: Path, name: str, statement: Statement, paths: tuple[str, ...], *, dry_run: bool) -> Report:
    from vendorctl.cli.surroundings import begin
    from vendorctl.licenses.notices import notices_for
    from vendorctl.series.recording import plan_recording, recording_report, stage_recording
    from vendorctl.series.workspace import chosen_upstreams
    from vendorctl.workspace.guard import exclusive
    from vendorctl.workspace.lockfile import load_lock
    from vendorctl.workspace.parse import load_manifest

    # Planned and written under one lock: what was read must still be true when it is replaced.
    with exclusive(root, title="patch record", on_wait=current().say):
        (upstream,) = chosen_upstreams(load_manifest(root), (name,))
        recording = plan_recording(root, upstream, load_lock(root), notices_for, statement, paths)
        if not dry_run:
            with begin(root, "patch record") as tx:
                stage_recording(tx, recording)
                tx.commit()
    return recording_report(recording, dry_run=dry_run)


@command.command("list")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options()
def list_(names: tuple[str, ...]) -> int:
    """List patches in order: number, status upstream, size, title."""
    from vendorctl.series.listing import list_patches

    root = current().root()
    report = list_patches(root, _chosen(root, names))
    return emit(replace(report, lines=_patch_table(report)))


def _patch_table(report: Report) -> tuple[str, ...]:
    """The patches under a header."""
    from vendorctl.cli.columns import aligned
    from vendorctl.report.text import escape

    patches: Any = report.data["patches"]
    rows = [
        (each["upstream"], f"{each['number']:04d}", _sent(each), f"+{each['added']} -{each['removed']}", each["title"])
        for each in patches
    ]
    header = ("upstream", "patch", "sent", "lines", "title")
    return aligned(header, [[escape(cell) for cell in cells] for cells in rows])


def _sent(patch: Mapping[str, Any]) -> str:
    """Where the modification stands upstream, in a word."""
    if patch["applied_upstream"]:
        return "landed"
    known = {"": "no status", "no": "no", "not-needed": "not-needed"}
    return known.get(patch["forwarded"] or "", "forwarded")


@command.command("show")
@click.argument("name")
@click.argument("patch", metavar="NUMBER")
@options()
def show(name: str, patch: str) -> int:
    """Show one patch file of NAME, byte for byte when stdout is not a terminal."""
    from vendorctl.series.listing import find_patch, show_patch
    from vendorctl.series.store import load_series

    root = current().root()
    found = find_patch(load_series(root, *_chosen(root, (name,))), patch)
    return emit(show_patch(name, found)) if current().format == "json" else _write_raw(found.raw)


@command.command("lint")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options()
def lint(names: tuple[str, ...]) -> int:
    """Check what patches say about themselves: title, reason, status upstream, author."""
    from vendorctl.series.listing import lint_patches

    root = current().root()
    return emit(lint_patches(root, _chosen(root, names)))


def _chosen(root: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """The named upstreams, or all of VENDOR.yaml."""
    from vendorctl.series.workspace import chosen_upstreams
    from vendorctl.workspace.parse import load_manifest

    return tuple(upstream.name for upstream in chosen_upstreams(load_manifest(root), names))


def _write_raw(raw: bytes) -> int:
    """The exact bytes for a pipe or a file; on a terminal, nothing that could drive it."""
    if not sys.stdout.isatty():
        click.echo(raw, nl=False)
        return ExitCode.OK
    from vendorctl.cli.pager import page
    from vendorctl.report.text import LF, TAB, color_difference, escape

    text = escape(raw.decode("utf-8", "backslashreplace"), keep=TAB + LF)
    if current().use_color(terminal=True):
        head, mark, difference = text.partition("\ndiff --git ")
        lines = (mark + difference).split(LF)
        text = head + LF.join(map(color_difference, lines))
    page(text.encode())
    return ExitCode.OK
