# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Whether a lock agrees with itself: it names trees that its own rows add up to."""

from __future__ import annotations

from collections.abc import Iterator

from vendorctl.errors import Location
from vendorctl.model import Finding
from vendorctl.workspace.lock import FILE_NAME, Lock
from vendorctl.workspace.lockfile import patched_tree


def lock_contradictions(lock: Lock, name: str) -> Iterator[Finding]:
    """A finding for each tree of an upstream that the lock file states otherwise than its files and patches say.

    A row that was edited together with the file it describes agrees with the disk, but not with this.
    """
    locked, stated = lock.upstreams[name], lock.stated.get(name)
    if stated is None:
        return
    pairs = (
        ("files make up the tree", locked.tree.oid, stated.pristine),
        ("last patch gives the tree", patched_tree(locked), stated.patched),
    )
    for what, implied, said in pairs:
        if implied != said:
            yield Finding(
                rule="VC121",
                message=f"{name}: in {FILE_NAME} the {what} {implied.short}, not {said.short} as it says",
                upstream=name,
                location=Location(FILE_NAME),
                hint=f"restore {FILE_NAME} from its last reviewed state, or run `vendorctl sync {name}`",
            )
