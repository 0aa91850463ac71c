# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""An upstream as it would stand in a workspace, without a workspace."""

from __future__ import annotations

from pathlib import Path

from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid
from vendorctl.series.dressing import Dressing
from vendorctl.series.stack import Applied
from vendorctl.series.workspace import Standing
from vendorctl.vendor.contents import ChainedBlobs
from vendorctl.workspace.lock import LockedUpstream
from vendorctl.workspace.manifest import Store, Upstream


def bare_standing(
    chain: Applied, blobs: Blobs, *, url: str, pin: Oid, root_tree: Oid, include: tuple[str, ...]
) -> Standing:
    """A standing whose patched tree is on no disk; `blobs` reads the pristine contents."""
    name = chain.series.upstream
    upstream = Upstream(
        name=name,
        url=url,
        pin=pin,
        ref=None,
        track=None,
        include=include,
        exclude=(),
        license=None,
        store=Store.FETCH,
        output=None,
    )
    locked = LockedUpstream(
        name=name,
        url=url,
        commit=pin,
        root_tree=root_tree,
        ref=None,
        files=(),
        series=(),
        include=include,
        exclude=(),
    )
    return Standing(
        upstream=upstream,
        locked=locked,
        series=chain.series,
        applied=chain,
        dressing=Dressing(),
        output=chain.patched,
        folder=Path("/nowhere"),
        blobs=ChainedBlobs(chain.blobs, blobs),
    )
