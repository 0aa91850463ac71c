# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Patch files, bytes to value: everything that git-format-patch and git-diff write, and plain unified diffs.

Strict where git is lenient: text that belongs to nothing is an error, never skipped, because a line that a tool skips
is a change that nobody applied. Source of the format: git-diff(1), "Generating patch text with -p".
"""

from __future__ import annotations

import re

from vendorctl.errors import Location, VendorError
from vendorctl.series.lines import Lines
from vendorctl.series.message import breaks_message, parse_message
from vendorctl.series.patch import Change, ChangeKind, Patch
from vendorctl.series.sections import read_git_section, read_plain_section

#: Limits of one patch file: bytes, and paths that it changes.
MAX_PATCH_BYTES = 64 << 20
MAX_CHANGES = 20_000

_FILE_NAME = re.compile(r"(\d{4,9})-([A-Za-z0-9][A-Za-z0-9._+-]{0,199})\.patch")
_STRAY = re.compile(
    rb"@@ -|(?:old|new|deleted file|new file) mode \d|(?:rename|copy) (?:from|to) |(?:dis)?similarity index \d"
    rb"|index [0-9a-f]+\.\.[0-9a-f]|GIT binary patch$|Binary files .* differ$",
    re.MULTILINE,
)
_BETWEEN_PLAIN = (b"Index: ", b"=====", b"diff ")


def parse_file_name(file_name: str) -> tuple[int, str] | None:
    """Number and slug of ``NNNN-slug.patch``; None when the name has another form."""
    match = _FILE_NAME.fullmatch(file_name)
    if not match or int(match.group(1)) == 0 or f"{int(match.group(1)):04d}" != match.group(1):
        return None
    return int(match.group(1)), match.group(2)


def parse_patch(file_name: str, raw: bytes, *, folder: str = "") -> Patch:
    """Read one patch file.

    `file_name` is its base name, ``NNNN-slug.patch``; errors show it below `folder`, as in ``patches/flydsl``. Raises
    VendorError, with file and line, for a name of another form and for anything that cannot be applied exactly: unknown
    or contradicting headers, hostile paths, wrong counts, missing binary content, several patches in one file, stray
    text after the diff began.
    """
    name = parse_file_name(file_name)
    place = f"{folder}/{file_name}" if folder else file_name
    if name is None:
        raise VendorError(
            f"{file_name!r} is not a patch file name (NNNN-slug.patch, numbered from 0001)",
            location=Location(place),
            hint="rename the file, and its line in `series`",
        )
    if len(raw) > MAX_PATCH_BYTES:
        raise VendorError(
            f"the patch is above the limit of {MAX_PATCH_BYTES} bytes",
            location=Location(place),
            hint="vendor the files at another pin instead of patching them in",
        )
    lines = Lines(place, raw)
    message = parse_message(_read_message(lines))
    changes = _read_changes(lines)
    _check_paths(lines, changes)
    return Patch(
        number=name[0],
        slug=name[1],
        title=message.title,
        body=message.body,
        author=message.author,
        date=message.date,
        trailers=message.trailers,
        changes=changes,
        raw=raw,
    )


def _read_message(lines: Lines) -> list[bytes]:
    message: list[bytes] = []
    while not lines.done and not breaks_message(lines.peek()) and not _starts_plain(lines):
        line = lines.take()
        if line.endswith(b"\r\n"):
            hint = "convert the file back to LF (only content lines may end in CRLF), or fetch it again"
            lines.fail("the patch file itself has CRLF line ends", line=lines.number - 1, hint=hint)
        if line.lower().startswith(b"content-transfer-encoding:") and b"8bit" not in line and b"7bit" not in line:
            hint = "save the patch as git-format-patch wrote it, not as the mail program encoded it"
            lines.fail("the patch is encoded for mail", line=lines.number - 1, hint=hint)
        _refuse_stray(lines, line)
        message.append(line)
    # Diffstat and notes: people's text between the message and the first file.
    while not lines.done and not _starts_file(lines):
        _refuse_stray(lines, lines.take())
    return message


def _refuse_stray(lines: Lines, taken: bytes) -> None:
    """Refuse a line above the first file that is part of a diff all the same: its header is missing or damaged."""
    if taken.startswith((b"diff --cc ", b"diff --combined ")):
        lines.fail("a merge's combined diff cannot be applied", line=lines.number - 1)
    if _STRAY.match(taken):
        lines.fail("part of a diff without a file header above it", line=lines.number - 1)


def _starts_plain(lines: Lines) -> bool:
    return lines.peek().startswith(b"--- ") and lines.peek(1).startswith(b"+++ ")


def _starts_file(lines: Lines) -> bool:
    return lines.peek().startswith(b"diff --git ") or _starts_plain(lines)


def _read_changes(lines: Lines) -> tuple[Change, ...]:
    changes: list[Change] = []
    while not lines.done:
        if lines.peek().startswith(b"diff --git "):
            changes.append(read_git_section(lines))
        elif _starts_plain(lines):
            changes.append(read_plain_section(lines))
        elif lines.peek() == b"-- \n" or not lines.peek().strip():
            _skip_signature(lines)
        elif lines.peek().startswith(_BETWEEN_PLAIN):
            lines.take()
        elif lines.peek().startswith(b"@@ -"):
            lines.fail("part of a diff without a file header above it")
        else:
            lines.fail("text that belongs to no file and no hunk; a hunk header may state too few lines")
        if len(changes) > MAX_CHANGES:
            lines.fail(f"a patch may change at most {MAX_CHANGES} paths")
    if not changes:
        lines.fail("the patch changes no file", line=1)
    return tuple(changes)


def _skip_signature(lines: Lines) -> None:
    """Skip empty lines, or the mail signature that git-format-patch ends with (its version)."""
    if lines.take() != b"-- \n":
        return
    while not lines.done:
        line = lines.peek()
        if line.startswith((b"From ", b"diff --git ", b"@@ -")):
            lines.fail("a second patch in one file", hint="split the file: one patch is one recorded modification")
        lines.take()


def _check_paths(lines: Lines, changes: tuple[Change, ...]) -> None:
    """A path is set once and removed once; both together is a change of type, which git writes as two sections."""
    removed: set[bytes] = set()
    written: set[bytes] = set()
    for change in changes:
        if change.kind in {ChangeKind.DELETE, ChangeKind.RENAME} and change.old_path is not None:
            if change.old_path in removed:
                lines.fail("this path is removed twice", line=change.patch_line)
            removed.add(change.old_path)
        if change.kind is not ChangeKind.DELETE:
            if change.path in written:
                lines.fail("this path is changed twice", line=change.patch_line)
            written.add(change.path)
    for change in changes:
        if change.kind is ChangeKind.MODIFY and change.path in removed:
            lines.fail("this path is changed and removed", line=change.patch_line)
