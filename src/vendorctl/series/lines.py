# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A cursor over the lines of a patch file: every complaint knows its file and line."""

from __future__ import annotations

from typing import NoReturn

from vendorctl.errors import Location, VendorError


def split_lines(content: bytes) -> list[bytes]:
    r"""Lines with their ``\n``, which a final line may lack. Only ``\n`` ends a line: not ``\r``, not form feed."""
    lines = content.split(b"\n")
    last = lines.pop()
    whole = [line + b"\n" for line in lines]
    return [*whole, last] if last else whole


class Lines:
    """The lines of one patch file, read from front to back: `rows` with endings, `position` of the one in hand."""

    __slots__ = ("file_name", "position", "rows")

    def __init__(self, file_name: str, raw: bytes) -> None:
        self.file_name = file_name
        self.rows = split_lines(raw)
        self.position = 0

    @property
    def done(self) -> bool:
        """True when every line was read."""
        return self.position >= len(self.rows)

    @property
    def number(self) -> int:
        """Number of the line that `peek` shows, from 1."""
        return self.position + 1

    def peek(self, ahead: int = 0) -> bytes:
        """The line in hand (or one further on) with its ending; empty past the end."""
        index = self.position + ahead
        return self.rows[index] if index < len(self.rows) else b""

    def take(self) -> bytes:
        """The line in hand; moves on."""
        line = self.peek()
        self.position += 1
        return line

    def fail(self, message: str, *, line: int | None = None, hint: str | None = None) -> NoReturn:
        """Raise VendorError at `line` (default: the line in hand)."""
        place = Location(self.file_name, line if line is not None else self.number)
        raise VendorError(
            message,
            location=place,
            hint=hint or "restore the file from version control, or write it again with `vendorctl patch refresh`",
        )
