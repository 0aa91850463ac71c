# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Blob contents from several places: memory first, then files on disk, then whatever a later place fetches."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Mode, Tree
from vendorctl.workspace.folders import read_all


class DiskBlobs:
    """Contents of a tree's blobs, read from the files that should hold them and checked against their ids.

    A file that is missing or does not hash to the id is no source: KeyError.
    """

    def __init__(self, folder: Path, tree: Tree) -> None:
        self._folder = os.fsencode(folder)
        self._places = {entry.oid: (path, entry.mode) for path, entry in tree.items() if entry.mode is not Mode.GITLINK}

    def __getitem__(self, oid: Oid) -> bytes:
        path, mode = self._places[oid]
        try:
            content = _read(self._folder + b"/" + path, mode)
        except OSError as error:
            raise KeyError(oid) from error
        if hash_blob(content) != oid:
            raise KeyError(oid)
        return content


def _read(full: bytes, mode: Mode) -> bytes:
    if mode is Mode.SYMLINK:
        return os.readlink(full)  # noqa: PTH115 - Path knows no bytes
    descriptor = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise OSError("not a file")
        return read_all(descriptor, state.st_size)
    finally:
        os.close(descriptor)


class ChainedBlobs:
    """The first place that has a content answers."""

    def __init__(self, *places: Blobs | Mapping[Oid, bytes]) -> None:
        self._places = places

    def __getitem__(self, oid: Oid) -> bytes:
        for place in self._places:
            try:
                return place[oid]
            except KeyError:
                continue
        raise KeyError(oid)
