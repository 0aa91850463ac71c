# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl adopt`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vendorctl.cli.given import GivenPath, new_names
from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Report

if TYPE_CHECKING:
    from vendorctl.adoption.derive import TopicMaker
    from vendorctl.adoption.takeover import Request
    from vendorctl.adoption.topics import Topics
    from vendorctl.git.objects import Blobs
    from vendorctl.git.tree import Tree
    from vendorctl.series.record import Statement
    from vendorctl.series.split import Part


@click.command("adopt")
@click.argument("folder", metavar="DIR", type=GivenPath(path_type=Path, exists=True, file_okay=False))
@click.option("--upstream", "names", callback=new_names, multiple=True, required=True, metavar="NAME",
              help="What to call the upstream.")  # fmt: skip
@click.option("--url", "urls", multiple=True, required=True, help="Its repository; one for each --upstream.")
@click.option("--ref", "refs", multiple=True, help="Search the history of these refs only (default: all of them).")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Files of DIR not to take over; may be repeated.")
@click.option(
    "--split",
    type=click.Choice(["none", "by-file", "by-symbol", "interactive"]),
    default="none",
    show_default=True,
    help="How to cut the changes into patches.",
)
@click.option("--reason", default="changed by hand before the copy was taken over", help="Why the changes are local.")
@click.option("--author", help="Name <mail> of the patches (default: git's).")
@click.option("--in-place", is_flag=True, help="Make DIR the output; change notices are then put into it.")
@click.option("--yes", is_flag=True, help="Confirm --in-place.")
@click.option("--fetch", is_flag=True, help="store: fetch, so that git holds only the lock.")
@click.option("--dry-run", is_flag=True, help="Show what was found; write nothing.")
@options()
def command(
    folder: Path, names: tuple[str, ...], urls: tuple[str, ...], refs: tuple[str, ...], exclude: tuple[str, ...],
    split: str, reason: str, author: str | None, in_place: bool, yes: bool, fetch: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Take over a hand-made copy: find the commit that it came from, and derive the patches that give it back.

    With several --upstream and --url, files of different origins are told apart. DIR is never changed without consent.
    """
    from vendorctl.adoption.search import Origin
    from vendorctl.adoption.takeover import Request

    if len(names) != len(urls):
        raise VendorError("each --upstream needs its --url", code=ExitCode.USAGE)
    root = current().root()
    output = _output(root, folder, confirmed=yes or dry_run) if in_place else None
    origins = tuple(Origin(name, url, refs) for name, url in zip(names, urls, strict=True))
    statement = _statement(root, reason, author)
    request = Request(folder=folder.resolve(), origins=origins, exclude=exclude, statement=statement, output=output,
                      topics=_topics(split), fetch=fetch)  # fmt: skip
    return emit(_adopt(root, request, dry_run=dry_run))


def _adopt(root: Path, request: Request, *, dry_run: bool) -> Report:
    from contextlib import nullcontext
    from functools import partial

    from vendorctl.adoption.report import adoption_report
    from vendorctl.adoption.takeover import plan_adoption, write_adoption
    from vendorctl.cli.surroundings import begin, open_cache, sync_tools
    from vendorctl.workspace.guard import exclusive
    from vendorctl.workspace.lockfile import load_lock
    from vendorctl.workspace.parse import load_manifest

    cache = open_cache(current())
    # Planned and written under one lock: what was read must still be true when it is replaced.
    guard = nullcontext() if dry_run else exclusive(root, title="adopt", on_wait=current().say)
    with sync_tools(root) as tools, guard:
        progress = current().progress()
        adoption = plan_adoption(root, load_manifest(root), request, partial(cache.open, base=root), tools, progress)
        if not dry_run:
            with begin(root, "adopt") as tx:
                write_adoption(tx, load_lock(root), adoption, tools)
    return adoption_report(adoption, dry_run=dry_run)


def _statement(root: Path, reason: str, author: str | None) -> Statement:
    from vendorctl.series.authorship import check_author, git_author, mail_date, recording_time
    from vendorctl.series.record import Statement

    who = check_author(author) if author else git_author(root, os.environ)
    date = mail_date(recording_time(os.environ, time.time()))
    return Statement(title="", reason=reason, author=who, date=date)


def _output(root: Path, folder: Path, *, confirmed: bool) -> str:
    """DIR as an output path, once somebody has agreed to it."""
    inside = folder.resolve()
    if not inside.is_relative_to(root) or inside == root:
        raise VendorError("--in-place needs a DIR inside the workspace", code=ExitCode.USAGE)
    name = inside.relative_to(root).as_posix()
    if not confirmed and sys.stdin.isatty():
        confirmed = click.confirm(f"Make {name} the output of the upstream, and put change notices into it?", err=True)
    if not confirmed:
        raise VendorError("--in-place changes files of DIR", hint="confirm with --yes", code=ExitCode.USAGE)
    return name


def _topics(split: str) -> TopicMaker:
    from vendorctl.adoption.topics import by_file, by_symbol, one_topic

    makers: dict[str, TopicMaker] = {
        "none": lambda _tree, _blobs: one_topic("Take over the changes of the copy"),
        "by-file": lambda _tree, _blobs: by_file,
        "by-symbol": by_symbol,
        "interactive": _asking,
    }
    return makers[split]


def _asking(tree: Tree, blobs: Blobs) -> Topics:
    """Show each hunk and ask for the title of the patch that it belongs to."""
    from vendorctl.adoption.topics import by_symbol
    from vendorctl.report.text import LF, TAB, escape

    proposed, last = by_symbol(tree, blobs), ""

    def ask(part: Part) -> str:
        nonlocal last
        hunk = part.change.hunks[part.hunk] if part.hunk is not None else None
        shown = b"".join(line.sign + line.text for line in hunk.lines) if hunk is not None else b""
        click.echo(escape(f"{part.title}\n{shown.decode('utf-8', 'backslashreplace')}", keep=TAB + LF), err=True)
        last = click.prompt("Title of its patch", default=last or proposed(part), err=True)
        return last

    return ask
