# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Telling people's edits from the tool's own files.

A path on disk is ours when it equals what the tool wrote last, or what it is about to write. Everything else is an
edit, and an edit is never overwritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from vendorctl.git.tree import Tree


class EditKind(StrEnum):
    """What somebody did to a path."""

    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """One path that is not as the tool left it."""

    path: bytes
    kind: EditKind


def find_edits(disk: Tree, placed: Tree, wanted: Tree, *, removals: bool, locked: Tree | None = None) -> list[Edit]:
    """Edits in a folder whose content is `disk`, given what was `placed` there last and what is `wanted` there now.

    `locked` is what the lock proves to belong there until now: a clone has files from git that the tool never placed.
    With `removals`, a placed file that is gone counts as an edit too (in the patched tree, where deleting a file is a
    change to record; a missing pristine file is merely restored).
    """
    edits = []
    # What is as it is wanted is no edit, and in a large folder that is nearly everything.
    for path, (entry, want) in disk.difference(wanted).items():
        if entry is not None:
            known = [tree[path] for tree in (placed, wanted, locked) if tree is not None and path in tree]
            if entry not in known:
                edits.append(Edit(path, EditKind.CHANGED if known else EditKind.ADDED))
        elif removals and len(disk) and want is not None and path in placed:
            edits.append(Edit(path, EditKind.REMOVED))
    return sorted(edits)


def backups(disk: Tree, edits: Sequence[Edit]) -> list[bytes]:
    """The paths of edits whose present content would be lost if they were overwritten."""
    return [edit.path for edit in edits if edit.path in disk]
