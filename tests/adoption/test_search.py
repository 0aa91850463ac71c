# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Planted copies: the commit, the file and the version that each was taken from are known, and must be found."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.repo import Changes, Content, Repo, repo
from vendorctl.adoption.base import Base, settle_base, weigh
from vendorctl.adoption.candidates import Copied, read_copy
from vendorctl.adoption.fingerprint import FULL, fingerprint
from vendorctl.adoption.search import Found, Origin, find_bases, search_history, tell_apart
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.progress import Silent
from vendorctl.upstream.cache import Cache
from vendorctl.upstream.source import Source

FILES = [f"{folder}/{name}.py" for folder in ("kernels/norm", "kernels/attention", "common") for name in "abcd"]
MOVED = {"kernels/norm/a.py": "kernels/norm/row/a.py", "common/d.py": "kernels/attention/shared.py"}
COMMITS = 40


@dataclass
class Grown:
    """A repository with the content of every path at every commit."""

    repository: Repo
    states: list[dict[str, str]]

    def commit(self, index: int) -> Oid:
        return self.repository.commits[index]


def lines(source: random.Random, count: int) -> list[str]:
    return [f"    value_{source.randrange(10**6)} = tile[{source.randrange(64)}]\n" for _ in range(count)]


def edited(source: random.Random, text: str, count: int) -> str:
    """`text` with some lines replaced, some removed and some added."""
    rows = text.splitlines(keepends=True)
    for _ in range(count):
        at = source.randrange(len(rows))
        rows[at : at + source.randrange(2)] = lines(source, 1)
    return "".join(rows)


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Grown:
    """Forty commits: each edits some files; two move files; one removes a file."""
    source = random.Random(1)
    state = {path: "".join(lines(source, 60)) for path in FILES}
    states: list[dict[str, str]] = [dict(state)]
    changes: list[Changes] = [dict(state.items())]
    for number in range(1, COMMITS):
        change: dict[str | bytes, Content] = {}
        for path in source.sample(sorted(state), 3):
            change[path] = state[path] = edited(source, state[path], 4)
        if number in {12, 25}:
            old = sorted(MOVED)[number == 25]
            change |= {old: None, MOVED[old]: state[old]}
            state[MOVED[old]] = state.pop(old)
        states.append(dict(state))
        changes.append(change)
    return Grown(repo(tmp_path_factory.mktemp("grown") / "up", *changes), states)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all searches of this module."""
    return tmp_path_factory.mktemp("cache")


def opened(upstream: Repo, shared: Path) -> Source:
    return Cache(shared, progress=Silent()).open(str(upstream.path), upstream.path)


def copied(files: dict[str, str]) -> tuple[Copied, ...]:
    contents = {hash_blob(text.encode()): text.encode() for text in files.values()}
    entries = {path.encode(): Entry(Mode.FILE, hash_blob(text.encode())) for path, text in files.items()}
    return read_copy(Tree(entries), contents)


def searched(upstream: Repo, shared: Path, files: dict[str, str], name: str = "up") -> Found:
    return search_history(Origin(name, str(upstream.path)), opened(upstream, shared), copied(files), Silent())


def based(upstream: Repo, shared: Path, files: dict[str, str]) -> Base:
    return find_bases([searched(upstream, shared, files)])[0]


def matched(base: Base) -> dict[str, tuple[str, Oid]]:
    return {match.file.path.decode(): (match.path.decode(), match.entry.oid) for match in base.matches}


@pytest.mark.parametrize("seed", range(50))
def test_a_planted_copy_is_traced_to_its_commit_and_its_files(grown: Grown, shared: Path, seed: int) -> None:
    source = random.Random(seed)
    index = source.randrange(COMMITS)
    state = grown.states[index]
    taken = source.sample(sorted(state), source.randrange(4, 9))
    copy, truth = {}, {}
    for number, path in enumerate(taken):
        # Flattened, and some are renamed as well.
        name = f"copy{number}.py" if source.random() < 0.3 else path.replace("/", "_")
        copy[name] = edited(source, state[path], source.randrange(6))
        truth[name] = (path, hash_blob(state[path].encode()))
    found = searched(grown.repository, shared, copy)
    choices = weigh(found.candidates, found.timeline)
    assert choices is not None
    assert grown.commit(index) in {step.oid for step in choices.best}
    assert matched(settle_base(choices, found.candidates, found.source.tree(choices.chosen.oid))) == truth


def test_what_no_history_has_stays_without_origin(grown: Grown, shared: Path) -> None:
    state = grown.states[20]
    stranger = "".join(lines(random.Random(99), 60))
    base = based(grown.repository, shared, {"b.py": state["kernels/norm/b.py"], "own.py": stranger})
    assert [file.path for file in base.unmatched] == [b"own.py"]
    assert base.matches[0].exact


def test_the_range_of_equal_commits_is_told(grown: Grown, shared: Path) -> None:
    """Commits that change nothing copied cannot be told apart; the earliest is taken and the latest named."""
    path = "common/a.py"
    content = grown.states[-1][path]
    same = [index for index, state in enumerate(grown.states) if state[path] == content]
    base = based(grown.repository, shared, {"a.py": content})
    assert (base.chosen.commit, base.through, base.equals) == (
        grown.commit(same[0]), grown.commit(same[-1]), len(same)
    )  # fmt: skip
    assert base.runners_up
    assert base.runners_up[0].cost > 0


def test_one_upstream_file_is_given_to_one_copy_only(grown: Grown, shared: Path) -> None:
    text = grown.states[5]["common/b.py"]
    base = based(grown.repository, shared, {"b.py": text, "variant.py": edited(random.Random(4), text, 10)})
    assert matched(base).keys() == {"b.py"}
    assert [file.path for file in base.unmatched] == [b"variant.py"]


def test_a_short_file_follows_its_neighbours(tmp_path: Path, shared: Path) -> None:
    body = "".join(lines(random.Random(3), 30))
    other = "".join(lines(random.Random(5), 30))
    upstream = repo(tmp_path / "up", {"x/__init__.py": "", "x/k.py": body, "y/__init__.py": "", "y/other.py": other})
    base = based(upstream, shared, {"k.py": body, "__init__.py": ""})
    assert matched(base) == {
        "k.py": ("x/k.py", hash_blob(body.encode())),
        "__init__.py": ("x/__init__.py", hash_blob(b"")),
    }


def test_files_of_two_upstreams_are_told_apart(grown: Grown, tmp_path: Path, shared: Path) -> None:
    other = repo(tmp_path / "other", {"gemm.py": "".join(lines(random.Random(7), 50))})
    gemm = edited(random.Random(8), other.read("gemm.py").decode(), 3)
    copy = {"b.py": grown.states[3]["common/b.py"], "gemm.py": gemm}
    found = [searched(grown.repository, shared, copy, "one"), searched(other, shared, copy, "two")]
    assert tell_apart(found) == [[0], [1]]
    first, second = find_bases(found)
    assert (set(matched(first)), set(matched(second))) == ({"b.py"}, {"gemm.py"})


def test_a_merged_branch_counts_and_the_main_line_is_preferred(tmp_path: Path, shared: Path) -> None:
    start = lines(random.Random(11), 40)
    upstream = repo(tmp_path / "up", {"k.py": "".join(start)})
    changed = "".join([*start[:20], "    changed = 1\n", *start[20:]])
    side = upstream.commit({"k.py": changed}, branch="side", parents=[upstream.commits[0]])
    merge = upstream.commit({"k.py": changed}, parents=[upstream.commits[0], side])
    base = based(upstream, shared, {"k.py": changed})
    assert (base.chosen.commit, base.equals) == (merge, 2)


def similar(left: Sequence[str], right: Sequence[str]) -> int:
    return fingerprint("\n".join(left).encode()).similarity(fingerprint("\n".join(right).encode()))


def test_similarity_sees_content_and_order_but_not_blanks() -> None:
    words = [f"line {number}" for number in range(40)]
    assert similar(words, [f"{word}  \r" for word in words]) == FULL
    assert similar(words, [word for row in words for word in (row, "")]) == FULL
    assert FULL // 3 < similar(words, words[::-1]) < 2 * FULL // 3
    assert similar(words, [f"other {number}" for number in range(40)]) == 0
    assert similar(words, words[:20]) == similar(words[:20], words)
