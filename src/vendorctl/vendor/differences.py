# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""How a folder differs from the tree that it should hold, each difference named for what it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.paths import display
from vendorctl.vendor.disk import DiskTree
from vendorctl.vendor.select import on_disk

#: Files larger than this are not read a second time to recognise converted line ends.
_MOST_CONVERTED = 64 * 1024 * 1024

_EMPTY = hash_blob(b"")

_KINDS = {Mode.FILE: "a file", Mode.EXECUTABLE: "a file", Mode.SYMLINK: "a symbolic link", Mode.GITLINK: "a submodule"}


class DifferenceKind(StrEnum):
    """What happened to a path."""

    CONTENT = "content"
    LINE_ENDINGS = "line-endings"
    EMPTIED = "emptied"
    MODE = "mode"
    TYPE = "type"
    MISSING = "missing"
    MOVED = "moved"
    CASE = "case"
    EXTRA = "extra"
    ODD = "odd"
    EMPTY_FOLDER = "empty-folder"


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """One path that is not as it should be: `text` says what is there instead, `other` where it went, if it did."""

    path: bytes
    kind: DifferenceKind
    text: str
    other: bytes | None = None


def differences(expected: Tree, disk: DiskTree, folder: Path) -> list[Difference]:
    """Everything in which `folder`, scanned as `disk`, differs from `expected`, in path order.

    A missing path and an added one are paired when they are one file renamed. Submodules have nothing on disk.
    """
    wanted = on_disk(expected)
    changed = wanted.difference(disk.tree)
    missing = {path: was for path, (was, now) in changed.items() if was is not None and now is None}
    extra = {path: now for path, (was, now) in changed.items() if was is None and now is not None}
    found = [
        difference
        for path, (was, now) in changed.items()
        if was is not None and now is not None
        for difference in _changed(path, was, now, disk, folder)
    ]
    found += _replaced(missing, extra, disk)
    found += _renamed(missing, extra)
    found += _moved(missing, extra)
    found += [Difference(path, DifferenceKind.MISSING, "is missing") for path in missing]
    found += [Difference(path, DifferenceKind.EXTRA, "does not belong here") for path in extra]
    found += [Difference(path, DifferenceKind.ODD, f"is {what}") for path, what in disk.odd.items()]
    found += [Difference(path, DifferenceKind.EMPTY_FOLDER, "is an empty folder") for path in disk.empty_folders]
    return sorted(found)


def _changed(path: bytes, was: Entry, now: Entry, disk: DiskTree, folder: Path) -> Iterator[Difference]:
    if was.mode.is_regular != now.mode.is_regular:
        yield Difference(path, DifferenceKind.TYPE, f"is {_KINDS[now.mode]}, not {_KINDS[was.mode]}")
        return
    if was.mode is not now.mode:
        yield Difference(path, DifferenceKind.MODE, f"has mode {now.mode.value}, not {was.mode.value}")
    if was.oid == now.oid:
        return
    if disk.sizes[path] == 0:
        yield Difference(path, DifferenceKind.EMPTIED, "is empty")
        return
    converted = _converted(folder, path, was.oid, disk.sizes[path]) if now.mode.is_regular else None
    if converted:
        yield Difference(path, DifferenceKind.LINE_ENDINGS, converted)
    else:
        text = "points elsewhere" if now.mode is Mode.SYMLINK else "has other content"
        yield Difference(path, DifferenceKind.CONTENT, text)


def _converted(folder: Path, path: bytes, wanted: Oid, size: int) -> str | None:
    """How a file's line ends were converted, when that is all that happened to it."""
    if size > _MOST_CONVERTED:
        return None
    try:
        content = (folder / os.fsdecode(path)).read_bytes()
    except OSError:
        return None
    unix = content.replace(b"\r\n", b"\n")
    if hash_blob(unix) == wanted:
        return "has its line ends converted from LF to CRLF"
    if hash_blob(unix.replace(b"\n", b"\r\n")) == wanted:
        return "has its line ends converted from CRLF to LF"
    return None


def _replaced(missing: dict[bytes, Entry], extra: dict[bytes, Entry], disk: DiskTree) -> list[Difference]:
    """Files whose place is taken by a folder or by something that is neither file nor link."""
    folders = {parent for path in [*extra, *disk.empty_folders] for parent in _with_parents(path)} - extra.keys()
    found = []
    for path in list(missing):
        if path in disk.odd or path in folders:
            what = disk.odd.get(path, "a folder")
            found.append(Difference(path, DifferenceKind.TYPE, f"is {what}, not {_KINDS[missing.pop(path).mode]}"))
    return found


def _with_parents(path: bytes) -> Iterator[bytes]:
    while path:
        yield path
        path = path.rpartition(b"/")[0]


def _renamed(missing: dict[bytes, Entry], extra: dict[bytes, Entry]) -> list[Difference]:
    """Paths that differ in letter case only; taken out of both mappings."""
    folded = {_folded(path): path for path in extra}
    found = []
    for path in list(missing):
        other = folded.get(_folded(path))
        if other is not None and other in extra:
            del missing[path], extra[other]
            text = f"is called {display(other)}: only the letter case differs"
            found.append(Difference(path, DifferenceKind.CASE, text, other))
    return found


def _folded(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape").casefold()


def _moved(missing: dict[bytes, Entry], extra: dict[bytes, Entry]) -> list[Difference]:
    """Files that are found, byte for byte, at another path; taken out of both mappings."""
    places: dict[Oid, list[bytes]] = {}
    for path, entry in extra.items():
        if entry.oid != _EMPTY:  # empty files are all alike, which proves nothing
            places.setdefault(entry.oid, []).append(path)
    found = []
    for path in list(missing):
        candidates = places.get(missing[path].oid)
        if not candidates:
            continue
        name = path.rpartition(b"/")[2]
        other = min(candidates, key=lambda place: (place.rpartition(b"/")[2] != name, place))
        candidates.remove(other)
        del missing[path], extra[other]
        found.append(Difference(path, DifferenceKind.MOVED, f"was moved to {display(other)}", other))
    return found
