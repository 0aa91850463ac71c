# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which versions of which upstream files a copied file may be, and how alike each of them is.

In two rounds, because a history holds many more versions than are worth reading: a few versions of every path of
the same kind say which paths are alike; of those, every version is compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import basename, splitext

from vendorctl.adoption.fingerprint import FULL, Fingerprint, distinct_lines, fingerprint
from vendorctl.adoption.timeline import Timeline
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Entry, Tree
from vendorctl.progress import Progress
from vendorctl.series.history import Reader

#: Least similarity for a file to count as copied from another (of FULL).
THRESHOLD = 300

#: How many samples, by lines in common, are looked at closely for one file.
_CLOSE_LOOKS = 24
#: In how many stretches the versions of a path are cut; those at the ends of stretches are its samples.
_SAMPLES = 4
#: A path one of whose samples is at least this alike is worth reading all of its versions.
_WORTH_READING = 120
#: A line that occurs in more of the copy's files than this is boilerplate, and points nowhere.
_BOILERPLATE = 12
#: A content that was at more paths than this (an empty file, a licence header) ties none of them together.
_NAMESAKES = 8
#: Files above this size are matched by identity only.
_MAX_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class Copied:
    """One file of the copy. `weight` is how many lines speak for its origin; 0 for links and trivial files."""

    path: bytes
    entry: Entry
    mark: Fingerprint | None

    @property
    def weight(self) -> int:
        """Lines that speak for the file's origin."""
        return 0 if self.mark is None or self.mark.trivial else self.mark.lines


@dataclass(frozen=True, slots=True)
class Candidates:
    """Per upstream path and version: how alike it is to one copied file, from THRESHOLD to FULL.

    FULL is kept for the same bytes; what only counts as the same lines is FULL - 1.
    """

    file: Copied
    versions: Mapping[bytes, Mapping[Oid, int]]

    @property
    def best(self) -> int:
        """The greatest similarity anywhere in the history; 0 without candidates."""
        return max((value for versions in self.versions.values() for value in versions.values()), default=0)

    def best_versions(self) -> set[tuple[bytes, Oid]]:
        """The paths and contents that are most similar."""
        best = self.best
        return {
            (path, oid) for path, versions in self.versions.items() for oid, value in versions.items() if value == best
        }


def read_copy(tree: Tree, blobs: Blobs) -> tuple[Copied, ...]:
    """The files of a copy with their fingerprints, in path order."""
    found = []
    for path, entry in tree.items():
        content = blobs[entry.oid] if entry.mode.is_regular else b""
        readable = entry.mode.is_regular and len(content) <= _MAX_BYTES
        found.append(Copied(path, entry, fingerprint(content) if readable else None))
    return tuple(found)


def find_candidates(
    files: Sequence[Copied], timeline: Timeline, read: Reader, progress: Progress
) -> tuple[Candidates, ...]:
    """Every version of the history that may be where a file came from, per file.

    `read` gives contents; it is called twice, with everything that one round compares.
    """
    interested: dict[bytes, list[Copied]] = {}
    for file, paths in _promising_paths([file for file in files if file.weight], timeline, read):
        for path in paths:
            interested.setdefault(path, []).append(file)
    blobs = read(sorted({entry.oid for path in interested for entry in _texts(timeline, path)}))
    found: dict[bytes, dict[bytes, dict[Oid, int]]] = {file.path: {} for file in files}
    with progress.task("Comparing with upstream's versions", len(interested)) as task:
        # Version by version, so that one fingerprint of upstream's is in memory at a time.
        for path in sorted(interested):
            for entry in _texts(timeline, path):
                mark = _mark(blobs, entry.oid)
                for file in interested[path]:
                    alike = FULL if entry.oid == file.entry.oid else min(_similarity(file, mark), FULL - 1)
                    if alike >= THRESHOLD:
                        found[file.path].setdefault(path, {})[entry.oid] = alike
            task.advance()
    return tuple(Candidates(file, found[file.path]) for file in files)


def _mark(blobs: Blobs, oid: Oid) -> Fingerprint | None:
    """The fingerprint of an upstream content; None for one that is too large or cannot be had."""
    content = _content(blobs, oid)
    return None if content is None else fingerprint(content)


def _content(blobs: Blobs, oid: Oid) -> bytes | None:
    try:
        content = blobs[oid]
    except KeyError:
        return None
    return content if len(content) <= _MAX_BYTES else None


def _texts(timeline: Timeline, path: bytes) -> list[Entry]:
    return [entry for entry in timeline.versions[path] if entry.mode.is_regular]


def _promising_paths(files: Sequence[Copied], timeline: Timeline, read: Reader) -> Iterator[tuple[Copied, set[bytes]]]:
    """Per file: paths that held its bytes, or are called alike, or had a version with enough lines in common."""
    by_name: dict[bytes, set[bytes]] = {}
    holding: dict[Oid, set[bytes]] = {}
    samples: dict[Oid, set[bytes]] = {}
    kinds = {splitext(file.path)[1] for file in files}
    for path in timeline.versions:
        texts = _texts(timeline, path)
        by_name.setdefault(basename(path), set()).add(path)
        for entry in texts:
            holding.setdefault(entry.oid, set()).add(path)
        if splitext(path)[1] in kinds:
            for entry in _spread(texts):
                samples.setdefault(entry.oid, set()).add(path)
    for file, alike in zip(files, _alike_paths(files, samples, read), strict=True):
        paths = by_name.get(basename(file.path), set()) | holding.get(file.entry.oid, set()) | alike
        same = {entry.oid for path in paths for entry in _texts(timeline, path)}
        # A file that was moved or copied in upstream had the same bytes at both paths.
        yield file, paths.union(*(holding[oid] for oid in same if len(holding[oid]) <= _NAMESAKES))


def _spread(entries: Sequence[Entry]) -> list[Entry]:
    """A few versions of a path, from the first to the last: what a name stands for can change altogether."""
    last = len(entries) - 1
    return [entries[index] for index in sorted({last * step // _SAMPLES for step in range(_SAMPLES + 1)}) if last >= 0]


def _alike_paths(files: Sequence[Copied], samples: Mapping[Oid, set[bytes]], read: Reader) -> list[set[bytes]]:
    """Per file: the paths of those samples that are worth a closer look."""
    pointing: dict[bytes, list[int]] = {}
    for index, file in enumerate(files):
        for line in file.mark.distinct_lines() if file.mark is not None else ():
            pointing.setdefault(line, []).append(index)
    pointing = {line: indices for line, indices in pointing.items() if len(indices) <= _BOILERPLATE}
    blobs = read(sorted(samples))
    hits: list[Counter[Oid]] = [Counter() for _ in files]
    for oid in sorted(samples):
        for line in distinct_lines(_content(blobs, oid) or b"") & pointing.keys():
            for index in pointing[line]:
                hits[index][oid] += 1
    found = []
    for file, counts in zip(files, hits, strict=True):
        # Most lines in common first; ids break ties, so that the same samples are taken on every machine.
        paths: set[bytes] = set()
        for oid in sorted(counts, key=lambda oid: (-counts[oid], oid))[:_CLOSE_LOOKS]:
            # Samples of one path are much alike: a second look at it says nothing new.
            if not samples[oid] <= paths and _similarity(file, _mark(blobs, oid)) >= _WORTH_READING:
                paths |= samples[oid]
        found.append(paths)
    return found


def _similarity(file: Copied, mark: Fingerprint | None) -> int:
    return 0 if mark is None or file.mark is None else file.mark.similarity(mark)
