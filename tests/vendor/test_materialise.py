# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Trees become folders byte for byte, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.repo import Changes, executable, gitlink, symlink
from support.trees import Contents, tree
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.oid import Oid
from vendorctl.vendor.disk import scan
from vendorctl.vendor.materialise import stage_tree
from vendorctl.vendor.select import on_disk
from vendorctl.workspace.transaction import Transaction

FIRST: Changes = {
    "a.py": "x\r\ny",
    "run.sh": executable("exit\n"),
    "d/link": symlink("../a.py"),
    "d/dangling": symlink("no/where"),
    "empty": "",
    b"d/caf\xe9": bytes(range(256)),
    "sub": gitlink(Oid.parse("1" * 40)),
    ".gitattributes": "* text=auto eol=lf export-subst\n",
    "$Id$": "$Id$ $Format:%H$\n",
}
SECOND: Changes = {
    "a.py": executable("x\r\ny"),
    "run.sh": symlink("a.py"),
    "d": "a file now\n",
    "empty/file": "a folder now\n",
    "sub/file": "a folder now\n",
}


@pytest.mark.parametrize("old_known", [True, False])
def test_there_and_back(workspace: Path, old_known: bool) -> None:
    contents: Contents = {}
    first, second = tree(FIRST, contents), tree(SECOND, contents)
    before = None
    for target in (first, second, first, tree({}, contents), second):
        with Transaction(workspace, "test") as tx:
            # Without knowledge of what is there, files can be set but none removed: start from nothing.
            stage_tree(
                tx, "vendored/up", before if old_known else scan(workspace / "vendored/up").tree, target, contents
            )
            tx.commit()
        assert scan(workspace / "vendored/up").tree == on_disk(target)
        before = target


def test_only_differences_are_read_and_written(workspace: Path) -> None:
    contents: Contents = {}
    old = tree({"a": "1", "b": "2", "c": "3"}, contents)
    new = tree({"a": "1", "b": "22", "d": "4"}, contents)
    with Transaction(workspace, "test") as tx:
        stage_tree(tx, "out", None, old, contents)
        tx.commit()
    untouched = (workspace / "out/a").stat()
    needed = {oid: content for oid, content in contents.items() if content in {b"22", b"4"}}
    with Transaction(workspace, "test") as tx:
        stage_tree(tx, "out", old, new, needed)
        assert tx.commit().changed == (b"out/b", b"out/c", b"out/d")
    assert (workspace / "out/a").stat() == untouched
    with Transaction(workspace, "test") as tx:
        stage_tree(tx, "out", new, new, {})
        assert tx.empty


@pytest.mark.parametrize("edit", ["changed", "added", "removed and made anew"])
def test_a_surprise_on_disk_stops_everything(workspace: Path, edit: str) -> None:
    contents: Contents = {}
    old = tree({"a": "1", "b": "2"}, contents)
    new = tree({"a": "11", "c": "3"}, contents)
    with Transaction(workspace, "test") as tx:
        stage_tree(tx, "out", None, old, contents)
        tx.commit()
    path = {"changed": "a", "added": "c", "removed and made anew": "b"}[edit]
    (workspace / "out" / path).write_text("mine")
    before = scan(workspace / "out")
    with Transaction(workspace, "test") as tx:
        stage_tree(tx, "out", old, new, contents)
        with pytest.raises(VendorError):
            tx.commit()
    assert scan(workspace / "out") == before


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"ok": "1", "d/.git/config": "2"}, "cannot be written"),
        ({"ok": "1", "aux.c": "2"}, "cannot be written"),
        ({"ok": "1", "ln": symlink("../../x")}, "leaves out"),
        ({"ok": "1", "ln": symlink("/etc/passwd")}, "leaves out"),
        ({"ok": "1", "d": symlink("."), "e": symlink("d/../..")}, "leaves out"),
    ],
)
def test_hostile_trees_leave_no_trace(workspace: Path, files: Changes, words: str) -> None:
    contents: Contents = {}
    made = tree(files, contents)
    with Transaction(workspace, "test") as tx, pytest.raises(VendorError, match=words) as caught:
        stage_tree(tx, "out", None, made, contents)
    assert caught.value.code is ExitCode.INVALID
    assert not (workspace / "out").exists()


def test_a_missing_content_is_a_key_error(workspace: Path) -> None:
    made = tree({"a": "1"}, {})
    with Transaction(workspace, "test") as tx, pytest.raises(KeyError):
        stage_tree(tx, "out", None, made, {})
