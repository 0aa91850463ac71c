# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

r"""Paths from upstreams are untrusted: which ones are refused, which ones collide, and how to print them.

Everything here is lexical: no function looks at a disk. Paths are bytes relative to a tree's root, with ``/`` between
names, as git stores them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

#: Limits of a tree path. A name longer than 255 bytes fits no common file system; the others bound recursion and keep
#: workspace plus path below the usual PATH_MAX of 4096 bytes.
MAX_PATH_BYTES = 2048
MAX_NAME_BYTES = 255
MAX_DEPTH = 64

#: How many symbolic links a resolution follows before it counts as a loop, as Linux does.
_MAX_LINKS = 40

#: The shape of nearly every path: nothing in it needs a closer look, given that it is short.
_DEVICE = r"(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[./]|\Z)"
_NAME = rf"(?!{_DEVICE})[A-Za-z0-9_][A-Za-z0-9_+.-]*"
_ORDINARY = re.compile(rf"{_NAME}(?:/{_NAME})*")
_ORDINARY_BYTES = re.compile(_ORDINARY.pattern.encode())

_DRIVE = re.compile(rb"[A-Za-z]:")
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")

#: Names that Windows gives to devices in every folder, with or without an extension.
_RESERVED = re.compile(r"(?i:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])[ ]*(?:[.:].*)?")

#: `.git` as NTFS reads it: any case, its short name, trailing dots and spaces, an alternate data stream.
_NTFS_GIT = re.compile(r"(?i:\.git|git~1)[. ]*(?::.*)?")

#: Code points that HFS+ ignores when it compares names, so that `.g<U+200C>it` opens `.git` (git's own list).
_HFS_IGNORED = dict.fromkeys([*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])

#: Characters that no committed file shows as they are. A fixed list, because Python's own idea of what is printable
#: grows with Unicode, and a path must be spelled alike on every machine.
_UNSHOWN = re.compile(
    "[\x00-\x1f%\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ud800-\udfff\ufeff\ufff0-\uffff"
    "\U000e0000-\U000e0fff]"
)
_PERCENT = re.compile(r"%([0-9A-F]{2})")
_PLAIN = re.compile(rb"[ !-$&-~]*")


def reject_reason(path: bytes) -> str | None:
    """Why a tree path must never be written to disk, or None when it is safe everywhere.

    Refused: empty, absolute or oversized paths, ``.`` and ``..``, backslashes, control characters, drive letters, and
    every spelling of ``.git`` or of a Windows device name that some file system takes for the real one.
    """
    if len(path) <= MAX_NAME_BYTES and path.count(b"/") < MAX_DEPTH and _ORDINARY_BYTES.fullmatch(path):
        return None
    if not path:
        return "the path is empty"
    if len(path) > MAX_PATH_BYTES:
        return f"the path has {len(path)} bytes; the limit is {MAX_PATH_BYTES}"
    if path.startswith(b"/"):
        return "the path is absolute"
    if _DRIVE.match(path):
        return "the path starts with a drive letter"
    names = path.split(b"/")
    if len(names) > MAX_DEPTH:
        return f"the path has {len(names)} levels; the limit is {MAX_DEPTH}"
    return next((reason for reason in map(_name_reason, names) if reason), None)


def is_ordinary(path: str) -> bool:
    """True only for a short path of plain ASCII names, which is safe everywhere and spelled like its bytes.

    A quick answer for nearly all paths; False says no more than that `reject_reason` has to look.
    """
    return len(path) <= MAX_NAME_BYTES and path.count("/") < MAX_DEPTH and bool(_ORDINARY.fullmatch(path))


@lru_cache(maxsize=65_536)
def _name_reason(name: bytes) -> str | None:
    """Why one component of a path is refused. Cached, because folders repeat."""
    if not name:
        return "the path has an empty component"
    if name in {b".", b".."}:
        return f"the path contains {name.decode()!r}"
    if b"\\" in name:
        return "the path contains a backslash, which separates folders on Windows"
    if _CONTROL.search(name):
        return "the path contains a control character"
    if len(name) > MAX_NAME_BYTES:
        return f"a name in the path has {len(name)} bytes; the limit is {MAX_NAME_BYTES}"
    text = name.decode("utf-8", "surrogateescape")
    if _NTFS_GIT.fullmatch(text) or text.translate(_HFS_IGNORED).lower() == ".git":
        return f"{display(name)!r} is git's own folder on some file systems"
    if _RESERVED.fullmatch(text):
        return f"{display(name)!r} is a device name on Windows"
    return None


def case_collisions(paths: Iterable[bytes]) -> list[tuple[bytes, ...]]:
    """Groups of paths that are one path where case or Unicode normalisation does not count, sorted.

    Folders count as well: of ``A/x`` and ``a/y``, the group is ``(A, a)``. A collision that follows from one
    of a parent folder is not listed again.
    """
    spellings: dict[tuple[bytes, str], set[bytes]] = {}
    seen: set[bytes] = set()
    for path in paths:
        here = path
        while here and here not in seen:
            seen.add(here)
            parent, _slash, name = here.rpartition(b"/")
            spellings.setdefault((parent, _folded(name)), set()).add(here)
            here = parent
    return sorted(tuple(sorted(group)) for group in spellings.values() if len(group) > 1)


def _folded(name: bytes) -> str:
    """The key under which case-insensitive, normalising file systems look a name up."""
    if name.isascii():
        return name.lower().decode()
    text = name.decode("utf-8", "surrogateescape")
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def symlink_escapes(path: bytes, target: bytes, links: Mapping[bytes, bytes] | None = None) -> bool:
    """True when a symbolic link at `path` with this target leads, or may lead, out of its tree.

    `links` are the tree's symbolic links (path to target): a target that passes through one of them is followed as the
    file system would follow it, so that ``d -> .`` and ``d/../x`` together are recognised. Absolute, empty and
    unrepresentable targets, drive letters and backslashes count as escaping. A loop stays inside.
    """
    if not target or b"\0" in target or b"\\" in target or target.startswith(b"/") or _DRIVE.match(target):
        return True
    known = links or {}
    here = path.split(b"/")[:-1]
    todo = target.split(b"/")[::-1]
    followed = 0
    while todo:
        name = todo.pop()
        if name in {b"", b"."}:
            continue
        if name == b"..":
            if not here:
                return True
            here.pop()
            continue
        here.append(name)
        onward = known.get(b"/".join(here))
        if onward is None:
            continue
        followed += 1
        if followed > _MAX_LINKS:
            return False
        if onward.startswith(b"/"):
            return True
        here.pop()
        todo += onward.split(b"/")[::-1]
    return False


def display(path: bytes) -> str:
    r"""A path for people: printable text that no terminal, editor or web page interprets.

    Control, formatting (also bidirectional) and unassigned characters, line separators and bytes that are not UTF-8
    become ``\x1b`` or ``\u202e`` escapes; a backslash is doubled. Different paths give different texts.
    """
    if path.isascii() and path.decode().isprintable() and b"\\" not in path:
        return path.decode()
    return display_text(path.decode("utf-8", "surrogateescape"))


def display_text(text: str) -> str:
    """`display` for text that is already decoded; lone surrogates stand for undecodable bytes."""
    return "".join(char if char.isprintable() and char != "\\" else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    if char == "\\":
        return "\\\\"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def percent_encode(path: bytes) -> str:
    """A path as JSON text: UTF-8 where it is, ``%XX`` for every byte that is not, for ``%`` and what cannot be seen.

    One path has one spelling; `percent_decode` gives it back.
    """
    if _PLAIN.fullmatch(path):
        return path.decode()
    return _UNSHOWN.sub(_percent, path.decode("utf-8", "surrogateescape"))


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogateescape"))


def percent_decode(text: str) -> bytes:
    """The path that `percent_encode` made `text` from. Raises ValueError when that is not how it would spell it."""
    if "%" not in text and text.isascii():
        path = text.encode()
    else:
        pieces = _PERCENT.split(text)
        path = b"".join(
            bytes.fromhex(piece) if index % 2 else piece.encode("utf-8", "surrogatepass")
            for index, piece in enumerate(pieces)
        )
    if percent_encode(path) != text:
        raise ValueError(f"not a canonical path: {display_text(text)}")
    return path
