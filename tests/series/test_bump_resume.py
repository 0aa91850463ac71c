# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A bump in a real workspace: conflict, --continue, --skip, --abort, reuse of decisions, and a kill at any moment."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support.faults import Snapshot, count_calls, killed_at, snapshot
from support.field import BASE, OURS_5, RESOLVED, THEIRS_5, Field, make_field
from support.soak import sample
from vendorctl.errors import ExitCode


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
    field.stop()
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
    field.stop()
    assert field.run("sync", "--continue") == ExitCode.CONFLICT
    field.resolve()
    assert field.run("sync", "--continue") == 0
    assert field.text() == RESOLVED
    assert field.text("kernels/b.py") == "# head\n" + BASE.replace("line_20 =", "mine_20 =")
    assert not field.files.parent.exists()
    assert field.run("verify") == 0


def test_skip_leaves_the_patch_out(field: Field) -> None:
    field.stop()
    assert field.run("sync", "--skip") == 0
    assert field.patches() == ["Change b.py"]
    assert field.text() == THEIRS_5
    assert field.run("verify") == 0


def test_abort_is_as_if_nothing_had_happened(field: Field) -> None:
    before = snapshot(field.root)
    field.stop()
    field.resolve()
    assert field.run("sync", "--abort") == 0
    assert snapshot(field.root) == before
    assert not field.files.parent.exists()
    assert field.run("sync", "--continue") == ExitCode.USAGE


def test_a_decision_is_reused_the_next_time(field: Field, disk: Path) -> None:
    field.stop()
    again = field.copy(disk / "again")
    field.resolve()
    assert field.run("sync", "--continue") == 0
    assert again.run("sync", "--abort") == 0
    shutil.copytree(field.root / ".vendorctl/resolutions", again.root / ".vendorctl/resolutions")
    assert again.run("sync", "--pin", "up=v2") == 0
    assert again.text() == RESOLVED


def test_a_decision_made_in_a_bump_that_was_given_up_is_forgotten(field: Field) -> None:
    field.stop()
    field.resolve()
    second = field.root / "patches/up"
    assert second.is_dir()
    assert field.run("sync", "--abort") == 0
    field.stop()


def test_deleting_the_file_is_a_decision(field: Field) -> None:
    field.stop()
    (field.files / "kernels/a.py").unlink()
    assert field.run("sync", "--continue") == 0
    assert not (field.root / ".vendorctl/patched/up/kernels/a.py").exists()
    assert field.run("verify") == 0


def test_a_series_that_changed_meanwhile_is_not_continued(field: Field) -> None:
    field.stop()
    field.resolve()
    patch = next((field.root / "patches/up").glob("0002-*.patch"))
    patch.write_bytes(patch.read_bytes().replace(b"Reason: ours", b"Reason: mine"))
    assert field.run("sync", "--continue") == ExitCode.CONFLICT
    assert field.run("sync", "--abort") == 0


def test_another_bump_waits_until_this_one_is_decided(field: Field) -> None:
    field.stop()
    assert field.run("sync", "--pin", "up=v3") != 0
    assert field.files.exists()


@pytest.mark.parametrize(
    ("old", "new"),
    [(".*", "{}"), ('"upstream": "up"', '"upstream": "other"'), ("bump/1", "bump/2"), ("bump/1", "rework/1")],
    ids=["empty", "another upstream", "newer", "another command"],
)
def test_an_unreadable_state_can_only_be_given_up(field: Field, old: str, new: str) -> None:
    before = snapshot(field.root)
    field.stop()
    state = field.files.parent / "state.json"
    state.write_text(re.sub(old, new, state.read_text(), count=1, flags=re.DOTALL))
    assert field.run("sync", "--continue") == ExitCode.INVALID
    assert field.run("status") == 0
    assert field.run("sync", "--abort") == 0
    assert snapshot(field.root) == before
    assert not field.files.parent.exists()


def _stop_and_resolve(field: Field) -> None:
    field.stop()
    field.resolve()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prepare", "arguments", "status"),
    [
        (lambda _field: None, ("sync", "--pin", "up=v3"), ExitCode.OK),
        (lambda _field: None, ("sync", "--pin", "up=v2"), ExitCode.CONFLICT),
        (_stop_and_resolve, ("sync", "--continue"), ExitCode.OK),
        (Field.stop, ("sync", "--skip"), ExitCode.OK),
        (_stop_and_resolve, ("sync", "--abort"), ExitCode.OK),
    ],
    ids=["bump", "conflict", "continue", "skip", "abort"],
)
def test_killed_at_any_moment_nothing_is_lost(
    disk: Path, prepare: Callable[[Field], None], arguments: tuple[str, ...], status: ExitCode
) -> None:
    start = make_field(disk / "start")
    prepare(start)
    old = visible(start)
    done = start.copy(disk / "done")
    total = count_calls(lambda: done.run(*arguments))
    new = visible(done)
    assert new != old or status is ExitCode.CONFLICT
    for number in sample(range(total), 8):
        field = start.copy(disk / f"killed{number}")
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
