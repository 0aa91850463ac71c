# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Trees onto disk: byte for byte, through a transaction, refusing what must not be written."""

from __future__ import annotations

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.paths import display, reject_reason
from vendorctl.vendor.select import escaping_links, on_disk
from vendorctl.workspace.transaction import Transaction


def stage_tree(
    tx: Transaction, folder: str, old: Tree | None, new: Tree, blobs: Blobs, *, links_may_leave: bool = False
) -> None:
    """Stage what turns `folder` (relative to the workspace) from `old` into `new`.

    `old` is what the tool put there before: paths are written or removed only where the trees differ, each on
    condition that `old` is what the commit finds; with None, every file of `new` is written, whatever stands there.
    Submodules leave nothing on disk. Raises VendorError (exit code 3) for a path that must not be written or a link
    that leaves the folder (unless allowed), and KeyError when `blobs` lacks a content.
    """
    target = on_disk(new)
    before = on_disk(old) if old is not None else None
    _refuse_paths(folder, target)
    if not links_may_leave:
        _refuse_links(folder, target, blobs)
    prefix = folder.encode() + b"/"
    if before is None:
        for path, entry in target.items():
            tx.write(prefix + path, blobs[entry.oid], entry.mode)
        return
    for path, (was, is_now) in before.difference(target).items():
        _stage_path(tx, prefix + path, was, is_now, blobs)


def _stage_path(tx: Transaction, path: bytes, was: Entry | None, is_now: Entry | None, blobs: Blobs) -> None:
    if is_now is None:
        tx.delete(path, expect=was)
    else:
        tx.write(path, blobs[is_now.oid], is_now.mode, expect=was)


def _refuse_paths(folder: str, tree: Tree) -> None:
    for path in tree:
        reason = reject_reason(path)
        if reason:
            raise VendorError(
                f"{display(path)} cannot be written: {reason}",
                hint="leave it out with `exclude:`",
                location=Location(folder),
                code=ExitCode.INVALID,
            )


def _refuse_links(folder: str, tree: Tree, blobs: Blobs) -> None:
    if not any(entry.mode is Mode.SYMLINK for entry in tree.values()):
        return
    for path, target in escaping_links(tree, blobs).items():
        raise VendorError(
            f"{display(path)} is a symbolic link that leaves {folder}: {display(target)}",
            hint="leave it out with `exclude:`",
            location=Location(folder),
            code=ExitCode.INVALID,
        )
