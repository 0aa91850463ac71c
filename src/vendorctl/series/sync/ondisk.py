# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What is on disk of one upstream before a sync, and which of it are somebody's edits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.tree import Tree
from vendorctl.model import Finding
from vendorctl.series.dressing import SIDECAR_SUFFIX, undress_tree
from vendorctl.series.output import odd_findings as odd_output
from vendorctl.series.record import without_bytecode
from vendorctl.series.workspace import Standing
from vendorctl.vendor.contents import DiskBlobs
from vendorctl.vendor.disk import DiskTree, scan
from vendorctl.vendor.edits import Edit, find_edits
from vendorctl.vendor.placed import Placed
from vendorctl.vendor.select import on_disk
from vendorctl.vendor.verify import odd_findings as odd_pristine
from vendorctl.workspace.manifest import Upstream
from vendorctl.workspace.root import is_displaced, patched_dir, vendored_dir


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDisk:
    """The two folders of an upstream as they are; `edits` (paths from the workspace root) must not be touched.

    `findings` name what is there and cannot be in any tree: sync leaves it alone, and must not call that up to date.
    """

    pristine: Tree
    output: Tree
    edits: tuple[Edit, ...]
    findings: tuple[Finding, ...] = ()


def require_folders(root: Path, upstream: Upstream) -> None:
    """Raise VendorError (exit code 1) when a link, or what is no folder, has the place of one of the two folders.

    What is behind a link is not in the workspace: sync would write there, and call the workspace up to date.
    """
    for folder in (vendored_dir(upstream.name), patched_dir(upstream)):
        if is_displaced(root, folder):
            raise VendorError(
                "is not a folder of this workspace: a link or a file has its place, or that of one above it",
                hint="move it away, then run the command again",
                location=Location(folder),
                code=ExitCode.FINDINGS,
            )


def look(standing: Standing, pristine: DiskTree, placed: Placed, earlier: Standing | None = None) -> OnDisk:
    """Compare the disk with what the tool placed there and with what `standing` wants there.

    `pristine` is the vendored folder, `earlier` how the lock had it before the pin moved. Python's byte
    code and change notices are derived: neither is an edit, whatever became of it.
    """
    upstream = standing.upstream
    patched = scan(standing.folder)
    output = without_bytecode(patched.tree)
    wanted = on_disk(standing.applied.trees[0])
    locked = on_disk(earlier.applied.trees[0]) if earlier is not None else None
    edits = find_edits(pristine.tree, placed.pristine, wanted, removals=False, locked=locked)
    found = [_rooted(vendored_dir(upstream.name), edit) for edit in edits]
    found += [_rooted(patched_dir(upstream), edit) for edit in _output_edits(standing, output, placed.output, earlier)]
    odd = (*odd_pristine(upstream, pristine), *odd_output(upstream, patched))
    return OnDisk(pristine=pristine.tree, output=output, edits=tuple(found), findings=odd)


def _output_edits(standing: Standing, output: Tree, placed: Tree, earlier: Standing | None) -> list[Edit]:
    locked = on_disk(earlier.output) if earlier is not None else None
    found = find_edits(output, placed, on_disk(standing.output), removals=True, locked=locked)
    if not found:
        return []
    patched = standing.applied.patched
    plain, _made = undress_tree(output, patched, DiskBlobs(standing.folder, output), standing.upstream.rewrite_imports)

    def is_notice(edit: Edit) -> bool:
        if edit.path.endswith(SIDECAR_SUFFIX) and edit.path not in patched:
            return True
        return edit.path in output and edit.path in patched and plain.get(edit.path) == patched[edit.path]

    return [edit for edit in found if not is_notice(edit)]


def _rooted(folder: str, edit: Edit) -> Edit:
    return replace(edit, path=folder.encode() + b"/" + edit.path)
