# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Killed at any moment, on a full disk, or twice in a row: the old state or the new one, and the next command tells."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.faults import (
    ChangingCalls,
    Snapshot,
    count_calls,
    disk_full,
    in_child,
    kill_self,
    killed_at,
    snapshot,
    watched,
)
from vendorctl.errors import VendorError
from vendorctl.git.tree import Mode
from vendorctl.workspace.guard import settle
from vendorctl.workspace.root import JOURNAL
from vendorctl.workspace.transaction import Transaction, recover


def _old(root: Path) -> Path:
    """A tree in which every kind of change has something to change."""
    root.mkdir()
    for path, content in {
        "edited": b"old",
        "mode": b"same",
        "gone/deep/file": b"g",
        "gone/other": b"g",
        "to-folder": b"f",
        "to-file/inner/x": b"x",
        "to-link": b"f",
        "mine/untracked": b"user's",
        "mine/tracked": b"t",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    (root / "from-link").symlink_to("edited")
    (root / "retarget").symlink_to("edited")
    (root / "empty/nest").mkdir(parents=True)
    return root


def _change(root: Path, steps: list[str] | None = None, kill_before: int | None = None) -> None:
    seen = steps if steps is not None else []

    def step(name: str) -> None:
        if kill_before is not None and len(seen) == kill_before:
            kill_self()
        seen.append(name)

    with Transaction(root, "sync", steps=step) as tx:
        tx.write("edited", b"new")
        tx.write("mode", b"same", Mode.EXECUTABLE)
        tx.delete("gone/deep/file")
        tx.delete("gone/other")
        tx.delete("to-folder")
        tx.write("to-folder/inner", b"i")
        tx.delete("to-file/inner/x")
        tx.write("to-file", b"f")
        tx.symlink("to-link", b"edited")
        tx.write("from-link", b"f")
        tx.symlink("retarget", b"mode")
        tx.delete("mine/tracked")
        tx.write("added/in/new/folder", b"a")
        tx.remove_empty_folders("empty")
        tx.commit()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Where to crash: in memory if possible, because these tests make thousands of synchronous calls."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory, prefix="vendorctl-") as folder:
        yield Path(folder)


@pytest.fixture
def states(disk: Path) -> tuple[Snapshot, Snapshot]:
    """The tree before and after the change."""
    root = _old(disk / "reference")
    old = snapshot(root)
    _change(root)
    new = snapshot(root)
    assert old != new
    assert new["mine/untracked"] == old["mine/untracked"]
    return old, new


def _require_old_or_new(root: Path, states: tuple[Snapshot, Snapshot]) -> bool:
    """After a kill: settle, compare, and see that the machinery left nothing. True for the new state."""
    old, new = states
    recovery = settle(root)
    state = snapshot(root)
    assert state in (old, new)
    if recovery is not None:
        assert recovery.title == "sync"
        assert recovery.finished == (state == new)
        assert recovery.kept == ()
        expected = "finished an interrupted sync" if recovery.finished else "discarded an interrupted sync"
        assert recovery.message.startswith(expected)
    assert settle(root) is None
    assert not list((root / ".vendorctl").glob("tx/*"))
    assert not (root / ".vendorctl/kept").exists()
    if state == old:
        _change(root)
        assert snapshot(root) == new
    return state == new


def test_killed_before_every_step(disk: Path, states: tuple[Snapshot, Snapshot]) -> None:
    steps: list[str] = []
    _change(_old(disk / "dry"), steps)
    assert {"compare targets", "write the journal", "begin the swap", "swap in edited", "end the journal"} < set(steps)
    outcomes = []
    for number in range(len(steps)):
        root = _old(disk / f"step{number}")
        assert in_child(lambda: _change(root, [], number)) == -9  # noqa: B023 - called at once
        outcomes.append(_require_old_or_new(root, states))
    # Old up to the commit point, new from there on: exactly one turn.
    assert outcomes == [name_index > steps.index("write the journal") for name_index in range(len(steps))]


def test_killed_before_every_call_that_changes_the_disk(disk: Path, states: tuple[Snapshot, Snapshot]) -> None:
    total = count_calls(lambda: _change(_old(disk / "dry")))
    assert total > 60
    outcomes = []
    for number in range(total):
        root = _old(disk / f"call{number}")
        if not killed_at(number, lambda: _change(root)):  # noqa: B023 - called at once
            break
        outcomes.append(_require_old_or_new(root, states))
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {False, True}


def test_killed_again_while_recovering(disk: Path, states: tuple[Snapshot, Snapshot]) -> None:
    steps: list[str] = []
    _change(_old(disk / "dry"), steps)
    first = steps.index("begin the swap")
    for number in range(first, len(steps), 4):
        broken = _old(disk / f"broken{number}")
        in_child(lambda: _change(broken, [], number))  # noqa: B023 - called at once
        for call in range(200):
            root = disk / f"again{number}-{call}"
            shutil.copytree(broken, root, symlinks=True)
            if not killed_at(call, lambda: recover(root)):  # noqa: B023 - called at once
                break
            assert _require_old_or_new(root, states)
        else:
            pytest.fail("recovery never came to its end")


def test_edits_made_after_a_crash_are_kept(disk: Path) -> None:
    steps: list[str] = []
    _change(_old(disk / "dry"), steps)
    root = _old(disk / "root")
    in_child(lambda: _change(root, [], steps.index("begin the swap")))
    (root / "edited").write_text("my later edit")
    (root / "added").write_text("in the way of a folder")
    shutil.rmtree(root / "gone")
    recovery = settle(root)
    assert recovery is not None
    assert recovery.finished
    assert sorted((root / os.fsdecode(path)).read_text() for path in recovery.kept) == [
        "in the way of a folder",
        "my later edit",
    ]
    assert "your newer edits are in .vendorctl/kept/" in recovery.message
    assert (root / "edited").read_bytes() == b"new"


def test_a_damaged_journal_is_refused(disk: Path) -> None:
    steps: list[str] = []
    _change(_old(disk / "dry"), steps)
    root = _old(disk / "root")
    in_child(lambda: _change(root, [], steps.index("begin the swap")))
    before = snapshot(root)
    journal = root / JOURNAL
    journal.write_bytes(journal.read_bytes().replace(b"edited", b"../../x"))
    with pytest.raises(VendorError, match="journal of an interrupted operation is damaged") as error:
        settle(root)
    assert error.value.location is not None
    assert snapshot(root) == before


def test_a_damaged_staged_file_is_refused_by_recovery(disk: Path) -> None:
    steps: list[str] = []
    _change(_old(disk / "dry"), steps)
    root = _old(disk / "root")
    in_child(lambda: _change(root, [], steps.index("begin the swap")))
    before = snapshot(root)
    (staged,) = (root / ".vendorctl/tx").glob("*/new/1")
    staged.write_bytes(b"flipped")
    with pytest.raises(VendorError, match="staged copy of edited is damaged"):
        settle(root)
    assert snapshot(root) == before


@pytest.mark.parametrize("last", [0, None], ids=["once", "from then on"])
def test_a_disk_that_is_full_at_any_call(disk: Path, states: tuple[Snapshot, Snapshot], last: int | None) -> None:
    old, new = states
    total = count_calls(lambda: _change(_old(disk / "dry")))
    messages = set()
    for number in range(total):
        root = _old(disk / f"full{number}")
        calls = ChangingCalls(disk_full, first=number, last=None if last is None else number)
        try:
            with watched(calls):
                _change(root)
        except VendorError as error:
            messages.add(error.message)
            if "nothing was changed" in error.message:
                assert snapshot(root) == old
            assert _require_old_or_new(root, states) == ("decided" in error.message)
        else:
            assert snapshot(root) == new
    assert messages == {
        "the disk is full; nothing was changed",
        "the disk is full; the change is decided but not finished",
    }


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 256 KiB."""
    mount = tmp_path / "small"
    mount.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(mount)], capture_output=True)
    if done.returncode != 0:
        pytest.skip("needs the right to mount a tmpfs")
    try:
        yield mount
    finally:
        subprocess.run(["umount", str(mount)], check=True)


def test_a_disk_that_is_really_full(small_disk: Path, states: tuple[Snapshot, Snapshot]) -> None:
    old, new = states
    seen = set()
    for free_pages in range(40):
        root = _old(small_disk / "root")
        filler = small_disk / "filler"
        free = os.statvfs(small_disk).f_bavail - free_pages
        filler.write_bytes(bytes(4096 * max(free, 0)))
        try:
            _change(root)
        except VendorError as error:
            seen.add(error.message)
            state = snapshot(root)
            filler.unlink()
            decided = "decided" in error.message
            assert decided or state == old
            recovery = settle(root)
            assert (recovery is not None and recovery.finished) == decided
            assert snapshot(root) == (new if decided else old)
        else:
            assert snapshot(root) == new
            filler.unlink()
        shutil.rmtree(root)
    assert "the disk is full; nothing was changed" in seen


def test_a_part_of_the_workspace_on_another_file_system(disk: Path, small_disk: Path) -> None:
    root = _old(disk / "root")
    # A mount inside the workspace: renames into it cross file systems.
    inside = root / "vendored"
    inside.mkdir()
    subprocess.run(["mount", "--bind", str(small_disk), str(inside)], check=True)
    try:

        def change(kill: int | None = None) -> None:
            with Transaction(root, "sync") as tx:
                tx.write("vendored/a/f", b"content", Mode.EXECUTABLE)
                tx.symlink("vendored/l", b"a/f")
                tx.write("edited", b"new")
                tx.commit()

        total = count_calls(change)
        assert (inside / "a/f").stat().st_mode & 0o111
        done = snapshot(root)
        for number in range(total):
            shutil.rmtree(inside / "a", ignore_errors=True)
            (inside / "l").unlink(missing_ok=True)
            (root / "edited").write_bytes(b"old")
            old = snapshot(root)
            if not killed_at(number, change):
                break
            settle(root)
            assert snapshot(root) in (old, done)
    finally:
        subprocess.run(["umount", str(inside)], check=True)
