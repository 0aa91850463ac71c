# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A tree as a mapping of full paths to entries, with git's own tree id.

Two `Tree` values are equal exactly when git gives them the same id: identity of content. No process is started.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
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
    directory, or is not a plain relative path. A tree and what `replace` makes of it share folders, and pages of large
    folders, as far as they are equal: a chain of trees costs what changes, not what there is.
    """

    __slots__ = ("__dict__", "_root")

    def __init__(self, entries: Mapping[bytes, Entry] | Iterable[tuple[bytes, Entry]] = ()) -> None:
        pairs = entries.items() if isinstance(entries, Mapping) else entries
        changes: dict[bytes, Entry | None] = dict(pairs)
        self._root = _NOTHING.replace(_grouped(changes), b"")

    @classmethod
    def _of(cls, root: _Folder) -> Tree:
        tree = cls.__new__(cls)
        tree._root = root
        return tree

    @cached_property
    def _entries(self) -> dict[bytes, Entry]:
        return dict(self._root.walk(b""))

    def __getitem__(self, path: bytes) -> Entry:
        found = self._root.find(path)
        if found is None:
            raise KeyError(path)
        return found

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def items(self) -> ItemsView[bytes, Entry]:
        """Paths and entries in path order; at once, where `Mapping` would look up each path."""
        return self._entries.items()

    def values(self) -> ValuesView[Entry]:
        """Entries in path order."""
        return self._entries.values()

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

#: A folder's rows by name, folders with a final slash: sorted as bytes, that is git's order, and that of full paths.
_Rows: TypeAlias = "dict[bytes, Entry | _Folder]"

#: Rows of one page; a page that has become twice as long is cut.
_PAGE = 32


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


class _Page:
    """Some neighbouring rows of a folder, never changed once made; how git stores them is computed when asked for."""

    __slots__ = ("_content", "rows")

    def __init__(self, rows: _Rows) -> None:
        self.rows = rows
        self._content: bytes | None = None

    @property
    def content(self) -> bytes:
        if self._content is None:
            self._content = b"".join(map(_stored, self.rows, self.rows.values()))
        return self._content


def _stored(name: bytes, row: Entry | _Folder) -> bytes:
    """A row of a tree object."""
    if isinstance(row, Entry):
        return b"%s %s\0%s" % (_MODE_BYTES[row.mode], name, row.oid.raw)
    return b"40000 %s\0%s" % (name[:-1], row.oid.raw)


_MODE_BYTES = {mode: mode.value.encode() for mode in Mode}


class _Folder:
    """One directory level, never changed once made; its id is computed when first asked for.

    Its rows are in pages, so that a change in a folder of ten thousand files copies and formats few of them.
    """

    __slots__ = ("_oid", "_starts", "pages")

    def __init__(self, pages: tuple[_Page, ...]) -> None:
        self.pages = pages
        self._starts = [next(iter(page.rows)) for page in pages]
        self._oid: Oid | None = None

    @property
    def oid(self) -> Oid:
        if self._oid is None:
            self._oid = hash_object(b"tree", self.content())
        return self._oid

    def content(self) -> bytes:
        """The tree object of this level, as git stores it."""
        return b"".join(page.content for page in self.pages)

    def contents(self) -> Iterator[bytes]:
        """The tree objects of this level and of those below."""
        yield self.content()
        for page in self.pages:
            for row in page.rows.values():
                if isinstance(row, _Folder):
                    yield from row.contents()

    def row(self, name: bytes) -> Entry | _Folder | None:
        """The file of that name, or with a final slash the folder."""
        return self.pages[self._page_of(name)].rows.get(name) if self.pages else None

    def _page_of(self, name: bytes) -> int:
        """Number of the page that has, or would get, the row of that name; there must be one."""
        return bisect_right(self._starts, name) - 1 if name >= self._starts[0] else 0

    def find(self, path: bytes) -> Entry | None:
        folder, start = self, 0
        while (end := path.find(b"/", start) + 1) > 0:
            child = folder.row(path[start:end])
            if not isinstance(child, _Folder):
                return None
            folder, start = child, end
        found = folder.row(path[start:])
        return found if isinstance(found, Entry) else None

    def walk(self, prefix: bytes) -> Iterator[tuple[bytes, Entry]]:
        """Every file below, in path order."""
        for page in self.pages:
            for name, row in page.rows.items():
                if isinstance(row, Entry):
                    yield prefix + name, row
                else:
                    yield from row.walk(prefix + name)

    def replace(self, grouped: _Grouped, prefix: bytes) -> _Folder:
        changes: dict[bytes, Entry | _Folder | None] = {}
        for name, (here, below) in grouped.items():
            for entry in here:
                if entry is None and self.row(name) is None:
                    raise KeyError(prefix + name)
                changes[name] = entry
            if below:
                child = self.row(name + b"/")
                base = child if isinstance(child, _Folder) else _NOTHING
                child = base.replace(_grouped(below), prefix + name + b"/")
                changes[name + b"/"] = child if child.pages else None
        changed = self._with(changes)
        for name, row in changes.items():
            if row is not None and changed.row(name[:-1] if name.endswith(b"/") else name + b"/") is not None:
                raise ValueError(f"both a file and a folder: {prefix + name!r}")
        return changed

    def _with(self, changes: Mapping[bytes, Entry | _Folder | None]) -> _Folder:
        """This level with rows set, or removed where None is given."""
        if not changes:
            return self
        by_page: dict[int, dict[bytes, Entry | _Folder | None]] = {}
        for name, row in changes.items():
            by_page.setdefault(self._page_of(name) if self.pages else 0, {})[name] = row
        pages: list[_Page] = []
        for number, page in enumerate(self.pages or (_Page({}),)):
            pages += _cut(_merged(page.rows, by_page[number])) if number in by_page else [page]
        return _Folder(tuple(pages))

    def difference(self, other: _Folder, prefix: bytes) -> Iterator[tuple[bytes, tuple[Entry | None, Entry | None]]]:
        if self.oid == other.oid:
            return
        mine, theirs = _unshared(self, other), _unshared(other, self)
        for name in mine.keys() | theirs.keys():
            pair = mine.get(name), theirs.get(name)
            if pair[0] is pair[1]:
                continue
            if name.endswith(b"/"):
                one, two = (row if isinstance(row, _Folder) else _NOTHING for row in pair)
                yield from one.difference(two, prefix + name)
            elif pair[0] != pair[1]:
                before, after = (row if isinstance(row, Entry) else None for row in pair)
                yield prefix + name, (before, after)


def _merged(rows: _Rows, changes: Mapping[bytes, Entry | _Folder | None]) -> _Rows:
    merged: _Rows = dict(rows)
    for name, row in changes.items():
        if row is not None:
            merged[name] = row
        else:
            merged.pop(name, None)
    # New names stand at the end, replaced ones where they were.
    return dict(sorted(merged.items(), key=_name)) if changes.keys() - rows.keys() else merged


def _name(item: tuple[bytes, Entry | _Folder]) -> bytes:
    return item[0]


def _cut(rows: _Rows) -> list[_Page]:
    """Pages of these rows: none when there are none, one up to twice the usual length."""
    if len(rows) <= 2 * _PAGE:
        return [_Page(rows)] if rows else []
    listed = list(rows.items())
    return [_Page(dict(listed[start : start + _PAGE])) for start in range(0, len(listed), _PAGE)]


def _unshared(folder: _Folder, other: _Folder) -> _Rows:
    """The rows of those pages of `folder` that `other` does not have as well."""
    shared = set(map(id, other.pages))
    return {name: row for page in folder.pages if id(page) not in shared for name, row in page.rows.items()}


_NOTHING = _Folder(())
