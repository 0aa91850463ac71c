# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A series, and the chain of trees that applying it gives: P_0 = U, P_1, ... P_n."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vendorctl.git.oid import Oid
from vendorctl.git.tree import Tree
from vendorctl.series.patch import Patch


@dataclass(frozen=True, slots=True)
class Series:
    """The ordered patches of one upstream."""

    upstream: str
    patches: tuple[Patch, ...]


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
