# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Telling a story with real commands: shows each one, runs it in this process, and insists on its exit code."""

from __future__ import annotations

import shlex
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import click

from vendorctl.errors import ExitCode, VendorError


@dataclass(slots=True)
class Story:
    """A demo under way in `workspace`. Chapters call `title`, `say` and `run`."""

    workspace: Path
    color: bool
    started: float = field(default_factory=time.monotonic)
    chapter: int = 0

    def title(self, text: str) -> None:
        """Open a chapter."""
        self.chapter += 1
        click.echo()
        click.echo(self._paint(f"{self.chapter}. {text}", bold=True))

    def say(self, text: str) -> None:
        """One line that explains what comes."""
        click.echo(self._paint(f"   {text}", fg="cyan"))

    def show(self, text: str) -> None:
        """One line of a table that the demo made itself."""
        click.echo(f"   {text}")

    def run(self, *words: str, expect: ExitCode = ExitCode.OK) -> None:
        """Show and run one vendorctl command. A demo that does not go as told fails."""
        from vendorctl.cli.boundary import main

        click.echo(self._paint(f"   $ vendorctl {shlex.join(words)}", fg="green"))
        sys.stdout.flush()
        code = main(["-C", str(self.workspace), *words])
        sys.stderr.flush()
        if code != expect:
            raise VendorError(
                f"the demo went wrong: vendorctl {shlex.join(words)} returned {code}, not {int(expect)}",
                code=ExitCode.INTERNAL,
            )
        if expect is not ExitCode.OK:
            click.echo(self._paint(f"   exit code {int(code)}, as it must be", fg="cyan"))

    def write(self, path: str, content: bytes) -> None:
        """Edit a file of the workspace, as a person would."""
        click.echo(self._paint(f"   (edit {path})", fg="green"))
        target = self.workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    def close(self, *, kept: bool) -> None:
        """The last lines: how long it took, and what to do next."""
        click.echo()
        click.echo(self._paint(f"Done in {time.monotonic() - self.started:.1f} s.", bold=True))
        if kept:
            click.echo(f"The workspace is {self.workspace}: try `vendorctl -C {self.workspace} status`.")
        else:
            click.echo("`vendorctl demo FOLDER` keeps the workspace to play with.")

    def _paint(self, text: str, *, fg: str | None = None, bold: bool = False) -> str:
        return click.style(text, fg=fg, bold=bold) if self.color else text
