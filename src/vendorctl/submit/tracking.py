# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What became of our patches upstream, told from upstream's history alone: no forge is asked.

A patch has *landed* when carrying it to the tip changes nothing, also where the text differs and only the syntax tree
is the same, or when that was so until upstream changed the same lines again. It was *rewritten* when upstream did the
same in another way; that is a judgement, so its grounds are shown: the merged pull request that `Forwarded` names, a
commit with the patch's title, or most of its lines at the tip. It is *superseded* when the code it changes is gone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from vendorctl.drift.health import PatchHealth, Prognosis, examine_series
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Tree
from vendorctl.paths import display
from vendorctl.series.carry import trace_either_way
from vendorctl.series.content import ContentMerger
from vendorctl.series.evidence import Evidence
from vendorctl.series.history import History, UpstreamCommit
from vendorctl.series.patch import Patch
from vendorctl.submit.ground import Ground

#: From this part of a patch's own lines on, finding them at the tip counts as the patch in another form.
_MOST = 0.6
#: Up to this part of the lines that a patch rests on, finding them at the tip counts as the code being gone.
_HARDLY = 0.2
#: Shorter lines (brackets, `else:`, `pass`) stand in every file and prove nothing.
_TELLING = 8
_PULL = re.compile(r"(?:/-)?/(pull|pulls|merge_requests)/(\d+)(?:[/?#].*)?$")
#: Owner and name at the end of a repository's URL, as forges write it.
_REPOSITORY = re.compile(r"(?:https?://|ssh://|@)[^/:\s]+[/:](?:.*/)?([^/:\s]+/[^/:\s]+)/?$")


class Fate(StrEnum):
    """What became of a patch upstream."""

    OPEN = "open"
    LANDED = "landed"
    REWRITTEN = "rewritten"
    PARTLY = "partly-landed"
    SUPERSEDED = "superseded"
    REVERTED = "reverted"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """One patch with its fate, the upstream commit behind it where one was found, and the grounds in words.

    `since` is a later commit that changed again what had landed; a bump then meets a conflict.
    """

    patch: Patch
    fate: Fate
    commit: UpstreamCommit | None
    grounds: tuple[str, ...]
    since: UpstreamCommit | None = None


def track_series(ground: Ground, merger: ContentMerger) -> tuple[Track, ...]:
    """The fate of every patch of the series at the tip, in series order.

    Without upstream's history fates are judged from the tip alone, and commits are not named.
    """
    standing = ground.standing
    chain, history = standing.applied, ground.history
    forecast = examine_series(chain, ground.tree, ground.blobs, ground.moves, history, merger)
    evidence = None if history is None else Evidence(history, chain, ground.moves, merger)
    return tuple(
        _Case(ground, position, prognosis, evidence, merger).track()
        for position, prognosis in enumerate(forecast, start=1)
    )


@dataclass
class _Case:
    """One patch under examination; `position` counts from 1 in the series."""

    ground: Ground
    position: int
    prognosis: Prognosis
    evidence: Evidence | None
    merger: ContentMerger

    @property
    def patch(self) -> Patch:
        return self.prognosis.patch

    def track(self) -> Track:
        health, commit = self.prognosis.health, self.prognosis.commit
        if health is PatchHealth.LANDED:
            # Where the bisection finds no commit (the file moved meanwhile), what people wrote about it may tell.
            commit = commit or self._merged_request() or self._titled_alike() or self._brought_by()
            return self._tell(Fate.LANDED, commit, *self.prognosis.outcome.by)
        if (moved := self._added_and_moved()) is not None:
            return moved
        if health is PatchHealth.PARTLY_LANDED:
            where = ", ".join(map(display, self.prognosis.outcome.landed))
            return self._tell(Fate.PARTLY, commit, f"upstream has a part of it in {where}")
        if health is PatchHealth.CONFLICT:
            return self._disputed(commit)
        return self._reverted() or self._rewritten() or self._tell(Fate.OPEN, None)

    def _added_and_moved(self) -> Track | None:
        """A patch that adds files which upstream added as well, and has under other names today, or not at all."""
        history, trees = self.ground.history, self.ground.standing.applied.trees
        changes = trees[self.position - 1].difference(trees[self.position])
        added = [path for path, (old, _new) in changes.items() if old is None and path not in self.ground.tree]
        commits = history.first_parents(added) if history is not None and added else ()
        landed = self._landed_until(commits[0].oid) if commits else None
        if history is None or landed is None:
            return None
        moves = trace_either_way(self.ground.source, replace(history, old=landed.oid), added, self.ground.tree)
        if not moves:
            return self._tell(Fate.REVERTED, landed, "upstream had it, and took it back since")
        places = ", ".join(display(move.new) for move in moves)
        return replace(self._tell(Fate.LANDED, landed, f"upstream has moved it to {places}"), since=commits[-1])

    def _disputed(self, culprit: UpstreamCommit | None) -> Track:
        """The fate of a patch that conflicts with the tip, since upstream commit `culprit`."""
        landed = self._landed_until(culprit.parents[0]) if culprit is not None and culprit.parents else None
        if landed is not None:
            return replace(self._tell(Fate.LANDED, landed, "upstream has changed it again since"), since=culprit)
        rewritten = self._rewritten()
        if rewritten is not None:
            return rewritten
        if self._resting_part() <= _HARDLY:
            return self._tell(Fate.SUPERSEDED, culprit, "the code that it changes is gone")
        return self._tell(Fate.CONFLICT, culprit)

    def _reverted(self) -> Track | None:
        """A patch that fits the tip, although upstream had it once: it was taken back."""
        known = self._merged_request() or self._titled_alike()
        landed = self._landed_until(known.oid) if known is not None else None
        return None if landed is None else self._tell(Fate.REVERTED, landed, "upstream had it, and took it back since")

    def _tell(self, fate: Fate, commit: UpstreamCommit | None, *grounds: str) -> Track:
        return Track(patch=self.patch, fate=fate, commit=commit, grounds=grounds)

    def _landed_until(self, commit: Oid) -> UpstreamCommit | None:
        """The commit with which upstream, as it stood at `commit`, had all of the patch; None when it had not."""
        history = self.ground.history
        if history is None:
            return None
        until = replace(history, new=commit)
        return Evidence(until, self.ground.standing.applied, self.ground.moves, self.merger).landed_in(self.position)

    def _rewritten(self) -> Track | None:
        """The grounds for saying that upstream did the same in another way, strongest first; None without any."""
        merged, titled = self._merged_request(), self._titled_alike()
        part = self._own_part(self.ground.tree, self.ground.blobs)
        grounds = []
        if merged is not None:
            grounds.append(f"pull request {merged.pull_request}, which `Forwarded` names, is merged")
        if titled is not None:
            grounds.append("an upstream commit has its title")
        if part >= _MOST and self._own_lines:
            grounds.append(f"{part:.0%} of the lines that it adds are upstream")
        if not grounds:
            return None
        return self._tell(Fate.REWRITTEN, merged or titled or self._brought_by(), *grounds)

    @cached_property
    def _commits(self) -> Sequence[UpstreamCommit]:
        return self.evidence.touching(self.position) if self.evidence is not None else ()

    def _merged_request(self) -> UpstreamCommit | None:
        number = pull_request(self.patch.trailers.forwarded, self.ground.standing.upstream.url)
        if number is None:
            return None
        return next((commit for commit in self._requests if commit.pull_request == number), None)

    @cached_property
    def _requests(self) -> Sequence[UpstreamCommit]:
        """Commits along first parents that changed the patch's files: merges of pull requests are among them."""
        history = self.ground.history
        return history.first_parents(self._paths) if history is not None else ()

    def _titled_alike(self) -> UpstreamCommit | None:
        title = bare_title(self.patch.title)
        return next((commit for commit in self._commits if bare_title(commit.subject) == title), None)

    @cached_property
    def _paths(self) -> list[bytes]:
        """The files of the patch, under their names before and after upstream's moves."""
        trees = self.ground.standing.applied.trees
        paths = set(trees[self.position - 1].difference(trees[self.position]))
        return sorted(paths | {move.new for move in self.ground.moves if move.old in paths})

    @cached_property
    def _own_lines(self) -> set[bytes]:
        """The telling lines that the patch adds and that were nowhere in its files before."""
        trees, blobs = self.ground.standing.applied.trees, self.ground.blobs
        before = _telling_lines(trees[self.position - 1], self._paths, blobs)
        before |= _telling_lines(trees[0], self._paths, blobs)
        return _lines_of(self.patch, b"+") - before

    def _own_part(self, tree: Tree, blobs: Blobs) -> float:
        """Which part of the patch's own lines the files have in `tree`; 0 when it has no telling line."""
        return _part(self._own_lines, _telling_lines(tree, self._paths, blobs))

    def _resting_part(self) -> float:
        """Which part of the lines that the patch rests on, context and removed, the files still have at the tip."""
        return _part(_lines_of(self.patch, b" -"), _telling_lines(self.ground.tree, self._paths, self.ground.blobs))

    def _brought_by(self) -> UpstreamCommit | None:
        """The commit with which most of the patch's own lines arrived."""
        history = self.ground.history
        return None if history is None else self._first(history)

    def _first(self, history: History) -> UpstreamCommit | None:
        def there(commit: Oid) -> bool:
            state = history.state(commit, self._paths)
            return self._own_part(state, history.read([entry.oid for entry in state.values()])) >= _MOST

        try:
            return history.first(self._paths, there)
        except VendorError as error:
            # Offline, the contents of commits in between may be out of reach: then no commit is named.
            if error.code is ExitCode.UNREACHABLE:
                return None
            raise


def pull_request(forwarded: str, upstream: str) -> int | None:
    """The number of the pull request behind `forwarded`, a URL; None when it is none of the repository `upstream`.

    Where both URLs name an owner and a repository, these must agree: numbers of a fork mean other changes.
    """
    found = _PULL.search(forwarded)
    if found is None:
        return None
    theirs, ours = _REPOSITORY.search(forwarded[: found.start()]), _REPOSITORY.search(upstream.removesuffix(".git"))
    if theirs and ours and theirs[1].casefold() != ours[1].casefold():
        return None
    return int(found[2])


def bare_title(text: str) -> str:
    """A title without a pull request's number, case and punctuation at its end, to be compared."""
    return re.sub(r"\s*\(#\d+\)\s*$", "", text).strip().rstrip(".").casefold()


def _part(some: set[bytes], of: set[bytes]) -> float:
    return len(some & of) / len(some) if some else 0.0


def _lines_of(patch: Patch, signs: bytes) -> set[bytes]:
    hunks = (hunk for change in patch.changes for hunk in change.hunks)
    lines = (line for hunk in hunks for line in hunk.lines if line.sign in signs)
    return {text for line in lines if len(text := b"".join(line.text.split())) >= _TELLING}


def _telling_lines(tree: Tree, paths: Sequence[bytes], blobs: Blobs) -> set[bytes]:
    """The lines of the files, without white space, that are long enough to mean something."""
    found: set[bytes] = set()
    for path in paths:
        entry = tree.get(path)
        if entry is not None and entry.mode.is_regular:
            found.update(
                text for line in blobs[entry.oid].split(b"\n") if len(text := b"".join(line.split())) >= _TELLING
            )
    return found
