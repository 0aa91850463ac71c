# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Upstream's commits between two points, the vendored files as they stood at each, and the first that did something.

Everything is read from the cache with exact git calls: trees always, file contents through a reader that may fetch them
in one batch. Nothing is checked out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from vendorctl.git.answers import id_list, iso_date, log_records, one_count, one_id
from vendorctl.git.objects import Blobs, listed_entries, tree_of, unusable
from vendorctl.git.oid import Oid
from vendorctl.git.program import Git
from vendorctl.git.tree import Tree

#: Gives a way to read these contents; ids that cannot be had may be missing from it.
Reader: TypeAlias = Callable[[Iterable[Oid]], Blobs]

#: Starts with an empty field, which no path is, so that commits and paths cannot be confused.
_FORMAT = "%x00%H%x00%P%x00%aI%x00%an%x00%s"
_FIELDS = 5
_PULL_REQUEST = re.compile(r"\(#(\d+)\)\s*$|^Merge pull request #(\d+)\b")
#: A merge counts as one step, which brings everything that was merged.
_FIRST_PARENT = ("--first-parent", "--diff-merges=first-parent")
#: Above this many paths one listing of the whole tree costs less than naming them.
_MANY_PATHS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamCommit:
    """One upstream commit. `date` is the author date (ISO 8601 with zone), `paths` those asked for that it changes."""

    oid: Oid
    parents: tuple[Oid, ...]
    date: str
    author: str
    subject: str
    paths: tuple[bytes, ...]

    @property
    def pull_request(self) -> int | None:
        """The number that the subject names, as GitHub writes it."""
        found = _PULL_REQUEST.search(self.subject)
        return int(found[1] or found[2]) if found else None


@dataclass(frozen=True)
class History:
    """The stretch of upstream history from `old` to `new`; `git` is bound to the cache."""

    git: Git
    read: Reader
    old: Oid
    new: Oid

    def count(self) -> int:
        """How many commits `new` has that `old` has not."""
        return one_count(self.git.exact("rev-list", "--count", str(self.new), f"^{self.old}", "--").stdout)

    def touching(self, paths: Iterable[bytes]) -> tuple[UpstreamCommit, ...]:
        """Every commit that `new` has and `old` has not, and that changes one of the paths; oldest first."""
        return self._log(self.new, self.old, paths, "--topo-order")

    def first_parents(self, paths: Iterable[bytes]) -> tuple[UpstreamCommit, ...]:
        """The same along first parents, a merge counting as one step that brings what was merged."""
        return self._steps(self.new, self.old, paths)

    def state(self, commit: Oid, paths: Iterable[bytes]) -> Tree:
        """The tree at `commit`, limited to the paths that it has."""
        wanted = set(paths)
        limit = sorted(wanted) if len(wanted) <= _MANY_PATHS else []
        listing = self.git.exact("ls-tree", "-r", "-z", "--full-tree", str(commit), "--", *limit).stdout
        try:
            # A name asked for may be a folder here; git then lists what is in it.
            return tree_of((path, entry) for path, entry in listed_entries(listing) if path in wanted)
        except ValueError as error:
            raise unusable(f"commit {commit}", error) from error

    def first(self, paths: Sequence[bytes], done: Callable[[Oid], bool]) -> UpstreamCommit | None:
        """The commit that made `done` true: its state is true, that of the step before it is not.

        Searched by bisection along first parents, then inside the merge that brought it. None when `done` does not
        hold at the last step, or held before the first. `done` is asked about commits, a logarithmic number of times.
        """
        step = _bisect(self.first_parents(paths), done)
        while step is not None and len(step.parents) > 1:
            inner = _bisect(self._steps(step.parents[1], step.parents[0], paths), done)
            if inner is None:
                break
            step = inner
        return step

    def removals(self, paths: Iterable[bytes], since: Oid) -> dict[bytes, UpstreamCommit]:
        """Per path, the first commit after `since`, along first parents, that takes it away; absent: none does."""
        found: dict[bytes, UpstreamCommit] = {}
        for commit in self._log(self.new, since, paths, *_FIRST_PARENT, "--diff-filter=D"):
            for path in commit.paths:
                found.setdefault(path, commit)
        return found

    @cached_property
    def is_forward(self) -> bool:
        """Whether `new` descends from `old`."""
        return self.git.exact("merge-base", "--is-ancestor", str(self.old), str(self.new), check=False).ok

    def _steps(self, tip: Oid, since: Oid, paths: Iterable[bytes]) -> tuple[UpstreamCommit, ...]:
        return self._log(tip, since, paths, *_FIRST_PARENT)

    def _log(self, tip: Oid, since: Oid, paths: Iterable[bytes], *options: str) -> tuple[UpstreamCommit, ...]:
        # git reads paths line by line here; one with a line break in its name cannot be asked for.
        wanted = sorted({path for path in paths if b"\n" not in path})
        if not wanted:
            return ()
        stdin = b"%s\n^%s\n--\n%s\n" % (str(tip).encode(), str(since).encode(), b"\n".join(wanted))
        arguments = ("log", "--stdin", "--reverse", "-z", "--name-only", "--no-renames", "--encoding=UTF-8")
        output = self.git.exact("--literal-pathspecs", *arguments, *options, f"--format={_FORMAT}", stdin=stdin).stdout
        return tuple(parse_log(output))


def parse_log(output: bytes) -> Iterator[UpstreamCommit]:
    """The commits of a log in our format, each with its paths. Raises GitError for what git cannot have said."""
    for (oid, parents, date, author, subject), paths in log_records(output, _FIELDS):
        yield UpstreamCommit(
            oid=one_id(oid),
            parents=id_list(parents),
            date=iso_date(date),
            author=author.decode("utf-8", "replace"),
            subject=subject.decode("utf-8", "replace"),
            paths=tuple(paths),
        )


def _bisect(steps: Sequence[UpstreamCommit], done: Callable[[Oid], bool]) -> UpstreamCommit | None:
    """The first step that is done, given that all before it are not and all after it are."""
    if not steps or not done(steps[-1].oid):
        return None
    low, high = 0, len(steps) - 1
    while low < high:
        middle = (low + high) // 2
        if done(steps[middle].oid):
            high = middle
        else:
            low = middle + 1
    return steps[low]
