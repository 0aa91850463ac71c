# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Compile tasks can be sent anywhere: another process stands for another machine here."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kernels.conftest import Built
from support import tinykern
from vendorctl import digest
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.building import build as building
from vendorctl.kernels.building.build import BuildOptions
from vendorctl.kernels.building.plan import make_plan
from vendorctl.kernels.caching.cache import ObjectCache
from vendorctl.kernels.compiler.compile import Compiled, CompileTask, Failed, Sealed, compile_rows, seal, unseal
from vendorctl.kernels.executor import pool
from vendorctl.kernels.executor.pool import LocalExecutor
from vendorctl.kernels.executor.side import SideDiedError, Sides
from vendorctl.kernels.object import target
from vendorctl.kernels.object.instance import Instance
from vendorctl.kernels.object.target import Target
from vendorctl.workspace.transaction import Transaction


def test_a_task_carries_its_sources_by_content(built: Built) -> None:
    tools = tinykern.tools()
    unit = make_plan(built.project, tools)[0]
    row = unit.rows[0].row.instance
    task = CompileTask(operation="scale", target=unit.target, sources=unit.sources, tools=tools)
    sent: CompileTask = pickle.loads(pickle.dumps(task))
    for path in (built.project.root / "patched").rglob("*.py"):
        path.unlink()
    (outcome,) = compile_rows(sent, [row])
    assert isinstance(outcome, Compiled)
    assert pickle.loads(pickle.dumps(outcome)) == outcome


def test_a_task_for_another_machine_names_no_path_of_this_one(built: Built) -> None:
    tools = tinykern.tools()
    unit = make_plan(built.project, tools)[0]
    task = CompileTask(operation="scale", target=unit.target, sources=unit.sources, tools=tools)
    assert str(tools.python) in repr(task)
    sent: CompileTask = pickle.loads(pickle.dumps(task.for_another_machine()))
    assert sent.tools == tools.named()
    for path in (tools.python, built.project.root, *map(Path, tools.linker.command[:1])):
        assert str(path) not in repr(sent), path


def test_what_arrives_is_believed_only_when_it_is_sound(built: Built) -> None:
    unit = make_plan(built.project, tinykern.tools())[0]
    row, other = (planned.row.instance for planned in unit.rows)
    found = ObjectCache(built.cache).get(unit.rows[0].input, row, unit.target)
    assert found is not None
    sent = seal(found)
    assert isinstance(sent, Sealed)
    assert unseal(sent, row, unit.target) == found
    damaged = sent.code[:-1] + bytes([sent.code[-1] ^ 1])
    plan: Any = json.loads(json.dumps(sent.plan))
    plan["launches"][0]["kernarg_size"] += 8
    wrong: dict[str, tuple[object, Instance, Target]] = {
        "changed on the way": (replace(sent, code=damaged), row, unit.target),
        "gfx1100": (sent, row, target.find("gfx1100")),
        "no answer for this row": (sent, other, unit.target),
        "launch plan": (replace(sent, plan={"launches": 5}), row, unit.target),
        "another object's": (replace(sent, plan=plan), row, unit.target),
        "no answer": ("an object", row, unit.target),
        "ELF": (replace(sent, code=b"x", sha256=digest.sha256(b"x")), row, unit.target),
    }
    for word, (what, asked, aimed) in wrong.items():
        outcome = unseal(what, asked, aimed)  # type: ignore[arg-type]  # what a hostile machine may send
        assert isinstance(outcome, Failed), word
        assert outcome.rule == "VC504"
        assert word in outcome.reason, outcome.reason


_ONCE = """
        import os
        if not os.path.exists("tried"):
            open("tried", "w").close()
            raise RuntimeError("lld invocation failed")
"""
_ALWAYS = """
        raise RuntimeError("lld invocation failed")
"""


@pytest.mark.parametrize(("body", "compiled"), [(_ONCE, 4), (_ALWAYS, 0)])
def test_a_failure_of_the_machine_is_tried_once_more_and_said(tmp_path: Path, body: str, compiled: int) -> None:
    root = tinykern.write_files(tmp_path / "project")
    recipe = root / "recipes/scale.py"
    place = "    def launcher(self, instance):\n"
    recipe.write_text(recipe.read_text().replace(place, place + body.lstrip("\n")))
    report = tinykern.build(tinykern.project(root), tmp_path / "cache", BuildOptions(jobs=2, keep_going=True)).report
    assert report.counts.get("compiled", 0) == compiled
    assert report.counts.get("failed", 0) == 4 - compiled
    assert len(report.notes) == (2 if compiled else 0)  # one row of each target found no file yet
    assert all("compiled at the second try; the first: RuntimeError: lld" in note for note in report.notes)


def test_a_process_that_dies_is_an_answer_and_the_next_call_has_a_new_one() -> None:
    sides = Sides()
    try:
        with sides.borrow() as call:
            assert call(max, 3, 4) == 4
            with pytest.raises(ZeroDivisionError):
                call(divmod, 1, 0)
            with pytest.raises(SideDiedError, match="status 7"):
                call(os._exit, 7)
            with pytest.raises(SideDiedError, match="SIGKILL"):
                call(signal.raise_signal, signal.SIGKILL)
            assert call(os.getpid) != os.getpid()
    finally:
        sides.close()


class Torn(LocalExecutor):
    """Tells of a second, different result of the first item, as two workers may."""

    def run(self, job: Any, lots: Any, accept: Any, stop: Any) -> None:
        super().run(job, lots, accept, stop)
        accept(0, 0, job.torn(lots[0].items[0], "two workers made different things of the same"))


class Unconfined(LocalExecutor):
    """Stands for machines of which one has no Landlock."""

    remote = True

    def unconfined(self) -> list[str]:
        return ["tcp://old:1"]


def test_a_worker_that_cannot_confine_recipes_is_a_warning(tmp_path: Path) -> None:
    root = tinykern.write_files(tmp_path / "project")
    for places, warned in ((Unconfined(1), ["VC506"]), (LocalExecutor(1), [])):
        done = building.build(
            tinykern.project(root),
            tinykern.tools(),
            ObjectCache(tmp_path / f"cache{len(warned)}"),
            places,
            BuildOptions(jobs=1),
            begin=lambda: Transaction(root, "build"),
        )
        assert done.exit_code is ExitCode.OK
        assert [finding.rule for finding in done.report.findings] == warned
        assert all("tcp://old:1 compiled without Landlock" in finding.message for finding in done.report.findings)
        shutil.rmtree(root / "objects")


def test_a_row_that_gave_two_objects_fails_and_leaves_neither_in_the_cache(tmp_path: Path) -> None:
    root = tinykern.write_files(tmp_path / "project")
    done = building.build(
        tinykern.project(root),
        tinykern.tools(),
        ObjectCache(tmp_path / "cache"),
        Torn(1),
        BuildOptions(jobs=1),
        begin=lambda: Transaction(root, "build"),
    )
    assert done.exit_code is ExitCode.BUILD_FAILED
    (finding,) = done.report.findings
    assert (finding.rule, done.report.counts["failed"]) == ("VC505", 1)
    assert sum(path.is_file() for path in (tmp_path / "cache").rglob("*")) == 3
    assert not (root / "objects").exists()


def test_unknown_executors_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(VendorError, match="unknown executor") as caught:
        pool.open_executor("cluster", 2)
    assert caught.value.code is ExitCode.USAGE
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(VendorError, match="needs the package distributed") as caught:
        pool.open_executor("dask://localhost:8786", 2)
    assert caught.value.code is ExitCode.TOOL_MISSING
