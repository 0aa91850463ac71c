# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One upstream as it stands in a workspace: lock, series and disk, read once and handed on as values.

Everything offline starts here: verify, diff-upstream, patch record, audit and build all look at a `Standing`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.series.dressing import Dressing, dress
from vendorctl.series.stack import Applied, Series, apply_series
from vendorctl.series.store import load_series
from vendorctl.vendor.contents import ChainedBlobs, DiskBlobs
from vendorctl.workspace.lock import Lock, LockedUpstream
from vendorctl.workspace.manifest import Manifest, Upstream
from vendorctl.workspace.nodes import nearest
from vendorctl.workspace.root import patched_dir, vendored_dir

#: Makes the change notices that licences require in modified files; the licences layer has the real one.
Dresser: TypeAlias = Callable[[Upstream, LockedUpstream, Applied], Dressing]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the workspace says about one upstream: U from the lock, the series, the chain, and P as people edit it.

    `output` is P with change notices, the tree that belongs at `folder`; `blobs` reads every content of all of them.
    """

    upstream: Upstream
    locked: LockedUpstream
    series: Series
    applied: Applied
    dressing: Dressing
    output: Tree
    folder: Path
    blobs: Blobs


def load_standing(root: Path, upstream: Upstream, locked: LockedUpstream, dresser: Dresser, *more: Blobs) -> Standing:
    """Read one upstream's state from disk and apply its series in memory. No git process, no network.

    Pristine contents come from `vendored/<name>`, then from `more`. Raises VendorError with the patch's place when the
    series does not apply exactly, and (exit code 1) when a pristine content that it needs is nowhere to be had.
    """
    pristine = locked.tree
    series = load_series(root, upstream.name)
    disk = ChainedBlobs(DiskBlobs(root / vendored_dir(upstream.name), pristine), *more)
    try:
        applied = apply_series(pristine, series, disk)
    except KeyError as error:
        raise missing_content(upstream.name) from error
    return stand(root, upstream, locked, applied, dresser, disk)


def stand(
    root: Path, upstream: Upstream, locked: LockedUpstream, applied: Applied, dresser: Dresser, pristine: Blobs
) -> Standing:
    """The standing of a chain that has been applied already; `pristine` reads contents of U."""
    blobs = ChainedBlobs(applied.blobs, pristine)
    dressing = dresser(upstream, locked, applied)
    try:
        output, dressed = dress(applied.patched, blobs, dressing)
    except KeyError as error:
        # Only rewritten imports need contents that no patch changes.
        raise missing_content(upstream.name) from error
    return Standing(
        upstream=upstream,
        locked=locked,
        series=applied.series,
        applied=applied,
        dressing=dressing,
        output=output,
        folder=root / patched_dir(upstream),
        blobs=ChainedBlobs(dressed, blobs),
    )


def locked_upstream(lock: Lock | None, name: str) -> LockedUpstream:
    """The lock's entry for `name`. Raises VendorError when it has none yet."""
    if lock is None or name not in lock.upstreams:
        raise VendorError(
            f"upstream {name!r} has not been synced yet: VENDOR.lock does not know it",
            hint=f"run `vendorctl sync {name}`",
            code=ExitCode.FINDINGS,
        )
    return lock.upstreams[name]


def chosen_upstreams(manifest: Manifest, names: tuple[str, ...]) -> list[Upstream]:
    """The named upstreams, or all. Raises VendorError with the nearest known name for an unknown one."""
    unknown = [name for name in names if name not in manifest.upstreams]
    if unknown:
        near = nearest(unknown[0], manifest.upstreams)
        known = ", ".join(sorted(manifest.upstreams)) or "none yet"
        hint = f"did you mean {near!r}?" if near else f"VENDOR.yaml has: {known}"
        raise VendorError(f"no upstream named {unknown[0]!r}", hint=hint, code=ExitCode.USAGE)
    return [manifest.upstreams[name] for name in names or sorted(manifest.upstreams)]


def missing_content(name: str) -> VendorError:
    """The error for pristine files that are not on disk although the series needs them."""
    return VendorError(
        f"pristine files of {name!r} that its patches change are missing or edited",
        hint=f"`vendorctl verify` names them; `vendorctl sync {name}` restores them",
        code=ExitCode.FINDINGS,
    )
