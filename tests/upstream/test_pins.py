# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What became of a pin upstream: moved tags, rewritten branches, vanished commits."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from support.repo import Repo, repo
from vendorctl.git.oid import Oid
from vendorctl.model import Severity
from vendorctl.progress import Silent
from vendorctl.rules import RULES
from vendorctl.upstream.cache import Cache
from vendorctl.upstream.pins import check_pin
from vendorctl.workspace.lock import LockedRef, LockedUpstream


@pytest.fixture
def made(tmp_path: Path) -> Repo:
    made = repo(tmp_path / "up", {"a": "1"}, {"a": "2"}, {"a": "3"})
    made.tag("v1", made.commits[0], message="One")
    made.tag("v2", made.commits[1])
    return made


def pinned(made: Repo, commit: Oid, ref: str | None) -> LockedUpstream:
    return LockedUpstream(
        name="up",
        url=str(made.path),
        commit=commit,
        root_tree=made.tree_oid(str(commit)),
        ref=LockedRef(name=ref, oid=made.resolve(ref)) if ref else None,
        files=(),
        series=(),
        include=(),
        exclude=(),
    )


def found(made: Repo, locked: LockedUpstream, tmp_path: Path, *, offline: bool = False) -> list[tuple[str, Severity]]:
    source = Cache(tmp_path / "cache", progress=Silent(), offline=offline).open(str(made.path), tmp_path)
    findings = check_pin(source, locked)
    assert all(finding.rule in RULES and finding.hint and finding.upstream == "up" for finding in findings)
    return [(finding.rule, finding.severity) for finding in findings]


@pytest.mark.parametrize(("number", "ref"), [(0, "v1"), (1, "v2"), (2, "main"), (0, "main"), (1, None), (2, "HEAD")])
def test_a_pin_that_upstream_still_leads_to(made: Repo, tmp_path: Path, number: int, ref: str | None) -> None:
    assert found(made, pinned(made, made.commits[number], ref), tmp_path) == []


@pytest.mark.parametrize("ref", ["v2", "refs/tags/v2"])
def test_a_moved_tag(made: Repo, tmp_path: Path, ref: str) -> None:
    locked = pinned(made, made.commits[1], ref)
    made.tag("v2", made.commits[2])
    assert found(made, locked, tmp_path) == [("VC301", Severity.ERROR)]


def test_a_tag_moved_to_where_the_pin_is_not(made: Repo, tmp_path: Path) -> None:
    locked = pinned(made, made.commits[1], "v2")
    made.tag("v2", made.commits[0])
    assert found(made, locked, tmp_path) == [("VC301", Severity.ERROR)]


def test_a_moved_tag_whose_old_commit_is_gone(made: Repo, tmp_path: Path) -> None:
    locked = pinned(made, made.commits[1], "v2")
    again = made.commit({"a": "2"}, parents=[made.commits[0]], message="Other words")
    made.tag("v2", again)
    findings = check_pin(Cache(tmp_path / "cache", progress=Silent()).open(str(made.path), tmp_path), locked)
    assert [(each.rule, each.data.get("same_tree")) for each in findings] == [("VC301", None), ("VC304", str(again))]


def test_a_pin_recorded_by_its_own_id_has_no_ref_to_move(made: Repo, tmp_path: Path) -> None:
    locked = pinned(made, made.commits[1], None)
    own = LockedRef(name=str(locked.commit), oid=locked.commit)
    assert found(made, dataclasses.replace(locked, ref=own), tmp_path) == []


def test_a_tag_made_anew_at_the_same_commit(made: Repo, tmp_path: Path) -> None:
    locked = pinned(made, made.commits[0], "v1")
    made.tag("v1", made.commits[0], message="One, again")
    assert found(made, locked, tmp_path) == [("VC301", Severity.WARNING)]


def test_a_deleted_ref(made: Repo, tmp_path: Path) -> None:
    locked = pinned(made, made.commits[1], "v2")
    made.git("tag", "-d", "v2")
    assert found(made, locked, tmp_path) == [("VC302", Severity.WARNING)]


def test_a_branch_that_went_on_is_no_finding(made: Repo, tmp_path: Path) -> None:
    locked = pinned(made, made.commits[2], "main")
    made.commit({"a": "4"})
    assert found(made, locked, tmp_path) == []


def test_a_pin_on_another_branch(made: Repo, tmp_path: Path) -> None:
    side = made.commit({"b": "1"}, branch="side", parents=[made.commits[0]])
    assert found(made, pinned(made, side, "main"), tmp_path) == [("VC303", Severity.WARNING)]


@pytest.mark.parametrize("cached", [True, False])
def test_a_force_push_with_the_same_files_proposes_the_new_commit(made: Repo, tmp_path: Path, cached: bool) -> None:
    locked = pinned(made, made.commits[2], "main")
    cache = Cache(tmp_path / "cache", progress=Silent())
    if cached:
        cache.open(str(made.path), tmp_path).fetch_commit(made.commits[2])
    again = made.commit({"a": "3"}, parents=[made.commits[1]], message="Other words")
    made.commit({"a": "4"})
    findings = check_pin(cache.open(str(made.path), tmp_path), locked)
    assert [finding.rule for finding in findings] == ["VC304"]
    assert findings[0].data["same_tree"] == str(again)
    assert str(again) in (findings[0].hint or "")


def test_a_force_push_with_other_files_has_nothing_to_propose(made: Repo, tmp_path: Path) -> None:
    locked = pinned(made, made.commits[2], "main")
    made.commit({"b": "1"}, parents=[])
    findings = check_pin(Cache(tmp_path / "cache", progress=Silent()).open(str(made.path), tmp_path), locked)
    assert [finding.rule for finding in findings] == ["VC304"]
    assert "same_tree" not in findings[0].data


def test_offline_says_what_was_not_checked(made: Repo, tmp_path: Path) -> None:
    Cache(tmp_path / "cache", progress=Silent()).open(str(made.path), tmp_path).refs()
    assert found(made, pinned(made, made.commits[0], "main"), tmp_path, offline=True) == [("VC305", Severity.NOTE)]
    assert found(made, pinned(made, made.commits[2], "main"), tmp_path, offline=True) == []
