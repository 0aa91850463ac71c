# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Many processes on one workspace and one cache, readers and writers mixed: the outcome is that of some order of them.

Eight processes and a few rounds here; `make soak` has more of both.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from acceptance.test_interrupted import OURS, Original, patched, synced
from support import kernel_workspace
from support.command import Result
from support.faults import Snapshot, snapshot
from support.kernel_workspace import cache_of, unbuild
from support.soak import SOAK, TIMEOUT
from support.workspace import Workspace
from vendorctl.errors import ExitCode

PROCESSES = 12 if SOAK else 8
ROUNDS = 40 if SOAK else 2

READERS = (
    ("verify",),
    ("status", "--offline"),
    ("diff-upstream",),
    ("patch", "list"),
    ("log", "up"),
    ("licenses", "--check"),
    ("sync", "--dry-run"),
)
#: Writers whose result does not depend on what the others did before.
WRITERS = (("sync",), ("sync", "--pin", "up=v3"), ("licenses",), ("sbom",), ("sync", "--discard"))


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A patch that is recorded twice has one date."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1704067200")


@pytest.fixture
def place(disk: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A folder for one round; the cache that it comes with is empty."""

    def make(name: str) -> Path:
        shutil.rmtree(disk / "round", ignore_errors=True)
        monkeypatch.setenv("VENDORCTL_CACHE", str(disk / f"round/cache-{name}"))
        return disk / "round/w"

    return make


def at_once(space: Workspace, commands: Sequence[tuple[str, ...]]) -> list[Result]:
    """All commands started together; their results in the same order. None may end in anything but an answer."""
    running = [space.start(*words) for words in commands]
    results = [each.wait() for each in running]
    for words, result in zip(commands, results, strict=True):
        assert "internal error" not in result.err, (words, result.err)
        assert "Traceback" not in result.err, (words, result.err)
        assert result.code >= 0, (words, result.code)
    return results


def quiet(space: Workspace) -> None:
    """No lock, no journal and no staged file is left, and a last look finds everything in order."""
    assert space.run("verify").code == 0
    left = [path.name for path in (space.root / ".vendorctl").rglob("*") if path.is_file()]
    assert "journal" not in left
    assert "lock.holder" not in left
    assert not list((space.root / ".vendorctl/tx").glob("*"))


@pytest.mark.timeout(TIMEOUT)
def test_one_cold_cache_for_all(originals: Original, place: Callable[[str], Path]) -> None:
    """Eight workspaces of one upstream fetch it together."""
    start = originals(synced)
    for number in range(ROUNDS):
        folder = place(f"{number}")
        first = start.copy(folder)
        spaces = [first]
        for other in range(1, PROCESSES):
            shutil.copytree(first.root, folder / f"workspace{other}", symlinks=True)
            spaces.append(Workspace(folder, first.upstream, first.output))
        roots = [first.root, *(folder / f"workspace{other}" for other in range(1, PROCESSES))]
        running = [
            space.start("-C", str(root), "sync", "--pin", f"up=v{2 + at % 2}")
            for at, (space, root) in enumerate(zip(spaces, roots, strict=True))
        ]
        results = [each.wait() for each in running]
        assert [result.code for result in results] == [0] * PROCESSES, [result.err for result in results]
        assert snapshot(roots[0]) == snapshot(roots[2])
        assert snapshot(roots[1]) == snapshot(roots[3])
        assert snapshot(roots[0]) != snapshot(roots[1])


@pytest.mark.timeout(TIMEOUT)
def test_readers_see_one_state_while_writers_work(originals: Original, place: Callable[[str], Path]) -> None:
    """Every reader's answer is one that it gives of a state between two commands."""
    start = originals(patched)
    alone = serial(start, place)
    for number in range(ROUNDS):
        space = start.copy(place(f"{number}"))
        choose = random.Random(number)
        commands = [choose.choice(READERS) for _ in range(PROCESSES - 3)] + [choose.choice(WRITERS) for _ in range(3)]
        choose.shuffle(commands)
        results = at_once(space, commands)
        for words, result in zip(commands, results, strict=True):
            assert result.code in alone[words], (words, result.text)
        quiet(space)


def serial(start: Workspace, place: Callable[[str], Path]) -> dict[tuple[str, ...], set[int]]:
    """The exit codes that each command has alone, before and after every writer."""
    codes: dict[tuple[str, ...], set[int]] = {}
    for writer in [(), *WRITERS]:
        space = start.copy(place("-".join(writer) or "none"))
        if writer:
            space.must(*writer)
        for words in (*READERS, *WRITERS):
            codes.setdefault(words, set()).add(space.run(*words).code)
    return codes


@pytest.mark.timeout(TIMEOUT)
def test_the_same_writers_end_as_one_after_the_other(originals: Original, place: Callable[[str], Path]) -> None:
    """One edit, recorded by eight processes at once: one patch, and seven that find nothing to record."""
    start = originals(synced)
    record = ("patch", "record", "up", "--title", "Mine", "--reason", "ours")
    space = start.copy(place("alone"))
    space.edit({"a.py": OURS})
    space.must(*record)
    wanted: Snapshot = snapshot(space.root)
    nothing = space.run(*record)
    assert nothing.code not in {0, ExitCode.INTERNAL}
    for number in range(ROUNDS):
        space = start.copy(place(f"{number}"))
        space.edit({"a.py": OURS})
        results = at_once(space, [record] * (PROCESSES - 2) + [("verify",), ("status", "--offline")])
        codes = sorted(result.code for result in results[: PROCESSES - 2])
        assert codes == [0, *[nothing.code] * (PROCESSES - 3)], [result.err for result in results]
        assert snapshot(space.root) == wanted
        quiet(space)


KERNEL_COMMANDS = (
    ("build", "-j1"),
    ("check", "--require"),
    ("objects", "status", "--require"),
    ("pack",),
    ("test", "-j1"),
    ("build", "-j2"),
)


def files_in(folder: Path) -> Snapshot:
    """Every file below a folder, also those that should not be there."""
    return {path: entry for path, entry in snapshot(folder).items() if entry[0] != "folder"}


def codes_in_turn(space: Workspace) -> dict[tuple[str, ...], set[int]]:
    """The exit codes that each command has before a build and after one; that leaves everything done."""
    codes: dict[tuple[str, ...], set[int]] = {words: set() for words in KERNEL_COMMANDS}
    for words in (*KERNEL_COMMANDS[1:-1], *KERNEL_COMMANDS):
        codes[words].add(space.run(*words).code)
    return codes


@pytest.mark.timeout(TIMEOUT)
def test_kernels_of_one_workspace_and_one_cache(
    originals: Original, place: Callable[[str], Path], disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Objects are built, proven, packed and tested at once: every answer is one of before or after a build."""
    start = originals(kernel_workspace.built).copy(disk / "start")
    unbuild(start)
    alone = start.copy(place("alone"))
    monkeypatch.setenv("VENDORCTL_CACHE", str(cache_of(alone)))
    codes = codes_in_turn(alone)
    assert codes["check", "--require"] == {0, ExitCode.FINDINGS}
    wanted, entries = snapshot(alone.root), files_in(cache_of(alone))
    for number in range(ROUNDS if SOAK else 1):
        space = start.copy(place(f"{number}"))
        monkeypatch.setenv("VENDORCTL_CACHE", str(cache_of(space)))
        more = random.Random(number).choices(KERNEL_COMMANDS, k=PROCESSES - len(KERNEL_COMMANDS)) if SOAK else []
        commands = [*KERNEL_COMMANDS, *more]
        random.Random(number).shuffle(commands)
        for words, result in zip(commands, at_once(space, commands), strict=True):
            assert result.code in codes[words], (words, result.text)
            assert "internal error" not in result.text, (words, result.text)
        space.must("check", "--require")
        space.must("pack")
        space.must("test", "-j1")
        assert snapshot(space.root) == wanted
        assert files_in(cache_of(space)).items() <= entries.items()
        quiet(space)


@pytest.mark.timeout(TIMEOUT)
@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
def test_workspaces_that_build_at_once_share_a_cache(
    warm: bool, originals: Original, place: Callable[[str], Path], disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each compiles for itself, or takes what another was quicker with; all have the same bytes in the end."""
    start = originals(kernel_workspace.built).copy(disk / "start")
    wanted, entries = snapshot(start.root / "objects"), files_in(cache_of(start) / "objects")
    unbuild(start)
    for number in range(ROUNDS if SOAK else 1):
        folder = place(f"{number}")
        spaces = [start.copy(folder / f"{each}") for each in range(PROCESSES if SOAK else 3)]
        shared = folder / "shared"
        if warm:
            shutil.copytree(cache_of(start) / "objects", shared)
        running = []
        for space in spaces:
            shutil.rmtree(cache_of(space))
            kernel_workspace.share(space, shared.as_uri())
            monkeypatch.setenv("VENDORCTL_CACHE", str(cache_of(space)))
            running.append(space.start("build", "-j1"))
        results = [each.wait() for each in running]
        for space, result in zip(spaces, results, strict=True):
            assert (result.code, "warning" in result.text) == (0, False), result.text
            assert ("2 from cache" in result.out) or not warm, result.out
            assert snapshot(space.root / "objects") == wanted
            assert files_in(cache_of(space) / "objects") == entries
            space.must("check", "--require")
            quiet(space)
        assert files_in(shared) == entries
