# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a transaction does when all goes well, and what it refuses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.faults import snapshot
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.oid import hash_blob
from vendorctl.git.tree import Entry, Mode
from vendorctl.workspace.guard import settle
from vendorctl.workspace.transaction import Transaction

FILE = "file 644"


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_nothing_is_visible_before_commit_and_all_of_it_after(workspace: Path) -> None:
    with Transaction(workspace, "sync") as tx:
        tx.write("a/b.txt", b"content")
        tx.write("a/run", b"#!", Mode.EXECUTABLE)
        tx.symlink("a/link", b"b.txt")
        tx.write(b"caf\xe9", b"\0\r\n\xff")
        assert snapshot(workspace) == {}
        done = tx.commit()
    assert done.changed == (b"a/b.txt", b"a/link", b"a/run", b"caf\xe9")
    assert snapshot(workspace) == {
        "a": ("folder", b""),
        "a/b.txt": (FILE, b"content"),
        "a/run": ("file 755", b"#!"),
        "a/link": ("link", b"b.txt"),
        "caf\udce9": (FILE, b"\0\r\n\xff"),
    }
    assert (workspace / ".vendorctl/.gitignore").read_text() == "*\n"
    assert list((workspace / ".vendorctl/tx").iterdir()) == []


def test_leaving_without_commit_discards(workspace: Path) -> None:
    (workspace / "keep").write_text("kept")
    with Transaction(workspace, "sync") as tx:
        tx.write("keep", b"replaced")
        tx.delete("keep")
    assert snapshot(workspace) == {"keep": (FILE, b"kept")}
    assert list((workspace / ".vendorctl/tx").iterdir()) == []
    with pytest.raises(ValueError, match="over"):
        tx.write("keep", b"late")


def test_a_repeated_commit_changes_nothing_and_keeps_time_stamps(workspace: Path) -> None:
    def commit() -> tuple[bytes, ...]:
        with Transaction(workspace, "sync") as tx:
            tx.write("a", b"same")
            tx.symlink("l", b"a")
            tx.delete("gone")
            return tx.commit().changed

    assert commit() == (b"a", b"l")
    before = (workspace / "a").stat()
    assert commit() == ()
    after = (workspace / "a").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    (workspace / "a").chmod(0o755)
    assert commit() == (b"a",)


def test_every_change_of_type(workspace: Path) -> None:
    def replace_all(*steps: tuple[str, str, bytes]) -> dict[str, tuple[str, bytes]]:
        with Transaction(workspace, "sync") as tx:
            for kind, path, content in steps:
                if kind == "write":
                    tx.write(path, content)
                elif kind == "link":
                    tx.symlink(path, content)
                else:
                    tx.delete(path)
            tx.commit()
        return snapshot(workspace)

    replace_all(("write", "x", b"file"), ("link", "y", b"x"), ("write", "z/deep/f", b"f"))
    assert replace_all(("link", "x", b"q"), ("write", "y", b"was a link"))["x"] == ("link", b"q")
    state = replace_all(
        ("delete", "x", b""), ("write", "x/in", b"folder now"), ("delete", "z/deep/f", b""), ("write", "z", b"!")
    )
    assert state == {
        "x": ("folder", b""),
        "x/in": (FILE, b"folder now"),
        "y": (FILE, b"was a link"),
        "z": (FILE, b"!"),
    }
    state = replace_all(("delete", "x/in", b""), ("link", "x", b"y"), ("delete", "z", b""), ("link", "z/l", b"../y"))
    assert state["x"] == ("link", b"y")
    assert state["z/l"] == ("link", b"../y")


def test_emptied_folders_go_and_other_files_stay(workspace: Path) -> None:
    with Transaction(workspace, "sync") as tx:
        for path in ("a/b/c/one", "a/two", "d/three"):
            tx.write(path, b"")
        tx.commit()
    (workspace / "d/mine").write_text("user's")
    (workspace / "e/empty/nest").mkdir(parents=True)
    with Transaction(workspace, "sync") as tx:
        for path in ("a/b/c/one", "a/two", "d/three"):
            tx.delete(path)
        tx.remove_empty_folders("e")
        tx.commit()
    assert snapshot(workspace) == {"d": ("folder", b""), "d/mine": (FILE, b"user's")}


def test_a_link_is_replaced_never_followed(workspace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("safe")
    (workspace / "l").symlink_to(outside / "file")
    (workspace / "dir").symlink_to(outside)
    with Transaction(workspace, "sync") as tx:
        tx.write("l", b"inside")
        tx.commit()
    with (
        Transaction(workspace, "sync") as tx,
        pytest.raises(VendorError, match="dir is a file or a link, not a folder"),
    ):
        tx.write("dir/file", b"attack")
        tx.commit()
    with Transaction(workspace, "sync") as tx:
        tx.delete("dir/file")
        tx.commit()
    with Transaction(workspace, "sync") as tx:
        tx.delete("dir")
        tx.write("dir/file", b"fine")
        tx.commit()
    assert (outside / "file").read_text() == "safe"
    assert not (workspace / "dir").is_symlink()


@pytest.mark.parametrize("link", [".vendorctl", ".vendorctl/tx"])
def test_links_that_a_clone_brings_along_redirect_nothing(workspace: Path, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    for name in ("tx/precious", "precious"):
        (outside / name).mkdir(parents=True)
    (workspace / link).parent.mkdir(exist_ok=True)
    (workspace / link).symlink_to(outside)
    assert settle(workspace) is None
    with Transaction(workspace, "sync") as tx, pytest.raises(VendorError, match="is not a folder"):
        tx.write("a", b"")
    assert (outside / "tx/precious").is_dir()
    assert (outside / "precious").is_dir()


@pytest.mark.parametrize("path", ["../x", "/x", ".git/hooks/post-checkout", "a/../b", "con", "", "a\nb"])
def test_hostile_paths_are_refused(workspace: Path, path: str) -> None:
    with Transaction(workspace, "sync") as tx, pytest.raises(VendorError, match="refusing to write") as error:
        tx.write(path, b"")
    assert error.value.code is ExitCode.INVALID


@pytest.mark.parametrize("path", [".vendorctl", ".vendorctl/tx/journal", ".vendorctl/lock", ".vendorctl/.gitignore"])
def test_the_machinery_is_out_of_reach(workspace: Path, path: str) -> None:
    with Transaction(workspace, "sync") as tx, pytest.raises(ValueError, match="belongs to the transactions"):
        tx.write(path, b"")


def test_unknown_files_in_the_way_are_refused_and_nothing_changes(workspace: Path) -> None:
    (workspace / "folder").mkdir()
    (workspace / "folder/mine").write_text("user's")
    os.mkfifo(workspace / "pipe")
    with Transaction(workspace, "sync") as tx:
        tx.write("other", b"")
        tx.write("folder", b"")
        tx.write("pipe", b"")
        with pytest.raises(VendorError) as error:
            tx.commit()
    assert error.value.code is ExitCode.FINDINGS
    assert error.value.message == (
        "folder is a folder that holds a file vendorctl did not put there: folder/mine (1 more like it)"
        "; nothing was changed"
    )
    assert not (workspace / "other").exists()
    assert (workspace / "folder/mine").read_text() == "user's"


def test_contradicting_changes_are_a_mistake_of_the_program(workspace: Path) -> None:
    with Transaction(workspace, "sync") as tx:
        tx.write("a", b"")
        tx.write("a/b", b"")
        with pytest.raises(ValueError, match="both a file and a folder"):
            tx.commit()
    assert snapshot(workspace) == {}


def test_expectations_guard_edits_made_meanwhile(workspace: Path) -> None:
    (workspace / "a").write_text("old")
    (workspace / "new").write_text("mine")
    expected = hash_blob(b"old")

    def attempt(path: str, expect: object) -> str:
        with Transaction(workspace, "sync") as tx:
            tx.write("unrelated", b"x")
            tx.write(path, b"theirs", expect=expect)  # type: ignore[arg-type]  # the table mixes kinds
            try:
                tx.commit()
            except VendorError as error:
                assert not (workspace / "unrelated").exists()
                return error.message
        (workspace / "unrelated").unlink()
        return "done"

    assert attempt("a", hash_blob(b"other")) == "a was edited meanwhile; nothing was changed"
    assert attempt("a", Entry(Mode.EXECUTABLE, expected)) == "a was edited meanwhile; nothing was changed"
    assert attempt("b", expected) == "b was removed meanwhile; nothing was changed"
    assert attempt("new", None) == "new exists, and vendorctl did not put it there; nothing was changed"
    assert attempt("a", Entry(Mode.FILE, expected)) == "done"
    assert attempt("c", None) == "done"


@pytest.mark.parametrize("step", ["sync staged files", "verify staged files"])
def test_an_edit_while_staging_stops_the_commit(workspace: Path, step: str) -> None:
    (workspace / "a").write_text("old")

    def edit(name: str) -> None:
        if name == step:
            (workspace / "a").write_text("edited")

    with Transaction(workspace, "sync", steps=edit) as tx:
        tx.write("a", b"new")
        tx.write("b", b"new")
        with pytest.raises(VendorError, match="a changed while the command was at work; nothing was changed"):
            tx.commit()
    assert snapshot(workspace) == {"a": (FILE, b"edited")}


def test_an_edit_during_the_swap_is_kept_aside(workspace: Path) -> None:
    (workspace / "a").write_text("old")
    (workspace / "gone").write_text("old")

    def edit(name: str) -> None:
        if name == "begin the swap":
            (workspace / "a").write_text("edited")
            (workspace / "gone").write_text("edited too")
            (workspace / "fresh").mkdir()
            (workspace / "fresh/mine").write_text("mine")

    with Transaction(workspace, "sync", steps=edit) as tx:
        tx.write("a", b"new")
        tx.delete("gone")
        tx.write("fresh", b"new")
        done = tx.commit()
    assert {(workspace / "a").read_bytes(), (workspace / "fresh").read_bytes()} == {b"new"}
    assert not (workspace / "gone").exists()
    assert sorted((workspace / os.fsdecode(path)).read_text() for path in done.kept) == ["edited", "edited too", "mine"]


def test_a_damaged_staged_file_is_noticed_before_anything_changes(workspace: Path) -> None:
    def damage(name: str) -> None:
        if name == "verify staged files":
            (staged,) = (workspace / ".vendorctl/tx").glob("*/new/1")
            staged.write_bytes(b"flipped")

    with Transaction(workspace, "sync", steps=damage) as tx:
        tx.write("a", b"content")
        with pytest.raises(VendorError, match="the staged copy of a is damaged"):
            tx.commit()
    assert snapshot(workspace) == {}


def test_the_user_s_umask_rules(workspace: Path) -> None:
    os.umask(0o077)
    with Transaction(workspace, "sync") as tx:
        tx.write("a", b"")
        tx.write("b", b"", Mode.EXECUTABLE)
        tx.commit()
    assert snapshot(workspace) == {"a": ("file 600", b""), "b": ("file 700", b"")}


def test_ten_thousand_files_in_bounded_time(workspace: Path) -> None:
    with Transaction(workspace, "sync") as tx:
        for index in range(10_000):
            tx.write(f"d{index % 100}/f{index}", b"%d" % index)
        assert len(tx.commit().changed) == 10_000
    assert (workspace / "d99/f9999").read_bytes() == b"9999"
