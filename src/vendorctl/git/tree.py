# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A tree as a mapping of full paths to entries, with git's own tree id.

Two `Tree` values are equal exactly when git gives them the same id: identity of content. No process is started.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

from vendorctl.git.oid import Oid, hash_object


class Mode(StrEnum):
    """The modes that a tree entry can have; the value is how git prints it."""

    FILE = "100644"
    EXECUTABLE = "100755"
    SYMLINK = "120000"
    GITLINK = "160000"

    @property
    def is_blob(self) -> bool:
        """True for everything whose content is a blob (all but a gitlink)."""
        return self is not Mode.GITLINK

    @property
    def is_regular(self) -> bool:
        """True for plain and executable files."""
        return self in {Mode.FILE, Mode.EXECUTABLE}


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One path of a tree: how it is stored, and the id of its content."""

    mode: Mode
    oid: Oid


#: The id of the tree without entries.
EMPTY_TREE = hash_object(b"tree", b"")


class Tree(Mapping[bytes, Entry]):
    """An immutable sorted mapping of full byte paths (``b"kernels/norm/a.py"``) to entries.

    Directories exist through their files, as in git's index. Raises ValueError when a path is both a file and a
    directory, or is not a plain relative path. Folders are shared between a tree and what `replace` makes of it, so a
    chain of trees costs what changes, not what there is.
    """

    __slots__ = ("__dict__", "_root")

    def __init__(self, entries: Mapping[bytes, Entry] | Iterable[tuple[bytes, Entry]] = ()) -> None:
        pairs = entries.items() if isinstance(entries, Mapping) else entries
        changes: dict[bytes, Entry | None] = dict(pairs)
        self._root = _Folder({}, {}).replace(_grouped(changes), b"")

    @classmethod
    def _of(cls, root: _Folder) -> Tree:
        tree = cls.__new__(cls)
        tree._root = root
        return tree

    @cached_property
    def _entries(self) -> dict[bytes, Entry]:
        return dict(sorted(self._root.walk(b"")))

    def __getitem__(self, path: bytes) -> Entry:
        found = self._root.find(path)
        if found is None:
            raise KeyError(path)
        return found

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, path: object) -> bool:
        return isinstance(path, bytes) and self._root.find(path) is not None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self.oid == other.oid

    def __hash__(self) -> int:
        return hash(self.oid)

    def __repr__(self) -> str:
        return f"Tree({len(self)} entries, {self.oid.short})"

    @property
    def oid(self) -> Oid:
        """Git's id of this tree; each folder is hashed once, however many trees share it."""
        return self._root.oid

    def folders(self) -> Iterator[bytes]:
        """The content of every tree object that this tree is made of, its own among them."""
        return self._root.contents()

    def replace(self, changes: Mapping[bytes, Entry | None]) -> Tree:
        """This tree with `changes` made: an entry sets its path, None removes it.

        Removals come first, so a file may take the place of a folder that the same call empties. Raises KeyError when
        a path to remove is absent, ValueError when a file and a folder would share a name.
        """
        removed: dict[bytes, Entry | None] = {path: None for path, entry in changes.items() if entry is None}
        added: dict[bytes, Entry | None] = {path: entry for path, entry in changes.items() if entry is not None}
        root = self._root.replace(_grouped(removed), b"") if removed else self._root
        return Tree._of(root.replace(_grouped(added), b"") if added else root)

    def difference(self, other: Tree) -> dict[bytes, tuple[Entry | None, Entry | None]]:
        """Per path that differs: its entry here and in `other` (None where absent), in path order."""
        return dict(sorted(self._root.difference(other._root, b"")))


#: Changes of one folder: by first path component, either to the file of that name or inside the folder of that name.
_Grouped: TypeAlias = "dict[bytes, tuple[list[Entry | None], dict[bytes, Entry | None]]]"


def _grouped(changes: Mapping[bytes, Entry | None]) -> _Grouped:
    grouped: _Grouped = {}
    for path, entry in changes.items():
        head, slash, rest = path.partition(b"/")
        if head in {b"", b".", b".."} or (slash and not rest) or b"\0" in path:
            raise ValueError(f"not a plain relative path: {path!r}")
        here, below = grouped.setdefault(head, ([], {}))
        if slash:
            below[rest] = entry
        else:
            here.append(entry)
    return grouped


class _Folder:
    """One directory level, never changed once made; its id is computed when first asked for."""

    __slots__ = ("_oid", "files", "folders")

    def __init__(self, files: dict[bytes, Entry], folders: dict[bytes, _Folder]) -> None:
        self.files = files
        self.folders = folders
        self._oid: Oid | None = None

    @property
    def oid(self) -> Oid:
        if self._oid is None:
            self._oid = hash_object(b"tree", self.content())
        return self._oid

    def content(self) -> bytes:
        """The tree object of this level, as git stores it."""
        # Git sorts a folder as if its name ended in "/".
        rows = [(name, entry.mode.value.encode(), name, entry.oid.raw) for name, entry in self.files.items()]
        rows += [(name + b"/", b"40000", name, child.oid.raw) for name, child in self.folders.items()]
        return b"".join(b"%s %s\0%s" % row[1:] for row in sorted(rows))

    def contents(self) -> Iterator[bytes]:
        """The tree objects of this level and of those below."""
        yield self.content()
        for child in self.folders.values():
            yield from child.contents()

    def find(self, path: bytes) -> Entry | None:
        head, slash, rest = path.partition(b"/")
        if not slash:
            return self.files.get(head)
        folder = self.folders.get(head)
        return folder.find(rest) if folder is not None else None

    def walk(self, prefix: bytes) -> Iterator[tuple[bytes, Entry]]:
        for name, entry in self.files.items():
            yield prefix + name, entry
        for name, folder in self.folders.items():
            yield from folder.walk(prefix + name + b"/")

    def replace(self, grouped: _Grouped, prefix: bytes) -> _Folder:
        files, folders = dict(self.files), dict(self.folders)
        for name, (here, below) in grouped.items():
            for entry in here:
                if entry is not None:
                    files[name] = entry
                elif files.pop(name, None) is None:
                    raise KeyError(prefix + name)
            if below:
                child = folders.get(name, _Folder({}, {})).replace(_grouped(below), prefix + name + b"/")
                folders[name] = child
                if not child.files and not child.folders:
                    del folders[name]
            if name in files and name in folders:
                raise ValueError(f"both a file and a folder: {prefix + name!r}")
        return _Folder(files, folders)

    def difference(self, other: _Folder, prefix: bytes) -> Iterator[tuple[bytes, tuple[Entry | None, Entry | None]]]:
        if self.oid == other.oid:
            return
        for name in self.files.keys() | other.files.keys():
            pair = (self.files.get(name), other.files.get(name))
            if pair[0] != pair[1]:
                yield prefix + name, pair
        nothing = _Folder({}, {})
        for name in self.folders.keys() | other.folders.keys():
            mine, theirs = self.folders.get(name, nothing), other.folders.get(name, nothing)
            yield from mine.difference(theirs, prefix + name + b"/")
