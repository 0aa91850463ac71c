# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl patch edit|refresh|drop|move|resume|split`: reworking a series."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Report

if TYPE_CHECKING:
    from vendorctl.series.authoring import Rework, Reworker
    from vendorctl.series.reworking import Bench
    from vendorctl.series.workspace import Dresser, Standing
    from vendorctl.workspace.lock import Lock
    from vendorctl.workspace.manifest import Upstream

_DRY_RUN = click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")


@click.command("edit")
@click.argument("name")
@click.argument("number", type=int, required=False)
@click.option("--abort", is_flag=True, help="Give the edit up and remove its folder.")
@options()
def edit(name: str, number: int | None, abort: bool) -> int:
    """Lay out the tree right after patch NUMBER of NAME, to be edited; `patch refresh NAME` takes the result."""
    if abort:
        return emit(_abort(name))
    if number is None:
        raise VendorError("which patch? NUMBER is missing", code=ExitCode.USAGE)
    return emit(_begin(name, number))


@click.command("refresh")
@click.argument("name")
@click.argument("number", type=int, required=False)
@_DRY_RUN
@options()
def refresh(name: str, number: int | None, dry_run: bool) -> int:
    """Take edits into patch NUMBER (default: the one being edited, else the last) and carry later patches over."""
    return emit(_run(name, "refresh", number, None, dry_run=dry_run))


@click.command("drop")
@click.argument("name")
@click.argument("number", type=int)
@_DRY_RUN
@options()
def drop(name: str, number: int, dry_run: bool) -> int:
    """Take patch NUMBER out of the series of NAME and carry later patches over."""
    return emit(_run(name, "drop", number, None, dry_run=dry_run))


@click.command("move")
@click.argument("name")
@click.argument("number", type=int)
@click.argument("to", type=int)
@_DRY_RUN
@options()
def move(name: str, number: int, to: int, dry_run: bool) -> int:
    """Move patch NUMBER to the place of patch TO; the patches between move over by one."""
    return emit(_run(name, "move", number, to, dry_run=dry_run))


@click.command("resume")
@click.argument("name")
@click.option("--continue", "how", flag_value="continue", help="Go on after editing a conflict's files.")
@click.option("--skip", "how", flag_value="skip", help="Leave the patch in conflict out of the series, and go on.")
@click.option("--abort", "how", flag_value="abort", help="Give the rework up; nothing had changed.")
@options()
def resume(name: str, how: str | None) -> int:
    """Go on with a drop, move or refresh of NAME's series that stopped at a conflict."""
    if how is None:
        raise VendorError("say how: --continue, --skip or --abort", code=ExitCode.USAGE)
    return emit(_resume(name, how))


@click.command("split")
@click.argument("name")
@click.argument("number", type=int)
@click.option("--path", "paths", multiple=True, help="A file whose changes go into the new patch; may be repeated.")
@click.option("--part", "parts", type=int, multiple=True, help="A part (hunk) by number; may be repeated.")
@click.option("--title", default="", help="Title of the new patch.")
@click.option("--reason", default="", help="Its reason (default: that of the old one).")
@_DRY_RUN
@options()
def split(
    name: str, number: int, paths: tuple[str, ...], parts: tuple[int, ...], title: str, reason: str, dry_run: bool
) -> int:
    """Move some changes of patch NUMBER into a new patch right before it. Without --path or --part: list the parts."""
    if not (paths or parts):
        return emit(_list_parts(name, number))
    if not title:
        raise VendorError("the new patch needs a --title", code=ExitCode.USAGE)
    from vendorctl.series.split import split_by

    rework = partial(split_by, number, paths, parts, title, reason)
    return emit(_rework(name, f"split patch {number:04d}", rework, dry_run))


def _run(name: str, kind: str, number: int | None, to: int | None, *, dry_run: bool) -> Report:
    from vendorctl.series.operation import Operation, OperationKind
    from vendorctl.series.reworking import run_rework
    from vendorctl.workspace.guard import exclusive

    operation = Operation(kind=OperationKind(kind), number=number, to=to)
    # Planned and written under one lock: what was read must still be true when it is replaced.
    with exclusive(current().root(), title=f"patch {kind}", on_wait=current().say):
        return run_rework(_bench(name), operation, dry_run=dry_run)


def _resume(name: str, how: str) -> Report:
    from vendorctl.series.reworking import abort_rework, continue_rework, skip_patch
    from vendorctl.workspace.guard import exclusive

    steps = {"continue": continue_rework, "skip": skip_patch, "abort": abort_rework}
    with exclusive(current().root(), title="patch resume", on_wait=current().say):
        return steps[how](_bench(name))


def _bench(name: str) -> Bench:
    from vendorctl.cli.surroundings import begin
    from vendorctl.series.reworking import Bench

    root = current().root()
    upstream, lock, dresser = _surroundings(name)
    return Bench(root=root, upstream=upstream, lock=lock, dresser=dresser, transaction=partial(begin, root, "patch"))


def _rework(name: str, title: str, rework: Reworker, dry_run: bool) -> Report:
    from vendorctl.series.authoring import plan_rework

    return _write(plan_rework(current().root(), *_surroundings(name), title, rework), dry_run=dry_run)


def _write(rework: Rework, *, dry_run: bool) -> Report:
    from vendorctl.cli.surroundings import begin
    from vendorctl.series.authoring import rework_report, stage_rework

    if not dry_run:
        with begin(current().root(), "patch") as tx:
            stage_rework(tx, rework)
            tx.commit()
    return rework_report(rework, dry_run=dry_run)


def _surroundings(name: str) -> tuple[Upstream, Lock | None, Dresser]:
    """What planning a rework needs: the upstream, the lock, and who writes change notices."""
    from vendorctl.licenses.notices import notices_for
    from vendorctl.series.workspace import chosen_upstreams
    from vendorctl.workspace.lockfile import load_lock
    from vendorctl.workspace.parse import load_manifest

    root = current().root()
    (upstream,) = chosen_upstreams(load_manifest(root), (name,))
    return upstream, load_lock(root), notices_for


def _standing(name: str) -> Standing:
    from vendorctl.series.workspace import load_standing, locked_upstream

    upstream, lock, dresser = _surroundings(name)
    return load_standing(current().root(), upstream, locked_upstream(lock, name), dresser)


def _begin(name: str, number: int) -> Report:
    from vendorctl.cli.surroundings import begin
    from vendorctl.series.editing import edit_report, stage_editing

    with begin(current().root(), "patch edit") as tx:
        editing = stage_editing(tx, _standing(name), number)
        tx.commit()
    return edit_report(editing)


def _abort(name: str) -> Report:
    from vendorctl.cli.surroundings import begin
    from vendorctl.series.editing import abort_report, stage_editing_end

    with begin(current().root(), "patch edit --abort") as tx:
        stage_editing_end(tx, name)
        tx.commit()
    return abort_report(name)


def _list_parts(name: str, number: int) -> Report:
    from vendorctl.series.listing import find_patch
    from vendorctl.series.split import parts_report

    return parts_report(name, find_patch(_standing(name).series, str(number)))
