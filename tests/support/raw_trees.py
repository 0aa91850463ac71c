# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Commits over trees that git itself would not write: names that climb out, doubles, `.git` in every spelling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from support.repo import Repo
from vendorctl.git.oid import Oid

#: Mode, name and content of one entry; a list is a folder, an Oid one that is there already.
Row: TypeAlias = "tuple[bytes, bytes, bytes | Oid | Sequence[Row]]"


def file(name: str | bytes, content: bytes = b"x\n") -> Row:
    return b"100644", name.encode() if isinstance(name, str) else name, content


def link(name: str, target: bytes) -> Row:
    return b"120000", name.encode(), target


def folder(name: str, *rows: Row) -> Row:
    return b"40000", name.encode(), rows


def raw_commit(made: Repo, rows: Sequence[Row]) -> Oid:
    """A commit on `main` whose tree has exactly these entries, in this order."""
    return commit_tree(made, raw_tree(made, rows))


def commit_tree(made: Repo, tree: Oid) -> Oid:
    """A commit on `main` with this tree."""
    commit = Oid.parse(made.git("commit-tree", str(tree), "-m", "hostile").decode().strip())
    made.git("update-ref", "refs/heads/main", str(commit))
    return commit


def raw_tree(made: Repo, rows: Sequence[Row]) -> Oid:
    """Write a tree with exactly these entries, and what they hold."""
    body = b""
    for mode, name, content in rows:
        if isinstance(content, bytes):
            content = _write(made, "blob", content)
        elif not isinstance(content, Oid):
            content = raw_tree(made, content)
        body += mode + b" " + name + b"\0" + bytes.fromhex(str(content))
    return _write(made, "tree", body)


def _write(made: Repo, kind: str, content: bytes) -> Oid:
    command = ("hash-object", "-w", "--stdin", "--literally", "-t", kind)
    return Oid.parse(made.git(*command, stdin=content).decode().strip())
