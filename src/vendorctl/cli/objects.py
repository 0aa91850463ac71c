# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl objects`: objects outside git, on any remote that DVC knows."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vendorctl.cli.group import Suggesting
from vendorctl.cli.output import emit
from vendorctl.cli.session import FINDING_FORMATS, current, options

if TYPE_CHECKING:
    from vendorctl.kernels.objectstore.dvc import Repository

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


@click.group("objects", cls=Suggesting)
@options(formats=FINDING_FORMATS)
def command() -> None:
    """Keep objects outside git, on any remote that DVC knows.

    Manifests and pointers (objects.dvc) are in git. Every byte that comes back is compared with its manifest.
    """


def _choice(function: _Decorated) -> _Decorated:
    """Which units, and which remote."""
    for decorator in (
        click.option("--remote", metavar="NAME", help="One of DVC's remotes (default: its default)."),
        click.option("--target", "targets", multiple=True, metavar="TARGET", help="Only this target (repeatable)."),
        click.argument("operations", nargs=-1, metavar="[OP]..."),
    ):
        function = decorator(function)
    return function


def _repository(root: Path, *, init: bool = False) -> Repository:
    from vendorctl.kernels.objectstore.dvc import find_program, open_repository

    program = find_program(os.environ)
    return open_repository(root, program, os.environ, init=init, progress=current().progress())


@command.command("status")
@_choice
@click.option("--in-remote", is_flag=True, help="Also ask the default remote what it has (--remote implies it).")
@click.option("--require", is_flag=True, help="What is missing or not kept is an error, not a warning.")
@options(formats=FINDING_FORMATS)
def status_command(
    operations: tuple[str, ...], targets: tuple[str, ...], remote: str | None, in_remote: bool, require: bool
) -> int:
    """Show what is recorded and present, and what the pointers are worth.

    Reads files only, unless a remote is to be asked.
    """
    from vendorctl.kernels.objectstore.status import status
    from vendorctl.workspace.guard import reading

    root = current().root()
    asked = None
    if remote is not None or in_remote:
        repository = _repository(root)
        asked = repository, repository.settings().remote(remote)
    with reading(root):
        return emit(status(root, operations=operations, targets=targets, remote=asked, require=require))


@command.command("push")
@_choice
@click.option("--init", is_flag=True, help="Make the workspace a DVC repository if it is in none.")
@options(formats=FINDING_FORMATS)
def push_command(operations: tuple[str, ...], targets: tuple[str, ...], remote: str | None, init: bool) -> int:
    """Send objects to a remote, and write their pointers.

    Nothing is sent unless all of them are what the manifests record.
    """
    from vendorctl.cli.surroundings import begin
    from vendorctl.kernels.objectstore.push import push
    from vendorctl.workspace.guard import exclusive

    root = current().root()
    # From the first look at the objects to the pointers: no build may replace what is sent, no other push tidy up.
    with exclusive(root, title="objects push", on_wait=current().say):
        report = push(root, lambda: _repository(root, init=init), lambda: begin(root, "objects push"),
                      operations=operations, targets=targets, remote=remote)  # fmt: skip
    return emit(report)


@command.command("pull")
@_choice
@options(formats=FINDING_FORMATS)
def pull_command(operations: tuple[str, ...], targets: tuple[str, ...], remote: str | None) -> int:
    """Restore objects that are missing or damaged.

    Bytes that are not those that a manifest records are refused; the others are kept.
    """
    from vendorctl.cli.surroundings import begin
    from vendorctl.kernels.objectstore.pull import pull

    root = current().root()
    return emit(pull(root, lambda: _repository(root), lambda: begin(root, "objects pull"),
                     operations=operations, targets=targets, remote=remote))  # fmt: skip
