# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Other states of an upstream than the workspace's, written aside so that they can be compiled."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from vendorctl.errors import VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Mode, Tree
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.sources.inputs import PatchedTree
from vendorctl.paths import display, reject_reason
from vendorctl.series.workspace import Standing


def write_tree(tree: Tree, blobs: Blobs, folder: Path) -> None:
    """Write a tree below `folder`, which is made. Raises VendorError for a path that must not be written."""
    for path, entry in tree.items():
        reason = reject_reason(path)
        if reason:
            raise VendorError(f"{display(path)} cannot be written: {reason}")
        place = folder / os.fsdecode(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        if entry.mode is Mode.SYMLINK:
            place.symlink_to(os.fsdecode(blobs[entry.oid]))
        elif entry.mode.is_blob:
            place.write_bytes(blobs[entry.oid])


def project_at(project: Project, standings: Iterable[Standing], folder: Path) -> Project:
    """The same project built from other patched trees, laid out below `folder`: before and after a bump, say."""
    trees = dict(project.trees)
    for standing in standings:
        name = standing.upstream.name
        write_tree(standing.applied.patched, standing.blobs, folder / name)
        trees[name] = PatchedTree(name=name, root=folder / name, pristine={}, patches=())
    return replace(project, trees=trees)
