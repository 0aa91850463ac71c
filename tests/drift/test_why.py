# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl why FILE:LINE` and `vendorctl log NAME`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.repo import Changes
from support.workspace import Workspace, make_workspace

FIRST = "".join(f"line {number}\n" for number in range(1, 11))
SECOND = FIRST.replace("line 4\n", "line four\n")
THIRD = SECOND.replace("line 8\n", "line eight\n")
#: Upstream's subject of each of the commits below.
MOVE: Changes = {"k/a.py": None, "k/deep/b.py": SECOND}


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """An upstream that edits, moves and edits a file; the last commit is pinned; two patches change it further."""
    made = make_workspace(tmp_path, {"k/a.py": FIRST, "README": "text\n"}, {"k/a.py": SECOND}, MOVE,
                          {"k/deep/b.py": THIRD}, output="src/out", license="Apache-2.0")  # fmt: skip
    made.describe(made.upstream.commits[3])
    made.sync()
    made.record("Say five", {"k/deep/b.py": THIRD.replace("line 5\n", "line FIVE\n")})
    both = THIRD.replace("line 5\n", "line FIVE\n").replace("line 2\n", "line 2\nline 2b\n")
    made.record("Add a line", {"k/deep/b.py": both})
    return made


def why(space: Workspace, place: str, *words: str) -> dict[str, Any]:
    result = space.run("why", place, "--format", "json", *words)
    assert result.code == 0, result.text
    found = result.json()
    assert isinstance(found, dict)
    return found


def at(space: Workspace, text: str, folder: str = "src/out") -> str:
    """`FILE:LINE` of the line that says `text`."""
    lines = (space.root / folder / "k/deep/b.py").read_text().splitlines()
    return f"{folder}/k/deep/b.py:{lines.index(text) + 1}"


@pytest.mark.parametrize(
    ("text", "commit", "path", "line"),
    [("line 1", 0, "k/a.py", 1), ("line four", 1, "k/a.py", 4), ("line eight", 3, "k/deep/b.py", 8)],
)
def test_upstreams_lines_lead_to_the_commit_that_brought_them(
    space: Workspace, text: str, commit: int, path: str, line: int
) -> None:
    for folder in ("src/out", "vendored/up"):
        found = why(space, at(space, text, folder))
        assert (found["by"], found["text"], found["commit"]) == ("upstream", text, str(space.upstream.commits[commit]))
        assert (found["upstream_path"], found["upstream_line"]) == (path, line)


@pytest.mark.parametrize(("text", "title"), [("line FIVE", "Say five"), ("line 2b", "Add a line")])
def test_lines_of_patches_lead_to_the_patch_and_its_reason(space: Workspace, text: str, title: str) -> None:
    found = why(space, at(space, text))
    assert (found["by"], found["patch"]["title"], found["patch"]["reason"]) == ("patch", title, "ours")


def test_lines_of_nobody_and_of_notices_are_told(space: Workspace) -> None:
    file = space.patched / "k/deep/b.py"
    file.write_text(file.read_text().replace("line 9\n", "line nine\n"))
    assert why(space, at(space, "line nine"))["by"] == "unrecorded"
    assert why(space, at(space, "line 10"))["by"] == "upstream"
    assert why(space, "src/out/k/deep/b.py:1")["by"] == "notice"
    assert why(space, at(space, "line FIVE"))["by"] == "patch"


def test_rewritten_imports_are_upstreams_lines(tmp_path: Path) -> None:
    text = "import os\nfrom kern import a\n\nvalue = a\n"
    space = make_workspace(tmp_path, {"kern/b.py": text}, output="src/out", rewrite_imports="{kern: src.out.kern}")
    space.sync()
    space.record("Change the value", {"kern/b.py": space.text("kern/b.py").replace("= a", "= a.x")})
    shown = (space.patched / "kern/b.py").read_text().splitlines()
    line = shown.index("from src.out.kern import a") + 1
    found = why(space, f"src/out/kern/b.py:{line}")
    assert (found["by"], found["text"], found["upstream_line"]) == ("upstream", "from src.out.kern import a", 2)
    assert why(space, f"src/out/kern/b.py:{len(shown)}")["by"] == "patch"


def test_a_path_of_upstreams_will_do(space: Workspace) -> None:
    count = len((space.patched / "k/deep/b.py").read_text().splitlines())
    assert why(space, f"k/deep/b.py:{count}")["text"] == "line 10"
    space.must("-C", str(space.patched / "k"), "why", "deep/b.py:1")


@pytest.mark.parametrize(
    "place", ["src/out/k/deep/b.py", "src/out/k/deep/b.py:0", "src/out/k/deep/b.py:99", "src/out/none.py:1", "x.py:1"]
)
def test_places_that_are_none_are_refused(space: Workspace, place: str) -> None:
    assert space.run("why", place).code == 2


def test_offline_without_the_history_says_so(space: Workspace) -> None:
    result = space.run("why", at(space, "line 1"), "--offline")
    assert result.code == 4
    assert "offline" in result.err
    why(space, at(space, "line 1"))
    assert why(space, at(space, "line 1"), "--offline")["commit"] == str(space.upstream.commits[0])


def git(space: Workspace, *words: str) -> None:
    subprocess.run(["git", "-C", str(space.folder), *words], check=True, capture_output=True)


def commit(space: Workspace, subject: str) -> None:
    git(space, "add", "workspace")
    git(space, "commit", "-q", "-m", subject)


def log(space: Workspace) -> list[dict[str, Any]]:
    rows = space.must("log", "up", "--format", "json").json()["changes"]
    assert isinstance(rows, list)
    return rows


def test_the_log_tells_moves_and_patches(tmp_path: Path) -> None:
    """The workspace is a subfolder of the repository."""
    space = make_workspace(tmp_path, {"k/a.py": FIRST}, {"k/a.py": SECOND}, {"k/a.py": THIRD})
    git(space, "init", "-q", ".")
    space.sync()
    commit(space, "Vendor it")
    space.record("Say one", {"k/a.py": FIRST.replace("line 1\n", "line ONE\n")})
    commit(space, "Patch it")
    (space.root / "note").write_text("nothing about pins\n")
    commit(space, "Something else")
    space.must("sync", "--pin", "up=v3")
    rows = log(space)
    assert [row["subject"] for row in rows] == ["not committed yet", "Patch it", "Vendor it"]
    first, third = (str(space.upstream.commits[index]) for index in (0, 2))
    assert [(row["from"], row["to"]) for row in rows] == [(first, third), (first, first), (None, first)]
    assert [row["patches_added"] for row in rows] == [[], ["0001-say-one.patch"], []]
    assert (rows[0]["ref"], rows[0]["commit"]) == ("v3", None)
    space.must("diff-upstream", "--against", "v1")
    assert log(space)[0]["upstream_commits"] == 2
    commit(space, "Move it")
    assert [row["subject"] for row in log(space)] == ["Move it", "Patch it", "Vendor it"]


def test_a_workspace_without_git_has_no_log(tmp_path: Path) -> None:
    space = make_workspace(tmp_path, {"k/a.py": FIRST})
    space.sync()
    result = space.run("log", "up")
    assert result.code == 2
    assert "no git repository" in result.err
