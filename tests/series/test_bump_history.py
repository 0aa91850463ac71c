# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Naming the upstream commit: what took a patch, what broke it, what moved or removed its files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.chains import Shelf, numbered
from support.repo import Changes, Repo, repo
from vendorctl.git.objects import read_blobs, read_commit, read_tree
from vendorctl.git.oid import Oid
from vendorctl.git.program import Git
from vendorctl.git.tree import Tree
from vendorctl.series.content import ContentMerger
from vendorctl.series.evidence import Evidence
from vendorctl.series.history import History
from vendorctl.series.moves import Move
from vendorctl.series.stack import Applied
from vendorctl.series.trace import trace_moves

BASE = numbered(60)
OURS = numbered(60, {30: "thirty = 30\n"})


@pytest.fixture
def merger() -> Iterator[ContentMerger]:
    with ContentMerger() as opened:
        yield opened


def history(upstream: Repo, old: Oid, new: Oid) -> History:
    git = Git(upstream.git_dir)
    return History(git, lambda oids: read_blobs(git, oids), old, new)


def whole_tree(upstream: Repo, commit: Oid) -> Tree:
    git = Git(upstream.git_dir)
    found = read_commit(git, commit)
    assert found is not None
    return read_tree(git, found.tree)


def chain() -> Applied:
    return Shelf().chain({"a.py": BASE, "b.py": "b\n"}, {"a.py": OURS, "b.py": "b\n"})


def busy(count: int, text: str) -> list[Changes]:
    """Commits that touch the file elsewhere."""
    return [{"a.py": text.replace("line_1 =", f"line_1 = {number} +")} for number in range(count)]


def test_the_landing_commit_is_named_among_many(tmp_path: Path, merger: ContentMerger) -> None:
    upstream = repo(tmp_path / "up", {"a.py": BASE, "b.py": "b\n"})
    upstream.add_commits(busy(20, BASE))
    landed = upstream.commit({"a.py": OURS}, message="Take thirty (#77)")
    upstream.add_commits(busy(20, OURS))
    evidence = Evidence(history(upstream, upstream.commits[0], upstream.head), chain(), (), merger)
    found = evidence.landed_in(1)
    assert found is not None
    assert (found.oid, found.pull_request) == (landed, 77)
    assert evidence.broken_by(1) is None
    assert len(evidence.touching(1)) == 41


def test_the_landing_commit_is_found_inside_a_merge(tmp_path: Path, merger: ContentMerger) -> None:
    upstream = repo(tmp_path / "up", {"a.py": BASE, "b.py": "b\n"})
    root = upstream.head
    landed = upstream.commit({"a.py": OURS}, branch="topic", parents=[root])
    tip = upstream.commit({"a.py": OURS + "more = 1\n"}, branch="topic")
    main = upstream.commit({"b.py": "b2\n"})
    upstream.commit({"a.py": OURS + "more = 1\n"}, message="Merge pull request #5 from x/topic", parents=[main, tip])
    found = Evidence(history(upstream, root, upstream.head), chain(), (), merger).landed_in(1)
    assert found is not None
    assert found.oid == landed


def test_a_landing_that_was_reverted_is_no_landing(tmp_path: Path, merger: ContentMerger) -> None:
    upstream = repo(tmp_path / "up", {"a.py": BASE}, {"a.py": OURS}, {"a.py": BASE})
    assert Evidence(history(upstream, upstream.commits[0], upstream.head), chain(), (), merger).landed_in(1) is None


def test_the_breaking_commit_is_the_first_that_conflicts(tmp_path: Path, merger: ContentMerger) -> None:
    broken = BASE.replace("line_30 = 30", "line_30 = theirs")
    upstream = repo(tmp_path / "up", {"a.py": BASE, "b.py": "b\n"})
    upstream.add_commits(busy(9, BASE))
    culprit = upstream.commit({"a.py": broken})
    upstream.add_commits(busy(9, broken))
    found = Evidence(history(upstream, upstream.commits[0], upstream.head), chain(), (), merger).broken_by(1)
    assert found is not None
    assert found.oid == culprit


def test_the_removing_commit_is_named(tmp_path: Path, merger: ContentMerger) -> None:
    upstream = repo(tmp_path / "up", {"a.py": BASE, "b.py": "b\n"}, {"b.py": "b2\n"}, {"a.py": None}, {"b.py": "b3\n"})
    evidence = Evidence(history(upstream, upstream.commits[0], upstream.head), chain(), (), merger)
    found = evidence.removed_by(b"a.py")
    assert found is not None
    assert found.oid == upstream.commits[2]


def test_a_path_that_is_still_there_was_removed_by_nobody(tmp_path: Path, merger: ContentMerger) -> None:
    upstream = repo(tmp_path / "up", {"a.py": BASE}, {"a.py": OURS})
    evidence = Evidence(history(upstream, upstream.commits[0], upstream.head), chain(), (), merger)
    assert evidence.removed_by(b"a.py") is None


def test_a_file_is_followed_through_moves_and_rewrites(tmp_path: Path) -> None:
    rewritten = numbered(60, word="rewritten")
    upstream = repo(
        tmp_path / "up",
        {"a.py": BASE, "gone.py": numbered(9, word="gone")},
        {"a.py": None, "norm/a.py": BASE + "x = 1\n"},
        {"norm/a.py": None, "kernels/rms.py": BASE + "x = 2\n", "gone.py": None},
        {"kernels/rms.py": rewritten},
    )
    stretch = history(upstream, upstream.commits[0], upstream.head)
    moves = trace_moves(stretch, [b"a.py", b"gone.py"], whole_tree(upstream, upstream.head))
    assert [(move.old, move.new) for move in moves] == [(b"a.py", b"kernels/rms.py")]
    assert moves[0].similarity < 100


def test_a_file_that_did_not_move_stays_itself(tmp_path: Path) -> None:
    upstream = repo(tmp_path / "up", {"a.py": BASE}, {"a.py": OURS})
    stretch = history(upstream, upstream.commits[0], upstream.head)
    assert trace_moves(stretch, [b"a.py"], whole_tree(upstream, upstream.head)) == (Move(b"a.py", b"a.py", 100),)


def test_many_paths_are_read_as_few_are(tmp_path: Path) -> None:
    files = {f"d{number % 7}/f{number}.py": f"{number}\n" for number in range(600)}
    upstream = repo(tmp_path / "up", dict(files.items()), {"other": "x"})
    stretch = history(upstream, upstream.head, upstream.head)
    paths = [path.encode() for path in files]
    whole = stretch.state(upstream.head, [*paths, b"absent", b"d1"])
    assert sorted(whole) == sorted(paths)
    assert stretch.state(upstream.head, paths[:3]) == Tree({path: whole[path] for path in paths[:3]})


def test_strange_subjects_and_paths_are_read_as_they_are(tmp_path: Path) -> None:
    upstream = repo(tmp_path / "up", {"a b.py": "1\n"}, {"a b.py": "2\n", "t\tb": "x"}, messages=[None, "%H\x1b[2J"])
    found = history(upstream, upstream.commits[0], upstream.head).touching([b"a b.py", b"t\tb"])
    assert [(commit.subject, commit.paths) for commit in found] == [("%H\x1b[2J", (b"a b.py", b"t\tb"))]
    assert found[0].author == "Upstream Author"
    assert found[0].date == "2024-01-02T01:00:00+01:00"
