# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A bump over files that upstream moved out of what is included: followed with consent, and never without."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.chains import numbered
from support.faults import snapshot
from support.field import BASE, OURS_5, RESOLVED, THEIRS_5, Field, make_field, start_field
from vendorctl.errors import ExitCode


def moved_field(folder: Path) -> Field:
    """A workspace whose upstream moves a patched and an unpatched file out of what is included."""
    field = make_field(folder)
    more = numbered(10, word="other")
    field.upstream.commit({"kernels/a.py": None, "lib/a.py": BASE, "kernels/b.py": None, "lib/b [1].py": BASE + more})
    field.upstream.commit({"kernels/c.py": None, "lib/c.py": "c\n"})
    field.upstream.tag("v5")
    return field


def test_a_patched_file_that_moved_out_is_followed_with_consent(disk: Path) -> None:
    field = moved_field(disk / "moved")
    assert field.run("sync", "--pin", "up=v5") == ExitCode.CONFLICT
    summary = (field.files.parent / "SUMMARY.txt").read_text()
    assert f"It breaks with upstream commit {field.upstream.commits[3].short}" in summary
    assert "moved the file to lib/a.py, which is not vendored: --follow-moves includes it" in summary
    assert field.run("sync", "--abort") == 0
    assert field.run("sync", "--pin", "up=v5", "--follow-moves") == 0
    assert field.text("lib/a.py") == OURS_5
    assert "mine_20 = 20" in field.text("lib/b [1].py")
    include = (field.root / "VENDOR.yaml").read_text().split("include:")[1].split("\n")[0]
    assert include == ' ["kernels/**", "/lib/a.py", "/lib/b [[]1].py"]'
    assert field.run("verify") == 0


def left_field(folder: Path) -> Field:
    """A workspace whose globs name a folder that upstream moves, with a patch in it, and a file that it removes."""
    more = numbered(10, word="other")
    field = start_field(
        folder,
        {"old/a.py": BASE, "old/b.py": BASE + more, "gone.py": "gone\n", "keep.py": "keep\n"},
        {"old/a.py": None, "new/a.py": BASE, "old/b.py": None, "new/b.py": BASE + more},
        {"gone.py": None},
        {"new/a.py": THEIRS_5},
    )
    field.add("up", "keep.py", "old/**")
    field.record("up", "old/a.py", "line_5 =", "mine_5 =")
    return field


def include_of(field: Field) -> str:
    return (field.root / "VENDOR.yaml").read_text().split("include:")[1].split("\n")[0].strip()


def test_a_folder_that_moved_away_whole_is_followed_with_consent(
    disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    field = left_field(disk / "left")
    before = snapshot(field.root)
    capsys.readouterr()
    assert field.run("sync", "--pin", "up=v2") == ExitCode.INVALID
    told = capsys.readouterr().err
    assert "include: 'old/**' matches nothing" in told
    assert "--follow-moves" in told
    assert snapshot(field.root) == before
    assert field.run("sync", "--pin", "up=v2", "--follow-moves") == 0
    assert field.text("new/a.py") == OURS_5
    assert include_of(field) == '["keep.py", "/new/a.py", "/new/b.py"]'
    assert field.run("verify") == 0


def test_a_glob_whose_files_were_removed_stays_an_error(disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Following is for what moved; that something is gone is for a person to see."""
    field = left_field(disk / "left")
    described = field.root / "VENDOR.yaml"
    described.write_text(described.read_text().replace("keep.py", "gone.py"))
    assert field.run("sync") == 0
    before = snapshot(field.root)
    capsys.readouterr()
    assert field.run("sync", "--pin", "up=v3", "--follow-moves") == ExitCode.INVALID
    assert "include: 'gone.py' matches nothing" in capsys.readouterr().err
    assert snapshot(field.root) == before


def test_a_glob_that_never_matched_stays_an_error(disk: Path) -> None:
    field = left_field(disk / "left")
    described = field.root / "VENDOR.yaml"
    described.write_text(described.read_text().replace('"old/**"]', '"old/**", "none/**"]'))
    assert "none" in described.read_text()
    for words in ((), ("--pin", "up=v2")):
        assert field.run("sync", "--follow-moves", *words) == ExitCode.INVALID


def test_a_conflict_in_a_folder_that_moved_away_can_be_resumed(disk: Path) -> None:
    field = left_field(disk / "left")
    assert field.run("sync", "--pin", "up=v4", "--follow-moves") == ExitCode.CONFLICT
    (field.files / "new/a.py").write_text(RESOLVED)
    assert field.run("sync", "--continue") == 0
    assert field.text("new/a.py") == RESOLVED
    assert include_of(field) == '["keep.py", "/new/a.py", "/new/b.py"]'
    assert field.run("verify") == 0
