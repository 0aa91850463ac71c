# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The minikernels barrier fix, sent to an upstream that lacks it, with the numbers that tests gave."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from support.repo import Repo
from support.workspace import Workspace
from vendorctl.git.oid import Oid
from vendorctl.kernels.testing.backend import Category, Problem
from vendorctl.kernels.testing.comparison import BINS, OutputError
from vendorctl.kernels.testing.report import make_report
from vendorctl.kernels.testing.results import ObjectResult, TrialResult
from vendorctl.report.json import render_json
from vendorctl.sample import edits, history
from vendorctl.sample.history import History

RACE = Problem(Category.RACE, "lds-race", "wave 1 stores to slot 1 @common.py:151 while wave 0 may still read it")
#: The step of the sample's history right before the fix is merged.
BEFORE_THE_FIX = 6


def outcome(*, wrong: int, races: int, worst: float) -> ObjectResult:
    """One tested object; the race, where there is one, shows under two schedules."""
    histogram = (0,) * len(BINS) + (4096,)
    output = OutputError(
        name="y", elements=4096, worst=worst, tolerance=1e-3, histogram=histogram, wrong=wrong, first="[3, 1]"
    )
    problems = (("forward", RACE), ("reverse", RACE)) if races else ()
    trial = TrialResult(name="negative", schedules=("forward", "reverse"), outputs=(output,), problems=problems)
    return ObjectResult(operation="softmax", target="gfx942", instance="f32-1024", sha256="0" * 64, trials=(trial,))


def write_report(file: Path, *results: ObjectResult) -> Path:
    file.write_text(render_json(make_report(results, backend="emulator", full=True).report))
    return file


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> History:
    """The sample upstream, with its main branch where the fix is not there yet."""
    made = history.write(tmp_path_factory.mktemp("sample") / "minikernels.git")
    tip = str(made.commits[BEFORE_THE_FIX])
    subprocess.run(["git", "update-ref", "refs/heads/main", tip], cwd=made.path, check=True)
    return made


@pytest.fixture
def space(tmp_path: Path, sample: History) -> Workspace:
    """A workspace with the fix as its only patch."""
    space = Workspace(tmp_path, Repo(sample.path))
    space.root.mkdir()
    pin: Oid = sample.tags["v0.1.0"]
    space.describe(pin, url=f"file://{sample.path}", track="main", include='["minikernels/**"]')
    space.sync()
    fix = next(edit for edit in edits.all() if edit.slug == "slot-barrier")
    # The edit was made on top of another one, which it is independent of: take its file alone.
    space.edit({path: content.decode() for path, content in fix.files.items()})
    space.must("patch", "record", "up", "--title", fix.title, "--reason", fix.reason)
    return space


def test_the_barrier_fix_goes_out_with_its_evidence(space: Workspace, tmp_path: Path) -> None:
    before = write_report(tmp_path / "before.json", outcome(wrong=128, races=1, worst=0.5))
    after = write_report(tmp_path / "after.json", outcome(wrong=0, races=0, worst=1e-5))
    objects = tmp_path / "objects.json"
    verdicts = ["code", "code", "same", "metadata"]
    rows = [{"verdict": verdict} for verdict in verdicts]
    objects.write_text(json.dumps({"schema": "vendorctl/object-drift/1", "instances": rows}))
    given = ("--tests-before", str(before), "--tests-after", str(after), "--objects", str(objects))
    space.must("submit", "-s", "--output", str(tmp_path / "out"), *given)

    clone = Repo(tmp_path / "clone")
    subprocess.run(["git", "clone", "-q", str(space.upstream.path), str(clone.path)], check=True)
    assert clone.resolve("HEAD") == clone.resolve("origin/main")
    clone.git("am", "-q", str(tmp_path / "out/0001-Wait-before-reduction-slots-are-reused.patch"))
    assert clone.read("minikernels/common.py").decode() == space.text("minikernels/common.py")
    text = (tmp_path / "out/pull-request.md").read_text()
    for said in (
        "- before (emulator): softmax passes 0 of 1 objects, worst error 5.00e-01 of 1.00e-03 allowed",
        "- after (emulator): softmax passes 1 of 1 objects, worst error 1.00e-05 of 1.00e-03 allowed",
        "- races found: 1 before, 0 after",
        "wave 1 stores to slot 1",
        "- 2 of 4 compiled objects change",
        "- pyproject.toml configures no formatter or linter",
        "Softmax of negative scores is wrong when one wave runs ahead of another.",
    ):
        assert said in text, text


def test_what_was_not_measured_is_not_claimed(space: Workspace, tmp_path: Path) -> None:
    after = write_report(tmp_path / "after.json", outcome(wrong=0, races=0, worst=1e-5))
    text = space.must("submit", "-s", "--tests-after", str(after), "--format", "markdown").out
    assert "- races found: not measured before, 0 after" in text
    assert "- before" not in text
    assert "objects change" not in text
    assert "No test results" in space.must("submit", "-s", "--format", "markdown").out


def test_a_failure_afterwards_is_not_hidden(space: Workspace, tmp_path: Path) -> None:
    good, bad = outcome(wrong=0, races=0, worst=1e-5), outcome(wrong=3, races=1, worst=0.25)
    after = write_report(tmp_path / "after.json", good, replace(bad, instance="f32-2048"))
    text = space.must("submit", "-s", "--tests-after", str(after), "--format", "markdown").out
    assert "softmax passes 1 of 2 objects, worst error 2.50e-01 of 1.00e-03 allowed" in text
    assert "- races found: not measured before, 1 after" in text


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"schema": "vendorctl/test/1"}', '{"schema": "vendorctl/verify/1"}']
)
def test_what_is_no_test_report_is_refused(space: Workspace, tmp_path: Path, content: str) -> None:
    file = tmp_path / "report.json"
    file.write_text(content)
    result = space.run("submit", "-s", "--tests-before", str(file))
    assert result.code == 2
    assert "report.json" in result.err


def test_text_from_reports_cannot_act_in_the_pull_request(space: Workspace, tmp_path: Path) -> None:
    hostile = Problem(Category.RACE, "lds-race", "<img src=x> [x](http://evil) `a` @everyone\n# title")
    result = outcome(wrong=0, races=1, worst=1e-5)
    trial = replace(result.trials[0], problems=(("forward", hostile),))
    before = write_report(tmp_path / "before.json", replace(result, trials=(trial,)))
    text = space.must("submit", "-s", "--tests-before", str(before), "--format", "markdown").out
    assert "  - the first: `` <img src=x> [x](http://evil) `a` @everyone # title ``\n" in text


def test_text_of_patches_cannot_act_in_the_pull_request(space: Workspace) -> None:
    space.edit({"minikernels/rmsnorm.py": "x = 1\n"})
    space.must("patch", "record", "up", "--title", "Ask @everyone <b>", "--reason", "[x](http://evil) `rm` #1")
    text = space.run("submit", "2", "-s", "--format", "markdown").out
    assert "Ask @\u200beveryone \\<b\\>" in text
    assert r"\[x\](http://evil) \`rm\` \#1." in text


def test_the_cover_letter_says_the_same_in_plain_text(space: Workspace, tmp_path: Path) -> None:
    before = write_report(tmp_path / "before.json", outcome(wrong=128, races=1, worst=0.5))
    space.must("submit", "-s", "--tests-before", str(before), "--output", str(tmp_path / "out"))
    cover = (tmp_path / "out/0000-cover-letter.patch").read_text()
    assert "  - races found: 1 before, not measured after\n" in cover
    assert f"- the first: {RACE.message}" in " ".join(cover.split())
    assert max(map(len, cover.split("\n"))) < 80
    assert "\\" not in cover
