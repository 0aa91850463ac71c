# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The kernels side of a workspace as plain values, and the thin glue that makes them from VENDOR.yaml and its lock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import VendorError
from vendorctl.kernels import target as targets
from vendorctl.kernels.inputs import PatchedTree
from vendorctl.kernels.target import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Upper limits that every object must keep; None: no limit. Sizes in bytes, spills in registers."""

    max_spills: int | None = None
    max_scratch: int | None = None
    max_lds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What to build: recipes (paths below `root`) for targets, from patched trees, with the pinned flydsl."""

    root: Path
    recipes: tuple[str, ...]
    targets: tuple[Target, ...]
    trees: Mapping[str, PatchedTree]
    flydsl: str | None = None
    policy: Policy = Policy()

    def tree(self, name: str, recipe: str) -> PatchedTree:
        """The patched tree of the upstream `name`, for `recipe`. Raises VendorError when there is no such upstream."""
        try:
            return self.trees[name]
        except KeyError:
            known = ", ".join(sorted(self.trees)) or "none"
            raise VendorError(f"{recipe}: there is no upstream {name!r} (known: {known})") from None


def select(names: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[Target, ...]:
    """The configured targets, or those of them that are `wanted`. Raises VendorError for one that is not configured."""
    for name in wanted:
        targets.find(name)
        if name not in names:
            raise VendorError(f"target {name} is not in VENDOR.yaml", hint=f"configured: {', '.join(names)}")
    return tuple(targets.find(name) for name in names if not wanted or name in wanted)
