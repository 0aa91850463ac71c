# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Several commands at once: writers in turn, readers never in between."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support.faults import in_child, snapshot
from vendorctl.errors import VendorError
from vendorctl.workspace.flocks import swap_lock
from vendorctl.workspace.guard import exclusive, reading, settle
from vendorctl.workspace.transaction import Transaction


def _start(body: Callable[[], object]) -> int:
    """Run `body` in a forked child and return its process id."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            body()
            status = 0
        finally:
            os._exit(status)
    return child


def _hold(root: Path, ready: int, title: str) -> None:
    with exclusive(root, title=title):
        os.write(ready, b"x")
        time.sleep(60)


def _holder(root: Path, title: str = "sync") -> int:
    """A process that holds the workspace; returns once it does."""
    reader, writer = os.pipe()
    child = _start(lambda: _hold(root, writer, title))
    assert os.read(reader, 1) == b"x"
    os.close(reader)
    os.close(writer)
    return child


def _kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_a_second_command_names_the_first_and_fails(workspace: Path) -> None:
    child = _holder(workspace)
    messages: list[str] = []
    try:
        with pytest.raises(VendorError) as error, exclusive(workspace, wait=0.1, on_wait=messages.append):
            pytest.fail("both hold the workspace")
    finally:
        _kill(child)
    assert messages == [f"waiting for `vendorctl sync` (process {child}) to finish"]
    assert error.value.message == f"`vendorctl sync` (process {child}) is changing this workspace"
    assert error.value.hint is not None


def test_a_killed_command_holds_nothing(workspace: Path) -> None:
    _kill(_holder(workspace))
    messages: list[str] = []
    with exclusive(workspace, wait=0, on_wait=messages.append):
        pass
    assert messages == []


def test_a_second_command_goes_on_when_the_first_is_done(workspace: Path) -> None:
    child = _holder(workspace)
    threading.Timer(0.3, os.kill, (child, signal.SIGKILL)).start()
    with exclusive(workspace, wait=30):
        assert (workspace / ".vendorctl/lock.holder").exists()
    os.waitpid(child, 0)
    assert not (workspace / ".vendorctl/lock.holder").exists()


def test_nesting_in_one_thread_and_a_commit_inside(workspace: Path) -> None:
    with exclusive(workspace, title="outer") as outer:
        assert outer is None
        with exclusive(workspace, wait=0) as inner, Transaction(workspace, "sync", wait=0) as tx:
            assert inner is None
            tx.write("a", b"x")
            tx.commit()
        assert "outer" in (workspace / ".vendorctl/lock.holder").read_text()
    assert (workspace / "a").exists()


def test_another_thread_is_another_command(workspace: Path) -> None:
    errors: list[str] = []

    def attempt() -> None:
        try:
            with exclusive(workspace, wait=0):
                errors.append("both hold the workspace")
        except VendorError as error:
            errors.append(error.message)

    with exclusive(workspace, title="sync"):
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
    assert errors == [f"`vendorctl sync` (process {os.getpid()}) is changing this workspace"]


def test_settling_an_untouched_workspace_writes_nothing(workspace: Path) -> None:
    workspace.chmod(0o555)
    try:
        assert settle(workspace) is None
        with reading(workspace) as recovery:
            assert recovery is None
    finally:
        workspace.chmod(0o755)
    assert list(workspace.iterdir()) == []


def test_live_staging_of_another_transaction_is_left_alone(workspace: Path) -> None:
    with Transaction(workspace, "first") as first:
        first.write("a", b"first")
        assert settle(workspace) is None
        with Transaction(workspace, "second") as second:
            second.write("b", b"second")
            second.commit()
        first.commit()
    assert {path: content for path, (_kind, content) in snapshot(workspace).items()} == {"a": b"first", "b": b"second"}


def test_abandoned_staging_is_discarded_and_named(workspace: Path) -> None:
    def abandon() -> None:
        tx = Transaction(workspace, "sync")
        tx.write("a", b"")
        os.kill(os.getpid(), signal.SIGKILL)

    in_child(abandon)
    recovery = settle(workspace)
    assert recovery is not None
    assert recovery.message == "discarded an interrupted sync: it had changed nothing yet"
    assert snapshot(workspace) == {}


def test_exclusive_recovers_first(workspace: Path) -> None:
    def crash() -> None:
        def stop(name: str) -> None:
            if name == "begin the swap":
                os.kill(os.getpid(), signal.SIGKILL)

        with Transaction(workspace, "bump", steps=stop) as tx:
            tx.write("a", b"new")
            tx.commit()

    in_child(crash)
    assert not (workspace / "a").exists()
    with exclusive(workspace) as recovery:
        assert recovery is not None
        assert recovery.message == "finished an interrupted bump"
        assert (workspace / "a").read_bytes() == b"new"


def test_a_reader_keeps_swaps_out_and_a_swap_keeps_readers_out(workspace: Path) -> None:
    with Transaction(workspace, "sync") as tx:
        tx.write("a", b"1")
        tx.commit()
    with swap_lock(workspace, wait=0) as had:
        assert had
        with (
            pytest.raises(VendorError, match=r"changing this workspace for 0\.05 seconds"),
            reading(workspace, wait=0.05),
        ):
            pytest.fail("read during a swap")
    with reading(workspace), swap_lock(workspace, wait=0) as had:
        assert not had


def _write_pairs(root: Path, who: int, rounds: int) -> None:
    for number in range(rounds):
        content = b"%d-%d" % (who, number)
        with Transaction(root, "sync", wait=60) as tx:
            tx.write("a/one", content)
            tx.write("b/two", content)
            if number % 2:
                tx.delete("c")
            else:
                tx.write("c", content)
            tx.commit()


def test_concurrent_commits_never_mix(workspace: Path) -> None:
    with Transaction(workspace, "sync") as tx:
        tx.write("a/one", b"start")
        tx.write("b/two", b"start")
        tx.commit()
    children = [_start(lambda who=who: _write_pairs(workspace, who, 12)) for who in range(3)]  # type: ignore[misc]
    seen = set()
    while children:
        with reading(workspace):
            pair = ((workspace / "a/one").read_bytes(), (workspace / "b/two").read_bytes())
        assert pair[0] == pair[1]
        seen.add(pair[0])
        done, status = os.waitpid(-1, os.WNOHANG)
        if done:
            assert status == 0
            children.remove(done)
    assert len(seen) > 1


def test_concurrent_commits_under_fire(workspace: Path) -> None:
    """Writers killed at random moments, again and again; readers recover and never see two halves."""
    with Transaction(workspace, "sync") as tx:
        tx.write("a/one", b"start")
        tx.write("b/two", b"start")
        tx.commit()
    for round_number in range(25):
        child = _start(lambda who=round_number: _write_pairs(workspace, who, 1000))  # type: ignore[misc]
        time.sleep(0.005 * (round_number % 9))
        _kill(child)
        with reading(workspace) as recovery:
            assert (workspace / "a/one").read_bytes() == (workspace / "b/two").read_bytes()
        assert recovery is None or recovery.title == "sync"
        assert list((workspace / ".vendorctl/tx").iterdir()) == []
