# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The pristine tree U of one upstream, with a way to read its blobs."""

from __future__ import annotations

from dataclasses import dataclass

from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.workspace.lock import LockedUpstream


@dataclass(frozen=True, slots=True)
class Pristine:
    """U as a tree, the locked facts it came with, and its contents."""

    upstream: LockedUpstream
    tree: Tree
    blobs: Blobs
