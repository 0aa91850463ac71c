# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Compile tasks can be sent anywhere: another process stands for another machine here."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from kernels.conftest import Built
from support import tinykern
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels import pool
from vendorctl.kernels.compile import Compiled, CompileTask, compile_rows
from vendorctl.kernels.plan import make_plan


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


def test_unknown_executors_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(VendorError, match="unknown executor") as caught:
        pool.open_executor("cluster", 2)
    assert caught.value.code is ExitCode.USAGE
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(VendorError, match="needs the package distributed") as caught:
        pool.open_executor("dask://localhost:8786", 2)
    assert caught.value.code is ExitCode.TOOL_MISSING
