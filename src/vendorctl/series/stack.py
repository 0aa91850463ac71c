# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A series, and the chain of trees that applying it gives: P_0 = U, P_1, ... P_n."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Tree
from vendorctl.series.apply import apply_patch
from vendorctl.series.patch import Patch
from vendorctl.workspace.root import patches_dir


@dataclass(frozen=True, slots=True)
class Series:
    """The ordered patches of one upstream."""

    upstream: str
    patches: tuple[Patch, ...]

    @property
    def folder(self) -> str:
        """Where its files are, from the workspace root."""
        return patches_dir(self.upstream)

    def index(self, number: int) -> int:
        """Where patch `number` stands, from 0. Raises VendorError (exit code 2) when there is none of that number."""
        numbers = [patch.number for patch in self.patches]
        if number not in numbers:
            known = ", ".join(map(str, numbers)) or "none"
            message = f"{self.upstream!r} has no patch {number}"
            raise VendorError(message, hint=f"it has: {known}", code=ExitCode.USAGE)
        return numbers.index(number)


@dataclass(frozen=True, slots=True)
class Applied:
    """The chain of a series over a pristine tree.

    `trees[0]` is U, `trees[k]` the tree after patch k. `blobs` holds every content that the series made.
    """

    series: Series
    trees: tuple[Tree, ...]
    blobs: Mapping[Oid, bytes]

    @property
    def patched(self) -> Tree:
        """The last tree of the chain, P."""
        return self.trees[-1]


class _Overlay:
    """Contents made so far, and behind them the pristine ones."""

    def __init__(self, blobs: Blobs) -> None:
        self.made: dict[Oid, bytes] = {}
        self._blobs = blobs

    def __getitem__(self, oid: Oid) -> bytes:
        content = self.made.get(oid)
        return content if content is not None else self._blobs[oid]


def apply_series(pristine: Tree, series: Series, blobs: Blobs) -> Applied:
    """Apply every patch in order, each exactly onto what the one before it left.

    `blobs` reads the contents of `pristine`. Raises ApplyError for the first patch that does not fit, KeyError when a
    content that a patch changes is not to be had.
    """
    overlay = _Overlay(blobs)
    trees = [pristine]
    for patch in series.patches:
        tree, made = apply_patch(patch, trees[-1], overlay, folder=series.folder)
        overlay.made.update(made)
        trees.append(tree)
    return Applied(series, tuple(trees), overlay.made)
