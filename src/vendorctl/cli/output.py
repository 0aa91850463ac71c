# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Writing a report in the format that the session asks for."""

from __future__ import annotations

import sys

import click

from vendorctl.cli.session import current
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Report


def emit(report: Report) -> int:
    """Write `report` to stdout in the session's format and return the exit code that it stands for."""
    session = current()
    match session.format:
        case "text":
            from vendorctl.report.text import render

            color = session.use_color(terminal=sys.stdout.isatty())
            click.echo(render(report, color=color, verbosity=session.verbosity), nl=False)
        case "json":
            from vendorctl.report.json import render_json

            click.echo(render_json(report), nl=False)
        case other:
            raise VendorError(f"this command cannot write {other}", code=ExitCode.USAGE)
    return report.exit_code
