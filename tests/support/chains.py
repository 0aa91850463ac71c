# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Trees, series and bumps from plain dictionaries of files, in memory.

shelf = Shelf()
old = shelf.chain({"a.py": "x = 1\\n"}, {"a.py": "x = 2\\n"})      # U, then U with patch 1
plan = shelf.bump(old, {"a.py": "# new\\nx = 1\\n"})
shelf.files(plan.applied.patched)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

from support.repo import Put
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.series.bump import BumpPlan, BumpRequest, plan_bump
from vendorctl.series.content import ContentMerger
from vendorctl.series.patch import Patch, Trailers
from vendorctl.series.stack import Applied, Series, apply_series
from vendorctl.series.write import write_patch

#: A tree as path to content; text is a plain file.
Files: TypeAlias = Mapping[str, str | bytes | Put]

AUTHOR = "Downstream Author <downstream@example.org>"
DATE = "Tue, 02 Jan 2024 03:04:05 +0000"


@dataclass
class Shelf:
    """Keeps every content that a test makes, and builds values over them."""

    blobs: dict[Oid, bytes] = field(default_factory=dict)

    def tree(self, files: Files) -> Tree:
        """The tree of these files."""
        entries: dict[bytes, Entry] = {}
        for path, content in files.items():
            put = content if isinstance(content, Put) else Put(Mode.FILE, _bytes(content))
            oid = hash_blob(put.content)
            self.blobs[oid] = put.content
            entries[path.encode()] = Entry(put.mode, oid)
        return Tree(entries)

    def files(self, tree: Tree) -> dict[str, str]:
        """The contents of a tree's files, decoded."""
        return {path.decode(): self.blobs[entry.oid].decode() for path, entry in tree.items()}

    def patch(self, number: int, before: Tree, after: Tree, title: str = "") -> Patch:
        """The patch from one tree to the next."""
        return write_patch(
            before,
            after,
            self.blobs,
            number=number,
            title=title or f"Local change {number}",
            body="Kept for our launcher.",
            author=AUTHOR,
            date=DATE,
            trailers=Trailers(origin="vendor", forwarded="no", reason="the launcher needs it"),
        )

    def chain(self, pristine: Files, *states: Files) -> Applied:
        """A series with one patch per further state, applied."""
        trees = [self.tree(files) for files in (pristine, *states)]
        pairs = enumerate(pairwise(trees), start=1)
        patches = tuple(self.patch(number, before, after) for number, (before, after) in pairs)
        return apply_series(trees[0], Series("up", patches), self.blobs)

    def bump(self, old: Applied, new: Files | Tree, **options: Any) -> BumpPlan:
        """The plan for moving `old` to another pristine tree; contents it makes are kept."""
        tree = new if isinstance(new, Tree) else self.tree(new)
        with ContentMerger() as merger:
            plan = plan_bump(BumpRequest(old=old, new=tree, blobs=self.blobs, **options), merger)
        if plan.applied is not None:
            self.blobs.update(plan.applied.blobs)
        return plan


def numbered(count: int, changes: Mapping[int, str] | None = None, *, word: str = "line") -> str:
    """`count` distinct lines, with some (numbered from 1) replaced; an empty replacement drops the line."""
    lines = {number: f"{word}_{number} = {number}\n" for number in range(1, count + 1)}
    return "".join((lines | dict(changes or {})).values())


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
