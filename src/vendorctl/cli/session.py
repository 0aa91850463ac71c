# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the global options say, and the few things that a command needs from its surroundings."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from vendorctl.progress import Progress, Silent

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


@dataclass(slots=True)
class Session:
    """The global options. `format` is the name of an output format, `verbosity` is -1 (quiet), 0, 1, ..."""

    folder: Path
    format: str = "text"
    verbosity: int = 0
    color: bool | None = None

    def root(self) -> Path:
        """The workspace around `folder`, after finishing or undoing what an interrupted command left there."""
        from vendorctl.workspace.root import find_root

        root = find_root(self.folder)
        self.settle(root)
        return root

    def settle(self, root: Path) -> None:
        """Finish or undo what an interrupted command left in a folder, and say so."""
        from vendorctl.workspace.guard import settle

        recovery = settle(root)
        if recovery is not None:
            self.say(recovery.message)

    def progress(self) -> Progress:
        """Bars on a terminal (stderr) that can redraw a line; silence elsewhere and under --quiet."""
        if self.verbosity < 0 or not sys.stderr.isatty() or _is_dumb():
            return Silent()
        from vendorctl.cli.bars import Bars

        return Bars.on_stderr(color=self.use_color(terminal=True))

    def use_color(self, *, terminal: bool) -> bool:
        """Colour is for terminals; --no-color, NO_COLOR, FORCE_COLOR and TERM=dumb, in that order, say otherwise."""
        if self.color is not None:
            return self.color
        if os.environ.get("NO_COLOR"):
            return False
        return bool(os.environ.get("FORCE_COLOR")) or (terminal and not _is_dumb())

    def say(self, text: str) -> None:
        """A line for people, on stderr; silent under --quiet."""
        if self.verbosity >= 0:
            click.echo(text, err=True)


def _is_dumb() -> bool:
    """Whether the terminal says that it understands no escape sequences."""
    return os.environ.get("TERM") == "dumb"


def current() -> Session:
    """The session of the command that runs now."""
    return session_of(click.get_current_context())


def session_of(context: click.Context) -> Session:
    """The session of a command that runs or is being completed."""
    session = context.find_object(Session)
    if session is None:
        session = context.find_root().obj = Session(Path.cwd())
    return session


def _set_folder(context: click.Context, _parameter: click.Parameter, value: Path | None) -> None:
    if value is not None:
        session_of(context).folder = value.absolute()


def _set_format(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        session_of(context).format = value


def _set_verbosity(context: click.Context, parameter: click.Parameter, value: int) -> None:
    if value:
        session_of(context).verbosity = -1 if parameter.name == "quiet" else value


def _set_no_color(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        session_of(context).color = False


#: What every command that reports findings can write.
FINDING_FORMATS = ("text", "json", "markdown", "sarif", "github", "junit")


def options(*, formats: Sequence[str] = ("text", "json")) -> Callable[[_Decorated], _Decorated]:
    """The global options, accepted before and after the command's name. `formats` is what the command can write."""
    decorators = [
        click.option("-C", "start_folder", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="DIR",
                     callback=_set_folder, expose_value=False, is_eager=True, help="Act as if started in DIR."),
        click.option("--format", "output_format", type=click.Choice(list(formats)), callback=_set_format,
                     expose_value=False, help="How to write the result (default: text)."),
        click.option("-q", "--quiet", is_flag=True, callback=_set_verbosity, expose_value=False,
                     help="Only results and errors."),
        click.option("-v", "--verbose", count=True, callback=_set_verbosity, expose_value=False,
                     help="Say more; twice: even more."),
        click.option("--no-color", is_flag=True, callback=_set_no_color, expose_value=False,
                     help="No colours (also: NO_COLOR)."),
    ]  # fmt: skip

    def decorate(function: _Decorated) -> _Decorated:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate
