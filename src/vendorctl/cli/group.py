# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The top-level command: finds commands in the table, imports only the one that is called, suggests near names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from importlib import import_module

import click

from vendorctl import __version__
from vendorctl.cli.session import options
from vendorctl.cli.table import COMMANDS, SECTIONS
from vendorctl.errors import ExitCode, VendorError


class Suggesting(click.Group):
    """A group that answers an unknown command with the nearest known one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; raises VendorError (exit code 2) for an unknown name."""
        known = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in known:
            hint = nearest(args[0], known) or f"`{ctx.command_path} --help` lists them"
            raise VendorError(f"no such command: {args[0]!r}", hint=hint, code=ExitCode.USAGE)
        return super().resolve_command(ctx, args)


class CommandTable(Suggesting):
    """A click group whose commands come from `vendorctl.cli.table`, one import each, when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the table's order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module; None for an unknown name."""
        row = COMMANDS.get(cmd_name)
        if row is None:
            return None
        module, _, attribute = row.target.partition(":")
        command = getattr(import_module(f"vendorctl.cli.{module}"), attribute or "command")
        assert isinstance(command, click.Command)
        if ctx.resilient_parsing:  # a shell asks for completions
            from vendorctl.cli.completion import offer_names

            offer_names(command, ctx)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table, by section, without importing a command."""
        for title, rows in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(row.name, row.help) for row in rows])


def nearest(name: str, known: Iterable[str]) -> str:
    """``did you mean 'sync'?`` for a mistyped name; empty when no known name is near."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else ""


@click.group(cls=CommandTable, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="vendorctl %(version)s")
@options(formats=("text", "json", "markdown", "patch", "sarif", "github", "junit", "html"))
def cli() -> None:
    """Vendored code you can prove: pristine upstream plus numbered, explained patches.

    Every byte under vendored/ is upstream's, every change to it is a numbered patch, and everything generated from
    them can be shown to come from exactly that state, on any machine, offline.
    """
