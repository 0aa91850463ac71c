# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Upstream's whole history as a list of steps: which commit set which path to what. No file content is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from vendorctl.git.answers import commit_seconds, id_list, id_rows, log_records, one_id, raw_changes
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
    line = git.exact("rev-list", "--first-parent", str(main), "--").stdout
    return Timeline(tuple(parse_steps(output)), frozenset(oid for (oid,) in id_rows(line)))


def parse_steps(output: bytes) -> Iterator[Step]:
    """The steps of a log in our format. Raises GitError for what git cannot have said."""
    for (oid, parents, time), rows in log_records(output, _FIELDS):
        changes = {path: change.new for path, change in raw_changes(rows)}
        yield Step(one_id(oid), id_list(parents), commit_seconds(time), changes)
