# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl completion`: what a shell has to read so that Tab works, and the names that it then offers."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from vendorctl.cli.session import options, session_of
from vendorctl.errors import ExitCode, VendorError

_SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(_SHELLS))
@options()
def command(shell: str) -> int:
    """Print the completion script of a shell.

    \b
    bash:  eval "$(vendorctl completion bash)"           in ~/.bashrc
    zsh:   eval "$(vendorctl completion zsh)"            in ~/.zshrc
    fish:  vendorctl completion fish | source            in ~/.config/fish/config.fish
    """  # noqa: D301 -- click keeps the lines of a paragraph that starts with a backspace character
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(_root(), {}, "vendorctl", "_VENDORCTL_COMPLETE").source())
    return ExitCode.OK


def _root() -> click.Command:
    return click.get_current_context().find_root().command


def offer_names(command: click.Command, context: click.Context) -> None:
    """Let Tab offer the workspace's upstreams wherever `command`, or one below it, takes their names."""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None:
                offer_names(child, context)
    for parameter in command.params:
        if isinstance(parameter, click.Argument) and parameter.name in {"name", "names"}:
            setattr(parameter, "shell_complete", _upstreams)  # noqa: B010 -- mypy: a method of click's


def _upstreams(context: click.Context, incomplete: str) -> list[CompletionItem]:
    """The upstreams of the workspace in hand that begin like `incomplete`; none where there is no workspace."""
    from vendorctl.workspace.parse import load_manifest
    from vendorctl.workspace.root import find_root

    try:
        manifest = load_manifest(find_root(session_of(context).folder))
    except VendorError:
        return []
    named = {value for values in context.params.values() if isinstance(values, tuple) for value in values}
    names = [name for name in sorted(manifest.upstreams) if name.startswith(incomplete) and name not in named]
    return [CompletionItem(name, help=manifest.upstreams[name].ref) for name in names]
