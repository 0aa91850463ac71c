# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where the layers meet: the cache, the licence scanner, the dresser and the carrier that domain functions take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vendorctl.cli.session import Session, current
from vendorctl.series.sync.plan import Tools
from vendorctl.series.workspace import Standing
from vendorctl.upstream.cache import Cache, default_folder
from vendorctl.upstream.source import Source
from vendorctl.workspace.manifest import Store, Upstream
from vendorctl.workspace.root import vendored_dir
from vendorctl.workspace.transaction import Transaction


def open_cache(session: Session, *, offline: bool = False) -> Cache:
    """The user's cache, with the session's progress."""
    return Cache(default_folder(os.environ), progress=session.progress(), offline=offline)


@contextmanager
def sync_tools(root: Path, *, offline: bool = False) -> Iterator[Tools]:
    """What sync needs: everything that talks to upstreams goes through one cache."""
    from vendorctl.licenses.changes import licence_changes
    from vendorctl.licenses.declared import survey
    from vendorctl.licenses.notices import notices_for
    from vendorctl.series.carry import Carry
    from vendorctl.series.content import ContentMerger

    cache = open_cache(current(), offline=offline)
    with ContentMerger() as merger:

        def opener(upstream: Upstream) -> Source:
            return cache.open(upstream.url, root)

        yield Tools(
            opener=opener,
            surveyor=survey,
            dresser=notices_for,
            carry=Carry(root, opener, merger),
            licences=licence_changes,
        )


def begin(root: Path, title: str) -> Transaction:
    """A transaction that tells the user when it has to wait for another command."""
    return Transaction(root, title, on_wait=current().say)


def standings(root: Path, names: tuple[str, ...]) -> list[Standing]:
    """The named upstreams (or all) as they stand in the workspace, offline.

    Upstreams whose pristine files are not restored on this machine are left out when none was named.
    """
    from vendorctl.licenses.notices import notices_for
    from vendorctl.series.workspace import chosen_upstreams, load_standing, locked_upstream
    from vendorctl.workspace.lockfile import load_lock
    from vendorctl.workspace.parse import load_manifest

    lock = load_lock(root)
    chosen = chosen_upstreams(load_manifest(root), names)
    restored = [up for up in chosen if names or up.store is Store.COMMIT or (root / vendored_dir(up.name)).is_dir()]
    return [load_standing(root, up, locked_upstream(lock, up.name), notices_for) for up in restored]
