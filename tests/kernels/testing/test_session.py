# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Real objects on the emulator: selection, parallel runs, the cache, reports."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kernels.testing.conftest import Shipped
from support import tinykern
from vendorctl import proc
from vendorctl.emulator.backend import emulator
from vendorctl.errors import VendorError
from vendorctl.kernels.executor.pool import LocalExecutor
from vendorctl.kernels.object import manifest
from vendorctl.kernels.testing.cache import ResultCache
from vendorctl.kernels.testing.junit import render_junit
from vendorctl.kernels.testing.report import make_report
from vendorctl.kernels.testing.results import ObjectResult, Verdict
from vendorctl.kernels.testing.selection import Choice, same_as, subjects
from vendorctl.kernels.testing.session import run_tests
from vendorctl.model import Json
from vendorctl.progress import Silent


def run(shipped: Shipped, *, full: bool = False, jobs: int = 1, cache: Path | None = None) -> tuple[ObjectResult, ...]:
    store = None if cache is None else ResultCache(cache)
    places = LocalExecutor(jobs)
    try:
        return run_tests(
            shipped.root, shipped.objects, emulator, full=full, executor=places, cache=store, progress=Silent()
        )
    finally:
        places.close()


def test_every_object_passes_under_all_schedules(shipped: Shipped) -> None:
    found = run(shipped)
    assert [(item.target, item.instance, item.verdict) for item in found] == [
        (target, dtype, Verdict.PASSED) for target in ("gfx11-generic", "gfx942") for dtype in ("f16", "f32")
    ]
    for item in found:
        assert item.schedules == ("lockstep", "serial", "reverse", "random")
        assert item.instructions > 0
        assert item.coverage is not None
        assert item.coverage.executed == item.coverage.total
        assert {trial.name for trial in item.trials} >= {"nothing", "one", "one block and a tail, in place"}


def test_processes_give_what_one_process_gives(shipped: Shipped) -> None:
    assert run(shipped, jobs=2) == run(shipped)


def test_a_test_that_ends_its_process_is_no_pass_and_takes_no_other_with_it(shipped: Shipped) -> None:
    shipped.edit_recipe(
        "    def reference(self, instance, case):\n",
        "    def reference(self, instance, case):\n        import os\n\n"
        '        if instance.text("dtype") == "f16":\n            os._exit(9)\n',
    )
    found = run(shipped, jobs=2)
    assert [item.verdict for item in found] == [Verdict.UNTESTED, Verdict.PASSED] * 2
    assert "the process that tested it is gone: it ended with status 9" in found[0].reason
    assert make_report(found, backend="emulator", full=False).exit_code == 6


class Torn(LocalExecutor):
    """Tells of a second, different result of the first object, as two machines may."""

    def run(self, job: Any, lots: Any, accept: Any, stop: Any) -> None:
        super().run(job, lots, accept, stop)
        accept(0, 0, job.torn(lots[0].items[0], "two workers made different things of the same"))


def test_an_object_with_two_results_has_none(shipped: Shipped, tmp_path: Path) -> None:
    cache = ResultCache(tmp_path / "cache")
    found = run_tests(
        shipped.root, shipped.objects, emulator, full=False, executor=Torn(1), cache=cache, progress=Silent()
    )
    assert [item.verdict for item in found] == [Verdict.UNTESTED, *[Verdict.PASSED] * 3]
    assert found[0].reason == "two workers made different things of the same"
    assert [item.reused for item in run(shipped, cache=tmp_path / "cache")] == [False, True, True, True]


def test_a_wrong_reference_and_a_tight_tolerance_fail(shipped: Shipped) -> None:
    shipped.edit_recipe("FACTOR, TOLERANCE = 1.0", "FACTOR, TOLERANCE = 1.5")
    found = run(shipped)
    assert {item.verdict for item in found} == {Verdict.FAILED}
    done = make_report(found, backend="emulator", full=False)
    assert done.exit_code == 6
    assert {finding.rule for finding in done.report.findings} == {"VC530"}
    assert any("elements of y are wrong" in finding.message for finding in done.report.findings)


def test_results_are_reused_until_something_changes(shipped: Shipped, tmp_path: Path) -> None:
    first = run(shipped, cache=tmp_path / "cache")
    assert not any(item.reused for item in first)
    second = run(shipped, cache=tmp_path / "cache")
    assert all(item.reused for item in second)
    assert second == first
    assert not any(item.reused for item in run(shipped, full=True, cache=tmp_path / "cache"))
    shipped.edit_recipe("1e-3", "2e-3")
    assert not any(item.reused for item in run(shipped, cache=tmp_path / "cache"))


def test_failures_are_remembered_too(shipped: Shipped, tmp_path: Path) -> None:
    shipped.edit_recipe("FACTOR, TOLERANCE = 1.0", "FACTOR, TOLERANCE = 1.5")
    run(shipped, cache=tmp_path / "cache")
    again = run(shipped, cache=tmp_path / "cache")
    assert all(item.reused and item.verdict is Verdict.FAILED for item in again)


def test_damaged_cache_entries_are_computed_again(shipped: Shipped, tmp_path: Path) -> None:
    first = run(shipped, cache=tmp_path / "cache")
    for path in (tmp_path / "cache").rglob("*.json"):
        path.write_text("{")
    again = run(shipped, cache=tmp_path / "cache")
    assert again == first
    assert not any(item.reused for item in again)


def test_objects_that_are_executed_alike_are_tested_once(shipped: Shipped, tmp_path: Path) -> None:
    project = tinykern.project(shipped.root, targets=("gfx11-generic", "gfx1100", "gfx942"))
    assert tinykern.build(project, tmp_path / "objects").report.ok
    every = Shipped(project)
    found = run(every, cache=tmp_path / "cache")
    assert [(item.target, item.reused) for item in found if item.instance == "f16"] == [
        ("gfx11-generic", False),
        ("gfx1100", True),
        ("gfx942", False),
    ]
    generic, single = (item for item in found if item.instance == "f16" and item.target.startswith("gfx11"))
    assert generic.sha256 != single.sha256
    assert generic.trials == single.trials


def test_other_instructions_are_executed_otherwise(shipped: Shipped) -> None:
    backend = emulator()
    codes = [(built.folder / built.record.file).read_bytes() for built in shipped.objects]
    assert len({backend.identity(code) for code in codes}) == len(codes)
    end = codes[0].index(bytes.fromhex("0000b0bf"))  # s_endpgm
    assert backend.identity(codes[0][:end] + b"\1" + codes[0][end + 1 :]) != backend.identity(codes[0])


def test_a_missing_or_tampered_object_is_untested_and_no_pass(shipped: Shipped, tmp_path: Path) -> None:
    run(shipped, cache=tmp_path / "cache")
    first, second, *_ = (built.folder / built.record.file for built in shipped.objects)
    first.unlink()
    second.write_bytes(second.read_bytes()[:-1] + b"\x77")
    found = run(shipped, cache=tmp_path / "cache")
    assert [item.verdict for item in found].count(Verdict.UNTESTED) == 2
    done = make_report(found, backend="emulator", full=False)
    assert done.exit_code == 6
    assert [finding.rule for finding in done.report.findings] == ["VC535", "VC535"]
    assert done.report.counts["passed"] == 2


def test_a_recipe_without_cases_is_untested(shipped: Shipped) -> None:
    shipped.edit_recipe("    def cases(self", "    def no_cases(self")
    found = run(shipped)
    assert {item.reason for item in found} == {"its recipe has no test cases"}
    assert make_report(found, backend="emulator", full=False).exit_code == 6


def test_testing_nothing_is_an_error_unless_nothing_changed() -> None:
    assert make_report((), backend="emulator", full=False).exit_code == 6
    assert make_report((), backend="emulator", full=False, may_be_empty=True).exit_code == 0


def test_the_choice_narrows_and_refuses_unknown_names(shipped: Shipped) -> None:
    names = [built.record.instance.name for built in subjects(shipped.project, Choice(instances=["*16"])).objects]
    assert names == ["f16", "f16"]
    assert {b.target for b in subjects(shipped.project, Choice(targets=["gfx942"])).objects} == {"gfx942"}
    with pytest.raises(VendorError, match="no manifest has the operation nonsense"):
        subjects(shipped.project, Choice(operations=["nonsense"]))
    with pytest.raises(VendorError, match="gfx1 is not in"):
        subjects(shipped.project, Choice(targets=["gfx1"]))
    with pytest.raises(VendorError, match="no instance is called 'f64'"):
        subjects(shipped.project, Choice(instances=["f16", "f64"]))


@pytest.mark.parametrize(
    ("choice", "hint"),
    [
        (Choice(operations=["scael"]), "did you mean 'scale'?"),
        (Choice(operations=["x"]), "operations: scale"),
        (Choice(targets=["gfx94"]), "did you mean 'gfx942'?"),
        (Choice(instances=["f61"]), "did you mean 'f16'?"),
        (Choice(instances=["*-n9"]), "instances: f16, f32"),
    ],
)
def test_a_mistyped_choice_is_answered_with_the_nearest_or_with_all(
    shipped: Shipped, choice: Choice, hint: str
) -> None:
    with pytest.raises(VendorError) as caught:
        subjects(shipped.project, choice)
    assert caught.value.hint == hint


def test_a_target_without_manifest_is_a_finding(shipped: Shipped) -> None:
    (shipped.root / "objects/scale/gfx942/manifest.json").unlink()
    found = subjects(shipped.project, Choice())
    assert [(finding.rule, "gfx942" in finding.message) for finding in found.findings] == [("VC516", True)]


def test_changed_means_other_bytes_than_in_git(shipped: Shipped) -> None:
    inner = shipped.root / "objects"
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "objects"]):
        assert proc.run(["git", *words], cwd=shipped.root.parent).ok, words
    unchanged = same_as(shipped.root, "HEAD")
    assert subjects(shipped.project, Choice(unchanged=unchanged)).objects == ()
    path = inner / "scale/gfx942/manifest.json"
    found = manifest.parse(path.read_bytes(), "manifest.json")
    rebuilt = replace(found.objects[0], sha256="0" * 64)
    path.write_bytes(manifest.dump(replace(found, objects=(rebuilt, *found.objects[1:]))))
    changed = subjects(shipped.project, Choice(unchanged=unchanged)).objects
    assert [(built.target, built.record.instance.name) for built in changed] == [("gfx942", rebuilt.instance.name)]
    with pytest.raises(VendorError, match="not a commit"):
        same_as(shipped.root, "no-such-branch")
    with pytest.raises(VendorError, match="not a commit"):
        same_as(shipped.root, "--version")


def test_junit_has_a_case_for_every_object(shipped: Shipped) -> None:
    shipped.edit_recipe("FACTOR, TOLERANCE = 1.0", "FACTOR, TOLERANCE = 1.5")
    found = run(shipped)
    spoiled = (replace(found[0], trials=(), reason="gone\x00<away>"), *found[1:])
    root = ET.fromstring(render_junit(spoiled))
    assert [suite.get("name") for suite in root] == ["scale gfx11-generic", "scale gfx942"]
    assert [suite.get("tests") for suite in root] == ["2", "2"]
    assert [(suite.get("failures"), suite.get("errors")) for suite in root] == [("1", "1"), ("2", "0")]
    error = root.find(".//error")
    assert error is not None
    assert error.get("message") == "gone\N{REPLACEMENT CHARACTER}<away>"
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("type") == "VC530"
    properties = {item.get("name"): item.get("value") for item in root.findall(".//testcase[@name='f32']//property")}
    assert properties["schedules"] == "lockstep serial reverse random"
    assert properties["error-histogram"]


def test_the_report_holds_everything_for_machines(shipped: Shipped) -> None:
    done = make_report(run(shipped), backend="emulator", full=False)
    data: dict[str, Json] = json.loads(json.dumps(dict(done.report.data)))
    rows = data["summary"]
    assert isinstance(rows, list)
    assert [(row["target"], row["passed"], row["objects"]) for row in rows] == [
        ("gfx11-generic", 2, 2),
        ("gfx942", 2, 2),
    ]
    assert all(row["coverage"] == 1.0 and sum(row["histogram"]) > 0 for row in rows)
    assert done.report.lines[0].split()[:3] == ["operation", "target", "passed"]
    assert len(done.report.lines) == 3
    detailed = make_report(run(shipped), backend="emulator", full=False, details=True).report.lines
    assert len(detailed) == 3 + 1 + 4
    assert "lockstep,serial,reverse,random" in detailed[1]
    assert done.exit_code == 0
