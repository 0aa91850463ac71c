# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What upstream did to each vendored file between two commits: kind, lines, symbols, licence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from vendorctl.drift.symbols import SymbolDelta, compare_symbols, is_semantic
from vendorctl.git.answers import line_counts
from vendorctl.git.objects import Blobs
from vendorctl.git.scratch import scratch_repository
from vendorctl.git.tree import Entry, Tree
from vendorctl.proc import Runner, run
from vendorctl.series.moves import Move
from vendorctl.workspace.lock import LicenseFacts

#: Reads a file's licence facts: path and content in.
Scanner: TypeAlias = Callable[[bytes, bytes], LicenseFacts]

#: Base names (in capitals, without suffix) of files whose change may change what we owe.
_LEGAL_NAMES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "PATENTS", "AUTHORS")


class FileChangeKind(StrEnum):
    """What happened to a vendored path."""

    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    MODIFIED = "modified"
    MODE = "mode"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One vendored file that upstream changed.

    `path` is where it was (or, when added, is), `new_path` where it is now (None: removed). `added` and `removed` count
    lines, and are None for binary content or where nobody counted. `symbols` is None where the file is not Python that
    can be parsed.
    """

    kind: FileChangeKind
    path: bytes
    new_path: bytes | None
    added: int | None
    removed: int | None
    symbols: tuple[SymbolDelta, ...] | None
    semantic: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenceChange:
    """A file whose licence facts differ, or a legal file that changed. Facts are None where the file is absent."""

    path: bytes
    old: LicenseFacts | None
    new: LicenseFacts | None
    legal_file: bool


def compare_trees(
    old: Tree, new: Tree, blobs: Blobs, moves: Iterable[Move], *, thorough: bool = True, runner: Runner = run
) -> tuple[FileChange, ...]:
    """Every path that differs, sorted; a moved file is one change. `blobs` reads both trees.

    Unless `thorough`, lines are not counted and Python is not parsed: every changed content counts as semantic.
    """
    moved = {move.old: move.new for move in moves if move.new in new}
    arrived = set(moved.values())
    pairs: list[tuple[bytes, bytes | None]] = []
    for path, (before, after) in old.difference(new).items():
        if before is None:
            pairs += [] if path in arrived else [(path, path)]
        else:
            pairs.append((path, moved.get(path) if after is None else path))
    entries = [(old.get(path), new.get(to) if to else None) for path, to in pairs]
    counts = _line_counts(entries, blobs, runner) if thorough else [(None, None)] * len(pairs)
    return tuple(
        _file_change(path, to, old.get(path), new.get(to) if to else None, blobs if thorough else None, count)
        for (path, to), count in zip(pairs, counts, strict=True)
    )


def _file_change(
    path: bytes,
    to: bytes | None,
    before: Entry | None,
    after: Entry | None,
    blobs: Blobs | None,
    count: tuple[int | None, int | None],
) -> FileChange:
    symbols: tuple[SymbolDelta, ...] | None = None
    semantic = True
    if before is not None and after is not None and before.oid == after.oid:
        semantic, symbols = False, ()
    elif before is not None and after is not None and path.endswith(b".py") and blobs is not None:
        symbols = compare_symbols(blobs[before.oid], blobs[after.oid])
        semantic = is_semantic(symbols)
    return FileChange(
        kind=_kind(path, to, before, after),
        path=path,
        new_path=to,
        added=count[0],
        removed=count[1],
        symbols=symbols,
        semantic=semantic,
    )


def _kind(path: bytes, to: bytes | None, before: Entry | None, after: Entry | None) -> FileChangeKind:
    if before is None:
        return FileChangeKind.ADDED
    if after is None or to is None:
        return FileChangeKind.REMOVED
    if to != path:
        return FileChangeKind.MOVED
    return FileChangeKind.MODE if before.oid == after.oid else FileChangeKind.MODIFIED


def _line_counts(
    pairs: list[tuple[Entry | None, Entry | None]], blobs: Blobs, runner: Runner
) -> list[tuple[int | None, int | None]]:
    """Added and removed lines of each pair, counted by one git process over made-up names."""
    names = [b"%d" % number for number in range(len(pairs))]
    old = Tree({name: pair[0] for name, pair in zip(names, pairs, strict=True) if pair[0] is not None})
    new = Tree({name: pair[1] for name, pair in zip(names, pairs, strict=True) if pair[1] is not None})
    with scratch_repository(runner=runner) as scratch:
        ids = [str(scratch.add_tree(side, blobs)) for side in (old, new)]
        output = scratch.git.exact("diff-tree", "-r", "-z", "--numstat", "--no-renames", *ids).stdout
    counts = line_counts(output)
    return [counts.get(name, (0, 0)) for name in names]


def licence_changes(
    old: Tree, new: Tree, changes: Iterable[FileChange], blobs: Blobs, scanner: Scanner
) -> tuple[LicenceChange, ...]:
    """Vendored files whose licence facts are not what they were."""
    found = []
    for change in changes:
        before = old.get(change.path) if change.kind is not FileChangeKind.ADDED else None
        after = new.get(change.new_path) if change.new_path is not None else None
        was = scanner(change.path, blobs[before.oid]) if before is not None and before.mode.is_regular else None
        now = (
            scanner(change.new_path, blobs[after.oid])
            if after is not None and after.mode.is_regular and change.new_path is not None
            else None
        )
        if was is not None and now is not None and was != now:
            found.append(LicenceChange(path=change.new_path or change.path, old=was, new=now, legal_file=False))
    return tuple(found)


def legal_file_changes(old: Tree, new: Tree) -> tuple[LicenceChange, ...]:
    """Files of the whole upstream tree, like LICENSE and NOTICE, that appeared, changed or went away."""
    return tuple(
        LicenceChange(path=path, old=None, new=None, legal_file=True) for path in old.difference(new) if _is_legal(path)
    )


def _is_legal(path: bytes) -> bool:
    name = path.rpartition(b"/")[2].upper().decode("utf-8", "replace")
    return name.partition(".")[0].partition("-")[0] in _LEGAL_NAMES
