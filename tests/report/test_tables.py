# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Tables: a header, aligned columns, and words that give way to a narrow terminal, and to nothing else."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from support.workspace import Workspace, make_workspace
from vendorctl.cli import main
from vendorctl.cli.columns import aligned, fitted
from vendorctl.model import Report

BIN = Path(sys.executable).parent
LONG = "Set x to two, because one was never enough for the kernels of our own library"


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    made = make_workspace(tmp_path / "w", {"k/a.py": "x = 1\n"})
    made.sync()
    made.record(LONG, {"k/a.py": "x = 2\n"})
    made.record("Short", {"k/a.py": "x = 3\n"})
    return made


def on_terminal(space: Workspace, *words: str, width: int, columns: str = "") -> list[str]:
    """What a terminal of that many columns shows (0: it does not say), with COLUMNS set where `columns` says so."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24 if width else 0, width, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    environment |= {"COLUMNS": columns} if columns else {}
    command = [str(BIN / "vendorctl"), "-C", str(space.root), "--no-color", *words]
    done = subprocess.run(command, stdout=slave, stderr=subprocess.PIPE, env=environment, check=True)
    os.close(slave)
    assert done.stderr == b""
    shown = b""
    while True:
        try:
            part = os.read(master, 1 << 16)
        except OSError:  # Linux says so when the last writer is gone
            break
        if not part:
            break
        shown += part
    os.close(master)
    return shown.decode().replace("\r\n", "\n").splitlines()


def test_patch_list_has_a_header_and_columns(space: Workspace) -> None:
    assert space.must("patch", "list").out.splitlines() == [
        "upstream  patch  sent  lines  title",
        f"up        0001   no    +1 -1  {LONG}",
        "up        0002   no    +1 -1  Short",
        "patch list: ok; 2 patches",
    ]
    space.must("patch", "drop", "up", "2")
    space.must("patch", "drop", "up", "1")
    assert space.must("patch", "list").out == "patch list: ok\n"


@pytest.mark.parametrize(
    ("facts", "shown"),
    [
        ("Forwarded: no\nApplied-Upstream: v2\n", "landed"),
        ("", "no status"),
        ("Forwarded: not-needed\n", "not-needed"),
        ("Forwarded: https://example.org/1\n", "forwarded"),
    ],
)
def test_patch_list_says_where_a_patch_stands(space: Workspace, facts: str, shown: str) -> None:
    file = next(space.patches.glob("0002-*"))
    file.write_text(file.read_text().replace("Forwarded: no\n", facts))
    rows = space.run("patch", "list").out.splitlines()
    assert rows[2] == f"up        0002   {shown}  +1 -1  Short"
    assert rows[1].startswith(f"up        0001   {'no':{len(shown)}}  +1 -1  ")


def test_words_give_way_to_a_narrow_terminal(space: Workspace) -> None:
    lines = on_terminal(space, "patch", "list", width=50)
    assert lines[:3] == [
        "upstream  patch  sent  lines  title",
        "up        0001   no    +1 -1  Set x to two, becau\u2026",
        "up        0002   no    +1 -1  Short",
    ]
    assert len(lines[1]) == 50


@pytest.mark.parametrize(
    ("width", "columns", "cut"),
    [(200, "", False), (0, "", False), (50, "200", False), (200, "50", True), (50, "", True)],
)
def test_columns_is_asked_before_the_terminal(space: Workspace, width: int, columns: str, cut: bool) -> None:
    text = "\n".join(on_terminal(space, "patch", "list", width=width, columns=columns))
    assert ("\u2026" in text) == cut
    assert (LONG in text) != cut


def test_ids_and_numbers_are_never_cut(space: Workspace) -> None:
    lines = on_terminal(space, "patch", "list", width=10)
    assert [line[:30] for line in lines[1:3]] == ["up        0001   no    +1 -1  ", "up        0002   no    +1 -1  "]
    whole, narrow = (on_terminal(space, "status", width=width) for width in (300, 20))
    assert space.upstream.commits[0].short in "\n".join(narrow)
    assert narrow[0].split()[:5] == whole[0].split()[:5]
    assert [line for line in narrow if line.startswith("next:")] == [line for line in whole if line.startswith("next:")]


def test_a_pipe_gets_everything(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert LONG in space.must("patch", "list").out
    assert LONG in space.must("submit", "up", "--queue").out


def test_the_queue_gives_way_too(space: Workspace) -> None:
    lines = on_terminal(space, "submit", "up", "--queue", width=60)
    assert all(len(line) <= 60 for line in lines[:3])
    assert sum("\u2026" in line for line in lines) == 1


# -- what is hard to bring about with a workspace ------------------------------------------------------------------


def table(*rows: tuple[str, ...]) -> Report:
    header = ("upstream", "pin", "behind", "patches")
    lines = (*aligned(header, rows), "next: up: `vendorctl sync --pin up=a-long-name`")
    return Report(schema="vendorctl/status/1", title="status", lines=lines, counts={"upstreams": len(rows)})


def test_no_number_loses_digits() -> None:
    report = table(("up", "v1 0123456789ab", "12 (3 on ours)", "1 clean, 123456 moved, 2 conflict"))
    cells = [fitted(report, width).lines[1].rpartition("  ")[2] for width in range(50, 90)]
    assert "1 clean, 1\u2026" not in cells
    assert {"1 clean,\u2026", "1 clean, 123456\u2026"} <= set(cells)
    assert cells[-1] == "1 clean, 123456 moved, 2 conflict"


def test_only_the_widest_column_of_words_of_the_table_gives_way() -> None:
    report = table(("up", "v1 0123456789ab", "12", "1 clean, 2 moved, 3 conflict"))
    fit = fitted(report, 46)
    assert fit.lines[-1] == report.lines[-1]
    assert len(fit.lines[1]) == 46
    assert fit.lines[0] == report.lines[0]
    assert fitted(report, 200) is report
    other = Report(schema="vendorctl/verify/1", title="verify", lines=("x" * 300,), counts={"upstreams": 1})
    assert fitted(other, 20) is other


def test_wide_characters_count_twice() -> None:
    rows = (("up", "0001", "no", "+1 -1", "\u6f22\u5b57" * 20), ("up", "0002", "no", "+1 -1", "e\u0301" * 15))
    lines = aligned(("upstream", "patch", "sent", "lines", "title"), rows)
    report = Report(schema="vendorctl/patch-list/1", title="patch list", lines=lines, counts={"patches": 2})
    fit = fitted(report, 50).lines
    assert fit[1] == "up        0001   no    +1 -1  " + "\u6f22\u5b57" * 4 + "\u6f22\u2026"
    assert fit[2] == lines[2]


# -- other rough edges of the command line -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bad name", "'bad name' cannot name an upstream: use letters"),
        ("a.lock", "it may not end in"),
        ("../x", "cannot name an upstream"),
        ("UP", "'UP' and 'up' are the same folder on some file systems"),
        ("up", "upstream 'up' exists already"),
    ],
)
def test_a_name_is_checked_before_anything_is_fetched(space: Workspace, name: str, said: str) -> None:
    before = (space.root / "VENDOR.yaml").read_bytes()
    nowhere = (space.folder / "nowhere").as_uri()
    done = space.run("add", name, nowhere, "--include", "**")
    assert (done.code, said in done.err) == (2, True), done.text
    assert (space.root / "VENDOR.yaml").read_bytes() == before
    if name != "UP" and name != "up":
        (space.root / "lib").mkdir()
        done = space.run("-C", str(space.root), "adopt", str(space.root / "lib"), "--upstream", name, "--url", nowhere)
        assert (done.code, said in done.err) == (2, True), done.text
    assert space.run("add", "good-name", nowhere, "--include", "**").code == 4


def test_the_cache_is_counted_in_units_for_people_and_in_bytes_for_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VENDORCTL_CACHE", str(tmp_path))
    (tmp_path / "objects/ab").mkdir(parents=True)
    (tmp_path / "objects/ab/abc").write_bytes(bytes(5 << 20))
    assert main(["cache", "status"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "cache status: ok; 1 item, 5 MiB"
    assert main(["cache", "clean", "--older-than", "1d"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "cache clean: ok; 1 left, 5 MiB left"
    assert main(["cache", "status", "--format", "json"]) == 0
    assert '"bytes": 5242880' in capsys.readouterr().out
    (tmp_path / "objects/ab/abc").write_bytes(bytes(100))
    assert main(["cache", "status"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "cache status: ok; 1 item, 100 bytes"
