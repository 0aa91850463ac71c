# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Other states of an upstream: a patch shown necessary, a bump refused, a commit found. Real kernels, one target."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.schemas import faults
from vendorctl.cli import main

BARRIER, MERGED = "0002-wait-before-reduction-slots-are-reused.patch", "e5215448b622"


def call(capsys: pytest.CaptureFixture[str], root: Path, *words: str, expect: int = 0) -> Any:
    capsys.readouterr()
    code = main(["-C", str(root), "--format", "json", *words])
    shown = capsys.readouterr()
    assert code == expect, shown.err + shown.out
    document = json.loads(shown.out)
    assert faults(document) == []
    return document


def state_of(root: Path) -> dict[str, bytes]:
    """Everything in a workspace but what `.vendorctl` keeps for itself."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".vendorctl/lock" not in str(path)
    }


def test_test_passes_and_caches(softmax: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = call(capsys, softmax, "test", "-j", "1")
    assert first["counts"] == {"objects": 2, "passed": 2}
    second = call(capsys, softmax, "test", "-j", "1")
    assert second["counts"]["reused"] == 2
    assert second["results"] == first["results"]


def test_a_missing_package_is_named_once(
    softmax: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vendorctl.cli.testing._NEEDED", ("numpy", "no_such_package"))
    assert main(["-C", str(softmax), "test"]) == 7
    assert capsys.readouterr().err.count("no_such_package") == 1


def test_mutants_are_reported(softmax: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["test", "--mutate", "--mutants", "8", "--instance", "f16*", "-j", "1"]
    code = main(["-C", str(softmax), "--format", "json", *words])
    found = json.loads(capsys.readouterr().out)
    assert faults(found) == []
    assert code == (0 if found["kill_rate"] >= 0.95 else 6)
    assert found["kill_rate"] > 0.85
    (item,) = found["objects"]
    assert item["killed"]["barrier"] == item["tried"]["barrier"]
    assert {survivor["reason"] for survivor in item["survivors"]} <= {
        "every output is the same, bit for bit",
        "outputs differ by less than the tolerance",
    }


def test_junit_is_written_beside_the_report(softmax: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, softmax, "test", "-j", "1", "--junit", str(tmp_path / "junit.xml"))
    assert (tmp_path / "junit.xml").read_text().count("<testcase ") == 2
    assert main(["-C", str(softmax), "--format", "junit", "test", "-j", "1"]) == 0
    assert capsys.readouterr().out == (tmp_path / "junit.xml").read_text()


def test_the_barrier_patch_is_necessary_and_the_serial_schedule_shows_it(
    softmax: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = state_of(softmax)
    found = call(capsys, softmax, "test", "--without", "2", "-j", "1")
    assert found["counts"] == {"objects": 2, "need it": 2}
    for item in found["objects"]:
        assert item["turn"] == "regressed"
        reasons = "\n".join(item["after"]["why"])
        assert "VC532" in reasons  # the race checker names both instructions
        assert "lockstep and serial schedules" in reasons  # and the results prove it
        assert "elements are wrong" in reasons
    assert state_of(softmax) == before


def test_a_patch_that_no_object_depends_on_is_said_so(softmax: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = call(capsys, softmax, "test", "--without", "0001", "-j", "1", expect=6)
    assert [finding["rule"] for finding in found["findings"]] == ["VC537"]


def test_an_unknown_patch_is_a_mistake_in_the_call(softmax: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(softmax), "test", "--without", "9"]) == 2
    assert BARRIER in capsys.readouterr().err


@pytest.mark.slow
def test_a_bump_that_makes_a_kernel_worse_is_refused(softmax: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(softmax), "-q", "sync", "--pin", "minikernels=v0.2.0", "--drop-merged"]) == 0
    before = state_of(softmax)
    capsys.readouterr()
    back = ["-C", str(softmax), "sync", "--pin", "minikernels=v0.1.0"]
    assert main([*back, "--gate", "test"]) == 6
    shown = capsys.readouterr()
    assert "2 objects pass their tests before it and not after" in shown.err
    assert "regressed" in shown.err
    assert state_of(softmax) == before
    assert main(back) == 0


def test_a_bump_that_keeps_kernels_right_passes_the_gate(softmax: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sync", "--pin", "minikernels=v0.2.0", "--drop-merged", "--gate", "test"]
    assert main(["-C", str(softmax), *words]) == 0
    shown = capsys.readouterr()
    assert shown.err.count("passed, error") == 4  # two objects, before and after
    assert "regressed" not in shown.err


@pytest.mark.slow
def test_bisect_finds_the_commit_that_fixed_the_race(softmax: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, softmax, "patch", "drop", "minikernels", "2")
    found = call(
        capsys, softmax, "bisect", "minikernels", "--test", "softmax", "--instance", "f16*", "--from", "v0.1.0",
        "--to", "v0.2.0", "-j", "1",
    )  # fmt: skip
    assert found["commit"][:12] == MERGED
    assert found["subject"] == "Wait before the reduction slots are used again"
    assert 3 <= len(found["states"]) <= 8


def test_bisect_finds_the_patch_that_fixed_the_race(softmax: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = call(capsys, softmax, "bisect", "minikernels", "--test", "softmax", "--instance", "f16*", "-j", "1")
    assert found["patches"] == [BARRIER]


def test_a_bisection_that_tests_nothing_is_no_answer(softmax: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(softmax), "bisect", "minikernels", "--test", "softmxa", "-j", "1"]) == 2
    shown = capsys.readouterr()
    assert "error: no object was tested" in shown.err
    assert shown.out == ""
