# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl verify`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import FINDING_FORMATS, current, options
from vendorctl.model import Report, merge


@click.command("verify")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--require", is_flag=True, help="What is not restored here (store: fetch) is an error, not a note.")
@click.option("--origin", is_flag=True, help="Also compare the lock with upstream's own objects (cache or network).")
@click.option("--staged", is_flag=True, help="Look at what git would commit now, instead of what is on disk.")
@options(formats=FINDING_FORMATS)
def command(names: tuple[str, ...], require: bool, origin: bool, staged: bool) -> int:
    """Prove offline that every byte is accounted for.

    The pristine trees are upstream's as locked, the series give exactly the locked trees, the patched trees on disk
    hold exactly those (plus the change notices that licences require), and generated notices and bills of materials
    are what generating them again gives.
    """
    from vendorctl.licenses.notices import notices_for
    from vendorctl.series.proofs import verify_workspace
    from vendorctl.workspace.guard import reading

    root = current().root()
    with reading(root), _place(root, staged=staged) as place:
        more = [_origin(place, names)] if origin else []
        report = verify_workspace(place, names, notices_for, require=require, more=more)
        if report.ok and not names:
            report = merge(report.schema, report.title, [report, *_generated(place, require=require)])
    return emit(report)


@contextmanager
def _place(root: Path, *, staged: bool) -> Iterator[Path]:
    """The workspace, or a copy of what is staged of it that lasts as long as the context."""
    if not staged:
        yield root
        return
    from vendorctl.vendor.staged import lay_out_staged

    with TemporaryDirectory(prefix="vendorctl-staged-") as name:
        folder = Path(name)
        lay_out_staged(root, folder, os.environ)
        yield folder


def _generated(root: Path, *, require: bool) -> Iterator[Report]:
    """Proof 4, for the generated documents that the workspace keeps."""
    if (root / "THIRD_PARTY_LICENSES.md").is_file():
        from vendorctl.licenses.publish import check_notices

        yield check_notices(root, require=require)
    if (root / "sbom").is_dir():
        from vendorctl.licenses.bill import check_bills

        yield check_bills(root, require=require)


def _origin(root: Path, names: tuple[str, ...]) -> Report:
    """Proof 1 against upstream's own objects, and pins against upstream's refs."""
    from vendorctl.cli.surroundings import open_cache
    from vendorctl.series.proofs import compare_origins

    cache = open_cache(current())
    return compare_origins(root, names, lambda upstream: cache.open(upstream.url, root))
