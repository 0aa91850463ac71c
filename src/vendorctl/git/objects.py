# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reading objects of a repository: many blobs with one process, whole trees with one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.program import Git
from vendorctl.git.tree import Entry, Mode, Tree


class Blobs(Protocol):
    """A way to read blob contents: from the cache, from disk, or from memory."""

    def __getitem__(self, oid: Oid) -> bytes:
        """The content with this id. Raises KeyError when it is not to be had."""


def read_blobs(git: Git, oids: Iterable[Oid]) -> dict[Oid, bytes]:
    """Contents of blobs, read in one batch and checked against their ids.

    Objects that the repository lacks are absent from the result. Raises VendorError (exit code 70) when a content
    does not hash to its id: the repository is damaged.
    """
    wanted = sorted(set(oids))
    if not wanted:
        return {}
    output = git.exact("cat-file", "--batch", stdin=b"".join(b"%s\n" % str(oid).encode() for oid in wanted)).stdout
    found: dict[Oid, bytes] = {}
    position = 0
    for oid in wanted:
        end = output.index(b"\n", position)
        header = output[position:end].split(b" ")
        position = end + 1
        if header[-1] == b"missing":
            continue
        size = int(header[2])
        content = output[position : position + size]
        position += size + 1
        if header[1] != b"blob" or hash_blob(content) != oid:
            raise VendorError(f"object {oid} in {git.git_dir} is damaged or not a blob", code=ExitCode.INTERNAL)
        found[oid] = content
    return found


def read_tree(git: Git, treeish: Oid) -> Tree:
    """All entries below a commit or tree, recursively. Raises VendorError when an object is missing."""
    output = git.exact("ls-tree", "-r", "-z", "--full-tree", str(treeish)).stdout
    entries: dict[bytes, Entry] = {}
    for row in output.split(b"\0"):
        if row:
            facts, path = row.split(b"\t", 1)
            mode, _kind, oid = facts.split(b" ")
            entries[path] = Entry(_mode(mode), Oid.parse(oid.decode()))
    return Tree(entries)


def _mode(raw: bytes) -> Mode:
    """Modes as git stores them; the historical 100664 is read as a plain file, as git itself does."""
    text = raw.decode()
    return Mode.FILE if text == "100664" else Mode(text)
