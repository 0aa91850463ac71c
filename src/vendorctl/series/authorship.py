# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Who records a patch, and when: the user's git identity, and a date in the spelling of mail."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.program import network_environment
from vendorctl.proc import Runner, run

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_IDENTITY = re.compile(r"(?s)(.*<[^<>]*>) \d+ [+-]\d{4}")


def git_author(folder: Path, environment: Mapping[str, str], *, runner: Runner = run) -> str:
    """``Name <mail>`` as git would write it for a commit made in `folder`.

    Raises VendorError (exit code 2) when git knows no name and mail: it must not guess them from the host.
    """
    command = ["git", "-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT"]
    done = runner(command, cwd=folder, env=network_environment(environment))
    match = _IDENTITY.fullmatch(done.stdout.decode("utf-8", "replace").strip())
    if not done.ok or not match:
        raise VendorError(
            "git knows no author name and mail for the patch",
            hint="git config --global user.name 'Name' and user.email, or --author 'Name <mail>'",
            code=ExitCode.USAGE,
        )
    return match.group(1)


def check_author(text: str) -> str:
    """`text` when it is ``Name <mail>``. Raises VendorError (exit code 2) otherwise."""
    if not re.fullmatch(r"[^<>\n]+ <[^<>\s]+@[^<>\s]+>", text):
        raise VendorError(f"not an author: {text!r}", hint="--author 'Name <mail>'", code=ExitCode.USAGE)
    return text


def mail_date(seconds: int) -> str:
    """A time (seconds since 1970, UTC) as RFC 5322 writes it, in UTC and in no locale's words."""
    when = datetime.fromtimestamp(seconds, UTC)
    day = f"{_DAYS[when.weekday()]}, {when.day} {_MONTHS[when.month - 1]} {when.year:04d}"
    return f"{day} {when:%H:%M:%S} +0000"


def recording_time(environment: Mapping[str, str], clock: float) -> int:
    """The time of a recording: SOURCE_DATE_EPOCH where it is set, else `clock`, in seconds since 1970.

    Raises VendorError (exit code 2) when the variable is no number of seconds.
    """
    text = environment.get("SOURCE_DATE_EPOCH", "")
    if not text:
        return int(clock)
    if not re.fullmatch(r"\d{1,11}", text):
        hint = "seconds since 1970 (https://reproducible-builds.org/specs/source-date-epoch/)"
        raise VendorError(f"SOURCE_DATE_EPOCH is {text!r}", hint=hint, code=ExitCode.USAGE)
    return int(text)
