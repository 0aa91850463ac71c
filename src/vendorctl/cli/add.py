# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl add`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vendorctl.cli.given import new_names
from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Report

if TYPE_CHECKING:
    from vendorctl.workspace.manifest import Manifest


@click.command("add")
@click.argument("name", callback=new_names)
@click.argument("url")
@click.option("--ref", help="Tag, branch or commit to pin (default: the tip of the remote's HEAD).")
@click.option("--include", multiple=True, metavar="GLOB", help="Files to take; may be repeated.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Files not to take; may be repeated.")
@click.option("--output", metavar="DIR", help="Keep the patched tree there, in git.")
@click.option("--fetch", is_flag=True, help="store: fetch, so that git holds only the lock.")
@options()
def command(
    name: str,
    url: str,
    ref: str | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    output: str | None,
    fetch: bool,
) -> int:
    """Add an upstream to VENDOR.yaml: resolve the ref to a commit, propose what to include.

    Nothing is vendored yet: `vendorctl sync` does that.
    """
    from vendorctl.cli.surroundings import begin, open_cache
    from vendorctl.vendor.intake import take_in
    from vendorctl.workspace.parse import load_manifest

    root = current().root()
    manifest = load_manifest(root)
    _refuse_twin(manifest, name)
    source = open_cache(current()).open(url, root)
    intake = take_in(manifest, source, name, url, ref, include, exclude, output, fetch=fetch)
    with begin(root, "add") as tx:
        tx.write("VENDOR.yaml", intake.text.encode())
        tx.commit()
    count = len(intake.selection.tree)
    files = f"{count} file{'s' * (count != 1)}"
    line = f"{name}: pinned {intake.ref.short_name} {intake.ref.commit.short}, {files}"
    return emit(Report(schema="vendorctl/add/1", title="add", lines=(line, f"Next: vendorctl sync {name}")))


def _refuse_twin(manifest: Manifest, name: str) -> None:
    """Raise VendorError for a name that differs from an upstream's in case only; `take_in` refuses the same name."""
    for other in manifest.upstreams.values():
        if other.name != name and other.name.lower() == name.lower():
            message = f"{name!r} and {other.name!r} are the same folder on some file systems"
            raise VendorError(message, location=other.place(), hint="choose another name", code=ExitCode.USAGE)
