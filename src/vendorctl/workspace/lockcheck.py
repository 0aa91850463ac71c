# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Whether a lock agrees with itself: it names trees that its own rows add up to."""

from __future__ import annotations

from collections.abc import Iterator

from vendorctl.errors import Location
from vendorctl.model import Finding
from vendorctl.workspace.lock import FILE_NAME, LockedUpstream
from vendorctl.workspace.lockfile import patched_tree


def lock_contradictions(locked: LockedUpstream) -> Iterator[Finding]:
    """A finding for each tree that the lock file states otherwise than its files and patches say.

    A row that was edited together with the file it describes agrees with the disk, but not with this. A lock that was
    made in memory states nothing, and contradicts nothing.
    """
    hint = f"restore {FILE_NAME} from its last reviewed state, or run `vendorctl sync {locked.name}`"
    place = Location(FILE_NAME)
    if locked.stated_tree is not None and locked.stated_tree != locked.tree.oid:
        text = f"{locked.name}: the files listed in {FILE_NAME} make up the tree {locked.tree.oid.short}"
        text += f", not {locked.stated_tree.short} as it says"
        yield Finding(rule="VC121", message=text, upstream=locked.name, location=place, hint=hint)
    if locked.stated_patched is not None and locked.stated_patched != patched_tree(locked):
        text = f"{locked.name}: the last patch in {FILE_NAME} gives the tree {patched_tree(locked).short}"
        text += f", not {locked.stated_patched.short} as it says"
        yield Finding(rule="VC121", message=text, upstream=locked.name, location=place, hint=hint)
