# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Files and folders that a call names: seen from where it starts, which `-C` may have moved."""

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
