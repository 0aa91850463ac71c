# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the sample is for: its releases meet the downstream edits in every way that a bump knows."""

from __future__ import annotations

from typing import TypeAlias

import pytest

from support.chains import Shelf
from vendorctl.git.oid import hash_blob
from vendorctl.git.tree import Entry, Mode
from vendorctl.sample import edits
from vendorctl.series.bump import BumpPlan
from vendorctl.series.landed import BY_SYNTAX
from vendorctl.series.merge import Conflict, Settled
from vendorctl.series.patch import Patch
from vendorctl.series.stack import Applied

Releases: TypeAlias = dict[str, dict[str, bytes]]

MOVED = "minikernels/norm/rmsnorm.py"


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def downstream(shelf: Shelf, pristine: dict[str, bytes]) -> Applied:
    """v0.1.0 with the three edits as patches."""
    states = [pristine]
    for edit in edits.all():
        states.append(states[-1] | dict(edit.files))
    return shelf.chain(*states)


def kinds(plan: BumpPlan) -> list[str]:
    return [outcome.kind.value for outcome in plan.outcomes]


def resolve(_patch: Patch, conflict: Conflict) -> Settled | None:
    content = edits.resolution().get(conflict.path.decode())
    return None if content is None else Settled(Entry(Mode.FILE, hash_blob(content)), content)


def test_second_release_has_the_barrier_and_moves_the_rest(shelf: Shelf, releases: Releases) -> None:
    plan = shelf.bump(downstream(shelf, releases["v0.1.0"]), releases["v0.2.0"])
    assert kinds(plan) == ["refreshed", "merged-upstream", "refreshed"]
    assert plan.outcomes[1].by == (BY_SYNTAX,)
    assert plan.applied is not None
    common = shelf.files(plan.applied.patched)["minikernels/common.py"]
    assert common == releases["v0.2.0"]["minikernels/common.py"].decode(), "upstream's words for it are kept"


def test_third_release_moves_a_file_and_conflicts_in_one_edit(shelf: Shelf, releases: Releases) -> None:
    plan = shelf.bump(downstream(shelf, releases["v0.1.0"]), releases["v0.3.0"])
    assert kinds(plan) == ["refreshed", "merged-upstream", "conflict"]
    assert plan.stuck is not None
    assert [conflict.path.decode() for conflict in plan.stuck.conflicts] == [MOVED]
    moved = plan.outcomes[0].new
    assert moved is not None
    assert [change.path.decode() for change in moved.changes] == [MOVED]


def test_the_resolution_settles_it(shelf: Shelf, releases: Releases) -> None:
    plan = shelf.bump(downstream(shelf, releases["v0.1.0"]), releases["v0.3.0"], resolve=resolve)
    assert kinds(plan) == ["refreshed", "merged-upstream", "refreshed"]
    assert plan.applied is not None
    assert shelf.files(plan.applied.patched)[MOVED].encode() == edits.resolution()[MOVED]


def test_fourth_release_has_epsilon_word_for_word(shelf: Shelf, releases: Releases) -> None:
    third = shelf.bump(downstream(shelf, releases["v0.1.0"]), releases["v0.3.0"], resolve=resolve).applied
    assert third is not None
    plan = shelf.bump(third, releases["v0.4.0"])
    assert dict(zip([o.patch.number for o in plan.outcomes], kinds(plan), strict=True)) == {
        1: "merged-upstream",
        3: "unchanged",
    }
    assert plan.outcomes[0].by == (), "equal bytes need no evidence"
    assert plan.applied is not None
    assert shelf.files(plan.applied.patched)[MOVED].encode() == edits.resolution()[MOVED]
