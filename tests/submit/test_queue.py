# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The queue: what each patch costs, and in which order they are shown."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.chains import numbered
from support.workspace import Workspace, make_workspace

DAY = 86_400
BASE = numbered(40)


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Three patches, the youngest on the busiest file, the middle one refreshed twice; the workspace is in git."""
    space = make_workspace(
        tmp_path / "w",
        {"a.py": BASE, "b.py": BASE, "c.py": BASE},
        {"c.py": numbered(40, {30: "c = 1\n"})},
        {"c.py": numbered(40, {30: "c = 2\n"}), "b.py": numbered(40, {30: "b = 1\n"})},
        track="main",
    )
    space.sync()
    for number, name in enumerate("abc"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str((1000 + number) * DAY))
        space.record(f"Change {name}", {f"{name}.py": numbered(40, {5: "ours = 5\n"})})
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    subprocess.run(["git", "init", "-q", str(space.root)], check=True)
    keep(space)
    for text in ("ours = 6\n", "ours = 7\n"):
        space.must("patch", "edit", "up", "2")
        (edited,) = space.root.glob(".vendorctl/**/edit*/**/b.py")
        edited.write_text(numbered(40, {5: text}))
        space.must("patch", "refresh", "up")
        keep(space)
    return space


def keep(space: Workspace) -> None:
    for words in (["add", "-A"], ["commit", "-q", "-m", "state"]):
        subprocess.run(["git", *words], cwd=space.root, check=True)


def rows(space: Workspace, order: str = "age") -> list[dict[str, object]]:
    found = space.must("submit", "--queue", order, "--format", "json").json()["patches"]
    assert isinstance(found, list)
    return found


def titles(space: Workspace, order: str) -> list[object]:
    return [row["title"] for row in rows(space, order)]


def test_each_patch_has_its_numbers(space: Workspace) -> None:
    found = rows(space)
    assert [(row["title"], row["churn"], row["refreshes"]) for row in found] == [
        ("Change a", 0, 0),
        ("Change b", 1, 2),
        ("Change c", 2, 0),
    ]
    ages = [row["age_days"] for row in found]
    assert all(isinstance(age, int) for age in ages)
    assert ages == sorted(ages, key=lambda age: -int(str(age)))
    assert int(str(ages[0])) - int(str(ages[2])) == 2


def test_the_costliest_comes_first(space: Workspace) -> None:
    assert titles(space, "age") == ["Change a", "Change b", "Change c"]
    assert titles(space, "churn") == ["Change c", "Change b", "Change a"]
    assert titles(space, "cost")[0] == "Change b"


def test_reordering_the_series_is_no_refresh_of_its_patches(space: Workspace) -> None:
    space.must("patch", "move", "up", "3", "1")
    keep(space)
    assert {row["title"]: row["refreshes"] for row in rows(space)}["Change b"] in (2, 3)


def test_landed_patches_have_left_the_queue(space: Workspace) -> None:
    space.must("submit", "2", "--landed", "v9")
    assert titles(space, "age") == ["Change a", "Change c"]


def test_outside_of_git_refreshes_are_unknown_and_not_zero(space: Workspace) -> None:
    (space.root / ".git").rename(space.folder / "elsewhere")
    result = space.must("submit", "--queue", "--format", "json")
    assert [row["refreshes"] for row in result.json()["patches"]] == [None, None, None]
    assert "unknown" in result.json()["notes"][0]


def test_what_is_not_restored_is_not_looked_at_and_told(space: Workspace) -> None:
    shutil.rmtree(space.pristine)
    space.describe(space.upstream.commits[0], track="main", store="fetch")
    for mode in ("--queue", "--check"):
        report = space.must("submit", mode, "--format", "json").json()
        assert report["counts"]["not looked at"] == 1
        assert "vendorctl sync up" in report["notes"][0]
