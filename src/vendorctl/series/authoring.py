# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`patch refresh|drop|move|split` in a workspace: patch files, `series`, lock and patched tree in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.model import Json, Report
from vendorctl.paths import display
from vendorctl.series.content import ContentMerger
from vendorctl.series.editing import Editing, load_editing, read_edited, stage_editing_end
from vendorctl.series.record import Edits, unrecorded, without_bytecode
from vendorctl.series.recording import refuse_unlocked, with_chain
from vendorctl.series.relay import UNDECIDED, Choices
from vendorctl.series.rework import fold_edits, refresh_with
from vendorctl.series.stack import Applied
from vendorctl.series.store import SERIES_FILE, dump_series_file
from vendorctl.series.workspace import Dresser, Standing, load_standing, locked_upstream
from vendorctl.vendor.contents import ChainedBlobs, DiskBlobs
from vendorctl.vendor.disk import scan
from vendorctl.vendor.materialise import stage_tree
from vendorctl.vendor.placed import dump_placed, load_placed, record_path
from vendorctl.vendor.select import on_disk
from vendorctl.workspace.lock import FILE_NAME as LOCK_NAME
from vendorctl.workspace.lock import Lock
from vendorctl.workspace.lockfile import dump_lock
from vendorctl.workspace.manifest import Upstream
from vendorctl.workspace.root import patched_dir, patches_dir
from vendorctl.workspace.transaction import Transaction

SCHEMA = "vendorctl/patch-rework/1"

#: Turns a chain into another one over the same pristine tree; the last argument reads contents.
Reworker: TypeAlias = Callable[[Applied, Blobs, ContentMerger], Applied]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rework:
    """A planned change of one series. `disk` is the patched tree as it is (None: not on disk)."""

    title: str
    before: Standing
    after: Standing
    lock: Lock
    disk: Tree | None
    editing: Editing | None = None

    @property
    def removed(self) -> list[str]:
        """Patch files that go away, by name."""
        kept = {patch.file_name for patch in self.after.series.patches}
        return [patch.file_name for patch in self.before.series.patches if patch.file_name not in kept]

    @property
    def written(self) -> list[str]:
        """Patch files that are new or change, by name."""
        old = {patch.file_name: patch.raw for patch in self.before.series.patches}
        return [patch.file_name for patch in self.after.series.patches if old.get(patch.file_name) != patch.raw]


def plan_rework(
    root: Path, upstream: Upstream, lock: Lock | None, dresser: Dresser, title: str, rework: Reworker
) -> Rework:
    """Compute a rework of one series that does not take edits in; nothing is written.

    Raises VendorError (exit code 1) when the patched tree has edits that no patch records, when the series and the lock
    disagree, and for whatever `rework` refuses.
    """
    before = load_standing(root, upstream, locked_upstream(lock, upstream.name), dresser)
    refuse_unlocked(before)
    disk = _disk_tree(before)
    _refuse_edits(before, disk)
    with ContentMerger() as merger:
        chain = rework(before.applied, before.blobs, merger)
    return _planned(root, before, chain, before.blobs, lock, dresser, title, disk)


def plan_refresh(
    root: Path,
    upstream: Upstream,
    lock: Lock | None,
    dresser: Dresser,
    number: int | None,
    choices: Choices = UNDECIDED,
) -> Rework:
    """Compute a refresh of one patch; nothing is written.

    With `patch edit` under way, the edited tree becomes what its patch leads to. Otherwise the unrecorded edits of the
    patched tree become part of patch `number` (default: the last). Raises VendorError when there is nothing to take.
    """
    before = load_standing(root, upstream, locked_upstream(lock, upstream.name), dresser)
    refuse_unlocked(before)
    editing = load_editing(root, upstream.name)
    if editing is not None:
        return _refresh_from_editing(root, before, editing, number, lock, dresser, choices)
    disk = _disk_tree(before)
    edits = _edits_on_disk(before, disk)
    if edits is None or not edits.changes:
        hint = f"edit {patched_dir(upstream)}, or begin with `vendorctl patch edit {upstream.name} NUMBER`"
        raise VendorError("nothing to take into the patch: no file was edited", hint=hint, code=ExitCode.USAGE)
    if not before.series.patches:
        raise VendorError(f"{upstream.name!r} has no patches to refresh", code=ExitCode.USAGE)
    wanted = before.series.patches[-1].number if number is None else number
    with ContentMerger() as merger:
        chain = fold_edits(before.applied, wanted, edits.after, edits.blobs, merger, choices)
    return _planned(root, before, chain, edits.blobs, lock, dresser, f"refreshed patch {wanted:04d}", disk)


def _refresh_from_editing(
    root: Path,
    before: Standing,
    editing: Editing,
    number: int | None,
    lock: Lock | None,
    dresser: Dresser,
    choices: Choices,
) -> Rework:
    editing.check(before.series)
    if number not in (None, editing.number):
        raise VendorError(
            f"patch {editing.number:04d} is being edited, not {number:04d}",
            hint=f"`vendorctl patch edit {before.upstream.name} --abort` gives that up",
            code=ExitCode.USAGE,
        )
    disk = _disk_tree(before)
    _refuse_edits(before, disk)
    tree, blobs = read_edited(root, before, editing)
    with ContentMerger() as merger:
        chain = refresh_with(before.applied, editing.number, tree, blobs, merger, choices)
    title = f"refreshed patch {editing.number:04d}"
    return replace(_planned(root, before, chain, blobs, lock, dresser, title, disk), editing=editing)


def stage_rework(tx: Transaction, rework: Rework) -> None:
    """Stage patch files, `series`, lock and the patched tree. A file edited in the meantime stops the commit."""
    name = rework.before.upstream.name
    folder = patches_dir(name)
    present = {patch.file_name: patch.raw for patch in rework.after.series.patches}
    for file in rework.removed:
        tx.delete(f"{folder}/{file}")
    for file in rework.written:
        tx.write(f"{folder}/{file}", present[file])
    tx.write(f"{folder}/{SERIES_FILE}", dump_series_file(rework.after.series))
    tx.write(LOCK_NAME, dump_lock(rework.lock))
    if rework.disk is not None:
        wanted = on_disk(rework.after.output)
        folder = patched_dir(rework.after.upstream)
        stage_tree(tx, folder, rework.disk, wanted, rework.after.blobs, links_may_leave=True)
        tx.write(record_path(name), dump_placed(replace(load_placed(tx.root, name), output=wanted)))
    if rework.editing is not None:
        stage_editing_end(tx, name)


def rework_report(rework: Rework, *, dry_run: bool = False) -> Report:
    """What a rework did, or would do."""
    name = rework.before.upstream.name
    would = "would be " if dry_run else ""
    lines = [f"{name}: {rework.title}"]
    lines += [f"  {would}removed: {patches_dir(name)}/{file}" for file in rework.removed]
    lines += [f"  {would}written: {patches_dir(name)}/{file}" for file in rework.written]
    changed = rework.before.applied.patched.difference(rework.after.applied.patched)
    if changed:
        lines.append(f"  patched tree: {', '.join(display(path) for path in changed)}")
    removed: list[Json] = list(rework.removed)
    written: list[Json] = list(rework.written)
    return Report(
        schema=SCHEMA,
        title="patch",
        lines=tuple(lines),
        counts={"patches": len(rework.after.series.patches), "files changed": len(changed)},
        data={
            "upstream": name,
            "dry_run": dry_run,
            "removed": removed,
            "written": written,
            "changed": [display(path) for path in changed],
        },
    )


def _planned(
    root: Path,
    before: Standing,
    chain: Applied,
    blobs: Blobs,
    lock: Lock | None,
    dresser: Dresser,
    title: str,
    disk: Tree | None,
) -> Rework:
    after, changed = with_chain(root, before, chain, ChainedBlobs(blobs, before.blobs), lock, dresser)
    return Rework(title=title, before=before, after=after, lock=changed, disk=disk)


def _disk_tree(standing: Standing) -> Tree | None:
    disk = scan(standing.folder)
    return without_bytecode(disk.tree) if disk.exists else None


def _edits_on_disk(standing: Standing, disk: Tree | None) -> Edits | None:
    """The unrecorded edits of the patched tree; None when it is not on disk."""
    if disk is None:
        return None
    blobs = ChainedBlobs(DiskBlobs(standing.folder, disk), standing.blobs)
    return unrecorded(standing.applied.patched, disk, blobs, standing.upstream.rewrite_imports)


def _refuse_edits(standing: Standing, disk: Tree | None) -> None:
    edits = _edits_on_disk(standing, disk)
    if edits is not None and edits.changes:
        name = standing.upstream.name
        raise VendorError(
            f"edits that no patch records are in the way: {', '.join(map(display, list(edits.changes)[:10]))}",
            hint=f"record them first (`vendorctl patch record {name} ...`), or `vendorctl patch refresh {name}`",
            code=ExitCode.FINDINGS,
        )
