# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Trees and their contents in memory, from the same mappings that `support.repo` makes commits of."""

from __future__ import annotations

from collections.abc import Mapping

from support.repo import Changes, Put
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Entry, Mode, Tree

#: Contents by id, shared by all trees of a test.
Contents = dict[Oid, bytes]


def tree(files: Changes, contents: Contents) -> Tree:
    """The tree of `files` (None removes nothing here and is refused); its contents are added to `contents`."""
    entries: dict[bytes, Entry] = {}
    for path, content in files.items():
        assert content is not None
        put = content if isinstance(content, Put) else Put(Mode.FILE, _bytes(content))
        if put.mode is Mode.GITLINK:
            oid = Oid.parse(put.content.decode())
        else:
            oid = hash_blob(put.content)
            contents[oid] = put.content
        entries[_bytes(path)] = Entry(put.mode, oid)
    return Tree(entries)


def files_of(made: Tree, contents: Mapping[Oid, bytes]) -> dict[str | bytes, Put]:
    """A tree as a mapping of paths to contents, the inverse of `tree`."""
    return {
        path: Put(entry.mode, contents[entry.oid] if entry.mode.is_blob else str(entry.oid).encode())
        for path, entry in made.items()
    }


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text
