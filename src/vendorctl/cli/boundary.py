# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The one place where errors become messages and exit codes."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import click

from vendorctl.cli.group import cli, nearest
from vendorctl.cli.session import Session
from vendorctl.errors import ExitCode, VendorError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Never shows a traceback for a user's mistake."""
    session = Session(Path.cwd())
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        result = cli.main(args=words, prog_name="vendorctl", obj=session, standalone_mode=False)
        return int(result) if isinstance(result, int) else ExitCode.OK
    except VendorError as error:
        if error.code is ExitCode.USAGE and _asks_for_json(words):
            session.format = "json"
        _show(error, session)
        return error.code
    except click.UsageError as error:
        if _asks_for_json(words):
            session.format = "json"
        _show(_misused(error), session)
        return ExitCode.USAGE
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted; nothing is half done: run the command again", err=True)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader (a pager, head) went away; python must not complain about it again while it shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    except Exception as error:  # noqa: BLE001 -- the boundary: whatever is left is our own fault
        _show(_refused(error) or _internal(error, words), session)
        return ExitCode.INTERNAL


def _asks_for_json(words: Sequence[str]) -> bool:
    """Whether a command line that could not be read as a whole asks for JSON."""
    return "--format=json" in words or ("--format", "json") in pairwise(words)


def _misused(error: click.UsageError) -> VendorError:
    """A wrong command line, said as every other error is."""
    hint = f"`{error.ctx.command_path} --help` shows how it is used" if error.ctx else None
    if isinstance(error, click.NoSuchOption):
        message = f"no such option: {error.option_name}"
        hint = nearest(error.option_name, error.possibilities or ()) or hint
    else:
        message = error.format_message().removesuffix(".")
        message = message[:1].lower() + message[1:]
    return VendorError(message, hint=hint, code=ExitCode.USAGE)


#: What the system may answer to a write without anybody's fault, besides that no space is left.
_REFUSALS = frozenset(
    {errno.EACCES, errno.EINTR, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EPERM, errno.EROFS}
)


def _refused(error: Exception) -> VendorError | None:
    """What to say when the system refused a write, for want of space or otherwise; None for any other error."""
    if not isinstance(error, OSError):
        return None
    # Only a transaction changes a workspace, and it says itself which side of its commit point it is on.
    place = f" ({os.fsdecode(error.filename)})" if error.filename else ""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        hint = f"free some space (also in {tempfile.gettempdir()}), then run the command again"
        return VendorError(f"the disk is full{place}; nothing was changed", hint=hint, code=ExitCode.INTERNAL)
    if error.errno in _REFUSALS:
        message = f"the system refused to go on: {os.strerror(error.errno)}{place}; nothing was changed"
        return VendorError(message, hint="see to that, then run the command again", code=ExitCode.INTERNAL)
    return None


def _internal(error: Exception, words: list[str]) -> VendorError:
    """Write what happened to a log and say where it is."""
    message = f"internal error: {type(error).__name__}: {error}"
    try:
        handle, name = tempfile.mkstemp(prefix="vendorctl-", suffix=".log")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as log:
            log.write("vendorctl " + " ".join(words) + "\n\n")
            log.write("".join(traceback.format_exception(error)))
    except OSError as why:
        hint = f"this is a fault of vendorctl; please report it (no log could be written: {why.strerror})"
        return VendorError(message, hint=hint, code=ExitCode.INTERNAL)
    hint = f"this is a fault of vendorctl; please report it with {name}"
    return VendorError(message, hint=hint, code=ExitCode.INTERNAL, log=Path(name))


def _show(error: VendorError, session: Session) -> None:
    from vendorctl.report.text import escape, render_error

    if session.format == "json":
        from vendorctl.report.json import error_document

        click.echo(error_document(error), nl=False)
    click.echo(render_error(error, color=session.use_color(terminal=sys.stderr.isatty())), err=True, nl=False)
    if error.log is not None and session.verbosity > 0:
        click.echo(escape(error.log.read_text("utf-8", "replace"), keep="\n"), err=True)
