# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The steps of a timeline, added up along first parents, are git's own trees, whatever the shape of the history."""

from __future__ import annotations

import random
from pathlib import Path

from support.repo import Changes, Content, Repo, executable, repo, symlink
from vendorctl.adoption.timeline import Timeline, read_timeline
from vendorctl.git.objects import read_commit, read_tree
from vendorctl.git.oid import Oid
from vendorctl.git.program import Git
from vendorctl.git.tree import Entry, Tree

NAMES: list[str | bytes] = ["a.py", "k/b.py", "k/deep/c.py", "with space", b"caf\xe9\ttab", "k/:100644"]


def change(source: random.Random, present: set[str | bytes]) -> Changes:
    """A few paths set (to files, executables or links) or removed."""
    made: dict[str | bytes, Content] = {}
    for path in source.sample(NAMES, 2):
        text = f"{source.randrange(50)}\n"
        choices: list[Content] = [text, text, executable(text), symlink("a.py")]
        made[path] = None if path in present and source.random() < 0.3 else source.choice(choices)
        (present.discard if made[path] is None else present.add)(path)
    return made


def tangled(path: Path) -> tuple[Repo, list[Oid]]:
    """A main line, side branches that are merged or not, and a second root."""
    source = random.Random(7)
    upstream = repo(path)
    present: set[str | bytes] = set()
    main = [upstream.commit({"a.py": "0\n", **change(source, present)})]
    sides: list[Oid] = []
    for number in range(30):
        if number % 4 == 1:
            start = source.choice(main)
            sides.append(upstream.commit({"side": f"{number}\n"}, branch=f"side{number}", parents=[start]))
        if number % 4 == 3 and sides:
            merged = sides.pop(0)
            main.append(upstream.commit({"a.py": f"m{number}\n"}, parents=[main[-1], merged]))
            present.add("a.py")
        else:
            main.append(upstream.commit(change(source, present)))
    sides.append(upstream.commit({"other": "root\n"}, branch="other", parents=[]))
    return upstream, [main[-1], *sides]


def added_up(timeline: Timeline) -> dict[Oid, Tree]:
    states: dict[Oid, Tree] = {}
    for step in timeline.steps:
        before = states[step.parents[0]] if step.parents else Tree()
        entries: dict[bytes, Entry] = dict(before)
        for path, entry in step.changes.items():
            if entry is None:
                del entries[path]
            else:
                entries[path] = entry
        states[step.oid] = Tree(entries)
    return states


def test_steps_add_up_to_gits_trees(tmp_path: Path) -> None:
    upstream, tips = tangled(tmp_path / "up")
    git = Git(git_dir=upstream.git_dir)
    timeline = read_timeline(git, tips, tips[0])
    reachable = upstream.git("rev-list", *map(str, tips)).decode().split()
    assert sorted(str(step.oid) for step in timeline.steps) == sorted(reachable)
    assert any(len(step.parents) > 1 for step in timeline.steps)
    for oid, tree in added_up(timeline).items():
        commit = read_commit(git, oid)
        assert commit is not None
        assert tree == read_tree(git, commit.tree)


def test_the_main_line_and_the_versions(tmp_path: Path) -> None:
    upstream = repo(tmp_path / "up", {"a": "1"}, {"a": "2", "b": "x"}, {"a": "1"}, {"a": None})
    side = upstream.commit({"c": "y"}, branch="side", parents=[upstream.commits[1]])
    timeline = read_timeline(Git(git_dir=upstream.git_dir), [upstream.commits[3], side], upstream.commits[3])
    assert timeline.mainline == frozenset(upstream.commits[:4])
    assert {path: len(entries) for path, entries in timeline.versions.items()} == {b"a": 2, b"b": 1, b"c": 1}
