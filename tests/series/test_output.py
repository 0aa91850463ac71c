# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Proof 3: every way in which the patched tree on disk can differ has its rule; the untouched tree has none."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from support.repo import Changes, executable, symlink
from support.small_workspace import SmallWorkspace
from vendorctl.model import Report, Severity
from vendorctl.series.dressing import END
from vendorctl.series.output import verify_output

BEFORE: Changes = {
    "a.py": "one\ntwo\n",
    "b.py": "b\n",
    "d.json": "{}\n",
    "run.sh": executable("#!/bin/sh\n"),
    "ln": symlink("b.py"),
    "empty": "",
}
AFTER: Changes = {**BEFORE, "a.py": "ONE\ntwo\n", "d.json": "[]\n"}


def prove(desk: SmallWorkspace) -> Report:
    return verify_output(desk.root, desk.upstream, desk.applied, desk.dressing)


def edit(folder: Path) -> None:
    (folder / "b.py").write_text("B\n")


def edit_modified(folder: Path) -> None:
    (folder / "a.py").write_text((folder / "a.py").read_text().replace("two", "TWO"))


def empty(folder: Path) -> None:
    (folder / "b.py").write_text("")


def crlf(folder: Path) -> None:
    (folder / "b.py").write_bytes(b"b\r\n")


def remove(folder: Path) -> None:
    (folder / "empty").unlink()


def add(folder: Path) -> None:
    (folder / "new").write_text("x")


def add_ignored(folder: Path) -> None:
    (folder / ".gitignore").write_text("*\n")


def move(folder: Path) -> None:
    (folder / "b.py").rename(folder / "c.py")


def change_case(folder: Path) -> None:
    (folder / "b.py").rename(folder / "B.py")


def drop_mode(folder: Path) -> None:
    (folder / "run.sh").chmod(0o644)


def gain_mode(folder: Path) -> None:
    (folder / "b.py").chmod(0o755)


def file_to_link(folder: Path) -> None:
    content = (folder / "b.py").read_text()
    (folder / "b.py").unlink()
    (folder / "b.py").symlink_to(content)


def link_to_file(folder: Path) -> None:
    target = os.fsdecode((folder / "ln").readlink())
    (folder / "ln").unlink()
    (folder / "ln").write_text(target)


def retarget(folder: Path) -> None:
    (folder / "ln").unlink()
    (folder / "ln").symlink_to("a.py")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe")


def drop_notice(folder: Path) -> None:
    text = (folder / "a.py").read_text()
    (folder / "a.py").write_text(text[text.index(END) + len(END) + 1 :])


def edit_notice(folder: Path) -> None:
    (folder / "a.py").write_text((folder / "a.py").read_text().replace("# Change number 1", "# Nothing to see"))


def drop_sidecar(folder: Path) -> None:
    (folder / "d.json.vendorctl-notice").unlink()


def edit_sidecar(folder: Path) -> None:
    (folder / "d.json.vendorctl-notice").write_text("nothing\n")


def extra_sidecar(folder: Path) -> None:
    (folder / "b.py.vendorctl-notice").write_text("x\n")


TAMPERINGS: list[tuple[Callable[[Path], None], dict[str, str]]] = [
    (edit, {"out/b.py": "VC225"}),
    (edit_modified, {"out/a.py": "VC225"}),
    (empty, {"out/b.py": "VC225"}),
    (crlf, {"out/b.py": "VC225"}),
    (remove, {"out/empty": "VC226"}),
    (add, {"out/new": "VC227"}),
    (add_ignored, {"out/.gitignore": "VC227"}),
    (move, {"out/b.py": "VC226", "out/c.py": "VC227"}),
    (change_case, {"out/b.py": "VC226", "out/B.py": "VC227"}),
    (drop_mode, {"out/run.sh": "VC228"}),
    (gain_mode, {"out/b.py": "VC228"}),
    (file_to_link, {"out/b.py": "VC228"}),
    (link_to_file, {"out/ln": "VC228"}),
    (retarget, {"out/ln": "VC225"}),
    (pipe, {"out/pipe": "VC227"}),
    (drop_notice, {"out/a.py": "VC229"}),
    (edit_notice, {"out/a.py": "VC229"}),
    (drop_sidecar, {"out/d.json.vendorctl-notice": "VC226"}),
    (edit_sidecar, {"out/d.json.vendorctl-notice": "VC229"}),
    (extra_sidecar, {"out/b.py.vendorctl-notice": "VC229"}),
]


@pytest.mark.parametrize(("tamper", "expected"), TAMPERINGS, ids=lambda value: getattr(value, "__name__", ""))
def test_each_difference_has_its_rule(
    tamper: Callable[[Path], None], expected: dict[str, str], workspace: Path
) -> None:
    desk = SmallWorkspace(workspace, BEFORE, (AFTER,)).write()
    assert prove(desk).findings == ()
    tamper(desk.folder)
    report = prove(desk)
    assert {str(found.location): found.rule for found in report.findings} == expected
    assert not report.ok
    assert all(found.upstream == "up" and found.hint for found in report.findings)


def test_byte_code_is_noted_only(workspace: Path) -> None:
    desk = SmallWorkspace(workspace, BEFORE, (AFTER,)).write()
    (desk.folder / "__pycache__").mkdir()
    (desk.folder / "__pycache__/a.cpython-311.pyc").write_bytes(b"\0")
    (found,) = prove(desk).findings
    assert (found.rule, found.severity) == ("VC227", Severity.NOTE)
    (desk.folder / "b.pyc").write_bytes(b"\0")
    assert not prove(desk).ok


def test_the_working_folder_may_hold_work(workspace: Path) -> None:
    desk = SmallWorkspace(workspace, BEFORE, (AFTER,), output=None).write()
    assert prove(desk).findings == ()
    edit(desk.folder)
    report = prove(desk)
    assert [(found.rule, found.severity) for found in report.findings] == [("VC225", Severity.WARNING)]
    assert report.ok


def test_a_missing_tree_is_never_a_pass(workspace: Path) -> None:
    desk = SmallWorkspace(workspace, BEFORE, (AFTER,)).write()
    desk.folder.rename(workspace / "gone")
    assert [(found.rule, str(found.location)) for found in prove(desk).findings] == [("VC230", "out")]


def test_a_missing_working_folder_is_counted(workspace: Path) -> None:
    desk = SmallWorkspace(workspace, BEFORE, (AFTER,), output=None).write()
    desk.folder.rename(workspace / "gone")
    report = prove(desk)
    assert report.findings == ()
    assert report.counts == {"output files not on disk": len(BEFORE) + 1}
