# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Access to files below one root that never follows a symbolic link, whatever happens on disk meanwhile.

Every folder on the way to a file is opened relative to its parent with O_NOFOLLOW, so a link that appears between a
check and its use is met as an error, not followed.

The last folder stays open and is given again, without a look, while the next call asks for the same one: files of one
folder come one after the other, and the way to it is walked once for all of them. A descriptor stays with its folder
when others rename that, move it out of the root, remove it, or put a link or another folder in its place. So:

- When others move the last folder, or one above it, between two such calls, what is done there is done where they
  moved it; when they remove it, nothing can be made there any more, which is an error. No link is followed: what has
  the folder's old place is not looked at. It is what every program meets that opens a folder and then uses it.
- Any other folder, also the parent or the neighbour of the last one, is walked to from the root, so it is what stands
  at its path then. To keep the folders above open as well would need as many looks at their names, each in its
  parent, before one of them could be trusted: that is no cheaper than opening them.
- What is absent is never remembered.
- A caller that moves or removes folders itself says so (`forget`).

The root is opened once: when others move it, everything goes along. No more than four descriptors of folders are open
at once, its own among them, however deep the paths are.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from vendorctl.git.oid import hash_blob
from vendorctl.git.tree import Entry, Mode

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NOT_A_FOLDER = {errno.ENOTDIR, errno.ELOOP}

#: What is read at once of a file whose size is not known.
_PIECE = 1 << 20


class Odd(Enum):
    """What stands at a path when it is nothing that a tree can hold there."""

    FOLDER = "a folder"
    SPECIAL = "a device, socket or pipe"


#: What stands at a path: a file or link, something else, or nothing.
Found: TypeAlias = "Entry | Odd | None"

#: What changes when a file is edited or replaced: type and mode, inode, size, and both times in nanoseconds.
Signature: TypeAlias = "tuple[int, int, int, int, int]"


class Blocked(Exception):  # noqa: N818 - a state that callers handle, not a fault
    """A file or link stands where a folder is needed. `path` is relative to the root."""

    def __init__(self, path: bytes) -> None:
        super().__init__(path)
        self.path = path


class Folders:
    """The folders below `root`. Use as a context manager; paths are bytes relative to the root."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._last: tuple[bytes, int] | None = None

    def __enter__(self) -> Folders:
        return self

    def __exit__(self, *_: object) -> None:
        self.forget()
        os.close(self._root)

    def forget(self) -> None:
        """Drop the remembered folder: call after folders were moved or removed."""
        if self._last is not None:
            os.close(self._last[1])
            self._last = None

    def open(self, folder: bytes, *, create: bool = False) -> int | None:
        """A descriptor of `folder` (empty: the root), valid until the next call; None when it is absent.

        Raises Blocked when the folder or one above it is a file or a link.
        """
        if not folder:
            return self._root
        if self._last is not None and self._last[0] == folder:
            return self._last[1]
        here = self._root
        done = b""
        for name in folder.split(b"/"):
            done = done + b"/" + name if done else name
            try:
                below = _open_folder(here, name, create)
            except OSError as error:
                if error.errno in _NOT_A_FOLDER:
                    raise Blocked(done) from error
                if error.errno == errno.ENOENT:
                    return None
                raise
            finally:
                if here != self._root:
                    os.close(here)
            here = below
        self.forget()
        self._last = (folder, here)
        return here

    def lstat(self, path: bytes) -> os.stat_result | None:
        """The state of a path itself; None when it, or a folder on the way, is absent or no folder."""
        folder, _slash, name = path.rpartition(b"/")
        try:
            parent = self.open(folder)
        except Blocked:
            return None
        return None if parent is None else _state(parent, name)

    def look(self, path: bytes) -> Found:
        """What stands at a path, with the id of its content; None when a folder on the way is absent or no folder."""
        try:
            return self.examine(path)[0]
        except Blocked:
            return None

    def examine(self, path: bytes) -> tuple[Found, Signature | None]:
        """`look`, and the `signature` from before the content was read: while it holds, the content need not be.

        Raises Blocked when a folder on the way is a file or a link.
        """
        folder, _slash, name = path.rpartition(b"/")
        parent = self.open(folder)
        state = None if parent is None else _state(parent, name)
        if parent is None or state is None:
            return None, None
        return _found(parent, name, state), _signature(state)

    def signature(self, path: bytes) -> Signature | None:
        """A cheap value that differs once a path was edited or replaced; None when nothing stands there."""
        found = self.lstat(path)
        return None if found is None else _signature(found)

    def walk(self, folder: bytes) -> Iterator[tuple[bytes, bool]]:
        """Everything below a folder, deepest first, as (path, whether it is a folder); links are not followed."""
        try:
            descriptor = self.open(folder)
        except Blocked:
            return
        if descriptor is None:
            return
        prefix = folder + b"/" if folder else b""
        with os.scandir(descriptor) as entries:
            names = sorted((os.fsencode(entry.name), entry.is_dir(follow_symlinks=False)) for entry in entries)
        for name, is_folder in names:
            if is_folder:
                yield from self.walk(prefix + name)
            yield prefix + name, is_folder

    def remove_if_empty(self, folder: bytes) -> bool:
        """Remove a folder that holds nothing. False when it is absent, no folder, or holds something."""
        above, _slash, name = folder.rpartition(b"/")
        try:
            parent = self.open(above)
            if parent is None:
                return False
            os.rmdir(name, dir_fd=parent)
        except Blocked:
            return False
        except OSError as error:
            if error.errno in {errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.EBUSY, *_NOT_A_FOLDER}:
                return False
            raise
        self.forget()
        return True


def ancestors(path: bytes) -> Iterator[bytes]:
    """The folders that hold `path`, nearest first, without the root."""
    folder = path.rpartition(b"/")[0]
    while folder:
        yield folder
        folder = folder.rpartition(b"/")[0]


def folders_of(paths: Iterable[bytes]) -> set[bytes]:
    """The folders that hold any of the paths, without the root."""
    nearest = {path.rpartition(b"/")[0] for path in paths} - {b""}
    return nearest.union(*map(ancestors, nearest))


def look_in(parent: int, name: bytes) -> Found:
    """What stands under a name in an open folder, with the id of its content."""
    state = _state(parent, name)
    return None if state is None else _found(parent, name, state)


def _state(parent: int, name: bytes) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _found(parent: int, name: bytes, state: os.stat_result) -> Entry | Odd:
    """What stands under a name in an open folder, where a look just gave this state."""
    if stat.S_ISLNK(state.st_mode):
        return Entry(Mode.SYMLINK, hash_blob(os.readlink(name, dir_fd=parent)))
    if stat.S_ISREG(state.st_mode):
        mode = Mode.EXECUTABLE if state.st_mode & stat.S_IXUSR else Mode.FILE
        return Entry(mode, hash_blob(read_file(parent, name, state.st_size)))
    return Odd.FOLDER if stat.S_ISDIR(state.st_mode) else Odd.SPECIAL


def _signature(state: os.stat_result) -> Signature:
    return (state.st_mode, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


def _open_folder(parent: int, name: bytes, create: bool) -> int:
    try:
        return os.open(name, _FOLDER_FLAGS, dir_fd=parent)
    except FileNotFoundError:
        if not create:
            raise
    # Made by someone else meanwhile? What it is shows in the next line.
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=parent)
    return os.open(name, _FOLDER_FLAGS, dir_fd=parent)


def read_file(parent: int, name: bytes, size: int = _PIECE) -> bytes:
    """The content of a regular file in an open folder, of about `size` bytes; a link in its place is an error."""
    # O_NONBLOCK: a pipe that took the file's place must not block us.
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
    try:
        return read_all(descriptor, size)
    finally:
        os.close(descriptor)


def read_all(descriptor: int, size: int) -> bytes:
    """The rest of an open file of about `size` bytes: a right guess saves half the calls, a wrong one is harmless."""
    # One byte more than it should have: when that is not there, this was all.
    content = os.read(descriptor, size + 1)
    if len(content) == size:
        return content
    pieces = [content]
    while piece := os.read(descriptor, _PIECE):
        pieces.append(piece)
    return b"".join(pieces)
