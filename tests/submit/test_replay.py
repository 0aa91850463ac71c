# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every commit of the sample upstream as if it had been our patch: what became of it is known, commit by commit.

The patches say nothing about where they come from: content alone has to tell. Turned round, the same changes were never
upstream's, and must not be taken for landed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from submit.standings import bare_standing
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Tree
from vendorctl.progress import Silent
from vendorctl.sample import history
from vendorctl.sample.history import History
from vendorctl.series.content import ContentMerger
from vendorctl.series.patch import Trailers
from vendorctl.series.stack import Series, apply_series
from vendorctl.series.workspace import Standing
from vendorctl.series.write import write_patch
from vendorctl.submit.ground import survey_ground
from vendorctl.submit.tracking import Fate, Track, track_series
from vendorctl.upstream.cache import Cache
from vendorctl.upstream.source import Source
from vendorctl.vendor.select import select

INCLUDE = ("minikernels/**",)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> History:
    return history.write(tmp_path_factory.mktemp("sample") / "minikernels.git")


@pytest.fixture(scope="module")
def source(sample: History, tmp_path_factory: pytest.TempPathFactory) -> Source:
    cache = Cache(tmp_path_factory.mktemp("cache"), progress=Silent())
    return cache.open(f"file://{sample.path}", Path("/"))


def standing(source: Source, pin: Oid, wanted: Oid) -> Standing | None:
    """A workspace at `pin` with one patch, which leads to what upstream has at `wanted`; None when that is the same."""
    before, after = (select(source.tree(commit), INCLUDE, ()).tree for commit in (pin, wanted))
    if before == after:
        return None
    trees: tuple[Tree, ...] = (before, after)
    blobs = source.blobs([entry.oid for tree in trees for entry in tree.values()], str)
    patch = write_patch(
        before,
        after,
        blobs,
        number=1,
        title="A local change",
        body="",
        author="A <a@example.org>",
        date="Mon, 1 Jan 2024 00:00:00 +0000",
        trailers=Trailers(forwarded="no", reason="a test"),
    )
    chain = apply_series(before, Series("mini", (patch,)), blobs)
    return bare_standing(chain, blobs, url=source.url, pin=pin, root_tree=source.root_tree(pin), include=INCLUDE)


def track(source: Source, pin: Oid, wanted: Oid) -> Track | None:
    made = standing(source, pin, wanted)
    if made is None:
        return None
    with ContentMerger() as merger:
        (found,) = track_series(survey_ground(made, source, source.head()), merger)
    return found


def steps(source: Source, sample: History) -> list[tuple[Oid, Oid]]:
    """Commits with one parent, as parent and commit, oldest first."""
    commits = [source.fetch_commit(oid) for oid in sample.commits]
    return [(commit.parents[0], commit.oid) for commit in commits if len(commit.parents) == 1]


def test_every_commit_is_recognised_as_what_it_was(source: Source, sample: History) -> None:
    others = {}
    recognised = 0
    for parent, commit in steps(source, sample):
        found = track(source, parent, commit)
        if found is not None and (found.fate, found.commit and found.commit.oid) == (Fate.LANDED, commit):
            recognised += 1
        elif found is not None:
            named = found.commit.subject if found.commit is not None else ""
            others[source.fetch_commit(commit).subject] = (found.fate, named)
    assert recognised >= 15
    reciprocal = "Softmax: divide by the row sum with the fast reciprocal (#7)"
    assert others == {
        # Reverted: only its title or its pull request could tell that it had been there.
        reciprocal: (Fate.OPEN, ""),
        # Spoilt by that change and whole again with the revert, which is where bisection finds it.
        "Row softmax (#4)": (Fate.LANDED, f'Revert "{reciprocal}" (#10)'),
    }


def test_changes_that_upstream_never_had_are_not_taken_for_landed(source: Source, sample: History) -> None:
    fates = [found.fate for parent, commit in steps(source, sample) if (found := track(source, commit, parent))]
    assert len(fates) > 15
    # The revert of the fast reciprocal, turned round, is what upstream did; the same holds for the reverted commit.
    assert fates.count(Fate.LANDED) + fates.count(Fate.REWRITTEN) <= 1
