# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The kernels side of a workspace as plain values, and the thin glue that makes them from VENDOR.yaml and its lock."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vendorctl import digest
from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.kernels.compiler.toolchain import IDENTITIES
from vendorctl.kernels.object import target as targets
from vendorctl.kernels.object.target import Target
from vendorctl.kernels.sources.inputs import PatchedTree, PatchRef
from vendorctl.series.patch import Patch
from vendorctl.series.store import load_series
from vendorctl.workspace.lock import FILE_NAME as LOCK_NAME
from vendorctl.workspace.lock import LockedUpstream
from vendorctl.workspace.lockfile import load_lock
from vendorctl.workspace.manifest import FILE_NAME, CachePlace, KernelsConfig, Upstream
from vendorctl.workspace.nodes import suggestion
from vendorctl.workspace.parse import load_manifest
from vendorctl.workspace.root import patched_dir


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Upper limits that every object must keep; None: no limit. Sizes in bytes, spills in registers."""

    max_spills: int | None = None
    max_scratch: int | None = None
    max_lds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What to build: recipes (paths below `root`) for targets, from patched trees, with the pinned tools.

    `pins` are the exact tools by name (`toolchain.IDENTITIES`): `{"flydsl": "0.5.0", "linker": "LLD 19.1.7"}`. `cache`
    is where machines share what they built.
    """

    root: Path
    recipes: tuple[str, ...]
    targets: tuple[Target, ...]
    trees: Mapping[str, PatchedTree]
    pins: Mapping[str, str] = field(default_factory=dict)
    policy: Policy = Policy()
    cache: CachePlace | None = None

    @property
    def flydsl(self) -> str | None:
        """The pinned version of flydsl, if there is one."""
        return self.pins.get("flydsl")

    def tree(self, name: str, recipe: str) -> PatchedTree:
        """The patched tree of the upstream `name`, for `recipe`. Raises VendorError when there is no such upstream."""
        try:
            return self.trees[name]
        except KeyError:
            known = ", ".join(sorted(self.trees)) or "none"
            raise VendorError(
                f"there is no upstream {name!r} in {LOCK_NAME} (there are: {known})",
                location=Location(recipe),
                hint="run `vendorctl sync` if VENDOR.yaml has it, or correct `upstream` in the recipe",
            ) from None


def select(configured: Sequence[Target], wanted: Sequence[str]) -> tuple[Target, ...]:
    """The targets named in `wanted`, or all. Raises VendorError (exit code 2) for one that is not configured."""
    names = [target.name for target in configured]
    for name in wanted:
        if name not in names:
            hint = suggestion(name, names, "configured")
            raise VendorError(f"target {name} is not in VENDOR.yaml", hint=hint, code=ExitCode.USAGE)
    return tuple(target for target in configured if not wanted or target.name in wanted)


def load_project(root: Path) -> Project:
    """The kernels side of the workspace at `root`.

    Raises VendorError when VENDOR.yaml, VENDOR.lock or a series is invalid, when no kernels are configured (exit code
    2), or for an unknown target.
    """
    described = load_manifest(root)
    lock = load_lock(root)
    config = described.kernels
    if not config.recipes:
        raise VendorError(
            f"{FILE_NAME} configures no kernels",
            hint="list recipes and targets under `kernels:`",
            code=ExitCode.USAGE,
        )
    limits = config.policy
    return Project(
        root=root,
        recipes=config.recipes,
        targets=tuple(_target(name, config) for name in config.targets),
        trees={
            name: _tree(root, upstream, lock.upstreams[name])
            for name, upstream in described.upstreams.items()
            if lock is not None and name in lock.upstreams
        },
        pins=_pins(config),
        policy=Policy(max_spills=limits.max_spills, max_scratch=limits.max_scratch, max_lds=limits.max_lds),
        cache=config.cache,
    )


def _pins(config: KernelsConfig) -> Mapping[str, str]:
    unknown = sorted(set(config.toolchain) - set(IDENTITIES))
    if unknown:
        raise VendorError(
            f"kernels.toolchain pins {unknown[0]!r}, which is no tool of a build",
            hint=f"what can be pinned: {', '.join(IDENTITIES)}",
            location=config.places.get("toolchain"),
        )
    return dict(config.toolchain)


def _target(name: str, config: KernelsConfig) -> Target:
    try:
        return targets.find(name)
    except VendorError as error:
        raise VendorError(error.message, hint=error.hint, location=config.places.get("targets")) from error


def _tree(root: Path, upstream: Upstream, locked: LockedUpstream) -> PatchedTree:
    return PatchedTree(
        name=upstream.name,
        root=root / patched_dir(upstream),
        pristine={os.fsdecode(file.path): file.sha256 for file in locked.files if file.sha256},
        patches=tuple(
            PatchRef(file=patch.file_name, sha256=digest.sha256(patch.raw), paths=_paths(patch))
            for patch in load_series(root, upstream.name).patches
        ),
        imports=upstream.rewrite_imports,
    )


def _paths(patch: Patch) -> frozenset[str]:
    """Every path that a patch touches, on either side of a rename."""
    return frozenset(
        os.fsdecode(path) for change in patch.changes for path in (change.path, change.old_path) if path is not None
    )
