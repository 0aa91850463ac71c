# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Files and folders on the command line start where `-C` says, before and after the command's name, as in git."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.licensed_workspace import LicensedWorkspace, header
from vendorctl.cli import main


@pytest.fixture
def elsewhere(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder outside the workspace, in which the calls are made; the workspace has one patch."""
    LicensedWorkspace(workspace, {"a.py": header() + "x = 1\n"}, ({"a.py": header() + "x = 2\n"},)).published()
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


WRITES: dict[tuple[str, ...], str] = {
    ("report", "--html", "page"): "page/index.html",
    ("licenses", "--export", "doc"): "doc/NOTICE",
}


@pytest.mark.parametrize("words", WRITES, ids=" ".join)
@pytest.mark.parametrize("after", [False, True], ids=["-C before the command", "-C after it"])
def test_what_a_call_writes_starts_at_the_folder(
    elsewhere: Path, workspace: Path, words: tuple[str, ...], after: bool
) -> None:
    start = ("-C", str(workspace))
    call = (words[0], *words[1:], *start) if after else (*start, *words)
    assert main([*call, "-q"]) == 0
    assert (workspace / WRITES[words]).is_file()
    assert list(elsewhere.iterdir()) == []


def test_what_a_call_reads_starts_there_too(
    elsewhere: Path, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (elsewhere / "results.json").write_text("{}")
    call = ["-C", str(workspace), "report", "--html", "page", "--tests", "results.json"]
    assert main(call) == 2
    assert str(workspace / "results.json") in capsys.readouterr().err


def test_an_absolute_name_is_taken_as_it_is(elsewhere: Path, workspace: Path) -> None:
    assert main(["-C", str(workspace), "-q", "report", "--html", str(elsewhere / "page")]) == 0
    assert (elsewhere / "page/index.html").is_file()
    assert not (workspace / "page").exists()


def test_without_it_names_start_here(elsewhere: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)
    assert main(["-q", "report", "--html", "page"]) == 0
    assert (workspace / "page/index.html").is_file()
    assert list(elsewhere.iterdir()) == []
