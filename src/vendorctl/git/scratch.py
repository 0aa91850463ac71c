# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A repository that lives for one computation: a few loose objects, and git commands over them."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid, hash_object
from vendorctl.git.program import Git
from vendorctl.git.tree import Tree
from vendorctl.proc import Runner, run


class Scratch:
    """A bare repository in a temporary folder; `git` is bound to it."""

    def __init__(self, folder: Path, runner: Runner) -> None:
        self.git = Git(git_dir=folder, runner=runner)
        self._objects = folder / "objects"
        self._objects.mkdir()
        (folder / "refs").mkdir()
        # What `git init --bare` would write, without starting it, and without a user's template folder.
        (folder / "HEAD").write_bytes(b"ref: refs/heads/none\n")
        (folder / "config").write_bytes(b"[core]\n\trepositoryformatversion = 0\n\tbare = true\n")

    def add(self, kind: bytes, content: bytes) -> Oid:
        """Store an object and return its id."""
        oid = hash_object(kind, content)
        name = str(oid)
        folder = self._objects / name[:2]
        folder.mkdir(exist_ok=True)
        file = folder / name[2:]
        if not file.exists():
            file.write_bytes(zlib.compress(b"%s %d\0%s" % (kind, len(content), content), 1))
        return oid

    def add_tree(self, tree: Tree, blobs: Blobs) -> Oid:
        """Store a tree with its folders and contents (not the commits of submodules), and return its id.

        Raises KeyError when `blobs` lacks a content.
        """
        for entry in tree.values():
            if entry.mode.is_blob:
                self.add(b"blob", blobs[entry.oid])
        for content in tree.folders():
            self.add(b"tree", content)
        return tree.oid


@contextmanager
def scratch_repository(*, runner: Runner = run) -> Iterator[Scratch]:
    """A new, empty scratch repository, removed when the context ends."""
    with tempfile.TemporaryDirectory(prefix="vendorctl-") as folder:
        yield Scratch(Path(folder), runner)
