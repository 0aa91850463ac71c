# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Upstream's whole history as a list of steps: which commit set which path to what. No file content is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from vendorctl.git.objects import canonical_mode
from vendorctl.git.oid import Oid
from vendorctl.git.program import Git
from vendorctl.git.tree import Entry

#: Starts with an empty field, which no path is, so that commits and paths cannot be confused.
_FORMAT = "%x00%H%x00%P%x00%ct"
_FIELDS = 3


@dataclass(frozen=True, slots=True)
class Step:
    """One commit: its parents, its commit time (seconds since 1970), and what it set (None: removed) since the first.

    A root commit sets everything that it has.
    """

    oid: Oid
    parents: tuple[Oid, ...]
    time: int
    changes: Mapping[bytes, Entry | None]


@dataclass(frozen=True)
class Timeline:
    """Every commit that leads to some tips, parents before children. `mainline` is the first-parent line of one tip."""

    steps: tuple[Step, ...]
    mainline: frozenset[Oid]

    @cached_property
    def versions(self) -> Mapping[bytes, tuple[Entry, ...]]:
        """Per path that ever held a file or link: its entries, each once, in order of appearance."""
        found: dict[bytes, dict[Entry, None]] = {}
        for step in self.steps:
            for path, entry in step.changes.items():
                if entry is not None and entry.mode.is_blob:
                    found.setdefault(path, {})[entry] = None
        return {path: tuple(entries) for path, entries in found.items()}


def read_timeline(git: Git, tips: Sequence[Oid], main: Oid) -> Timeline:
    """The history of `tips`, all of whose commits and folders `git`'s repository must have. `main` is one of them."""
    stdin = b"".join(b"%s\n" % str(tip).encode() for tip in tips)
    # --topo-order, because dates of commits may lie; a merge counts as what it brings to its first parent.
    options = ("--topo-order", "--reverse", "--raw", "-z", "--no-renames", "--no-abbrev", "--diff-merges=first-parent")
    output = git.exact("log", "--stdin", *options, "--root", f"--format={_FORMAT}", stdin=stdin).stdout
    line = git.exact("rev-list", "--first-parent", str(main), "--").stdout.decode("ascii").split()
    return Timeline(tuple(_steps(output)), frozenset(Oid.parse(text) for text in line))


def _steps(output: bytes) -> Iterator[Step]:
    fields = output.split(b"\0")
    position = 0
    while position + _FIELDS < len(fields):
        oid, parents, time = fields[position + 1 : position + 1 + _FIELDS]
        position += 1 + _FIELDS
        changes: dict[bytes, Entry | None] = {}
        # A line feed parts the message from the first row; a row is followed by its path.
        while position < len(fields) and fields[position].lstrip(b"\n").startswith(b":"):
            changes[fields[position + 1]] = _entry(fields[position].lstrip(b"\n"))
            position += 2
        yield Step(Oid.parse(oid.decode()), tuple(map(Oid.parse, parents.decode().split())), int(time), changes)


def _entry(row: bytes) -> Entry | None:
    """The new side of ``:100644 100755 <id> <id> M``."""
    _old_mode, mode, _old, new, status = row[1:].decode("ascii").split(" ")
    return None if status == "D" else Entry(canonical_mode(int(mode, 8)), Oid.parse(new))
