# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where each file of the patched tree comes from, and which patches made it what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vendorctl.series.patch import Change, ChangeKind, Patch
from vendorctl.series.stack import Applied


@dataclass(frozen=True, slots=True)
class Descent:
    """A file's `origin` in the pristine tree (None: a patch added it) and the patches that touched it, in order."""

    origin: bytes | None
    patches: tuple[Patch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """What a series did to files: every touched path of P, and the pristine paths that have no place in P any more.

    `modified` are those whose content is no longer their origin's; the rest were moved, or changed back.
    """

    touched: Mapping[bytes, Descent]
    modified: frozenset[bytes]
    removed: Mapping[bytes, Descent]


@dataclass(slots=True)
class _Walk:
    touched: dict[bytes, Descent] = field(default_factory=dict)
    removed: dict[bytes, Descent] = field(default_factory=dict)

    def descent(self, path: bytes) -> Descent:
        return self.touched.get(path, Descent(path, ()))

    def step(self, change: Change, patch: Patch) -> None:
        source = change.old_path if change.old_path is not None else change.path
        if change.kind is ChangeKind.ADD:
            # What was deleted and is added again is the old file changed, as far as its licence is concerned.
            before = self.removed.pop(change.path, Descent(None, ()))
        else:
            before = self.descent(source)
        after = Descent(before.origin, (*before.patches, patch))
        if change.kind in {ChangeKind.DELETE, ChangeKind.RENAME}:
            self.touched.pop(source, None)
        if change.kind is not ChangeKind.DELETE:
            self.touched[change.path] = after
        elif after.origin is not None:
            self.removed[after.origin] = after


def lineage(applied: Applied) -> Lineage:
    """Follow every path through the series: changes, renames, copies, deletions."""
    walk = _Walk()
    for patch in applied.series.patches:
        for change in sorted(patch.changes, key=lambda each: each.kind is not ChangeKind.COPY):
            walk.step(change, patch)
    pristine, patched = applied.trees[0], applied.patched
    modified = frozenset(
        path
        for path, descent in walk.touched.items()
        if descent.origin is not None and pristine[descent.origin].oid != patched[path].oid
    )
    return Lineage(
        touched=dict(sorted(walk.touched.items())), modified=modified, removed=dict(sorted(walk.removed.items()))
    )
