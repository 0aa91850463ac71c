# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Writing what `plan_sync` computed: every file of every upstream in one transaction, and the report about it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.tree import Tree
from vendorctl.paths import display
from vendorctl.series.store import SERIES_FILE, dump_series_file
from vendorctl.series.sync.plan import SyncPlan, UpstreamPlan
from vendorctl.vendor.disk import scan
from vendorctl.vendor.edits import Edit
from vendorctl.vendor.materialise import stage_tree
from vendorctl.vendor.placed import Placed, dump_placed, load_placed, record_path
from vendorctl.vendor.select import on_disk
from vendorctl.workspace.lock import FILE_NAME as LOCK_NAME
from vendorctl.workspace.lockfile import dump_lock
from vendorctl.workspace.manifest import FILE_NAME as MANIFEST_NAME
from vendorctl.workspace.manifest import Manifest, Store
from vendorctl.workspace.root import (
    PATCHES_FOLDER,
    VENDORED_FOLDER,
    is_displaced,
    patched_dir,
    patches_dir,
    vendored_dir,
)
from vendorctl.workspace.transaction import Transaction

#: Where `sync --discard` keeps the edits that it replaces.
DISCARDED = ".vendorctl/discarded"


def write_sync(plan: SyncPlan, tx: Transaction, *, discard: bool = False) -> None:
    """Stage everything that the plan changes and commit it.

    Raises VendorError (exit code 1) naming the edits that are in the way; with `discard` they are kept under
    `.vendorctl/discarded/` and replaced.
    """
    if plan.edits and not discard:
        raise unrecorded(plan.edits)
    for upstream in plan.upstreams:
        _keep_edits(tx, upstream)
        _stage_upstream(tx, upstream, plan.manifest)
    for gone in plan.gone:
        stage_tree(tx, vendored_dir(gone.name), on_disk(gone.tree), Tree(), {})
        _stage_leaving(tx, load_placed(tx.root, gone.name), plan.manifest)
        tx.delete(record_path(gone.name))
    _stage_ignores(tx, plan)
    if plan.manifest_text is not None:
        tx.write(MANIFEST_NAME, plan.manifest_text.encode())
    if plan.lock != plan.before:
        tx.write(LOCK_NAME, dump_lock(plan.lock))
    tx.commit()


def _keep_edits(tx: Transaction, plan: UpstreamPlan) -> None:
    """Copy edits that are about to be replaced, so that nothing is lost."""
    for edit in plan.disk.edits:
        full = tx.root / os.fsdecode(edit.path)
        target = _free_name(tx.root, f"{DISCARDED}/{os.fsdecode(edit.path)}")
        if full.is_symlink():
            tx.symlink(target, os.fsencode(full.readlink()), expect=None)
        elif full.is_file():
            tx.write(target, full.read_bytes(), expect=None)


def _free_name(root: Path, wanted: str) -> str:
    """`wanted`, with a number behind it when something is kept under that name already."""
    numbered = (f"{wanted}.{number}" for number in itertools.count(1))
    return next(name for name in itertools.chain([wanted], numbered) if not os.path.lexists(root / name))


def _stage_upstream(tx: Transaction, plan: UpstreamPlan, manifest: Manifest) -> None:
    name = plan.upstream.name
    blobs = plan.standing.blobs
    stage_tree(tx, vendored_dir(name), plan.disk.pristine, plan.pristine_wanted, blobs)
    # A link of the patched tree may lead into the workspace around it: only pristine links are upstream's to refuse.
    stage_tree(tx, patched_dir(plan.upstream), plan.disk.output, plan.output_wanted, blobs, links_may_leave=True)
    if plan.bump is not None:
        _stage_series(tx, plan)
    placed = Placed(plan.pristine_wanted, plan.output_wanted, patched_dir(plan.upstream))
    if plan.placed.folder != placed.folder:
        _stage_leaving(tx, plan.placed, manifest)
    if placed != plan.placed:
        tx.write(record_path(name), dump_placed(placed))


def _stage_leaving(tx: Transaction, placed: Placed, manifest: Manifest) -> None:
    """Remove what the tool wrote into a folder that is no output any more. What somebody edited there stays."""
    folder = placed.folder
    if not folder or is_displaced(tx.root, folder):
        return
    outputs = tuple(patched_dir(upstream).encode() + b"/" for upstream in manifest.upstreams.values())
    disk = scan(tx.root / folder).tree
    for path, entry in placed.output.items():
        full = folder.encode() + b"/" + path
        # Another upstream may have taken the place over; its files may well be the same.
        if disk.get(path) == entry and not full.startswith(outputs):
            tx.delete(full, expect=entry)


def _stage_series(tx: Transaction, plan: UpstreamPlan) -> None:
    """The patch files that a bump rewrote or dropped, and the list of them."""
    assert plan.bump is not None
    folder = patches_dir(plan.upstream.name)
    for outcome in plan.bump.outcomes:
        if outcome.new is None:
            tx.delete(f"{folder}/{outcome.patch.file_name}")
        elif outcome.new.raw != outcome.patch.raw:
            tx.write(f"{folder}/{outcome.new.file_name}", outcome.new.raw)
    if any(outcome.new is None for outcome in plan.bump.outcomes):
        tx.write(f"{folder}/{SERIES_FILE}", dump_series_file(plan.standing.series))


#: Keeps a user's `core.autocrlf` and text attributes away from bytes that are proven.
_NO_CONVERSION = b"* -text\n"


def _stage_ignores(tx: Transaction, plan: SyncPlan) -> None:
    """What git must leave alone: line ends of vendored files and patches, and whole trees that are fetched."""
    if not plan.lock.upstreams:
        return
    for folder in (VENDORED_FOLDER, PATCHES_FOLDER):
        if not (tx.root / folder / ".gitattributes").exists():
            tx.write(f"{folder}/.gitattributes", _NO_CONVERSION)
    fetched = sorted(up.name for up in plan.manifest.upstreams.values() if up.store is Store.FETCH)
    wanted = "".join(f"/{name}/\n" for name in fetched).encode()
    ignore = tx.root / VENDORED_FOLDER / ".gitignore"
    present = ignore.read_bytes() if ignore.is_file() else b""
    if wanted != present:
        tx.write(f"{VENDORED_FOLDER}/.gitignore", wanted)


def unrecorded(edits: Sequence[Edit]) -> VendorError:
    """The error that names edits which no patch records, and what to do with them."""
    shown = "".join(f"\n  {edit.kind.value:8} {display(edit.path)}" for edit in edits[:20])
    more = f"\n  and {len(edits) - 20} more" if len(edits) > 20 else ""
    return VendorError(
        f"edits that no patch records are in the way:{shown}{more}",
        hint="`vendorctl patch record NAME --title T --reason R` turns edits of a patched tree into a patch; "
        "`vendorctl sync --discard` replaces them and keeps a copy under .vendorctl/discarded/",
        code=ExitCode.FINDINGS,
    )
