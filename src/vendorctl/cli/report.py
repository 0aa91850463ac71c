# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl report`."""

from __future__ import annotations

from pathlib import Path

import click

from vendorctl.cli.given import GivenPath
from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Report


@click.command("report")
@click.option("--html", "folder", required=True, type=GivenPath(path_type=Path, file_okay=False), metavar="DIR",
              help="Write DIR/index.html.")  # fmt: skip
@click.option("--tests", "results", type=GivenPath(path_type=Path, exists=True, dir_okay=False), metavar="FILE",
              help="Results of `vendorctl test --format json` to show.")  # fmt: skip
@options()
def command(folder: Path, results: Path | None) -> int:
    """Write one self-contained page for reviewers: differences, drift, licences, objects, tests, findings.

    Reads the workspace and the cache; nothing is fetched.
    """
    from vendorctl.cli.pages import gather_page
    from vendorctl.report.page import render_page

    page = render_page(gather_page(current().root(), folder.absolute(), results))
    target = folder / "index.html"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target.write_text(page, encoding="utf-8")
    except OSError as error:
        hint = "name another folder with --html"
        raise VendorError(f"cannot write {target}: {error.strerror}", hint=hint, code=ExitCode.USAGE) from error
    line = f"wrote {target} ({len(page) / 1024:,.0f} KiB)"
    return emit(Report(schema="vendorctl/report/1", title="report", lines=(line,), data={"page": str(target)}))
