# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One command that bumps several upstreams: a folder for each conflict, decided one by one or together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.faults import snapshot
from support.field import BASE, RESOLVED, THEIRS_5, Field, start_field
from vendorctl.errors import ExitCode


def make_several(folder: Path) -> Field:
    """Upstreams `one` and `two`, whose patch conflicts with v2, and `three`, whose patch does not."""
    field = start_field(folder, {"a.py": BASE}, {"a.py": THEIRS_5})
    for name, line in (("one", "line_5 ="), ("two", "line_5 ="), ("three", "line_20 =")):
        field.add(name, "**")
        field.record(name, "a.py", line, f"{name} =")
    return field


ALL_PINS = ("sync", "--pin", "one=v2", "--pin", "three=v2", "--pin", "two=v2")


def conflict_of(field: Field, name: str) -> Path:
    return field.conflict(name) / "a.py"


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
