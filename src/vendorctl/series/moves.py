# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Files that upstream moved: found by identical content, then by similar content, the same way on every machine.

git's own detection depends on its version, its limits and its configuration; ours depends on the two trees alone. The
measure is git's (diffcore-delta.c): the bytes of lines that both files have, over the size of the larger file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Entry, Tree

#: Least similarity, in percent, for two files to be one file that moved: git's default.
THRESHOLD = 50
#: Similarity that is enough for a file that kept its base name, without looking at others.
_SURE = 75
#: Most pairs of contents that are compared; beyond it only files that keep their base name are.
_PAIRS = 20_000
_EMPTY = hash_blob(b"")


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """A file found at another path. `similarity` is in percent; 100 means the same bytes."""

    old: bytes
    new: bytes
    similarity: int


def find_moves(old: Tree, new: Tree, blobs: Blobs, *, wanted: Iterable[bytes] | None = None) -> tuple[Move, ...]:
    """Where files that are in `old` but no longer in `new` went, sorted by old path.

    `wanted` limits the search to these old paths. Contents that `blobs` lacks are not compared, but identical ids are
    still found. Empty files never count as moved.
    """
    changed = old.difference(new)
    asked = None if wanted is None else set(wanted)
    gone = {
        path: before
        for path, (before, after) in changed.items()
        if before is not None and after is None and before.oid != _EMPTY and (asked is None or path in asked)
    }
    came = {path: after for path, (before, after) in changed.items() if before is None and after is not None}
    found = _identical(gone, came)
    taken = {move.new for move in found}
    left = {path: entry for path, entry in gone.items() if path not in {move.old for move in found}}
    free = {path: entry for path, entry in came.items() if path not in taken}
    return tuple(sorted([*found, *_Similar(blobs).match(left, free)]))


def compared_contents(old: Tree, new: Tree) -> set[Oid]:
    """The contents that `find_moves` would read for these trees, so that they can be fetched in one batch."""
    changed = old.difference(new)
    gone = {path: before for path, (before, after) in changed.items() if before is not None and after is None}
    came = {path: after for path, (before, after) in changed.items() if before is None and after is not None}
    return {entry.oid for pair in _pairs(gone, came) for entry in (pair[1], pair[3]) if entry.mode.is_regular}


def _pairs(gone: Mapping[bytes, Entry], came: Mapping[bytes, Entry]) -> Iterator[tuple[bytes, Entry, bytes, Entry]]:
    """The pairs of files to compare: all, or when they are too many, those that keep their base name."""
    if len(gone) * len(came) <= _PAIRS:
        yield from ((old, before, new, after) for old, before in gone.items() for new, after in came.items())
        return
    by_name: dict[bytes, list[bytes]] = {}
    for new in came:
        by_name.setdefault(_base_name(new), []).append(new)
    for old, before in gone.items():
        for new in by_name.get(_base_name(old), []):
            yield old, before, new, came[new]


def as_mapping(moves: Iterable[Move]) -> dict[bytes, bytes]:
    """Old path to new path."""
    return {move.old: move.new for move in moves}


def _identical(gone: Mapping[bytes, Entry], came: Mapping[bytes, Entry]) -> list[Move]:
    places: dict[tuple[str, Oid], list[bytes]] = {}
    for path, entry in came.items():
        places.setdefault((entry.mode.value[:3], entry.oid), []).append(path)
    found = []
    for path, entry in gone.items():
        candidates = places.get((entry.mode.value[:3], entry.oid), [])
        if candidates:
            best = min(candidates, key=lambda candidate: _distance(path, candidate))
            candidates.remove(best)
            found.append(Move(path, best, 100))
    return found


def _distance(old: bytes, new: bytes) -> tuple[bool, int, bytes]:
    """Sorts candidates: the same base name first, then the longest common beginning, then by path."""
    common = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return (_base_name(old) != _base_name(new), -common, new)


def _base_name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]


@dataclass
class _Similar:
    """Pairs files by similarity, reading each content once."""

    blobs: Blobs
    _weights: dict[Oid, Counter[bytes] | None] = field(default_factory=dict)

    def match(self, gone: Mapping[bytes, Entry], came: Mapping[bytes, Entry]) -> list[Move]:
        gone = {path: entry for path, entry in gone.items() if entry.mode.is_regular}
        came = {path: entry for path, entry in came.items() if entry.mode.is_regular}
        # A file that keeps its name is first looked for under that name, as git does: it settles most at little cost.
        found = self._best((pair for pair in _pairs(gone, came) if _base_name(pair[0]) == _base_name(pair[2])), _SURE)
        gone = {path: entry for path, entry in gone.items() if path not in {move.old for move in found}}
        came = {path: entry for path, entry in came.items() if path not in {move.new for move in found}}
        return found + self._best(_pairs(gone, came), THRESHOLD)

    def _best(self, pairs: Iterable[tuple[bytes, Entry, bytes, Entry]], least: int) -> list[Move]:
        scored = [
            (-score, _distance(old, new), old, new)
            for old, before, new, after in pairs
            if (score := self._similarity(before.oid, after.oid)) >= least
        ]
        found: list[Move] = []
        used: set[bytes] = set()
        settled: set[bytes] = set()
        for negative, _, old, new in sorted(scored):
            if old not in settled and new not in used:
                settled.add(old)
                used.add(new)
                found.append(Move(old, new, -negative))
        return found

    def _similarity(self, old: Oid, new: Oid) -> int:
        before, after = self._weigh(old), self._weigh(new)
        if not before or not after:
            return 0
        sizes = before.total(), after.total()
        if 100 * min(sizes) < THRESHOLD * max(sizes):
            return 0
        return 100 * (before & after).total() // max(sizes)

    def _weigh(self, oid: Oid) -> Counter[bytes] | None:
        """Bytes per distinct line; None when the content is not to be had."""
        if oid not in self._weights:
            try:
                content = self.blobs[oid]
            except KeyError:
                self._weights[oid] = None
            else:
                weights: Counter[bytes] = Counter()
                for line in content.split(b"\n"):
                    weights[line.removesuffix(b"\r")] += len(line) + 1
                self._weights[oid] = weights
        return self._weights[oid]
