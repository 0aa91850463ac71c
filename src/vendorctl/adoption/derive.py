# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The series that turns pristine files into a copy, byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from vendorctl.adoption.base import Match
from vendorctl.adoption.topics import Topics, stages
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Tree
from vendorctl.proc import Runner, run
from vendorctl.series.patch import Patch
from vendorctl.series.record import Statement
from vendorctl.series.split import parts_of
from vendorctl.series.stack import Applied, Series, apply_series
from vendorctl.series.write import write_patch
from vendorctl.vendor.contents import ChainedBlobs

#: Makes the topics of a difference from the tree that it starts from.
TopicMaker = Callable[[Tree, Blobs], Topics]


def derive_series(
    name: str,
    pristine: Tree,
    copy: Tree,
    matches: Sequence[Match],
    blobs: Blobs,
    statement: Statement,
    topics: TopicMaker,
    *,
    layout: str,
    runner: Runner = run,
) -> Applied:
    """The chain from `pristine` to `copy`: a patch titled `layout` that moves files, then one per topic.

    `statement` says who carried the changes and why; its title is used only by topics. `blobs` reads both trees. The
    patches are read back and applied: the last tree of what is returned is `copy`, or VendorError (exit code 70).
    """
    placed = Tree({match.file.path: match.entry for match in matches})
    writer = _Writer(name, statement, runner)
    made: dict[Oid, bytes] = {}
    if placed != pristine:
        moved = replace(statement, title=layout, reason="the copy keeps these files at other paths")
        writer.add(pristine, placed, blobs, moved)
    if copy != placed:
        whole = writer.written(placed, copy, blobs, replace(statement, title="Everything"))
        found, made = stages(placed, copy, parts_of(whole), topics(placed, blobs), blobs)
        before = placed
        for stage in found:
            writer.add(before, stage.tree, ChainedBlobs(made, blobs), replace(statement, title=stage.title))
            before = stage.tree
    applied = apply_series(pristine, Series(name, tuple(writer.patches)), blobs)
    if applied.patched != copy:
        hint = "please report this"
        raise VendorError("the derived series does not give the copy back", hint=hint, code=ExitCode.INTERNAL)
    return applied


class _Writer:
    """Collects patches with consecutive numbers."""

    def __init__(self, name: str, statement: Statement, runner: Runner) -> None:
        self.patches: list[Patch] = []
        self._name = name
        self._statement = statement
        self._runner = runner

    def add(self, before: Tree, after: Tree, blobs: Blobs, statement: Statement) -> None:
        """Write the next patch."""
        self.patches.append(self.written(before, after, blobs, statement))

    def written(self, before: Tree, after: Tree, blobs: Blobs, statement: Statement) -> Patch:
        """The patch between two trees, not kept."""
        return write_patch(
            before,
            after,
            blobs,
            number=len(self.patches) + 1,
            title=statement.title,
            body=statement.body,
            author=statement.author,
            date=statement.date,
            trailers=statement.trailers(),
            runner=self._runner,
        )
