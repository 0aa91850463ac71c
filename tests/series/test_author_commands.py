# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl patch edit|refresh|drop|move|split` and `status`, as a user types them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.chains import numbered
from support.faults import snapshot
from support.repo import repo
from vendorctl.cli import main
from vendorctl.errors import ExitCode
from vendorctl.series.store import load_series

BASE = numbered(30)


@dataclass
class Desk:
    """A workspace with three independent patches to one file."""

    root: Path
    capture: pytest.CaptureFixture[str]

    def run(self, *arguments: str) -> int:
        self.capture.readouterr()
        return main(["-C", str(self.root), *arguments])

    def says(self, *arguments: str) -> str:
        assert self.run(*arguments) == 0
        return self.capture.readouterr().out

    def titles(self) -> list[str]:
        return [f"{patch.number} {patch.title}" for patch in load_series(self.root, "up").patches]

    def file(self) -> Path:
        return self.root / ".vendorctl/patched/up/k/a.py"


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    upstream = repo(tmp_path / "upstream", {"k/a.py": BASE}, {"k/a.py": "# head\n" + BASE})
    upstream.tag("v1", upstream.commits[0])
    made = Desk(tmp_path / "workspace", capsys)
    made.root.mkdir()
    for command in (["init"], ["add", "up", "../upstream", "--ref", "v1", "--include", "k/**"], ["sync"]):
        assert made.run(*command) == 0
    for line in (5, 15, 25):
        text = made.file().read_text()
        made.file().write_text(text.replace(f"line_{line} = {line}\n", f"mine_{line} = {line}\n"))
        assert made.run("patch", "record", "up", "--title", f"Line {line}", "--reason", "ours") == 0
    return made


def test_drop_move_and_split_keep_the_workspace_proven(desk: Desk) -> None:
    assert "written: patches/up/0001-line-25.patch" in desk.says("patch", "move", "up", "3", "1")
    assert desk.titles() == ["1 Line 25", "2 Line 5", "3 Line 15"]
    desk.says("patch", "drop", "up", "2")
    assert desk.titles() == ["1 Line 25", "3 Line 15"]
    assert "mine_5" not in desk.file().read_text()
    desk.says("verify")


def test_a_dry_run_says_what_would_happen_and_does_nothing(desk: Desk) -> None:
    before = snapshot(desk.root)
    assert "would be removed: patches/up/0002-line-15.patch" in desk.says("patch", "drop", "up", "2", "--dry-run")
    assert snapshot(desk.root) == before


def test_edit_and_refresh(desk: Desk) -> None:
    assert ".vendorctl/edit/up/tree" in desk.says("patch", "edit", "up", "1")
    tree = desk.root / ".vendorctl/edit/up/tree"
    (tree / "k/a.py").write_text((tree / "k/a.py").read_text().replace("mine_5 = 5", "mine_5 = five"))
    desk.says("patch", "refresh", "up")
    assert "mine_5 = five" in desk.file().read_text()
    assert "mine_25 = 25" in desk.file().read_text()
    desk.says("verify")
    desk.says("patch", "edit", "up", "2")
    desk.says("patch", "edit", "up", "--abort")
    assert not tree.exists()


def test_split_lists_parts_then_splits(desk: Desk) -> None:
    text = desk.file().read_text()
    desk.file().write_text(text.replace("line_1 = 1\n", "one\n").replace("line_30 = 30\n", "thirty\n"))
    desk.says("patch", "refresh", "up", "1")
    assert desk.says("patch", "split", "up", "1").splitlines()[:3] == [
        "1: k/a.py line 1",
        "2: k/a.py line 30 (line_26 = 26)",
        "patch split: ok; 2 parts",
    ]
    assert desk.run("patch", "split", "up", "1", "--part", "2") == ExitCode.USAGE
    desk.says("patch", "split", "up", "1", "--part", "2", "--title", "Thirty")
    assert desk.titles() == ["1 Thirty", "2 Line 5", "3 Line 15", "4 Line 25"]
    desk.says("verify")


def test_mistakes_are_usage_errors(desk: Desk) -> None:
    assert desk.run("patch", "drop", "up", "9") == ExitCode.USAGE
    assert desk.run("patch", "edit", "up") == ExitCode.USAGE
    assert desk.run("patch", "drop", "nowhere", "1") == ExitCode.USAGE
    assert desk.run("patch", "refresh", "up") == ExitCode.USAGE


def test_status_on_one_screen_and_as_json(desk: Desk) -> None:
    assert "next: up: run `vendorctl status --fetch`" in desk.says("status") or "v1" in desk.says("status")
    text = desk.says("status", "--fetch")
    assert text.splitlines()[0].split() == ["upstream", "pin", "age", "behind", "files", "patches", "licences"]
    assert "1 (1 on ours)" in text
    assert "3 moved" in text
    assert "next: up: `vendorctl sync --pin up=main`" in text
    document = json.loads(desk.says("status", "--format", "json"))
    assert document["schema"] == "vendorctl/status/1"
    assert document["upstreams"]["up"]["patches"]["moved"] == 3
