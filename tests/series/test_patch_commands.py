# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl patch record|list|show|lint` from the outside: exit codes, output, files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.repo import Changes, repo
from support.small_workspace import SmallWorkspace
from vendorctl.cli.boundary import main
from vendorctl.errors import ExitCode
from vendorctl.series.parse import parse_patch

BEFORE: Changes = {"k/a.py": "one\ntwo\n", "k/b.py": "b\n", "LICENSE": "text\n"}
RECORD = ("patch", "record", "up", "--title", "Say TWO", "--reason", "two is too quiet")


@pytest.fixture
def desk(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> SmallWorkspace:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1704067200")
    return SmallWorkspace(workspace, BEFORE).write()


def call(desk: SmallWorkspace, *words: str) -> int:
    return main(["-C", str(desk.root), *words])


def edit(desk: SmallWorkspace) -> None:
    (desk.folder / "k/a.py").write_text("one\nTWO\n")


def test_record_list_show_lint(desk: SmallWorkspace, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    edit(desk)
    assert call(desk, *RECORD, "--body", "It was two.\n\nNow it is TWO.", "--signoff") == ExitCode.OK
    out = capfdbinary.readouterr().out
    assert b"recorded patches/up/0001-say-two.patch: k/a.py\n" in out
    raw = (desk.patches / "0001-say-two.patch").read_bytes()
    patch = parse_patch("0001-say-two.patch", raw)
    assert patch.author == "Downstream Author <downstream@example.org>"
    assert patch.date == "Mon, 1 Jan 2024 00:00:00 +0000"
    assert patch.body == "It was two.\n\nNow it is TWO."
    assert patch.trailers.signed_off_by == (patch.author,)
    assert (desk.patches / "series").read_text() == "0001-say-two.patch\n"

    assert call(desk, "patch", "list") == ExitCode.OK
    assert b"up 0001 no +1 -1 Say TWO".split() in [line.split() for line in capfdbinary.readouterr().out.splitlines()]
    for name in ("1", "0001", "say-two", "0001-say-two.patch"):
        assert call(desk, "patch", "show", "up", name) == ExitCode.OK
        assert capfdbinary.readouterr().out == raw
    assert call(desk, "patch", "lint") == ExitCode.OK
    assert call(desk, "verify") == ExitCode.OK


@pytest.mark.parametrize(("option", "count"), [("--signoff", 1), ("--sign-off", 1), ("--quiet", 0)])
def test_a_patch_is_signed_off_where_that_is_asked_for(desk: SmallWorkspace, option: str, count: int) -> None:
    """Spelt as git spells it, or as it was spelt before."""
    edit(desk)
    assert call(desk, *RECORD, option) == ExitCode.OK
    raw = (desk.patches / "0001-say-two.patch").read_bytes()
    assert raw.count(b"\nSigned-off-by: Downstream Author <downstream@example.org>\n") == count


def test_json(desk: SmallWorkspace, capfd: pytest.CaptureFixture[str]) -> None:
    edit(desk)
    assert call(desk, *RECORD, "--format", "json") == ExitCode.OK
    document = json.loads(capfd.readouterr().out)
    assert (document["schema"], document["file"], document["left"]) == (
        "vendorctl/patch-record/1", "0001-say-two.patch", [],
    )  # fmt: skip
    assert call(desk, "patch", "list", "--format", "json") == ExitCode.OK
    (row,) = json.loads(capfd.readouterr().out)["patches"]
    assert (row["reason"], row["forwarded"], row["added"]) == ("two is too quiet", "no", 1)
    assert row["changes"] == [{"kind": "modify", "path": "k/a.py", "old_path": "k/a.py"}]
    assert call(desk, "patch", "show", "up", "1", "--format", "json") == ExitCode.OK
    assert json.loads(capfd.readouterr().out)["text"] == (desk.patches / row["file"]).read_text()


def test_a_dry_run_writes_nothing(desk: SmallWorkspace, capfd: pytest.CaptureFixture[str]) -> None:
    edit(desk)
    lock = (desk.root / "VENDOR.lock").read_bytes()
    assert call(desk, *RECORD, "--dry-run") == ExitCode.OK
    assert "would record patches/up/0001-say-two.patch" in capfd.readouterr().out
    assert [path.name for path in desk.patches.iterdir()] == ["series"]
    assert (desk.root / "VENDOR.lock").read_bytes() == lock


def test_mistakes(desk: SmallWorkspace, capfd: pytest.CaptureFixture[str]) -> None:
    assert call(desk, *RECORD) == ExitCode.USAGE
    assert "nothing to record" in capfd.readouterr().err
    edit(desk)
    assert call(desk, *RECORD, "k/b.py") == ExitCode.USAGE
    assert "nothing to record at k/b.py" in capfd.readouterr().err
    assert call(desk, "patch", "record", "up", "--title", "x") == ExitCode.USAGE
    assert "--reason" in capfd.readouterr().err
    assert call(desk, *RECORD, "--author", "nobody") == ExitCode.USAGE
    assert call(desk, "patch", "record", "other", "--title", "x", "--reason", "y") == ExitCode.USAGE
    assert "no upstream named 'other'" in capfd.readouterr().err
    assert call(desk, "patch", "recrod") == ExitCode.USAGE
    assert "did you mean 'record'?" in capfd.readouterr().err
    assert call(desk, "patch", "show", "up", "9") == ExitCode.USAGE
    assert call(desk, *RECORD, "--body", "--- a/x") == ExitCode.INVALID
    assert "would be taken for part of the diff" in capfd.readouterr().err
    assert [path.name for path in desk.patches.iterdir()] == ["series"]


def test_lint_fails_with_the_place_of_what_is_missing(desk: SmallWorkspace, capfd: pytest.CaptureFixture[str]) -> None:
    edit(desk)
    assert call(desk, *RECORD) == ExitCode.OK
    file = desk.patches / "0001-say-two.patch"
    file.write_bytes(file.read_bytes().replace(b"Forwarded: no\n", b"Forwarded: perhaps\n"))
    assert call(desk, "patch", "lint") == ExitCode.FINDINGS
    assert "VC234 patch-odd-status: patches/up/0001-say-two.patch:7:" in capfd.readouterr().out
    assert call(desk, "verify") == ExitCode.FINDINGS
    assert "VC215" in capfd.readouterr().out


def test_content_cannot_drive_the_terminal(desk: SmallWorkspace, capfd: pytest.CaptureFixture[str]) -> None:
    edit(desk)
    assert call(desk, *RECORD) == ExitCode.OK
    file = desk.patches / "0001-say-two.patch"
    file.write_bytes(file.read_bytes().replace(b"Subject: Say", b"Subject: \x1b[31mSay \xe2\x80\xae"))
    capfd.readouterr()
    assert call(desk, "patch", "list") == ExitCode.OK
    out = capfd.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_hostile_configuration_and_a_stray_git_dir_change_nothing(
    desk: SmallWorkspace, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Downstream Author\n\temail = downstream@example.org\n"
        "[diff]\n\tnoprefix = true\n\texternal = false\n\trenames = copies\n[core]\n\tautocrlf = true\n"
        "[color]\n\tui = always\n"
    )
    stray = repo(tmp_path / "stray", {"x": "x\n"})
    monkeypatch.setenv("GIT_DIR", str(stray.git_dir))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    edit(desk)
    assert call(desk, *RECORD) == ExitCode.OK
    raw = (desk.patches / "0001-say-two.patch").read_bytes()
    assert b"\ndiff --git a/k/a.py b/k/a.py\n" in raw
    assert call(desk, "verify") == ExitCode.OK


def test_two_recordings_at_once_make_two_patches(desk: SmallWorkspace) -> None:
    edit(desk)
    (desk.folder / "k/b.py").write_text("B\n")
    command = [sys.executable, "-m", "vendorctl", "-C", str(desk.root), *RECORD]
    running = [subprocess.Popen([*command, path], stderr=subprocess.PIPE) for path in ("k/a.py", "k/b.py")]
    statuses = sorted(process.wait() for process in running)
    for process in running:
        assert process.stderr is not None
        process.stderr.close()
    files = sorted(path.name for path in desk.patches.iterdir() if path.suffix == ".patch")
    assert statuses == [ExitCode.OK, ExitCode.OK]
    assert files == ["0001-say-two.patch", "0002-say-two.patch"]
    assert call(desk, "verify") == ExitCode.OK
