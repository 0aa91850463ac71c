# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Any system call that writes may fail, in vendorctl or in git: nothing is lost, and the next run works.

A sample of the calls is tried here; `make soak` tries each of them with each error.
"""

from __future__ import annotations

import errno
import itertools
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from acceptance.test_interrupted import COMMANDS, Command, Original, files_of, patched, shown
from support import kernel_workspace
from support.command import Prepare, Result
from support.faults import Snapshot, snapshot
from support.interruptions import killed_at_step, killed_before
from support.kernel_workspace import cache_of
from support.repo import executable
from support.soak import SOAK, TIMEOUT
from support.syscalls import Faults, build_shim
from support.workspace import Workspace, make_workspace
from vendorctl.errors import ExitCode

#: How many faults of a command are tried outside of a soak, unless it says otherwise.
SAMPLE = 6
#: At most so many of a command of DVC in a soak, which makes a thousand calls and takes ten seconds for each trial.
MOST_OF_DVC = 300

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


def unchanged(_space: Workspace) -> None:
    """The workspace as it was made."""


def nothing_more(_space: Workspace) -> bool:
    """The state is all that counts."""
    return True


@dataclass(frozen=True)
class Tried(Command):
    """A command whose calls fail. `prepare` makes its first state of what `begin` makes, which several may share.

    `proof` is the command that accepts its last state, `promise` what holds in that state besides. `sample` is how many
    faults are tried outside of a soak, `most` (None: all) in one. A `piecemeal` command keeps each file that it could
    make, where others make all or none.
    """

    prepare: Callable[[Workspace], object] = unchanged
    proof: tuple[str, ...] = ("verify",)
    promise: Callable[[Workspace], bool] = nothing_more
    sample: int = SAMPLE
    most: int | None = None
    piecemeal: bool = False

    def may_leave(
        self, state: tuple[Snapshot, Snapshot], old: tuple[Snapshot, Snapshot], new: tuple[Snapshot, Snapshot]
    ) -> bool:
        """Whether the command may end in a state when something failed."""
        between = old[0].items() <= state[0].items() <= new[0].items()
        return state in (old, new) or (self.piecemeal and between)


def on_kernels(
    *words: str,
    prepare: Callable[[Workspace], object],
    sample: int = SAMPLE,
    most: int | None = None,
    piecemeal: bool = False,
    promise: Callable[[Workspace], bool] = nothing_more,
) -> Tried:
    """A command on the workspace with the small kernel, whose last state `check` accepts."""
    proof = ("check", "--require")
    return Tried(kernel_workspace.built, words, prepare=prepare, proof=proof, promise=promise, sample=sample, most=most,
                 piecemeal=piecemeal)  # fmt: skip


def compiler_needed(space: Workspace) -> None:
    """No cache has any of the objects."""
    kernel_workspace.unbuild(space)
    shutil.rmtree(cache_of(space))


def sound_entries(space: Workspace) -> bool:
    """Whether everything in both caches of a build is whole: as the build that made the workspace left it."""
    shared = snapshot(kernel_workspace.shared_cache(space))
    own = snapshot(cache_of(space) / "objects") if (cache_of(space) / "objects").exists() else {}
    return all(shared.get(path) == entry for path, entry in own.items() if not Path(path).name.startswith(".new-"))


def pushed(space: Workspace) -> None:
    """The objects are in the remote, and nowhere else."""
    kernel_workspace.connect_store(space)
    space.must("objects", "push")
    shutil.rmtree(space.root / ".dvc/cache")
    for name in kernel_workspace.OBJECTS:
        (space.root / name).unlink()


ADOPT = ("adopt", "src/copied", "--upstream", "up", "--url", "../upstream")
ALL = {
    name: Tried(COMMANDS[name].begin, COMMANDS[name].words, COMMANDS[name].code)
    for name in ("first sync", "patch record", "sync --pin", "sync --discard", "patch drop")
} | {
    "licenses": Tried(patched, ("licenses",)),
    "sbom": Tried(patched, ("sbom",)),
    "init": Tried(bare, ("init",)),
    "adopt": Tried(copied, ADOPT),
    "build": on_kernels("build", "-j1", prepare=kernel_workspace.unbuild, sample=3),
    "build from a shared cache": on_kernels(
        "build", "-j1", prepare=kernel_workspace.lend, promise=sound_entries, sample=3
    ),
    "build that compiles": on_kernels("build", "-j1", prepare=compiler_needed, sample=1),
    "pack": on_kernels("pack", prepare=unchanged, sample=3),
}
if SOAK and find_spec("dvc") is not None:  # DVC takes a second to start, some four times in each trial
    ALL |= {
        "objects push": on_kernels(
            "objects", "push", prepare=kernel_workspace.connect_store, promise=kernel_workspace.stored, most=MOST_OF_DVC
        ),
        "objects pull": on_kernels("objects", "pull", prepare=pushed, most=MOST_OF_DVC, piecemeal=True),
    }
#: Leaves nothing in the workspace.
TEST = on_kernels("test", "-j1", prepare=unchanged, sample=2)


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that makes calls fail."""
    return build_shim(tmp_path_factory.mktemp("shim"))


@dataclass
class Trial:
    """Copies of one workspace, each with the cache that lies beside it or a cold one, and commands whose calls fail."""

    start: Workspace
    command: Tried
    faults: Faults
    monkeypatch: pytest.MonkeyPatch

    def fresh(self, name: str) -> Workspace:
        """The next copy; the one before it is gone."""
        shutil.rmtree(self.faults.folder)
        self.faults.folder.mkdir()
        space = self.start.copy(self.faults.folder / "w")
        cold = self.faults.folder / f"cache-{name}"
        self.monkeypatch.setenv("VENDORCTL_CACHE", str(cache_of(space) if cache_of(space).exists() else cold))
        return space

    def words(self, space: Workspace) -> tuple[str, ...]:
        return ("-C", str(space.root), *(word.replace("src/", f"{space.root}/src/") for word in self.command.words))


@pytest.fixture
def trial(
    shim: Path, disk: Path, originals: Original, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[Tried], Trial]:
    """Makes the trial of a command."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1704067200")

    def make(command: Tried) -> Trial:
        folder = disk / "f"
        folder.mkdir()
        start = originals(command.begin).copy(disk / "start")
        command.prepare(start)
        return Trial(start, command, Faults(shim, folder, tmp_path), monkeypatch)

    return make


def sampled(total: int, command: Tried) -> Iterator[tuple[int, str]]:
    """Which call fails, and how: all of them, or some that are spread over the command."""
    every = list(itertools.product(range(total), ERRORS))
    count = min((command.most or len(every)) if SOAK else command.sample, len(every))
    yield from every if count == len(every) else sorted(random.Random(" ".join(command.words)).sample(every, count))


def refuses_well(command: Tried, result: Result, where: str) -> None:
    """A command whose call failed ends as if nothing had been, or tells what the matter is."""
    assert "internal error" not in result.text, where
    assert "Traceback" not in result.text, where
    assert result.code == command.code or TOLD.search(result.text), where


def state_of(space: Workspace) -> tuple[Snapshot, Snapshot]:
    """What a person has, without what is git's and DVC's own."""
    workspace, own = files_of(shown(space))
    foreign = (".git/", ".dvc/")
    return {path: entry for path, entry in workspace.items() if not f"{path}/".startswith(foreign)}, own


def without_leftovers(state: tuple[Snapshot, Snapshot]) -> tuple[Snapshot, Snapshot]:
    """Without what a push leaves that could not remove it; the next one does."""
    workspace, own = state
    return {path: entry for path, entry in workspace.items() if not path.endswith("/sending.dvc")}, own


@pytest.mark.timeout(TIMEOUT)
@pytest.mark.parametrize("name", ALL)
def test_any_call_that_writes_may_fail(name: str, trial: Callable[[Tried], Trial]) -> None:
    command = ALL[name]
    tried = trial(command)
    old = state_of(tried.start)
    space = tried.fresh("dry")
    result, total = tried.faults.count(*tried.words(space))
    assert result.code == command.code, result.text
    new = state_of(space)
    told = space.run(*command.proof).code
    assert command.promise(space)
    assert old != new
    assert total > 5
    failed = set()
    for number, kind in sampled(total, command):
        error, lasting = ERRORS[kind]
        space = tried.fresh(f"{number}")
        result, call = tried.faults.fail(number, error, *tried.words(space), lasting=lasting)
        failed.add(call)
        where = f"{name}: call {number} of {total} ({call}) {kind}: {result.text}"
        assert call or total - number < 12, where  # git may make some calls more or less
        refuses_well(command, result, where)
        # The next command finds one of the two states, or puts things right by itself.
        space.run("verify")
        state = without_leftovers(state_of(space))
        assert command.may_leave(state, old, new), where
        assert state != new or command.promise(space), where
        assert result.code != command.code or state == new, where
        if state != new:
            again = space.run(*tried.words(space)[2:])
            assert again.code == command.code, f"{where}\nand then: {again.text}"
            assert state_of(space) == new, where
            assert command.promise(space), where
        assert space.run(*command.proof).code == told, where
    assert len(failed) >= (6 if SOAK else min(3, command.sample // 2))


def results_of(space: Workspace) -> Snapshot:
    """The results that are kept, without folders and staged files."""
    found = snapshot(cache_of(space) / "tests") if (cache_of(space) / "tests").exists() else {}
    return {path: entry for path, entry in found.items() if path.endswith(".json")}


@pytest.mark.timeout(TIMEOUT)
def test_a_result_that_cannot_be_kept_is_a_result_all_the_same(trial: Callable[[Tried], Trial]) -> None:
    """`test` writes to the user's cache only: whole results, or none."""
    tried = trial(TEST)
    before = state_of(tried.start)
    space = tried.fresh("dry")
    undisturbed, total = tried.faults.count(*tried.words(space))
    assert undisturbed.code == 0, undisturbed.text
    new = results_of(space)
    assert len(new) >= len(kernel_workspace.OBJECTS)
    assert total > 5
    for number, kind in sampled(total, TEST):
        error, lasting = ERRORS[kind]
        space = tried.fresh(f"{number}")
        result, call = tried.faults.fail(number, error, *tried.words(space), lasting=lasting)
        where = f"call {number} of {total} ({call}) {kind}: {result.text}"
        assert call, where
        refuses_well(TEST, result, where)
        assert result.code != 0 or result.out == undisturbed.out, where
        assert results_of(space).items() <= new.items(), where
        again = space.run(*TEST.words)
        assert (again.code, "2 passed" in again.out) == (0, True), where
        # What is kept by one of an object's two names need not be kept by the other.
        assert len(results_of(space)) >= len(kernel_workspace.OBJECTS), where
        assert results_of(space).items() <= new.items(), where
        assert state_of(space) == before, where


@pytest.fixture
def pushing(shim: Path, disk: Path, originals: Original, tmp_path: Path) -> tuple[Callable[[], Workspace], Faults]:
    """Copies of a workspace whose objects are in no remote yet, and faults of what is done to the remote."""
    pytest.importorskip("dvc")
    start = originals(kernel_workspace.built).copy(disk / "start")
    kernel_workspace.connect_store(start)

    def fresh() -> Workspace:
        shutil.rmtree(disk / "p", ignore_errors=True)
        return start.copy(disk / "p")

    return fresh, Faults(shim, kernel_workspace.store_of(Workspace(disk / "p", start.upstream)), tmp_path, disk / "tmp")


POINTER = f"objects/scale/{kernel_workspace.TARGET}/objects.dvc"


def settled(space: Workspace, old: tuple[Snapshot, Snapshot]) -> bool:
    """After a push that was killed: a pointer is there only if everything was sent, else that is said. True for one.

    The next push sends all.
    """
    space.run("verify")
    there = (space.root / POINTER).exists()
    if there:
        assert kernel_workspace.stored(space)
    else:
        assert without_leftovers(state_of(space)) == old
        assert space.run("objects", "status", "--require").code == ExitCode.FINDINGS
    space.must("objects", "push")
    assert kernel_workspace.stored(space)
    space.must("check", "--require")
    assert set(state_of(space)[0]) - set(old[0]) == {POINTER}
    return there


@pytest.mark.timeout(TIMEOUT)
def test_a_push_killed_in_mid_transfer_leaves_no_pointer(pushing: tuple[Callable[[], Workspace], Faults]) -> None:
    fresh, faults = pushing
    space = fresh()
    words = ("-C", str(space.root), "objects", "push")
    old = state_of(space)
    result, total = faults.count(*words)
    assert result.code == 0, result.text
    assert (space.root / POINTER).exists()
    partly = 0
    for number in range(total) if SOAK else [total - 5]:
        space = fresh()
        assert faults.kill(number, *words).killed
        sent = [path for path in kernel_workspace.store_of(space).rglob("*") if path.is_file()]
        partly += bool(sent) and not kernel_workspace.stored(space)
        assert not settled(space, old)
    assert partly


@pytest.mark.timeout(TIMEOUT)
def test_a_push_killed_at_its_own_steps_leaves_a_pointer_only_to_what_was_sent(
    pushing: tuple[Callable[[], Workspace], Faults],
) -> None:
    fresh, _faults = pushing
    old = state_of(fresh())
    # The first journal is of what makes DVC send, the second one of the pointers.
    sampled: Iterable[Prepare] = [killed_before("write the journal", time=2)]
    outcomes = []
    for moment in map(killed_at_step, itertools.count()) if SOAK else sampled:
        space = fresh()
        if not space.run("objects", "push", prepare=moment).killed:
            break
        outcomes.append(settled(space, old))
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == ({False, True} if SOAK else {False})


def test_the_library_reaches_git_and_counts(trial: Callable[[Tried], Trial]) -> None:
    """The control: without it, a trial in which nothing fails would look like one that survived everything."""
    tried = trial(ALL["first sync"])
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
