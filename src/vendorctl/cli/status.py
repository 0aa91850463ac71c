# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl status`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options
from vendorctl.model import Report


@click.command("status")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--fetch", is_flag=True, help="Look at the upstreams first; without it, only the cache is read.")
@options()
def command(names: tuple[str, ...], fetch: bool) -> int:
    """One screen: pins, how far upstream has moved, the health of each patch, and what to do next.

    Offline unless --fetch is given; the notes say how old what is known is.
    """
    return emit(status_of(names, fetch=fetch))


def status_of(names: tuple[str, ...], *, fetch: bool) -> Report:
    """The status report of the workspace in hand."""
    import time
    from functools import partial

    from vendorctl.cli.surroundings import open_cache
    from vendorctl.drift.status import States, measure_status, status_report, summed_up
    from vendorctl.licenses.audit import audit
    from vendorctl.licenses.notices import notices_for
    from vendorctl.series.pending import load_pending
    from vendorctl.series.workspace import chosen_upstreams, load_standing, locked_upstream
    from vendorctl.workspace.lockfile import load_lock
    from vendorctl.workspace.parse import load_manifest

    root, session = current().root(), current()
    cache, lock, manifest = open_cache(session, offline=not fetch), load_lock(root), load_manifest(root)
    rows = measure_status(
        chosen_upstreams(manifest, names),
        lambda upstream: load_standing(root, upstream, locked_upstream(lock, upstream.name), notices_for),
        lambda upstream: cache.open(upstream.url, root),
        partial(load_pending, root),
        session.progress(),
        States(licences=summed_up(audit(root, manifest, lock), lock.upstreams) if lock is not None else {}),
    )
    return status_report(rows, time.time())
