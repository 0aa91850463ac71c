# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The helpers that every other test trusts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.repo import Changes, executable, gitlink, repo, symlink
from vendorctl.git.oid import Oid

FIRST: Changes = {"a.py": "x = 1\n", "run.sh": executable("exit 0\n"), "link": symlink("a.py")}


def test_ids_depend_on_the_arguments_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = repo(tmp_path / "one", FIRST, {"a.py": "x = 2\n"})
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    two = repo(tmp_path / "two", FIRST, {"a.py": "x = 2\n"})
    other = repo(tmp_path / "other", FIRST, {"a.py": "x = 3\n"})
    assert one.commits == two.commits
    assert one.commits[0] == other.commits[0]
    assert one.commits[1] != other.commits[1]


def test_author_and_committer_and_their_dates_differ(tmp_path: Path) -> None:
    made = repo(tmp_path / "up", FIRST)
    fields = made.git("log", "-1", "--format=%ae%n%ce%n%aI%n%cI").decode().split()
    assert len(set(fields)) == 4


def test_modes_names_and_removals(tmp_path: Path) -> None:
    submodule = Oid.parse("1" * 40)
    made = repo(tmp_path / "up", FIRST, {b'caf\xe9 "q"\\n': b"\0\xff", "sub": gitlink(submodule), "a.py": None})
    rows = made.git("ls-tree", "-z", "-r", "HEAD").split(b"\0")[:-1]
    assert [row.split(b" ")[0] + b" " + row.split(b"\t")[1] for row in rows] == [
        b'100644 caf\xe9 "q"\\n',
        b"120000 link",
        b"100755 run.sh",
        b"160000 sub",
    ]


def test_merges_roots_and_tags(tmp_path: Path) -> None:
    made = repo(tmp_path / "up", FIRST)
    base = made.commits[0]
    side = made.commit({"b.py": "b\n"}, branch="side", parents=[base])
    merge = made.commit({}, parents=[base, side], message="Merge side")
    assert made.git("rev-list", "--parents", "-1", "main").decode().split()[1:] == [str(base), str(side)]
    annotated = made.tag("v1", merge, message="Release 1")
    assert annotated != merge
    assert made.resolve("v1^{commit}") == merge
    forced = made.commit(FIRST, parents=[], message="Rewritten")
    assert made.head == forced
    assert made.git("rev-list", "--count", "main").strip() == b"1"
    assert (made.checkout() / "a.py").read_text() == "x = 1\n"


def test_environment_is_private(home: Path, tmp_path: Path) -> None:
    assert os.environ["HOME"] == str(home)
    assert not [name for name in os.environ if name.startswith("GIT_DIR")]
    listed = repo(tmp_path / "up", FIRST).git("config", "--list", "--show-origin").decode()
    assert "downstream@example.org" in listed
    assert "/etc/gitconfig" not in listed
