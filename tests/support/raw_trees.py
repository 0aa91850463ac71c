# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Commits over trees that git itself would not write: names that climb out, doubles, `.git` in every spelling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from support.repo import Repo
from vendorctl.git.oid import Oid

#: Mode, name and content of one entry; a list is a folder.
Row: TypeAlias = "tuple[bytes, bytes, bytes | Sequence[Row]]"


def file(name: str | bytes, content: bytes = b"x\n") -> Row:
    return b"100644", name.encode() if isinstance(name, str) else name, content


def link(name: str, target: bytes) -> Row:
    return b"120000", name.encode(), target


def folder(name: str, *rows: Row) -> Row:
    return b"40000", name.encode(), rows


def raw_commit(made: Repo, rows: Sequence[Row]) -> Oid:
    """A commit on `main` whose tree has exactly these entries, in this order."""
    tree = _write_tree(made, rows)
    commit = Oid.parse(made.git("commit-tree", tree, "-m", "hostile").decode().strip())
    made.git("update-ref", "refs/heads/main", str(commit))
    return commit


def _write_tree(made: Repo, rows: Sequence[Row]) -> str:
    body = b""
    for mode, name, content in rows:
        oid = _write(made, "blob", content) if isinstance(content, bytes) else _write_tree(made, content)
        body += mode + b" " + name + b"\0" + bytes.fromhex(oid)
    return _write(made, "tree", body)


def _write(made: Repo, kind: str, content: bytes) -> str:
    command = ("hash-object", "-w", "--stdin", "--literally", "-t", kind)
    return made.git(*command, stdin=content).decode().strip()
