# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Whole commands killed at every step, on a full disk, and two at once: the old state or the new one, never between.

The next command says which of the two it is. A sample of the steps is tried here; `make soak` tries each of them.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.chains import numbered
from support.command import Running
from support.faults import Snapshot, snapshot
from support.interruptions import full_at_call, held_at_step, killed_at_program, killed_at_step, noting_steps
from support.repo import executable, symlink
from support.soak import SOAK, TIMEOUT, sample
from support.workspace import Workspace, make_workspace
from vendorctl.errors import ExitCode

Original = Callable[[Callable[[Path], Workspace]], Workspace]


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A patch that is recorded twice has one date."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1704067200")


BASE = numbered(12)
OURS = BASE.replace("line_5 = 5", "mine_5 = 5")
THEIRS = BASE.replace("line_5 = 5", "theirs_5 = 5")
BOTH = BASE.replace("line_5 = 5", "both_5 = 5")


def fresh(folder: Path) -> Workspace:
    """Never synced. v2 conflicts with our patch; v3 does not, and removes, adds and turns files around."""
    return make_workspace(
        folder,
        {"a.py": BASE, "run.sh": executable("x\n"), "link": symlink("a.py"), "gone/old.py": "old\n"},
        {"a.py": THEIRS},
        {"a.py": BASE, "gone/old.py": None, "gone": "a file now\n", "run.sh": "x\n", "new/n.py": "n\n"},
        output="out",
    )


def synced(folder: Path) -> Workspace:
    space = fresh(folder)
    space.sync()
    return space


def edited(folder: Path) -> Workspace:
    """An edit that no patch records yet."""
    space = synced(folder)
    space.edit({"a.py": OURS})
    return space


def patched(folder: Path) -> Workspace:
    space = edited(folder)
    space.must("patch", "record", "up", "--title", "Mine", "--reason", "ours")
    return space


def repinned(folder: Path) -> Workspace:
    """VENDOR.yaml names another commit, by hand."""
    space = synced(folder)
    space.describe(space.upstream.commits[2])
    return space


def conflicted(folder: Path) -> Workspace:
    space = patched(folder)
    assert space.run("sync", "--pin", "up=v2").code == ExitCode.CONFLICT
    return space


def resolved(folder: Path) -> Workspace:
    space = conflicted(folder)
    (space.conflict / "a.py").write_text(BOTH)
    return space


def unlisted(folder: Path) -> Workspace:
    """VENDOR.yaml has no upstream any more."""
    space = patched(folder)
    (space.root / "VENDOR.yaml").write_text("version: 1\nupstreams: {}\n")
    return space


@dataclass(frozen=True)
class Command:
    """A command, the state that it starts from, and what it returns when nothing disturbs it."""

    begin: Callable[[Path], Workspace]
    words: tuple[str, ...]
    code: int = ExitCode.OK


#: At how many steps of a command it is killed, besides those around which its outcome turns.
STEPS = 6

RECORD = ("patch", "record", "up", "--title", "Mine", "--reason", "ours")

COMMANDS = {
    "first sync": Command(fresh, ("sync",)),
    "sync of a new pin": Command(repinned, ("sync",)),
    "sync --discard": Command(edited, ("sync", "--discard")),
    "sync of a removed upstream": Command(unlisted, ("sync",)),
    "patch record": Command(edited, RECORD),
    "patch drop": Command(patched, ("patch", "drop", "up", "1")),
    "sync --pin": Command(patched, ("sync", "--pin", "up=v3")),
    "sync --pin with a conflict": Command(patched, ("sync", "--pin", "up=v2"), ExitCode.CONFLICT),
    "sync --continue": Command(resolved, ("sync", "--continue")),
    "sync --skip": Command(conflicted, ("sync", "--skip")),
    "sync --abort": Command(resolved, ("sync", "--abort")),
}


def shown(space: Workspace) -> tuple[Snapshot, Snapshot]:
    """What a person has: the workspace, and below the state folder the files of a conflict, decisions, kept edits."""
    state = snapshot(space.root / ".vendorctl", without="")
    ours = ("bump/", "resolutions/", "discarded/", "kept/", "placed/")
    return snapshot(space.root), {path: entry for path, entry in state.items() if path.startswith(ours)}


def files_of(state: tuple[Snapshot, Snapshot]) -> tuple[Snapshot, Snapshot]:
    """Without empty folders of the state folder, which mean nothing."""
    workspace, own = state
    return workspace, {path: entry for path, entry in own.items() if entry[0] != "folder"}


def undisturbed(command: Command, space: Workspace, steps: Path) -> tuple[tuple[Snapshot, Snapshot], list[str]]:
    """The state after the command, and the steps that it took."""
    result = space.run(*command.words, prepare=noting_steps(steps))
    assert result.code == command.code, result.text
    return files_of(shown(space)), steps.read_text().splitlines()


@pytest.mark.timeout(TIMEOUT)
@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_every_step(name: str, originals: Original, disk: Path) -> None:
    command = COMMANDS[name]
    start = originals(command.begin)
    old = files_of(shown(start))
    new, steps = undisturbed(command, start.copy(disk / "done"), disk / "steps")
    assert old != new
    assert {"write the journal", "begin the swap", "end the journal"} <= set(steps)
    decided = steps.index("write the journal")
    turns = {steps.index(name) + more for name in ("write the journal", "begin the swap") for more in (-1, 0, 1)}
    numbers = sample(range(len(steps)), STEPS, always={*turns, len(steps) - 1})
    outcomes = []
    for number in numbers:
        space = start.copy(disk / f"step{number}")
        assert space.run(*command.words, prepare=killed_at_step(number)).killed
        outcomes.append(settled(space, old, new))
        if number == decided:
            assert space.run(*command.words).code == command.code
            assert files_of(shown(space)) == new
        shutil.rmtree(space.folder)
    # Old up to the commit point, new from there on.
    assert outcomes == [number > decided for number in numbers]
    assert {*outcomes} == {False, True}


def settled(space: Workspace, old: object, new: object) -> bool:
    """After a kill: the next command leaves one of the two states and says which. True for the new one."""
    said = space.run("verify").err
    state = files_of(shown(space))
    assert state in (old, new)
    if state == new:
        assert "finished an interrupted " in said
    elif said:
        assert "discarded an interrupted " in said
        assert "it had changed nothing yet" in said
    assert not list((space.root / ".vendorctl/tx").glob("*"))
    return state == new


@pytest.mark.parametrize("running", [False, True], ids=["before", "during"])
def test_killed_at_every_program_that_a_first_sync_starts(
    running: bool, originals: Original, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache is cold: downloads are cut off."""
    start = originals(fresh)
    for number in range(100):
        space = start.copy(disk / f"program{number}")
        monkeypatch.setenv("VENDORCTL_CACHE", str(disk / f"cache{number}"))
        before = files_of(shown(space))
        if not space.run("sync", prepare=killed_at_program(number, running=running)).killed:
            break
        assert files_of(shown(space)) == before
        result = space.run("sync")
        assert result.code == 0, result.text
        assert space.run("verify").code == 0
        shutil.rmtree(space.folder)
    else:
        pytest.fail("sync starts more than a hundred programs")
    assert number > 3


# -- full disk -----------------------------------------------------------------------------------------------------


@pytest.mark.timeout(TIMEOUT)
@pytest.mark.parametrize("name", ["first sync", "sync --pin", "patch record"])
def test_a_disk_that_is_full_from_some_call_on(name: str, originals: Original, disk: Path) -> None:
    command = COMMANDS[name]
    start = originals(command.begin)
    old = files_of(shown(start))
    new, _steps = undisturbed(command, start.copy(disk / "done"), disk / "steps")
    seen = set()
    number = 0
    while True:
        space = start.copy(disk / f"full{number}")
        result = space.run(*command.words, prepare=full_at_call(number))
        if result.code == command.code:
            break
        assert result.code == ExitCode.INTERNAL, result.text
        assert re.search("disk is full|No space left", result.err), result.err
        seen.add("decided" if "decided but not finished" in result.err else "unchanged")
        if "decided" not in result.err:
            assert files_of(shown(space)) == old
        assert settled(space, old, new) == ("decided" in result.err)
        shutil.rmtree(space.folder)
        number += 1 if SOAK else 7
    assert number > 20
    assert seen == {"decided", "unchanged"}
    assert files_of(shown(space)) == new


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 1 MiB."""
    mount = tmp_path / "small"
    mount.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mount)], capture_output=True)
    if done.returncode != 0:
        pytest.skip("needs the right to mount a tmpfs")
    try:
        yield mount
    finally:
        subprocess.run(["umount", str(mount)], check=True)


def test_a_disk_that_is_really_full(originals: Original, disk: Path, small_disk: Path) -> None:
    start = originals(patched)
    old = files_of(shown(start))
    new, _steps = undisturbed(COMMANDS["sync --pin"], start.copy(disk / "done"), disk / "steps")
    refused = 0
    for pages in range(0, 60, 3):
        space = start.copy(disk / f"full{pages}")
        shutil.copytree(space.root, small_disk / "workspace", symlinks=True)
        shutil.rmtree(space.root)
        space.root.symlink_to(small_disk / "workspace")
        space.describe(space.upstream.commits[0], url=f"file://{space.upstream.git_dir}")
        filler = small_disk / "filler"
        filler.write_bytes(bytes(4096 * max(os.statvfs(small_disk).f_bavail - pages, 0)))
        result = space.run("sync", "--pin", "up=v3")
        filler.unlink()
        if result.code != 0:
            refused += 1
            assert "the disk is full" in result.err
        state = trees_of(snapshot(small_disk / "workspace"))
        assert state == trees_of(new[0] if result.code == 0 else old[0])
        shutil.rmtree(small_disk / "workspace")
    assert 2 < refused < 20


def trees_of(state: Snapshot) -> Snapshot:
    """Without the files that say where the upstream is: manifest, lock, and notices of the output."""
    return {path: entry for path, entry in state.items() if path.startswith(("vendored/", "patches/"))}


# -- two at once ---------------------------------------------------------------------------------------------------


class Hold:
    """Lets a command stop at a step until it is told to go on."""

    def __init__(self) -> None:
        self._until, self._go = os.pipe()
        self._arrived, self._told = os.pipe()

    def start(self, space: Workspace, step: str, *words: str) -> Running:
        """The command, standing before the step."""
        running = space.start(*words, prepare=held_at_step(step, until=self._until, told=self._told))
        ready, _, _ = select.select([self._arrived], [], [], 60)
        assert ready, running.said()
        return running

    def release(self) -> None:
        """Let it go on."""
        os.write(self._go, b"x")

    def close(self) -> None:
        for descriptor in (self._until, self._go, self._arrived, self._told):
            os.close(descriptor)


@pytest.fixture
def hold() -> Iterator[Hold]:
    made = Hold()
    yield made
    made.close()


def wait_until(true: Callable[[], object]) -> None:
    """Wait for something that is about to happen."""
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_second_sync_waits_and_says_for_whom(originals: Original, disk: Path, hold: Hold) -> None:
    space = originals(patched).copy(disk / "w")
    first = hold.start(space, "stage ", "sync", "--pin", "up=v3")
    second = space.start("sync")
    wait_until(lambda: f"waiting for `vendorctl sync` (process {first.pid}) to finish" in second.said())
    hold.release()
    assert (first.wait().code, second.wait().code) == (0, 0)
    assert space.run("verify").code == 0
    assert str(space.upstream.commits[2]) in (space.root / "VENDOR.lock").read_text()


def test_two_syncs_of_different_pins_never_mix(originals: Original, disk: Path) -> None:
    start = originals(synced)
    states = []
    for pin in ("v2", "v3"):
        alone = start.copy(disk / pin)
        alone.must("sync", "--pin", f"up={pin}")
        states.append(snapshot(alone.root))
    for attempt in range(3):
        space = start.copy(disk / f"both{attempt}")
        racing = [space.start("sync", "--pin", f"up={pin}") for pin in ("v2", "v3")]
        assert [each.wait().code for each in racing] == [0, 0]
        assert snapshot(space.root) in states
        assert space.run("verify").code == 0


def test_a_reader_waits_for_a_swap_that_is_under_way(originals: Original, disk: Path, hold: Hold) -> None:
    space = originals(patched).copy(disk / "w")
    writer = hold.start(space, "swap in ", "sync", "--pin", "up=v3")
    reader = space.start("verify")
    time.sleep(0.3)
    assert os.waitid(os.P_PID, reader.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    hold.release()
    assert (writer.wait().code, reader.wait().code) == (0, 0)


def test_who_waited_finishes_what_a_killed_sync_had_decided(originals: Original, disk: Path, hold: Hold) -> None:
    space = originals(patched).copy(disk / "w")
    first = hold.start(space, "swap in ", "sync", "--pin", "up=v3")
    second = space.start("patch", "drop", "up", "1")
    time.sleep(0.2)
    os.kill(first.pid, 9)
    assert first.wait().killed
    result = second.wait()
    assert result.code == 0, result.text
    assert "finished an interrupted sync" in result.err
    assert space.run("verify").code == 0
    assert space.text("a.py") == BASE
