# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Writing a report in the format that the session asks for."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from vendorctl.cli.session import current
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Report

#: Formats other than text: the module of `vendorctl.report` and its function from a report to a string.
_RENDERERS = {
    "json": ("json", "render_json"),
    "markdown": ("markdown", "render_markdown"),
    "sarif": ("sarif", "render_sarif"),
    "github": ("github", "render_github"),
    "junit": ("junit", "render_junit"),
}


def emit(report: Report) -> int:
    """Write `report` to stdout in the session's format and return the exit code that it stands for."""
    session = current()
    if session.format == "text":
        from vendorctl.report.text import render

        terminal = sys.stdout.isatty()
        color = session.use_color(terminal=terminal)
        text = render(_fitted(report) if terminal else report, color=color, verbosity=session.verbosity)
    elif session.format in _RENDERERS:
        module, function = _RENDERERS[session.format]
        text = getattr(import_module(f"vendorctl.report.{module}"), function)(report)
    else:
        raise VendorError(f"this command cannot write {session.format}", code=ExitCode.USAGE)
    # Bytes, because a terminal's or pipe's own encoding may not hold every character.
    data = text.encode("utf-8", "backslashreplace")
    if session.format == "text" and _is_long(report):
        from vendorctl.cli.pager import page

        page(data)
    else:
        click.echo(data, nl=False)
    return report.exit_code


def _fitted(report: Report) -> Report:
    """The report for a terminal: COLUMNS, or what the terminal says of itself, is how wide its table may be."""
    import shutil

    from vendorctl.cli.columns import fitted

    # A terminal that does not tell its width has room for everything.
    width = shutil.get_terminal_size(fallback=(0, 0)).columns
    return fitted(report, width) if width else report


def _is_long(report: Report) -> bool:
    """Whether its text is differences, which a terminal shows in a pager."""
    from vendorctl.report.text import DIFFERENCES

    return report.schema in DIFFERENCES
