# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What is on disk of one upstream before a sync, and which of it are somebody's edits."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vendorctl.git.tree import Entry, Tree
from vendorctl.series.dressing import SIDECAR_SUFFIX, undress_tree
from vendorctl.series.record import is_bytecode
from vendorctl.series.workspace import Standing
from vendorctl.vendor.contents import DiskBlobs
from vendorctl.vendor.disk import scan
from vendorctl.vendor.edits import Edit, find_edits
from vendorctl.vendor.placed import Placed
from vendorctl.vendor.select import on_disk
from vendorctl.workspace.root import patched_dir, vendored_dir


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDisk:
    """The two folders of an upstream as they are; `edits` (paths from the workspace root) must not be touched."""

    pristine: Tree
    output: Tree
    edits: tuple[Edit, ...]


def look(standing: Standing, pristine: Tree, placed: Placed, earlier: Standing | None = None) -> OnDisk:
    """Compare the disk with what the tool placed there and with what `standing` wants there.

    `pristine` is the tree of the vendored folder, `earlier` how the lock had it before the pin moved. Python's byte
    code and change notices are derived: neither is an edit, whatever became of it.
    """
    upstream = standing.upstream
    output = _without_bytecode(scan(standing.folder).tree)
    wanted = on_disk(standing.applied.trees[0])
    locked = on_disk(earlier.applied.trees[0]) if earlier is not None else None
    edits = find_edits(pristine, placed.pristine, wanted, removals=False, locked=locked)
    found = [_rooted(vendored_dir(upstream.name), edit) for edit in edits]
    found += [_rooted(patched_dir(upstream), edit) for edit in _output_edits(standing, output, placed.output, earlier)]
    return OnDisk(pristine=pristine, output=output, edits=tuple(found))


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


def _without_bytecode(tree: Tree) -> Tree:
    """What Python writes beside sources that it imports is neither ours nor an edit."""
    derived: dict[bytes, Entry | None] = {path: None for path in tree if is_bytecode(path)}
    return tree.replace(derived) if derived else tree
