# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A rework of a series that meets a conflict: laid out to be decided, continued, skipped or given up, as a bump is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.chains import numbered
from support.faults import count_calls, killed_at, snapshot
from support.soak import sample
from support.workspace import Workspace, make_workspace
from vendorctl.cli import main
from vendorctl.errors import ExitCode
from vendorctl.series.store import load_series

BASE = numbered(30)


def line_5(text: str, base: str = BASE) -> str:
    return base.replace("line_5 = 5", text)


FIRST = line_5("line_5 = 'first'")
SECOND = line_5("line_5 = 'second'")
THIRD = SECOND.replace("line_20 = 20", "line_20 = 'third'")
FOURTH = THIRD.replace("'second'", "'fourth'")


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """Four patches: 1, 2 and 4 change the same line, 3 another one."""
    space = make_workspace(tmp_path / "w", {"a.py": BASE})
    space.sync()
    for title, text in (("First", FIRST), ("Second", SECOND), ("Third", THIRD), ("Fourth", FOURTH)):
        space.record(title, {"a.py": text})
    return space


def titles(space: Workspace) -> list[str]:
    return [f"{patch.number} {patch.title}" for patch in load_series(space.root, "up").patches]


def conflict(space: Workspace) -> Path:
    return space.root / ".vendorctl/rework/up"


def decide(space: Workspace, text: str) -> None:
    (conflict(space) / "files/a.py").write_text(text)


def test_a_conflict_is_laid_out_and_nothing_else_changes(space: Workspace) -> None:
    before = snapshot(space.root)
    stopped = space.run("patch", "drop", "up", "1")
    assert stopped.code == ExitCode.CONFLICT
    assert "0002-second.patch (Second) of up does not fit any more with `patch drop 1`" in stopped.err
    assert "the rework changed the same lines" in stopped.err
    assert snapshot(space.root) == before
    folder = conflict(space)
    marked = (folder / "files/a.py").read_text()
    assert "<<<<<<< the series as it becomes" in marked
    assert ">>>>>>> 0002-second.patch" in marked
    assert (folder / "base/a.py").read_text() == FIRST
    assert (folder / "ours/a.py").read_text() == BASE
    assert (folder / "theirs/a.py").read_text() == SECOND
    assert (folder / "SUMMARY.txt").read_text().strip() in stopped.err
    space.must("verify")


def test_continue_takes_the_decision_and_carries_the_rest(space: Workspace) -> None:
    assert space.run("patch", "drop", "up", "1").code == ExitCode.CONFLICT
    undecided = space.run("patch", "resume", "up", "--continue")
    assert (undecided.code, "markers remain in a.py" in undecided.err) == (ExitCode.CONFLICT, True)
    decide(space, SECOND)
    done = space.must("patch", "resume", "up", "--continue")
    assert "dropped patch 0001" in done.out
    assert titles(space) == ["2 Second", "3 Third", "4 Fourth"]
    assert space.text("a.py") == FOURTH
    assert not conflict(space).exists()
    space.must("verify")
    assert space.run("patch", "resume", "up", "--continue").code == ExitCode.USAGE


def test_one_conflict_after_the_other(space: Workspace) -> None:
    assert space.run("patch", "drop", "up", "1").code == ExitCode.CONFLICT
    decide(space, line_5("line_5 = 'second, by hand'"))
    again = space.run("patch", "resume", "up", "--continue")
    assert (again.code, "0004-fourth.patch" in again.err) == (ExitCode.CONFLICT, True)
    assert titles(space) == ["1 First", "2 Second", "3 Third", "4 Fourth"]
    decide(space, FOURTH.replace("'fourth'", "'fourth, by hand'"))
    space.must("patch", "resume", "up", "--continue")
    assert titles(space) == ["2 Second", "3 Third", "4 Fourth"]
    assert "line_5 = 'fourth, by hand'" in space.text("a.py")
    space.must("verify")


def test_skip_leaves_the_patch_out(space: Workspace) -> None:
    assert space.run("patch", "drop", "up", "1").code == ExitCode.CONFLICT
    assert space.run("patch", "resume", "up", "--skip").code == ExitCode.CONFLICT
    assert "0004-fourth.patch" in (conflict(space) / "SUMMARY.txt").read_text()
    space.must("patch", "resume", "up", "--skip")
    assert titles(space) == ["3 Third"]
    assert space.text("a.py") == BASE.replace("line_20 = 20", "line_20 = 'third'")
    space.must("verify")


def test_abort_is_as_if_nothing_had_happened(space: Workspace) -> None:
    before = snapshot(space.root, without="lock")
    assert space.run("patch", "drop", "up", "1").code == ExitCode.CONFLICT
    decide(space, line_5("line_5 = 'second, by hand'"))
    assert space.run("patch", "resume", "up", "--continue").code == ExitCode.CONFLICT
    given_up = space.must("patch", "resume", "up", "--abort", "--format", "json")
    assert given_up.json()["changed"] == []
    assert snapshot(space.root, without="lock") == before
    assert not list((space.root / ".vendorctl/resolutions").glob("*/*"))
    assert space.run("patch", "resume", "up", "--abort").code == ExitCode.USAGE


def test_a_decision_is_reused_the_next_time(space: Workspace) -> None:
    assert space.run("patch", "drop", "up", "1").code == ExitCode.CONFLICT
    decide(space, SECOND)
    space.must("patch", "resume", "up", "--continue")
    # The same once more, from the same state: nobody is asked again.
    fresh = make_workspace(space.folder / "again", {"a.py": BASE})
    fresh.sync()
    for title, text in (("First", FIRST), ("Second", SECOND), ("Third", THIRD), ("Fourth", FOURTH)):
        fresh.record(title, {"a.py": text})
    (space.root / ".vendorctl/resolutions").rename(fresh.root / ".vendorctl/resolutions")
    fresh.must("patch", "drop", "up", "1")
    assert fresh.text("a.py") == FOURTH


def test_a_move_can_be_decided(space: Workspace) -> None:
    assert space.run("patch", "move", "up", "2", "1").code == ExitCode.CONFLICT
    decide(space, SECOND)  # Second now comes first, and makes its change to the pristine file
    assert space.run("patch", "resume", "up", "--continue").code == ExitCode.CONFLICT
    decide(space, SECOND.replace("'second'", "'first'"))
    assert space.run("patch", "resume", "up", "--continue").code == ExitCode.CONFLICT
    decide(space, FOURTH)
    space.must("patch", "resume", "up", "--continue")
    assert titles(space) == ["1 Second", "2 First", "3 Third", "4 Fourth"]
    assert space.text("a.py") == FOURTH
    space.must("verify")


def test_a_refresh_from_an_edit_can_be_decided(space: Workspace) -> None:
    space.must("patch", "edit", "up", "1")
    edited = space.root / ".vendorctl/edit/up/tree/a.py"
    edited.write_text(line_5("line_5 = 'better'"))
    assert space.run("patch", "refresh", "up").code == ExitCode.CONFLICT
    decide(space, SECOND)
    space.must("patch", "resume", "up", "--continue")
    assert titles(space) == ["1 First", "2 Second", "3 Third", "4 Fourth"]
    assert "'better'" in space.must("patch", "show", "up", "1").out
    assert space.text("a.py") == FOURTH
    assert not edited.exists()
    space.must("verify")


def test_edits_that_changed_meanwhile_are_another_conflict(space: Workspace) -> None:
    space.must("patch", "edit", "up", "1")
    edited = space.root / ".vendorctl/edit/up/tree/a.py"
    edited.write_text(line_5("line_5 = 'better'"))
    assert space.run("patch", "refresh", "up").code == ExitCode.CONFLICT
    decide(space, SECOND)
    edited.write_text(line_5("line_5 = 'other'"))
    refused = space.run("patch", "resume", "up", "--continue")
    assert (refused.code, "is not the one that was shown" in refused.err) == (ExitCode.CONFLICT, True)


def test_a_series_that_changed_meanwhile_is_not_continued(space: Workspace) -> None:
    assert space.run("patch", "drop", "up", "1").code == ExitCode.CONFLICT
    decide(space, SECOND)
    space.record("Fifth", {"a.py": FOURTH.replace("line_9 = 9", "line_9 = 'fifth'")})
    for how in ("--continue", "--skip"):
        refused = space.run("patch", "resume", "up", how)
        assert (refused.code, "changed since" in refused.err) == (ExitCode.CONFLICT, True)
    space.must("patch", "resume", "up", "--abort")
    assert titles(space)[-1] == "5 Fifth"


def test_another_rework_waits_until_this_one_is_decided(space: Workspace) -> None:
    assert space.run("patch", "drop", "up", "1").code == ExitCode.CONFLICT
    decide(space, SECOND)
    for words in (("drop", "up", "3"), ("move", "up", "3", "1"), ("refresh", "up", "3")):
        refused = space.run("patch", *words)
        assert (refused.code, "`patch drop 1` of 'up' waits" in refused.err) == (ExitCode.CONFLICT, True)
    assert (conflict(space) / "files/a.py").read_text() == SECOND
    space.must("patch", "drop", "up", "3", "--dry-run")


def test_a_dry_run_lays_nothing_out(space: Workspace) -> None:
    assert space.run("patch", "drop", "up", "1", "--dry-run").code == ExitCode.CONFLICT
    assert not conflict(space).exists()


@pytest.mark.parametrize("state", ["", "{}", '{"schema": "vendorctl/rework/2"}', "[1]"])
def test_an_unreadable_state_can_only_be_given_up(state: str, space: Workspace) -> None:
    assert space.run("patch", "drop", "up", "1").code == ExitCode.CONFLICT
    (conflict(space) / "state.json").write_text(state)
    for how in ("--continue", "--skip"):
        refused = space.run("patch", "resume", "up", how)
        assert (refused.code, "--abort" in refused.err) == (ExitCode.INVALID, True)
    space.must("patch", "resume", "up", "--abort")
    assert not conflict(space).exists()


def test_how_to_go_on_must_be_said(space: Workspace) -> None:
    assert space.run("patch", "resume", "up").code == ExitCode.USAGE
    assert space.run("patch", "resume", "up", "--continue").code == ExitCode.USAGE


def test_killed_at_any_moment_nothing_is_lost(space: Workspace) -> None:
    """At some of the system calls that change something, spread over the command that goes on."""
    assert space.run("patch", "drop", "up", "1").code == ExitCode.CONFLICT
    decide(space, SECOND)
    trial = space.copy(space.folder.parent / "count")
    words = ["-C", str(trial.root), "-q", "patch", "resume", "up", "--continue"]
    calls = count_calls(lambda: main(words))
    assert calls > 10
    for number in sample(range(1, calls + 1), 6):
        trial = space.copy(space.folder.parent / f"trial-{number}")
        words = ["-C", str(trial.root), "-q", "patch", "resume", "up", "--continue"]
        assert killed_at(number, lambda words=words: main(words))  # type: ignore[misc]  # mypy knows no defaults in lambdas
        trial.run("status")
        if len(titles(trial)) == 4:
            trial.must("patch", "resume", "up", "--continue")
        assert titles(trial) == ["2 Second", "3 Third", "4 Fourth"]
        trial.must("verify")


def test_the_state_is_what_its_schema_says(space: Workspace) -> None:
    from support.schemas import faults

    assert space.run("patch", "move", "up", "2", "1").code == ExitCode.CONFLICT
    state = json.loads((conflict(space) / "state.json").read_bytes())
    assert (state["operation"], state["operand"], state["to"]) == ("move", 2, 1)
    assert faults(state) == []
    assert faults({**state, "to": "first"}) != []
