# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl closure`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import FINDING_FORMATS, current, options
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Report

if TYPE_CHECKING:
    from vendorctl.git.oid import Oid
    from vendorctl.upstream.source import Source


@click.command("closure")
@click.argument("name")
@click.option("--entry", "entries", multiple=True, metavar="GLOB", help="Files that are imported; may be repeated.")
@click.option("--check", is_flag=True, help="Prove that what is vendored holds all of it.")
@click.option("--ref", help="Look at this tag, branch or commit of upstream instead of the pin.")
@click.option("--installed", multiple=True, metavar="PACKAGE", help="Not followed: it is installed, not vendored.")
@click.option("--offline", is_flag=True, help="Use the cache only.")
@options(formats=FINDING_FORMATS)
def command(
    name: str, entries: tuple[str, ...], check: bool, ref: str | None, installed: tuple[str, ...], offline: bool
) -> int:
    """The import closure of some files of NAME: what has to be vendored so that they can be imported.

    With --check: whether the vendored set, with its patches, holds all of that (without --entry: for each of its
    modules). Packages of kernels.toolchain count as installed.
    """
    from vendorctl.cli.surroundings import open_cache
    from vendorctl.series.workspace import chosen_upstreams
    from vendorctl.workspace.parse import load_manifest

    if check and ref:
        raise VendorError("--check looks at what is vendored, so --ref has no meaning", code=ExitCode.USAGE)
    if not check and not entries:
        raise VendorError("which files? Name them with --entry", code=ExitCode.USAGE)
    root = current().root()
    manifest = load_manifest(root)
    (upstream,) = chosen_upstreams(manifest, (name,))
    known = (*installed, *manifest.kernels.toolchain)
    source = open_cache(current(), offline=offline).open(upstream.url, root)
    if check:
        return emit(_check(name, entries, known, source))
    return emit(_list(name, upstream.pin, ref, entries, known, source))


def _list(
    name: str, pin: Oid, ref: str | None, entries: Sequence[str], installed: Sequence[str], source: Source
) -> Report:
    from vendorctl.licenses.facts import scan
    from vendorctl.vendor.closure import close, reader
    from vendorctl.vendor.closure_report import find_entries, list_closure

    tree = source.tree(source.resolve(ref).commit if ref else pin)
    read = reader(source, tree, {})
    closure = close(tree, find_entries(tree, entries), read, installed)
    return list_closure(name, closure, read([entry.oid for entry in closure.files.values()]), scan)


def _check(name: str, entries: Sequence[str], installed: Sequence[str], source: Source) -> Report:
    from vendorctl.cli.surroundings import standings
    from vendorctl.vendor.closure import close, overlaid, reader
    from vendorctl.vendor.closure_report import check_closure, find_entries
    from vendorctl.workspace.root import patched_dir

    (standing,) = standings(current().root(), (name,))
    patched = standing.applied.patched
    tree = overlaid(source.tree(standing.locked.commit), standing.applied.trees[0], patched)
    read = reader(source, tree, standing.blobs)
    chosen = find_entries(patched, entries or ["**/*.py"])
    closure = close(tree, chosen, read, installed)
    folder = patched_dir(standing.upstream)
    return check_closure(name, closure, patched, lambda path: f"{folder}/{path.decode('utf-8', 'replace')}",
                         whole_set=not entries)  # fmt: skip
