# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl audit`."""

from __future__ import annotations

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import FINDING_FORMATS, current, options


@click.command("audit")
@click.option("--second-opinion/--no-second-opinion", default=True, help="Also ask the `reuse` program (default: yes).")
@click.option("--require", is_flag=True, help="What is not restored here (store: fetch) is an error, not a note.")
@options(formats=FINDING_FORMATS)
def command(second_opinion: bool, require: bool) -> int:
    """Audit licences and obligations, file by file. Offline; changes nothing.

    Is every file's licence known and permitted? Does every modified file say so? Are all copyright lines, NOTICE files
    and licence texts where they must be?
    """
    from vendorctl.cli.surroundings import open_cache
    from vendorctl.licenses.audit import audit
    from vendorctl.licenses.gather import known_trees
    from vendorctl.proc import run
    from vendorctl.workspace.lockfile import load_lock
    from vendorctl.workspace.parse import load_manifest

    root = current().root()
    cache, lock = open_cache(current(), offline=True), load_lock(root)
    trees = known_trees(lock, lambda locked: cache.open(locked.url, root))
    runner = run if second_opinion else None
    return emit(audit(root, load_manifest(root), lock, runner=runner, trees=trees, require=require))
