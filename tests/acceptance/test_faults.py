# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Any system call that writes may fail, in vendorctl or in git: nothing is lost, and the next run works.

A sample of the calls is tried here; `make soak` tries each of them with each error.
"""

from __future__ import annotations

import errno
import itertools
import os
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from acceptance.test_interrupted import COMMANDS, Command, Original, files_of, patched, shown
from support.repo import executable
from support.syscalls import Faults, build_shim
from support.workspace import Workspace, make_workspace
from vendorctl.errors import ExitCode

SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
#: How many faults of each command are tried outside of a soak.
SAMPLE = 14

#: Errors that a call may end with, once or from then on.
ERRORS = {
    "full": (errno.ENOSPC, False),
    "full from then on": (errno.ENOSPC, True),
    "broken": (errno.EIO, False),
    "broken from then on": (errno.EIO, True),
    "refused": (errno.EACCES, False),
    "interrupted": (errno.EINTR, False),
}

#: What a person is told, and never that vendorctl itself is at fault.
TOLD = re.compile(
    r"disk is full|No space left|Input/output error|Permission denied|Interrupted system call|cannot be written|failed"
)


def bare(folder: Path) -> Workspace:
    """An upstream, and a folder that is no workspace yet."""
    space = make_workspace(folder, {"a.py": "x = 1\n"})
    (space.root / "VENDOR.yaml").unlink()
    return space


def copied(folder: Path) -> Workspace:
    """A hand-made copy of the upstream inside a workspace without upstreams."""
    body = "".join(f"line_{number} = {number}\n" for number in range(30))
    space = make_workspace(folder, {"k/a.py": body, "k/run.sh": executable("x\n")})
    (space.root / "VENDOR.yaml").write_text("version: 1\nupstreams: {}\n")
    (space.root / "src/copied").mkdir(parents=True)
    (space.root / "src/copied/a.py").write_text(body.replace("line_7 = 7", "mine_7 = 7"))
    (space.root / "src/copied/run.sh").write_text("x\n")
    (space.root / "src/copied/run.sh").chmod(0o755)
    return space


ADOPT = ("adopt", "src/copied", "--upstream", "up", "--url", "../upstream")
ALL = {
    name: COMMANDS[name] for name in ("first sync", "patch record", "sync --pin", "sync --discard", "patch drop")
} | {
    "licenses": Command(patched, ("licenses",)),
    "sbom": Command(patched, ("sbom",)),
    "init": Command(bare, ("init",)),
    "adopt": Command(copied, ADOPT),
}


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that makes calls fail."""
    return build_shim(tmp_path_factory.mktemp("shim"))


@dataclass
class Trial:
    """Copies of one workspace, each with a cold cache, and commands on them whose calls fail."""

    start: Workspace
    command: Command
    faults: Faults
    monkeypatch: pytest.MonkeyPatch

    def fresh(self, name: str) -> Workspace:
        """The next copy; the one before it is gone."""
        shutil.rmtree(self.faults.folder)
        self.faults.folder.mkdir()
        space = self.start.copy(self.faults.folder / "w")
        self.monkeypatch.setenv("VENDORCTL_CACHE", str(self.faults.folder / f"cache-{name}"))
        return space

    def words(self, space: Workspace) -> tuple[str, ...]:
        return ("-C", str(space.root), *(word.replace("src/", f"{space.root}/src/") for word in self.command.words))


@pytest.fixture
def trial(
    shim: Path, disk: Path, originals: Original, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[Command], Trial]:
    """Makes the trial of a command."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1704067200")

    def make(command: Command) -> Trial:
        folder = disk / "f"
        folder.mkdir()
        return Trial(originals(command.begin), command, Faults(shim, folder, tmp_path), monkeypatch)

    return make


def sampled(total: int, name: str) -> Iterator[tuple[int, str]]:
    """Which call fails, and how: all of them in a soak, else a few, spread over the command."""
    every = list(itertools.product(range(total), ERRORS))
    yield from every if SOAK else sorted(random.Random(name).sample(every, min(SAMPLE, len(every))))


@pytest.mark.timeout(0 if SOAK else 300)
@pytest.mark.parametrize("name", ALL)
def test_any_call_that_writes_may_fail(name: str, trial: Callable[[Command], Trial]) -> None:
    command = ALL[name]
    tried = trial(command)
    old = files_of(shown(tried.start))
    space = tried.fresh("dry")
    result, total = tried.faults.count(*tried.words(space))
    assert result.code == command.code, result.text
    new = files_of(shown(space))
    told = space.run("verify").code
    assert old != new
    assert total > 5
    failed = set()
    for number, kind in sampled(total, name):
        error, lasting = ERRORS[kind]
        space = tried.fresh(f"{number}")
        result, call = tried.faults.fail(number, error, *tried.words(space), lasting=lasting)
        failed.add(call)
        where = f"{name}: call {number} of {total} ({call}) {kind}: {result.text}"
        assert call or total - number < 12, where  # git may make some calls more or less
        assert "internal error" not in result.text, where
        assert "Traceback" not in result.text, where
        assert result.code == command.code or TOLD.search(result.err), where
        # The next command finds one of the two states, or puts things right by itself.
        space.run("verify")
        state = files_of(shown(space))
        assert state in (old, new), where
        assert result.code != command.code or state == new, where
        if state == old:
            again = space.run(*tried.words(space)[2:])
            assert again.code == command.code, f"{where}\nand then: {again.text}"
            assert files_of(shown(space)) == new, where
        assert space.run("verify").code == told, where
    assert len(failed) >= (6 if SOAK else 3)


def test_the_library_reaches_git_and_counts(trial: Callable[[Command], Trial]) -> None:
    """The control: without it, a trial in which nothing fails would look like one that survived everything."""
    tried = trial(COMMANDS["first sync"])
    space = tried.fresh("all")
    result, total = tried.faults.count(*tried.words(space))
    assert (result.code, total > 50) == (0, True)
    space = tried.fresh("first")
    result, call = tried.faults.fail(0, errno.EIO, *tried.words(space), lasting=True)
    assert call
    assert result.code == ExitCode.INTERNAL
    assert not (space.root / "VENDOR.lock").exists()
    space = tried.fresh("never")
    result, call = tried.faults.fail(total + 1000, errno.EIO, *tried.words(space))
    assert (result.code, call) == (0, "")
    with tempfile.TemporaryDirectory() as elsewhere:
        outside = Faults(tried.faults.library, Path(elsewhere), tried.faults.notes)
        assert outside.count("-C", str(space.root), "verify")[1] == 0
