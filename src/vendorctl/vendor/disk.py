# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What is really in a folder, hashed as git would hash it, without asking git.

Everything counts: hidden files, files that git ignores, empty ones. Links are read, never followed. Nothing that a
user's git configuration says plays a part.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Entry, Mode, Tree

#: Files up to this size are read in one go; larger ones in pieces of it.
_PIECE = 1 << 20

#: Fewer files than this are not worth starting threads for.
_WORTH_THREADS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskTree:
    """A folder as it is: `tree` of files and links, and per path the SHA-256 and size in bytes of the content.

    `odd` are things that git cannot store, with what they are; `empty_folders` likewise have no place in a tree.
    """

    tree: Tree
    sha256: Mapping[bytes, str] = field(default_factory=dict)
    sizes: Mapping[bytes, int] = field(default_factory=dict)
    odd: Mapping[bytes, str] = field(default_factory=dict)
    empty_folders: tuple[bytes, ...] = ()
    exists: bool = True

    @property
    def blank(self) -> bool:
        """True when the folder holds nothing at all."""
        return not self.tree and not self.odd and not self.empty_folders


@dataclass(frozen=True, slots=True)
class _Hashed:
    path: bytes
    entry: Entry
    sha256: str
    size: int


class _ChangingError(Exception):
    """A file grew or shrank while it was read."""


def scan(folder: Path, *, workers: int | None = None) -> DiskTree:
    """Read a folder (a missing one is blank). `workers`: how many threads hash, default one per processor.

    Raises VendorError (exit code 2) when the folder is not a folder, and (exit code 70) for a file that keeps changing.
    """
    root = os.fsencode(folder)
    try:
        if not stat.S_ISDIR(os.lstat(root).st_mode):
            raise VendorError(f"{folder} is not a folder", hint="move it away", code=ExitCode.USAGE)
    except FileNotFoundError:
        return DiskTree(tree=Tree(), exists=False)
    walk = _Walk(root)
    walk.visit(b"")
    hashed = _hash_all(root, walk.files, workers or os.cpu_count() or 1, walk.odd)
    return DiskTree(
        tree=Tree({found.path: found.entry for found in hashed}),
        sha256={found.path: found.sha256 for found in hashed},
        sizes={found.path: found.size for found in hashed},
        odd=dict(sorted(walk.odd.items())),
        empty_folders=tuple(sorted(walk.empty)),
    )


class _Walk:
    """Collects what there is below a root; paths are relative bytes."""

    def __init__(self, root: bytes) -> None:
        self.root = root
        self.files: list[bytes] = []
        self.odd: dict[bytes, str] = {}
        self.empty: list[bytes] = []

    def visit(self, folder: bytes) -> None:
        """Look into a folder (``b""`` is the root, others end in a slash)."""
        # A stack rather than recursion: depth is the upstream's choice, not ours.
        todo = [folder]
        while todo:
            here = todo.pop()
            try:
                with os.scandir(self.root + b"/" + here) as entries:
                    found = list(entries)
            except PermissionError:
                self.odd[here.rstrip(b"/")] = "a folder that cannot be read"
                continue
            if not found and here:
                self.empty.append(here.rstrip(b"/"))
            for entry in found:
                path = here + entry.name
                if entry.is_dir(follow_symlinks=False):
                    todo.append(path + b"/")
                elif entry.is_file(follow_symlinks=False) or entry.is_symlink():
                    self.files.append(path)
                else:
                    self.odd[path] = _kind(entry)


def _kind(entry: os.DirEntry[bytes]) -> str:
    mode = entry.stat(follow_symlinks=False).st_mode
    kinds = (("a named pipe", stat.S_ISFIFO), ("a socket", stat.S_ISSOCK), ("a device", stat.S_ISCHR))
    return next((name for name, test in kinds if test(mode)), "a device")


def _hash_all(root: bytes, paths: list[bytes], workers: int, odd: dict[bytes, str]) -> list[_Hashed]:
    def hash_some(some: list[bytes]) -> list[_Hashed | tuple[bytes, str]]:
        return [_hash_or_reason(root, path) for path in some]

    if workers == 1 or len(paths) < _WORTH_THREADS:
        results = hash_some(paths)
    else:
        from concurrent.futures import ThreadPoolExecutor  # small trees do without

        # Pieces, not single files: handing over a task costs as much as hashing a small file.
        pieces = [paths[start : start + 128] for start in range(0, len(paths), 128)]
        with ThreadPoolExecutor(workers) as pool:
            results = [result for piece in pool.map(hash_some, pieces) for result in piece]
    hashed = []
    for result in results:
        if isinstance(result, _Hashed):
            hashed.append(result)
        else:
            odd[result[0]] = result[1]
    return hashed


def _hash_or_reason(root: bytes, path: bytes) -> _Hashed | tuple[bytes, str]:
    for _ in range(3):
        try:
            return _hash_one(root, path)
        except _ChangingError:
            continue
        except PermissionError:
            return path, "a file that cannot be read"
        except FileNotFoundError:
            return path, "a file that vanished while it was looked at"
    raise VendorError(f"{os.fsdecode(path)} keeps changing while it is read", code=ExitCode.INTERNAL)


def _hash_one(root: bytes, path: bytes) -> _Hashed:
    full = root + b"/" + path
    try:
        # O_NONBLOCK: should the file have become a pipe since, do not wait for a writer.
        descriptor = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        if not stat.S_ISLNK(os.lstat(full).st_mode):
            raise
        return _hashed(path, Mode.SYMLINK, os.readlink(full))  # noqa: PTH115 - Path knows no bytes
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _ChangingError
        mode = Mode.EXECUTABLE if status.st_mode & stat.S_IXUSR else Mode.FILE
        if status.st_size < _PIECE:
            # One byte more shows growth; a generous buffer would cost more than the reading.
            content = os.read(descriptor, status.st_size + 1)
            if len(content) != status.st_size:
                raise _ChangingError
            return _hashed(path, mode, content)
        return _hash_large(descriptor, path, mode, status.st_size)
    finally:
        os.close(descriptor)


def _hashed(path: bytes, mode: Mode, content: bytes) -> _Hashed:
    # usedforsecurity=False: git's format fixes SHA-1; SHA-256 beside it is what proofs rest on.
    blob = hashlib.sha1(b"blob %d\0%s" % (len(content), content), usedforsecurity=False)
    return _Hashed(path, Entry(mode, Oid(blob.digest())), hashlib.sha256(content).hexdigest(), len(content))


def _hash_large(descriptor: int, path: bytes, mode: Mode, size: int) -> _Hashed:
    blob = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    strong = hashlib.sha256()
    seen = 0
    while piece := os.read(descriptor, _PIECE):
        blob.update(piece)
        strong.update(piece)
        seen += len(piece)
    if seen != size:
        raise _ChangingError
    return _Hashed(path, Entry(mode, Oid(blob.digest())), strong.hexdigest(), size)
