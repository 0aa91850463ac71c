# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One file's part of a patch: its header lines, checked against each other, and the content that follows."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vendorctl.git.oid import Oid
from vendorctl.git.tree import Mode
from vendorctl.paths import display, reject_reason
from vendorctl.series.binary import read_binary
from vendorctl.series.hunks import read_hunks
from vendorctl.series.lines import Lines
from vendorctl.series.patch import BinaryDelta, Change, ChangeKind, PatchHunk
from vendorctl.series.quoting import unquote, unquote_pair

_INDEX = re.compile(rb"([0-9a-f]{4,40})\.\.([0-9a-f]{4,40})(?: (\d{6}))?")
_DEV_NULL = b"/dev/null"
_PREFIX_HINT = "write it with `git format-patch --src-prefix=a/ --dst-prefix=b/`; diff.noprefix was on"


@dataclass(slots=True)
class _Header:
    """What the header lines of one ``diff --git`` section said."""

    line: int
    names: bytes
    kind: ChangeKind = ChangeKind.MODIFY
    old_mode: Mode | None = None
    new_mode: Mode | None = None
    source: bytes | None = None
    target: bytes | None = None
    old_oid: Oid | None = None
    new_oid: Oid | None = None
    minus: bytes | None = None
    plus: bytes | None = None


def read_git_section(lines: Lines) -> Change:
    """Read one ``diff --git`` section. Raises VendorError with the line for whatever does not add up."""
    header = _Header(lines.number, lines.take()[len(b"diff --git ") :].removesuffix(b"\n"))
    if header.names.endswith(b"\r"):
        lines.fail("the patch file itself has CRLF line ends", line=header.line, hint="convert the headers back to LF")
    while _read_header_line(lines, header):
        pass
    hunks: tuple[PatchHunk, ...] = ()
    binary: tuple[BinaryDelta, BinaryDelta | None] | None = None
    if lines.peek().startswith(b"--- "):
        _read_file_lines(lines, header)
        hunks = read_hunks(lines)
        if not hunks:
            lines.fail("no hunk follows the names of the file")
    elif lines.peek() == b"GIT binary patch\n":
        lines.take()
        binary = read_binary(lines)
    elif lines.peek().startswith(b"Binary files "):
        lines.fail("the binary content is missing", hint="write the patch with `git format-patch --binary`")
    old_path, path = _paths(lines, header)
    change = Change(
        kind=header.kind,
        old_path=None if header.kind is ChangeKind.ADD else old_path,
        path=old_path if header.kind is ChangeKind.DELETE else path,
        old_mode=header.old_mode,
        new_mode=header.new_mode,
        old_oid=header.old_oid,
        new_oid=header.new_oid,
        hunks=hunks,
        binary=binary,
        patch_line=header.line,
    )
    _check_change(lines, change)
    return change


def _read_header_line(lines: Lines, header: _Header) -> bool:
    """Read one extended header line; False when the line in hand is none."""
    line = lines.peek().removesuffix(b"\n")
    for prefix, kind in _KINDS.items():
        if line.startswith(prefix):
            if header.kind not in {ChangeKind.MODIFY, kind}:
                lines.fail(f"{prefix.decode().strip()!r} contradicts the lines above")
            header.kind = kind
            break
    value = line.rpartition(b" ")[2]
    if line.startswith((b"old mode ", b"deleted file mode ")):
        header.old_mode = _mode(lines, value)
    elif line.startswith((b"new mode ", b"new file mode ")):
        header.new_mode = _mode(lines, value)
    elif line.startswith((b"rename from ", b"copy from ")):
        header.source = _plain_or_quoted(lines, line.partition(b" from ")[2])
    elif line.startswith((b"rename to ", b"copy to ")):
        header.target = _plain_or_quoted(lines, line.partition(b" to ")[2])
    elif line.startswith(b"index "):
        _read_index(lines, header, line[len(b"index ") :])
    elif not line.startswith((b"similarity index ", b"dissimilarity index ")):
        return False
    lines.take()
    return True


_KINDS = {
    b"new file mode ": ChangeKind.ADD,
    b"deleted file mode ": ChangeKind.DELETE,
    b"rename ": ChangeKind.RENAME,
    b"copy ": ChangeKind.COPY,
}


def _mode(lines: Lines, text: bytes) -> Mode:
    try:
        return Mode(text.decode("ascii", "replace"))
    except ValueError:
        return lines.fail(f"not a mode that git stores: {display(text)}")


def _read_index(lines: Lines, header: _Header, text: bytes) -> None:
    match = _INDEX.fullmatch(text)
    if not match:
        lines.fail("not an index line (`index OLD..NEW MODE`)")
    header.old_oid, header.new_oid = (_full_oid(match.group(side)) for side in (1, 2))
    if match.group(3):
        mode = _mode(lines, match.group(3))
        header.old_mode, header.new_mode = header.old_mode or mode, header.new_mode or mode


def _full_oid(text: bytes) -> Oid | None:
    """None for an abbreviated id, which proves nothing, and for the zeros that stand for no content."""
    return Oid.parse(text.decode()) if len(text) == 40 and text.strip(b"0") else None


def _plain_or_quoted(lines: Lines, text: bytes) -> bytes:
    if not text.startswith(b'"'):
        return text
    try:
        name, end = unquote(text)
    except ValueError as error:
        lines.fail(f"unreadable path: {error}")
    if text[end:].strip(b"\t"):
        lines.fail("unreadable path: text after the closing quote")
    return name


def _read_file_lines(lines: Lines, header: _Header) -> None:
    """Read the ``---`` and ``+++`` lines. git ends a name that contains a blank with a tab."""
    header.minus = _plain_or_quoted(lines, lines.take()[4:].removesuffix(b"\n").removesuffix(b"\t"))
    if not lines.peek().startswith(b"+++ "):
        lines.fail("a `---` line is followed by a `+++` line")
    header.plus = _plain_or_quoted(lines, lines.take()[4:].removesuffix(b"\n").removesuffix(b"\t"))
    wrong_old = (header.minus == _DEV_NULL) != (header.kind is ChangeKind.ADD)
    wrong_new = (header.plus == _DEV_NULL) != (header.kind is ChangeKind.DELETE)
    if wrong_old or wrong_new:
        lines.fail(f"the names of the file contradict its header, which says {header.kind.value}", line=header.line)


def _paths(lines: Lines, header: _Header) -> tuple[bytes, bytes]:
    """Old and new path without their prefixes; every line that names one must name the same."""
    if (header.source is None) != (header.target is None):
        lines.fail("a rename or copy names both its paths", line=header.line)
    old = b"a/" + header.source if header.source is not None else _not_null(header.minus)
    new = b"b/" + header.target if header.target is not None else _not_null(header.plus)
    try:
        pair = unquote_pair(header.names) if b'"' in header.names else _halves(header.names)
    except ValueError as error:
        lines.fail(f"unreadable path: {error}", line=header.line)
    if pair is not None:
        old, new = old or pair[0], new or pair[1]
    old = old or (new and b"a/" + new[2:])
    new = new or (old and b"b/" + old[2:])
    if not old or not new:
        lines.fail("cannot tell which file this section changes", line=header.line, hint=_PREFIX_HINT)
    if not old.startswith(b"a/") or not new.startswith(b"b/"):
        lines.fail("paths must carry the prefixes a/ and b/", line=header.line, hint=_PREFIX_HINT)
    stated = {_not_null(header.minus) or old, old} | {_not_null(header.plus) or new, new}
    if stated != {old, new} or (pair != (old, new) if pair else header.names != old + b" " + new):
        lines.fail("the header names different paths for one file", line=header.line)
    if header.source is None and old[2:] != new[2:]:
        lines.fail("two different paths without a rename or copy", line=header.line)
    for path in (old[2:], new[2:]):
        _check_path(lines, path, header.line)
    return old[2:], new[2:]


def _not_null(name: bytes | None) -> bytes | None:
    return None if name == _DEV_NULL else name


def _halves(names: bytes) -> tuple[bytes, bytes] | None:
    """``a/X b/X`` cut in the middle, the only cut that is sure when X may hold blanks; None when there is none."""
    middle = len(names) // 2
    old, new = names[:middle], names[middle + 1 :]
    return (old, new) if names[middle : middle + 1] == b" " and old[1:] == new[1:] else None


def _check_path(lines: Lines, path: bytes, line: int) -> None:
    reason = reject_reason(path)
    if reason:
        lines.fail(f"refused path {display(path)}: {reason}", line=line, hint="do not apply this patch")


def _check_change(lines: Lines, change: Change) -> None:
    """A section must change something, and say it in a way that can be applied."""
    content = bool(change.hunks or change.binary)
    if change.kind is ChangeKind.MODIFY and not content and change.old_mode == change.new_mode:
        lines.fail("this section changes nothing", line=change.patch_line)
    if change.kind is ChangeKind.ADD and change.new_mode is None:
        lines.fail("an added file states its mode", line=change.patch_line)
    if change.kind in {ChangeKind.RENAME, ChangeKind.COPY} and change.path == change.old_path:
        lines.fail("a rename or copy has two different paths", line=change.patch_line)
    if (change.old_mode is None) != (change.new_mode is None) and change.kind not in {
        ChangeKind.ADD,
        ChangeKind.DELETE,
    }:
        lines.fail("a change of mode states both modes", line=change.patch_line)
    if change.binary and change.new_oid is None and change.kind is not ChangeKind.DELETE:
        hint = "write the patch with `git format-patch --binary --full-index`"
        lines.fail("a binary hunk needs full object ids", line=change.patch_line, hint=hint)
    old, new = change.old_mode, change.new_mode
    if old and new and old != new and not (old.is_regular and new.is_regular):
        lines.fail("a change of type is written as a deletion and an addition", line=change.patch_line)


def read_plain_section(lines: Lines) -> Change:
    """Read one ``---``/``+++`` pair without a git header, as quilt and ``diff -u`` write them.

    The first component of each name is dropped (``patch -p1``); modes and ids are not stated.
    """
    start = lines.number
    old, new = (_plain_name(lines, lines.take()[4:]) for _ in range(2))
    hunks = read_hunks(lines)
    if not hunks:
        lines.fail("no hunk follows the names of the file")
    kind = ChangeKind.ADD if old is None else ChangeKind.DELETE if new is None else ChangeKind.MODIFY
    path = new if new is not None else old
    if path is None:
        lines.fail("a change from nothing to nothing", line=start)
    if kind is ChangeKind.MODIFY and old != new:
        lines.fail("two different paths without a rename or copy", line=start)
    _check_path(lines, path, start)
    return Change(
        kind=kind,
        old_path=old,
        path=path,
        old_mode=None,
        new_mode=Mode.FILE if kind is ChangeKind.ADD else None,
        old_oid=None,
        new_oid=None,
        hunks=hunks,
        patch_line=start,
    )


def _plain_name(lines: Lines, text: bytes) -> bytes | None:
    """A name without its time stamp and first component; None for /dev/null and for the epoch, which means absent."""
    name, _, stamp = text.removesuffix(b"\n").partition(b"\t")
    name = _plain_or_quoted(lines, name)
    if name == _DEV_NULL or stamp.startswith(b"1970-01-01 00:00:00"):
        return None
    head, slash, rest = name.partition(b"/")
    if not slash or not head:
        lines.fail("a name needs one leading folder (`a/…`, `b/…`)", line=lines.number - 1, hint=_PREFIX_HINT)
    return rest
