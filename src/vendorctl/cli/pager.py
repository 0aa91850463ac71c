# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Long text on a terminal, one screen at a time."""

from __future__ import annotations

import os
import shlex
import shutil
import sys

import click

from vendorctl.proc import feed


def page(text: bytes) -> None:
    """Show `text` in $VENDORCTL_PAGER, else $PAGER, else less; where there is no terminal or no pager, write it.

    An empty VENDORCTL_PAGER, or `cat`, means no pager.
    """
    words = _pager() if sys.stdout.isatty() else []
    # -F leaves short text alone, -R shows colours, -X keeps the text on the screen afterwards.
    if not words or not feed(words, text, {"LESS": "FRX", **os.environ}):
        click.echo(text, nl=False)


def _pager() -> list[str]:
    chosen = os.environ.get("VENDORCTL_PAGER", os.environ.get("PAGER") or "less")
    words = shlex.split(chosen)
    return words if words and words != ["cat"] and shutil.which(words[0]) else []
