# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Folders that others move, remove or replace by links meanwhile; and how much a commit asks of the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.faults import snapshot
from vendorctl.errors import VendorError
from vendorctl.git.oid import hash_blob
from vendorctl.workspace.folders import Blocked, Folders, read_file
from vendorctl.workspace.transaction import Transaction


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the workspace that nothing may be written to."""
    folder = tmp_path / "outside"
    (folder / "b").mkdir(parents=True)
    return folder


def _replaced_by_link(workspace: Path, outside: Path) -> None:
    """Move the folder `p` away, and put a link that leads out in its place."""
    (workspace / "p").rename(workspace / "moved")
    (workspace / "p").symlink_to(outside)


def _touch(folder: int | None, name: str) -> None:
    assert folder is not None
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o666, dir_fd=folder))


def _acting(step: str, act: Callable[[], object]) -> Callable[[str], None]:
    def note(name: str) -> None:
        if name == step:
            act()

    return note


@pytest.mark.parametrize("neighbour", [b"p/b", b"p", b"p/a/below"])
def test_a_link_that_took_the_parents_place_is_met_on_the_way_to_a_neighbour(
    workspace: Path, outside: Path, neighbour: bytes
) -> None:
    for name in ("a/below", "b"):
        (workspace / "p" / name).mkdir(parents=True)
    with Folders(workspace) as folders:
        assert folders.open(b"p/a") is not None
        assert folders.open(neighbour) is not None
        assert folders.open(b"p/a") is not None
        _replaced_by_link(workspace, outside)
        with pytest.raises(Blocked) as error:
            folders.open(neighbour, create=True)
        assert error.value.path == b"p"
        assert folders.look(neighbour + b"/b") is None


def test_the_last_folder_goes_where_it_was_moved_until_it_is_forgotten(workspace: Path, outside: Path) -> None:
    (workspace / "p/b").mkdir(parents=True)
    with Folders(workspace) as folders:
        folders.open(b"p/b")
        _replaced_by_link(workspace, outside)
        _touch(folders.open(b"p/b"), "file")
        assert (workspace / "moved/b/file").exists()
        folders.forget()
        with pytest.raises(Blocked):
            folders.open(b"p/b")
    assert list((outside / "b").iterdir()) == []


def test_another_folder_in_the_place_of_the_parent_gets_what_is_written_then(workspace: Path) -> None:
    for name in ("p/a", "new/b"):
        (workspace / name).mkdir(parents=True)
    with Folders(workspace) as folders:
        folders.open(b"p/a")
        (workspace / "p").rename(workspace / "old")
        (workspace / "new").rename(workspace / "p")
        _touch(folders.open(b"p/b"), "file")
    assert (workspace / "p/b/file").exists()
    assert not (workspace / "old/b").exists()


def test_what_is_absent_is_not_remembered(workspace: Path) -> None:
    with Folders(workspace) as folders:
        assert folders.open(b"a/b") is None
        (workspace / "a/b").mkdir(parents=True)
        _touch(folders.open(b"a/b"), "file")
        assert folders.look(b"a/b/file") is not None
        (workspace / "a/b/file").unlink()
        assert folders.remove_if_empty(b"a/b")
        assert folders.open(b"a/b") is None


@contextmanager
def _opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many descriptors are open after each call of `os.open` in the body, beyond those before it."""
    live: set[int] = set()
    counts: list[int] = []
    open_, close = os.open, os.close

    def opening(*args: Any, **kwargs: Any) -> int:
        try:
            descriptor = open_(*args, **kwargs)
            live.add(descriptor)
            return descriptor
        finally:
            counts.append(len(live))

    def closing(descriptor: int) -> None:
        live.discard(descriptor)
        close(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", opening)
        patch.setattr(os, "close", closing)
        yield counts
    assert live == set()


def test_few_descriptors_are_open_however_deep_a_path_is(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = b"/".join([b"d"] * 60)
    with _opened(monkeypatch) as counts, Folders(workspace) as folders:
        for path in (deep, b"other/" + deep, deep + b"/e", b"d"):
            assert folders.open(path, create=True) is not None
    assert max(counts) <= 4  # the root, the last folder, and two on the way


def _commit(root: Path, files: int, folders: int, content: bytes) -> None:
    with Transaction(root, "sync") as tx:
        for number in range(files):
            tx.write(f"a/b/c/d{number % folders}/f{number}", content)
        tx.commit()


@pytest.mark.parametrize("present", [False, True])
def test_a_commit_opens_each_file_a_few_times_and_walks_to_each_folder_a_few_times(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, present: bool
) -> None:
    files, folders = 600, 12
    if present:
        _commit(workspace, files, folders, b"old")
    with _opened(monkeypatch) as counts:
        _commit(workspace, files, folders, b"new")
    # A new file is written, made durable and verified. One that is replaced is read when the plan is made, and where it
    # changed just now, once more before the journal is written and before it goes.
    least, most = (4, 6) if present else (3, 3)
    # Each of the passes over all paths walks to a folder, four levels down, once; few calls are for all together.
    assert files * least <= len(counts) <= files * most + folders * 4 * 6 + 100


@pytest.mark.parametrize("step", ["begin the swap", "swap in p/b/1"])
def test_a_link_put_in_a_parents_place_during_the_swap_leads_nothing_out(
    workspace: Path, outside: Path, step: str
) -> None:
    (workspace / "p").mkdir()
    with Transaction(workspace, "sync", steps=_acting(step, lambda: _replaced_by_link(workspace, outside))) as tx:
        for path in ("p/a/1", "p/a/2", "p/b/1", "p/b/2"):
            tx.write(path, path.encode())
        done = tx.commit()
    assert snapshot(outside) == {"b": ("folder", b"")}
    assert not (workspace / "p").is_symlink()
    assert (workspace / "p/b/1").read_bytes() == b"p/b/1"
    assert [(workspace / os.fsdecode(path)).readlink() for path in done.kept] == [outside]


def test_a_link_put_there_between_two_files_of_one_folder_leads_nothing_out(workspace: Path, outside: Path) -> None:
    swap = _acting("swap in p/b/2", lambda: _replaced_by_link(workspace, outside))
    with Transaction(workspace, "sync", steps=swap) as tx:
        for path in ("p/b/1", "p/b/2"):
            tx.write(path, path.encode())
        tx.commit()
    assert snapshot(outside) == {"b": ("folder", b"")}
    assert {path.name for path in (workspace / "moved/b").iterdir()} == {"1", "2"}


@pytest.mark.parametrize(("step", "refused"), [("verify staged files", True), ("begin the swap", False)])
def test_what_appears_in_a_folder_that_was_absent_is_not_overwritten(workspace: Path, step: str, refused: bool) -> None:
    def appear() -> None:
        (workspace / "new/in").mkdir(parents=True)
        (workspace / "new/in/b").write_text("mine")

    with Transaction(workspace, "sync", steps=_acting(step, appear)) as tx:
        for path in ("new/in/a", "new/in/b", "new/in/c"):
            tx.write(path, b"tool's", expect=None)
        if refused:
            with pytest.raises(VendorError, match="new/in/b changed while the command was at work"):
                tx.commit()
            assert snapshot(workspace / "new/in") == {"b": ("file 644", b"mine")}
            return
        done = tx.commit()
    assert (workspace / "new/in/b").read_bytes() == b"tool's"
    assert [(workspace / os.fsdecode(path)).read_text() for path in done.kept] == ["mine"]


@pytest.mark.parametrize("size", [0, 1, 999, 1000, 1001, 5000])
def test_a_file_that_is_longer_or_shorter_than_it_was_is_read_to_its_end(workspace: Path, size: int) -> None:
    content = bytes(range(250)) * 4
    (workspace / "file").write_bytes(content)
    with Folders(workspace) as folders:
        parent = folders.open(b"")
        assert parent is not None
        assert hash_blob(read_file(parent, b"file", size)) == hash_blob(content)
