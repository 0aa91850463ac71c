# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`patch edit`: a working tree at one patch, below ``.vendorctl/edit/<name>/``.

tree/        the upstream's files as they are right after the patch, to be edited, tested and built
state.json   which patch it is, so that `patch refresh` knows, also after a reboot
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vendorctl.digest import parse_json, pretty_json, sha256
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.model import Report
from vendorctl.series.conflict import stage_removal
from vendorctl.series.patch import Patch
from vendorctl.series.record import unrecorded
from vendorctl.series.stack import Series
from vendorctl.series.workspace import Standing
from vendorctl.vendor.contents import ChainedBlobs, DiskBlobs
from vendorctl.vendor.disk import scan
from vendorctl.vendor.materialise import stage_tree
from vendorctl.vendor.select import on_disk
from vendorctl.workspace.root import STATE_FOLDER
from vendorctl.workspace.transaction import Transaction

_SCHEMA = "vendorctl/edit/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Editing:
    """An edit under way: the patch's number, file name, and the SHA-256 of its file when the edit began."""

    upstream: str
    number: int
    file: str
    sha256: str

    def check(self, series: Series) -> Patch:
        """The patch. Raises VendorError when it is not what it was when the edit began."""
        for patch in series.patches:
            if patch.file_name == self.file and sha256(patch.raw) == self.sha256:
                return patch
        raise VendorError(
            f"{self.file} changed since it is being edited",
            hint=f"`vendorctl patch edit {self.upstream} --abort` gives the edit up",
            code=ExitCode.CONFLICT,
        )


def edit_dir(name: str) -> str:
    """The folder of an edit, from the workspace root."""
    return f"{STATE_FOLDER}/edit/{name}"


def load_editing(root: Path, name: str) -> Editing | None:
    """The edit under way for an upstream, or None. Raises VendorError when its state cannot be read."""
    try:
        state = parse_json((root / edit_dir(name) / "state.json").read_bytes())
        if state["schema"] == _SCHEMA:
            return Editing(
                upstream=name, number=int(state["number"]), file=str(state["file"]), sha256=str(state["sha256"])
            )
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        pass
    raise VendorError(
        f"{edit_dir(name)}/state.json cannot be read", hint=f"`vendorctl patch edit {name} --abort` removes it"
    )


def stage_editing(tx: Transaction, standing: Standing, number: int) -> Editing:
    """Lay out the tree after patch `number`. Raises VendorError when an edit is under way already."""
    name = standing.upstream.name
    running = load_editing(tx.root, name)
    if running is not None:
        raise VendorError(
            f"{running.file} is being edited already",
            hint=f"`vendorctl patch refresh {name}` takes the edit, `vendorctl patch edit {name} --abort` gives it up",
            code=ExitCode.USAGE,
        )
    index = standing.series.index(number)
    patch, tree = standing.series.patches[index], on_disk(standing.applied.trees[index + 1])
    editing = Editing(upstream=name, number=number, file=patch.file_name, sha256=sha256(patch.raw))
    stage_tree(tx, f"{edit_dir(name)}/tree", Tree(), tree, standing.blobs, links_may_leave=True)
    tx.write(
        f"{edit_dir(name)}/state.json",
        pretty_json({"schema": _SCHEMA, "number": number, "file": editing.file, "sha256": editing.sha256}),
    )
    return editing


def read_edited(root: Path, standing: Standing, editing: Editing) -> tuple[Tree, Blobs]:
    """The tree as it was edited, and a way to read it."""
    folder = root / edit_dir(editing.upstream) / "tree"
    disk = scan(folder)
    expected = standing.applied.trees[standing.series.index(editing.number) + 1]
    blobs = ChainedBlobs(DiskBlobs(folder, disk.tree), standing.blobs)
    edits = unrecorded(expected, disk.tree, blobs)
    return edits.after, edits.blobs


def stage_editing_end(tx: Transaction, name: str) -> None:
    """Remove the folder of an edit."""
    stage_removal(tx, tx.root, edit_dir(name))


def edit_report(editing: Editing) -> Report:
    """Where the tree is, and how to go on."""
    name, folder = editing.upstream, f"{edit_dir(editing.upstream)}/tree"
    return Report(
        schema="vendorctl/patch-edit/1",
        title="patch edit",
        lines=(
            f"the tree after {editing.file} is in {folder}",
            f"edit it, then run `vendorctl patch refresh {name}` (or `vendorctl patch edit {name} --abort`)",
        ),
        data={"upstream": name, "number": editing.number, "file": editing.file, "folder": folder},
    )


def abort_report(name: str) -> Report:
    """That nothing is being edited any more."""
    return Report(
        schema="vendorctl/patch-edit/1",
        title="patch edit",
        lines=(f"gave up the edit of {name!r}; its series is as it was",),
        data={"upstream": name, "number": None, "file": None, "folder": None},
    )
