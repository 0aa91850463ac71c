# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Looking for a copy's files in the histories of one or more upstreams, and telling mixed origins apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from posixpath import dirname

from vendorctl.adoption.base import Base, settle_base, weigh
from vendorctl.adoption.candidates import Candidates, Copied, find_candidates
from vendorctl.adoption.timeline import Timeline, read_timeline
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs, object_info
from vendorctl.git.oid import Oid
from vendorctl.progress import Progress
from vendorctl.upstream.source import Source


@dataclass(frozen=True, slots=True)
class Origin:
    """An upstream that the copy may come from: the name to give it, its URL, and the refs to search (none: all)."""

    name: str
    url: str
    refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What one origin's history offers: every file's candidates, in the order of the files."""

    origin: Origin
    source: Source
    timeline: Timeline
    candidates: tuple[Candidates, ...]

    def best_commit(self, file: Copied) -> Oid | None:
        """The first commit that made the version which one file alone fits best; None for a file without candidates."""
        wanted = next(each for each in self.candidates if each.file is file).best_versions()
        for step in self.timeline.steps:
            if any((path, entry.oid) in wanted for path, entry in step.changes.items() if entry is not None):
                return step.oid
        return None


def search_history(origin: Origin, source: Source, files: Sequence[Copied], progress: Progress) -> Found:
    """Compare the files with every version in the history of the origin's branches and tags.

    Raises VendorError (exit code 4) when the history cannot be had.
    """
    main = source.head().commit
    tips = [source.resolve(ref).commit for ref in origin.refs] or sorted(set(_all_tips(source)) | {main})
    with progress.task(f"Fetching the history of {origin.name}"):
        complete = source.fetch_history(tips)
    tips = [tip for tip in tips if tip in complete]
    if not tips:
        raise VendorError(f"no history of {source.display} is to be had", code=ExitCode.UNREACHABLE)
    timeline = read_timeline(source.git, tips, main if main in tips else tips[0])
    candidates = find_candidates(files, timeline, lambda oids: _available(source, oids), progress)
    return Found(origin, source, timeline, candidates)


def _all_tips(source: Source) -> Iterable[Oid]:
    return source.refs().branches_and_tags().values()


def _available(source: Source, oids: Iterable[Oid]) -> Blobs:
    """Contents in one batch; those that the upstream does not hand out are left out instead of ending the search."""
    wanted = list(oids)
    try:
        return source.blobs(wanted, str)
    except VendorError as error:
        if error.code is not ExitCode.UNREACHABLE:
            raise
    return source.blobs(object_info(source.git, wanted), str)


def tell_apart(found: Sequence[Found]) -> list[list[int]]:
    """Per origin, the files (by position) that are its own.

    A file goes to the origin that has the most similar version of it, the first one when they are equally good. A file
    that none has, or that is too short to be recognised, goes where most files beside it went.
    """
    count = len(found[0].candidates)
    owner: dict[int, int] = {}
    for index in range(count):
        best = max(each.candidates[index].best for each in found)
        if best:
            owner[index] = next(at for at, each in enumerate(found) if each.candidates[index].best == best)
    votes: dict[bytes, Counter[int]] = {}
    for index, at in owner.items():
        votes.setdefault(dirname(found[0].candidates[index].file.path), Counter())[at] += 1
    everywhere = Counter(owner.values())
    for index in range(count):
        if index not in owner:
            counts = votes.get(dirname(found[0].candidates[index].file.path)) or everywhere
            owner[index] = min(counts, key=lambda at: (-counts[at], at), default=0)
    return [[index for index in range(count) if owner[index] == at] for at in range(len(found))]


def find_bases(found: Sequence[Found]) -> list[Base]:
    """The base of each origin, over the files that are its own.

    Raises VendorError (exit code 1) for an origin that no file comes from.
    """
    bases = []
    for each, indices in zip(found, tell_apart(found), strict=True):
        own = [each.candidates[index] for index in indices]
        choices = weigh(own, each.timeline)
        if choices is None:
            raise VendorError(
                f"nothing in the copy comes from {each.source.display}",
                hint="no file is alike to any version in its history; try another URL, or more --ref",
                code=ExitCode.FINDINGS,
            )
        bases.append(settle_base(choices, own, each.source.tree(choices.chosen.oid)))
    return bases


#: Opens the source behind a URL.
UrlOpener = Callable[[str], Source]
