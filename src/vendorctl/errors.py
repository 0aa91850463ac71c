# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The one error type, and the exit codes that it carries to the shell."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path


class ExitCode(IntEnum):
    """What a vendorctl process returns; documented in docs/reference/exit-codes.md."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    INVALID = 3
    UNREACHABLE = 4
    CONFLICT = 5
    BUILD_FAILED = 6
    TOOL_MISSING = 7
    INTERNAL = 70
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file. `path` is relative to the workspace where it can be; line and column count from 1."""

    path: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        parts = [self.path, self.line, self.column]
        return ":".join(str(part) for part in parts if part is not None)


class VendorError(Exception):
    """Something the user can act on: what is wrong, where, and the next command to run.

    Raised by the domain, shown by the command line's single error boundary.
    Subclass it only where code catches the subclass.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        location: Location | None = None,
        code: ExitCode = ExitCode.INVALID,
        log: Path | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.location = location
        self.code = code
        self.log = log

    def __str__(self) -> str:
        return f"{self.location}: {self.message}" if self.location else self.message
