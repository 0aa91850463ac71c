# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A bump in a real workspace: conflict, --continue, --skip, --abort, reuse of decisions, and a kill at any moment."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.chains import numbered
from support.faults import Snapshot, count_calls, killed_at, snapshot
from support.repo import Repo, executable, repo, symlink
from vendorctl.cli import main
from vendorctl.errors import ExitCode
from vendorctl.series.dressing import undress
from vendorctl.series.resolutions import MOST, MOST_BYTES
from vendorctl.series.store import load_series

BASE = numbered(30)
OURS_5 = BASE.replace("line_5 = 5", "mine_5 = 5")
THEIRS_5 = BASE.replace("line_5 = 5", "theirs_5 = 5")
RESOLVED = BASE.replace("line_5 = 5", "both_5 = 5")


@dataclass
class Field:
    """A workspace with two patches over an upstream that has moved on: v1 to v2 conflicts, v1 to v3 does not."""

    folder: Path
    upstream: Repo

    @property
    def root(self) -> Path:
        return self.folder / "workspace"

    @property
    def files(self) -> Path:
        return self.root / ".vendorctl/bump/up/files"

    def run(self, *arguments: str) -> int:
        return main(["-C", str(self.root), "-q", *arguments])

    def text(self, path: str = "kernels/a.py") -> str:
        """A file of the patched tree, without its change notice."""
        content = (self.root / ".vendorctl/patched/up" / path).read_bytes()
        return undress(path.encode(), content).decode()

    def patches(self) -> list[str]:
        return [patch.title for patch in load_series(self.root, "up").patches]

    def resolve(self, content: str = RESOLVED) -> None:
        (self.files / "kernels/a.py").write_text(content)


def make_field(folder: Path) -> Field:
    folder.mkdir()
    upstream = repo(
        folder / "upstream",
        {"kernels/a.py": BASE, "kernels/b.py": BASE, "kernels/run.sh": executable("x\n"), "kernels/l": symlink("a.py")},
        {"kernels/a.py": THEIRS_5, "kernels/b.py": "# head\n" + BASE},
        {"kernels/a.py": BASE, "kernels/c.py": "c\n", "kernels/run.sh": "x\n"},
    )
    for number, commit in enumerate(upstream.commits, start=1):
        upstream.tag(f"v{number}", commit)
    field = Field(folder, upstream)
    field.root.mkdir()
    assert field.run("init") == 0
    url = os.path.relpath(upstream.git_dir, field.root)
    assert field.run("add", "up", url, "--ref", "v1", "--include", "kernels/**") == 0
    assert field.run("sync") == 0
    for path, old, new in (("a.py", "line_5 =", "mine_5 ="), ("b.py", "line_20 =", "mine_20 =")):
        file = field.root / ".vendorctl/patched/up/kernels" / path
        file.write_text(file.read_text().replace(old, new))
        assert field.run("patch", "record", "up", "--title", f"Change {path}", "--reason", "ours") == 0
    return field


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Where to crash: in memory if possible, because these tests make many synchronous calls."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as folder:
        yield Path(folder)


@pytest.fixture
def field(disk: Path) -> Field:
    return make_field(disk / "field")


def test_a_bump_writes_everything_or_nothing(field: Field) -> None:
    assert field.run("sync", "--pin", "up=v3") == 0
    assert field.run("verify") == 0
    assert "mine_5 = 5" in field.text()
    assert field.text("kernels/c.py") == "c\n"
    before = snapshot(field.root)
    assert field.run("sync", "--pin", "up=v3") == 0
    assert snapshot(field.root) == before


def test_a_dry_run_changes_nothing(field: Field) -> None:
    before = snapshot(field.root, without="")
    assert field.run("sync", "--pin", "up=v2", "--dry-run") == ExitCode.CONFLICT
    assert field.run("sync", "--pin", "up=v3", "--dry-run") == 0
    assert {path: entry for path, entry in snapshot(field.root, without="").items() if "lock" not in path} == {
        path: entry for path, entry in before.items() if "lock" not in path
    }


def test_a_conflict_leaves_the_workspace_and_explains_itself(field: Field) -> None:
    before = snapshot(field.root)
    assert field.run("sync", "--pin", "up=v2") == ExitCode.CONFLICT
    assert snapshot(field.root) == before
    folder = field.files.parent
    marked = (field.files / "kernels/a.py").read_text()
    old, new = field.upstream.commits[0].short, field.upstream.commits[1].short
    assert f"<<<<<<< upstream {new}\n" in marked
    assert f"||||||| {old} before 0001-change-a-py.patch\n" in marked
    assert ">>>>>>> 0001-change-a-py.patch\n" in marked
    summary = (folder / "SUMMARY.txt").read_text()
    assert "kernels/a.py (upstream changed the same lines)" in summary
    assert new in summary
    assert summary.count("\n") == 1
    assert (folder / "upstream.log").read_text().startswith(new)
    assert (folder / "base/kernels/a.py").read_text() == BASE
    assert (folder / "ours/kernels/a.py").read_text() == THEIRS_5
    assert (folder / "theirs/kernels/a.py").read_text() == OURS_5


def test_continue_wants_the_markers_gone_and_then_carries_the_rest(field: Field) -> None:
    assert field.run("sync", "--pin", "up=v2") == ExitCode.CONFLICT
    assert field.run("sync", "--continue") == ExitCode.CONFLICT
    field.resolve()
    assert field.run("sync", "--continue") == 0
    assert field.text() == RESOLVED
    assert field.text("kernels/b.py") == "# head\n" + BASE.replace("line_20 =", "mine_20 =")
    assert not field.files.parent.exists()
    assert field.run("verify") == 0


def test_skip_leaves_the_patch_out(field: Field) -> None:
    assert field.run("sync", "--pin", "up=v2") == ExitCode.CONFLICT
    assert field.run("sync", "--skip") == 0
    assert field.patches() == ["Change b.py"]
    assert field.text() == THEIRS_5
    assert field.run("verify") == 0


def test_abort_is_as_if_nothing_had_happened(field: Field) -> None:
    before = snapshot(field.root)
    assert field.run("sync", "--pin", "up=v2") == ExitCode.CONFLICT
    field.resolve()
    assert field.run("sync", "--abort") == 0
    assert snapshot(field.root) == before
    assert not field.files.parent.exists()
    assert field.run("sync", "--continue") == ExitCode.USAGE


def test_a_decision_is_reused_the_next_time(field: Field, disk: Path) -> None:
    conflicted(field)
    again = copy_of(field, disk / "again")
    field.resolve()
    assert field.run("sync", "--continue") == 0
    assert again.run("sync", "--abort") == 0
    shutil.copytree(field.root / ".vendorctl/resolutions", again.root / ".vendorctl/resolutions")
    assert again.run("sync", "--pin", "up=v2") == 0
    assert again.text() == RESOLVED


def test_a_decision_made_in_a_bump_that_was_given_up_is_forgotten(field: Field) -> None:
    resolved(field)
    second = field.root / "patches/up"
    assert second.is_dir()
    assert field.run("sync", "--abort") == 0
    assert field.run("sync", "--pin", "up=v2") == ExitCode.CONFLICT


def test_deleting_the_file_is_a_decision(field: Field) -> None:
    assert field.run("sync", "--pin", "up=v2") == ExitCode.CONFLICT
    (field.files / "kernels/a.py").unlink()
    assert field.run("sync", "--continue") == 0
    assert not (field.root / ".vendorctl/patched/up/kernels/a.py").exists()
    assert field.run("verify") == 0


def test_a_series_that_changed_meanwhile_is_not_continued(field: Field) -> None:
    assert field.run("sync", "--pin", "up=v2") == ExitCode.CONFLICT
    field.resolve()
    patch = next((field.root / "patches/up").glob("0002-*.patch"))
    patch.write_bytes(patch.read_bytes().replace(b"Reason: ours", b"Reason: mine"))
    assert field.run("sync", "--continue") == ExitCode.CONFLICT
    assert field.run("sync", "--abort") == 0


def test_another_bump_waits_until_this_one_is_decided(field: Field) -> None:
    assert field.run("sync", "--pin", "up=v2") == ExitCode.CONFLICT
    assert field.run("sync", "--pin", "up=v3") != 0
    assert field.files.exists()


def test_an_unreadable_state_can_only_be_given_up(field: Field) -> None:
    before = snapshot(field.root)
    conflicted(field)
    (field.files.parent / "state.json").write_text("{}")
    assert field.run("sync", "--continue") == ExitCode.INVALID
    assert field.run("status") == 0
    assert field.run("sync", "--abort") == 0
    assert snapshot(field.root) == before
    assert not field.files.parent.exists()


Prepare = Callable[[Field], None]


def conflicted(field: Field) -> None:
    assert field.run("sync", "--pin", "up=v2") == ExitCode.CONFLICT


def resolved(field: Field) -> None:
    conflicted(field)
    field.resolve()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prepare", "arguments", "status"),
    [
        (lambda _field: None, ("sync", "--pin", "up=v3"), ExitCode.OK),
        (lambda _field: None, ("sync", "--pin", "up=v2"), ExitCode.CONFLICT),
        (resolved, ("sync", "--continue"), ExitCode.OK),
        (conflicted, ("sync", "--skip"), ExitCode.OK),
        (resolved, ("sync", "--abort"), ExitCode.OK),
    ],
    ids=["bump", "conflict", "continue", "skip", "abort"],
)
def test_killed_at_any_moment_nothing_is_lost(
    disk: Path, prepare: Prepare, arguments: tuple[str, ...], status: ExitCode
) -> None:
    start = make_field(disk / "start")
    prepare(start)
    old = visible(start)
    done = copy_of(start, disk / "done")
    total = count_calls(lambda: done.run(*arguments))
    new = visible(done)
    assert new != old or status is ExitCode.CONFLICT
    for number in range(0, total, max(1, total // 12)):
        field = copy_of(start, disk / f"killed{number}")
        assert killed_at(number, lambda: field.run(*arguments))  # noqa: B023 - called at once
        assert field.run("verify") == 0
        assert visible(field) in (old, new)
        if visible(field) == old:
            assert field.run(*arguments) == status
            assert visible(field) == new
        shutil.rmtree(field.folder)


def visible(field: Field) -> tuple[Snapshot, Snapshot]:
    """What people see: the workspace, and the files of a conflict and the patched tree below the state folder."""
    state = field.root / ".vendorctl"
    shown = {path: entry for path, entry in snapshot(state).items() if path.startswith(("bump", "patched", "resol"))}
    # An empty folder may stay below the state folder: it means nothing there.
    return snapshot(field.root), {path: entry for path, entry in shown.items() if entry[0] != "folder"}


def copy_of(start: Field, folder: Path) -> Field:
    shutil.copytree(start.folder, folder, symlinks=True)
    return Field(folder, start.upstream)


def moved_field(folder: Path) -> Field:
    """A workspace whose upstream moves a patched and an unpatched file out of what is included."""
    field = make_field(folder)
    more = numbered(10, word="other")
    field.upstream.commit({"kernels/a.py": None, "lib/a.py": BASE, "kernels/b.py": None, "lib/b [1].py": BASE + more})
    field.upstream.commit({"kernels/c.py": None, "lib/c.py": "c\n"})
    field.upstream.tag("v5")
    return field


def test_a_patched_file_that_moved_out_is_followed_with_consent(disk: Path) -> None:
    field = moved_field(disk / "moved")
    assert field.run("sync", "--pin", "up=v5") == ExitCode.CONFLICT
    summary = (field.files.parent / "SUMMARY.txt").read_text()
    assert f"It breaks with upstream commit {field.upstream.commits[3].short}" in summary
    assert "moved the file to lib/a.py, which is not vendored: --follow-moves includes it" in summary
    assert field.run("sync", "--abort") == 0
    assert field.run("sync", "--pin", "up=v5", "--follow-moves") == 0
    assert field.text("lib/a.py") == OURS_5
    assert "mine_20 = 20" in field.text("lib/b [1].py")
    include = (field.root / "VENDOR.yaml").read_text().split("include:")[1].split("\n")[0]
    assert include == ' ["kernels/**", "/lib/a.py", "/lib/b [[]1].py"]'
    assert field.run("verify") == 0


def left_field(folder: Path) -> Field:
    """A workspace whose globs name a folder that upstream moves, with a patch in it, and a file that it removes."""
    folder.mkdir()
    more = numbered(10, word="other")
    upstream = repo(
        folder / "upstream",
        {"old/a.py": BASE, "old/b.py": BASE + more, "gone.py": "gone\n", "keep.py": "keep\n"},
        {"old/a.py": None, "new/a.py": BASE, "old/b.py": None, "new/b.py": BASE + more},
        {"gone.py": None},
        {"new/a.py": THEIRS_5},
    )
    for number, commit in enumerate(upstream.commits, start=1):
        upstream.tag(f"v{number}", commit)
    field = Field(folder, upstream)
    field.root.mkdir()
    assert field.run("init") == 0
    assert field.run("add", "up", "../upstream", "--ref", "v1", "--include", "keep.py", "--include", "old/**") == 0
    assert field.run("sync") == 0
    file = field.root / ".vendorctl/patched/up/old/a.py"
    file.write_text(file.read_text().replace("line_5 =", "mine_5 ="))
    assert field.run("patch", "record", "up", "--title", "Change a", "--reason", "ours") == 0
    return field


def include_of(field: Field) -> str:
    return (field.root / "VENDOR.yaml").read_text().split("include:")[1].split("\n")[0].strip()


def test_a_folder_that_moved_away_whole_is_followed_with_consent(
    disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    field = left_field(disk / "left")
    before = snapshot(field.root)
    capsys.readouterr()
    assert field.run("sync", "--pin", "up=v2") == ExitCode.INVALID
    told = capsys.readouterr().err
    assert "include: 'old/**' matches nothing" in told
    assert "--follow-moves" in told
    assert snapshot(field.root) == before
    assert field.run("sync", "--pin", "up=v2", "--follow-moves") == 0
    assert field.text("new/a.py") == OURS_5
    assert include_of(field) == '["keep.py", "/new/a.py", "/new/b.py"]'
    assert field.run("verify") == 0


def test_a_glob_whose_files_were_removed_stays_an_error(disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Following is for what moved; that something is gone is for a person to see."""
    field = left_field(disk / "left")
    described = field.root / "VENDOR.yaml"
    described.write_text(described.read_text().replace("keep.py", "gone.py"))
    assert field.run("sync") == 0
    before = snapshot(field.root)
    capsys.readouterr()
    assert field.run("sync", "--pin", "up=v3", "--follow-moves") == ExitCode.INVALID
    assert "include: 'gone.py' matches nothing" in capsys.readouterr().err
    assert snapshot(field.root) == before


def test_a_glob_that_never_matched_stays_an_error(disk: Path) -> None:
    field = left_field(disk / "left")
    described = field.root / "VENDOR.yaml"
    described.write_text(described.read_text().replace('"old/**"]', '"old/**", "none/**"]'))
    assert "none" in described.read_text()
    for words in ((), ("--pin", "up=v2")):
        assert field.run("sync", "--follow-moves", *words) == ExitCode.INVALID


def test_a_conflict_in_a_folder_that_moved_away_can_be_resumed(disk: Path) -> None:
    field = left_field(disk / "left")
    assert field.run("sync", "--pin", "up=v4", "--follow-moves") == ExitCode.CONFLICT
    (field.files / "new/a.py").write_text(RESOLVED)
    assert field.run("sync", "--continue") == 0
    assert field.text("new/a.py") == RESOLVED
    assert include_of(field) == '["keep.py", "/new/a.py", "/new/b.py"]'
    assert field.run("verify") == 0


# -- several upstreams -------------------------------------------------------------------------------------------------


def make_several(folder: Path) -> Field:
    """Upstreams `one` and `two`, whose patch conflicts with v2, and `three`, whose patch does not."""
    folder.mkdir()
    upstream = repo(folder / "upstream", {"a.py": BASE}, {"a.py": THEIRS_5})
    field = Field(folder, upstream)
    field.root.mkdir()
    upstream.tag("v1", upstream.commits[0])
    upstream.tag("v2", upstream.commits[1])
    assert field.run("init") == 0
    for name, line in (("one", "line_5 ="), ("two", "line_5 ="), ("three", "line_20 =")):
        assert field.run("add", name, "../upstream", "--ref", "v1", "--include", "**") == 0
        assert field.run("sync", name) == 0
        file = field.root / f".vendorctl/patched/{name}/a.py"
        file.write_text(file.read_text().replace(line, f"{name} ="))
        assert field.run("patch", "record", name, "--title", f"Change {name}", "--reason", "ours") == 0
    return field


ALL_PINS = ("sync", "--pin", "one=v2", "--pin", "three=v2", "--pin", "two=v2")


def conflict_of(field: Field, name: str) -> Path:
    return field.root / f".vendorctl/bump/{name}/files/a.py"


def pin_of(field: Field, name: str) -> str:
    described = (field.root / "VENDOR.yaml").read_text()
    return described.partition(f"  {name}:\n")[2].partition("ref: ")[2].partition("\n")[0]


def test_every_conflict_of_one_command_gets_its_folder(disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    field = make_several(disk / "field")
    before = snapshot(field.root)
    capsys.readouterr()
    assert field.run(*ALL_PINS) == ExitCode.CONFLICT
    told = capsys.readouterr().err
    for name in ("one", "two"):
        assert "<<<<<<<" in conflict_of(field, name).read_text()
        assert f"`vendorctl sync {name} --continue`" in told
    assert not conflict_of(field, "three").exists()
    assert "`vendorctl sync --pin three=v2` moves them" in told
    assert snapshot(field.root) == before
    for words in (("--skip",), ("--abort",)):
        assert field.run("sync", *words) == ExitCode.USAGE
        assert "several bumps wait for a decision: one, two" in capsys.readouterr().err
    assert field.run("sync", "one", "--abort") == 0
    assert field.run("sync", "--abort") == 0
    assert not conflict_of(field, "two").exists()
    assert snapshot(field.root) == before


def test_continue_takes_one_bump_after_the_other(disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    field = make_several(disk / "field")
    assert field.run(*ALL_PINS) == ExitCode.CONFLICT
    conflict_of(field, "two").write_text(RESOLVED)
    capsys.readouterr()
    # The first one is still undecided; that keeps nobody from the second.
    assert field.run("sync", "--continue") == ExitCode.CONFLICT
    told = capsys.readouterr().err
    assert "two: " in told
    assert "conflict markers remain in a.py" in told
    assert [pin_of(field, name) for name in ("one", "two", "three")] == ["v1", "v2", "v1"]
    assert field.run("sync", "--continue") == ExitCode.CONFLICT

    conflict_of(field, "one").write_text(RESOLVED)
    assert field.run("sync", "--continue") == 0
    assert field.run("sync", "--pin", "three=v2") == 0
    assert [pin_of(field, name) for name in ("one", "two", "three")] == ["v2", "v2", "v2"]
    assert field.run("verify") == 0
    assert field.run("sync", "--continue") == ExitCode.USAGE


def test_all_decided_they_go_on_together(disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    field = make_several(disk / "field")
    assert field.run(*ALL_PINS) == ExitCode.CONFLICT
    for name in ("one", "two"):
        conflict_of(field, name).write_text(RESOLVED)
    capsys.readouterr()
    assert field.run("sync", "--continue", "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert sorted(document["upstreams"]) == ["one", "two"]
    assert field.run("verify") == 0


# -- decisions are bounded ---------------------------------------------------------------------------------------------


def keep_decision(field: Field, key: str, *, age: int, size: int = 10) -> Path:
    """A decision of `age` seconds ago, as an earlier bump would have left it."""
    folder = field.root / ".vendorctl/resolutions" / key
    folder.mkdir(parents=True)
    facts = {"schema": "vendorctl/resolution/1", "path": "a.py", "mode": "100644"}
    for name, text in (("before", "b" * size), ("after", ""), ("facts.json", json.dumps(facts))):
        (folder / name).write_text(text)
    moment = time.time() - age
    os.utime(folder / "facts.json", (moment, moment))
    return folder


def decide(field: Field) -> None:
    assert field.run("sync", "--pin", "up=v2") == ExitCode.CONFLICT
    field.resolve()
    assert field.run("sync", "--continue") == 0


def test_the_oldest_decisions_go_where_there_are_too_many(field: Field) -> None:
    made = [keep_decision(field, f"{number:064x}", age=1000 - number) for number in range(MOST + 2)]
    decide(field)
    assert [folder.exists() for folder in made] == [False] * 3 + [True] * (MOST - 1)
    assert len(list((field.root / ".vendorctl/resolutions").iterdir())) == MOST


def test_the_oldest_decisions_go_where_they_are_too_large(field: Field) -> None:
    made = [keep_decision(field, f"{age:064x}", age=age, size=MOST_BYTES // 2 - 1000) for age in (10, 20, 30)]
    decide(field)
    assert [folder.exists() for folder in made] == [True, True, False]


def test_few_decisions_all_stay(field: Field) -> None:
    old = keep_decision(field, "0" * 64, age=10**9)
    decide(field)
    assert old.exists()


def test_decisions_of_a_bump_under_way_stay(field: Field) -> None:
    """Whatever their age: without them its next step would ask again."""
    assert field.run("sync", "--pin", "up=v2") == ExitCode.CONFLICT
    waiting = field.root / ".vendorctl/bump/up/state.json"
    state = json.loads(waiting.read_text())
    waiting.write_text(json.dumps(state | {"decided": ["f" * 64]}))
    needed = keep_decision(field, "f" * 64, age=10**9)
    others = [keep_decision(field, f"{number:064x}", age=100) for number in range(MOST)]
    field.resolve()
    assert field.run("sync", "--continue") == 0
    assert needed.exists()
    assert sum(folder.exists() for folder in others) == MOST - 1
