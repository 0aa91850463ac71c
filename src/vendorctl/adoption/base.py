# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The commit that explains all files of a copy best, and what each file is at that commit.

The cost of a commit is the number of lines of the copy that it does not explain: per file, its lines times what the
most similar path there lacks of being the same. Costs are carried from parent to child and change only where a commit
touches a path that some file may come from, so a whole history is weighed in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from posixpath import basename, dirname

from vendorctl.adoption.candidates import Candidates, Copied
from vendorctl.adoption.fingerprint import FULL
from vendorctl.adoption.timeline import Step, Timeline
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Entry, Tree

#: How many other commits are named beside the best one.
_RUNNERS_UP = 3


@dataclass(frozen=True, slots=True)
class Match:
    """A file of the copy and the upstream path that it came from, at the base.

    `similarity` is that of the base's version, `best` the greatest of all versions (both of FULL); `second` that of
    the runner-up among other paths there, with its path.
    """

    file: Copied
    path: bytes
    entry: Entry
    similarity: int
    best: int
    second: tuple[bytes, int] | None

    @property
    def exact(self) -> bool:
        """True when the copy has upstream's very bytes."""
        return self.entry.oid == self.file.entry.oid


@dataclass(frozen=True, slots=True)
class Choice:
    """A commit and what it costs (in thousandths of lines of the copy that it does not explain)."""

    commit: Oid
    time: int
    cost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """Where a copy came from.

    `chosen` is the earliest of the best commits, on the main line where there is one; `through` is the latest of them,
    `equals` how many there are: nothing tells them apart. `runners_up` are the next best, one per cost. `weight` is the
    number of lines that were weighed.
    """

    chosen: Choice
    through: Oid
    equals: int
    runners_up: tuple[Choice, ...]
    weight: int
    matches: tuple[Match, ...]
    unmatched: tuple[Copied, ...]

    @property
    def similarity(self) -> int:
        """How much of the copy the base explains, of FULL."""
        return FULL - self.chosen.cost // self.weight if self.weight else 0

    @property
    def margin(self) -> int:
        """How many more lines the best commit explains than the next best; all of them when there is no other."""
        rest = self.runners_up[0].cost if self.runners_up else self.weight * FULL
        return (rest - self.chosen.cost) // FULL


@dataclass(frozen=True)
class Choices:
    """Every commit with its cost, in the history's order; `weight` is the number of lines weighed."""

    timeline: Timeline
    costs: tuple[int, ...]
    weight: int

    @property
    def best(self) -> list[Step]:
        """The commits with the least cost, in the history's order."""
        least = min(self.costs)
        return [step for step, cost in zip(self.timeline.steps, self.costs, strict=True) if cost == least]

    @property
    def chosen(self) -> Step:
        """The one to pin: the earliest of the best on the main line, else the earliest of the best."""
        best = self.best
        return next((step for step in best if step.oid in self.timeline.mainline), best[0])

    def runners_up(self) -> tuple[Choice, ...]:
        """The commits with the next best costs: the first of each on the main line, else the first."""
        found: list[Choice] = []
        for cost in sorted(set(self.costs))[1 : _RUNNERS_UP + 1]:
            steps = [step for step, value in zip(self.timeline.steps, self.costs, strict=True) if value == cost]
            step = next((step for step in steps if step.oid in self.timeline.mainline), steps[0])
            found.append(Choice(step.oid, step.time, cost))
        return tuple(found)


def weigh(candidates: Sequence[Candidates], timeline: Timeline) -> Choices | None:
    """What every commit of the history costs; None when no file has a candidate."""
    weighed = [each for each in candidates if each.versions]
    if not weighed:
        return None
    weights = tuple(each.file.weight for each in weighed)
    costs = _Weighing(weighed).costs(timeline.steps)
    return Choices(timeline, tuple(costs), sum(weights))


@dataclass(frozen=True, slots=True)
class _State:
    """The paths that matter as they stand at a commit, what each file costs there, and the sum."""

    versions: Mapping[bytes, Oid]
    costs: tuple[int, ...]
    total: int


class _Weighing:
    """Walks a history and says what every commit costs."""

    def __init__(self, candidates: Sequence[Candidates]) -> None:
        self._candidates = candidates
        self._touched: dict[bytes, list[int]] = {}
        for index, each in enumerate(candidates):
            for path in each.versions:
                self._touched.setdefault(path, []).append(index)

    def costs(self, steps: Sequence[Step]) -> Iterator[int]:
        """The cost of every step, in order; parents come before children."""
        costs = tuple(each.file.weight * FULL for each in self._candidates)
        nothing = _State({}, costs, sum(costs))
        waiting: dict[Oid, int] = {}
        for step in steps:
            for parent in step.parents[:1]:
                waiting[parent] = waiting.get(parent, 0) + 1
        states: dict[Oid, _State] = {}
        for step in steps:
            before = nothing
            if step.parents:
                # A shallow history may lack the parent.
                before = states.get(step.parents[0], nothing)
                waiting[step.parents[0]] -= 1
                if not waiting[step.parents[0]]:
                    states.pop(step.parents[0], None)
            state = self._after(before, step.changes)
            if waiting.get(step.oid):
                states[step.oid] = state
            yield state.total

    def _after(self, before: _State, changes: Mapping[bytes, Entry | None]) -> _State:
        relevant = self._touched.keys() & changes.keys()
        if not relevant:
            return before
        versions = dict(before.versions)
        for path in relevant:
            entry = changes[path]
            if entry is None:
                versions.pop(path, None)
            else:
                versions[path] = entry.oid
        costs = list(before.costs)
        for index in {index for path in relevant for index in self._touched[path]}:
            each = self._candidates[index]
            alike = (each.versions[path].get(versions[path], 0) for path in each.versions if path in versions)
            costs[index] = each.file.weight * (FULL - max(alike, default=0))
        return _State(versions, tuple(costs), sum(costs))


def settle_base(choices: Choices, candidates: Sequence[Candidates], tree: Tree) -> Base:
    """The base with every file's place in `tree`, the whole upstream tree at the chosen commit.

    Each upstream path is given to one file only: the most similar pair first. Files that are too short to be recognised
    are matched by name inside the folder that their neighbours came from.
    """
    matches = _pair(candidates, tree)
    found = {match.file.path: match for match in matches}
    found |= {match.file.path: match for match in _neighbours(candidates, found, tree)}
    chosen, best = choices.chosen, choices.best
    return Base(
        chosen=Choice(chosen.oid, chosen.time, min(choices.costs)),
        through=best[-1].oid,
        equals=len(best),
        runners_up=choices.runners_up(),
        weight=choices.weight,
        matches=tuple(found[path] for path in sorted(found)),
        unmatched=tuple(each.file for each in candidates if each.file.path not in found),
    )


def _pair(candidates: Sequence[Candidates], tree: Tree) -> list[Match]:
    pairs = []
    for each in candidates:
        for path, versions in each.versions.items():
            alike = versions.get(tree[path].oid, 0) if path in tree else 0
            if alike:
                ends, starts = _affinity(each.file.path, path)
                pairs.append(((-alike, -ends, -starts, len(path)), path, each.file.path, each))
    pairs.sort(key=lambda pair: pair[:-1])
    found: dict[bytes, Match] = {}
    taken: set[bytes] = set()
    for rank, path, name, each in pairs:
        if name not in found and path not in taken:
            rivals = [(other, -theirs[0]) for theirs, other, file, _each in pairs if file == name and other != path]
            found[name] = Match(each.file, path, tree[path], -rank[0], each.best, rivals[0] if rivals else None)
            taken.add(path)
    return list(found.values())


def _affinity(left: bytes, right: bytes) -> tuple[int, int]:
    """How many components at their ends two paths have in common, and how many bytes at the start of their names."""
    ends = zip(reversed(left.split(b"/")), reversed(right.split(b"/")), strict=False)
    starts = zip(basename(left), basename(right), strict=False)
    return _equal_pairs(ends), _equal_pairs(starts)


def _equal_pairs(pairs: Iterable[tuple[object, object]]) -> int:
    """How many pairs, from the first on, are of equals."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _neighbours(candidates: Sequence[Candidates], found: Mapping[bytes, Match], tree: Tree) -> Iterator[Match]:
    """Short files and links, by name, in the upstream folder that most files beside them came from."""
    folders: dict[bytes, dict[bytes, int]] = {}
    for name, match in found.items():
        counts = folders.setdefault(dirname(name), {})
        counts[dirname(match.path)] = counts.get(dirname(match.path), 0) + 1
    taken = {match.path for match in found.values()}
    for each in candidates:
        counts = folders.get(dirname(each.file.path), {})
        if each.file.weight or not counts:
            continue
        folder = min(counts, key=lambda name: (-counts[name], name))
        path = folder + b"/" + basename(each.file.path) if folder else basename(each.file.path)
        if path in taken or path not in tree or tree[path].mode.is_regular != each.file.entry.mode.is_regular:
            continue
        alike = FULL if tree[path].oid == each.file.entry.oid else 0
        # With one folder behind all neighbours a name is proof enough; else only the bytes are.
        if not alike and len(counts) > 1:
            continue
        yield Match(each.file, path, tree[path], alike, alike, None)
