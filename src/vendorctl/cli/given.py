# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a call names: files and folders, seen from where it starts, which `-C` may have moved; and new upstreams."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from vendorctl.cli.session import session_of


class GivenPath(click.Path):
    """`click.Path` whose relative names start at `-C DIR`, as in git; without `-C` they stay as they were given."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, after the checks of `click.Path`."""
        if ctx is not None and not Path(os.fsdecode(value)).is_absolute():
            folder = session_of(ctx).folder
            if folder != Path.cwd():
                value = folder / os.fsdecode(value)
        return super().convert(value, param, ctx)


def new_names(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """For parameters that name new upstreams: refuse what no upstream may be called, before anything else happens."""
    from vendorctl.paths import display_text
    from vendorctl.workspace.names import name_reason

    for name in (value,) if isinstance(value, str) else value:
        reason = name_reason(name)
        if reason is not None:
            message = f"{display_text(name)!r} cannot name an upstream: {reason}"
            raise click.BadParameter(message, context, parameter)
    return value
