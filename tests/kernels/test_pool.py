# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Compile tasks can be sent anywhere: another process stands for another machine here."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from kernels.conftest import Built
from support import tinykern
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels import build as building
from vendorctl.kernels import pool
from vendorctl.kernels.build import BuildOptions
from vendorctl.kernels.cache import ObjectCache
from vendorctl.kernels.compile import Compiled, CompileTask, compile_rows
from vendorctl.kernels.plan import make_plan
from vendorctl.workspace.transaction import Transaction


def test_another_process_gives_the_same_objects(built: Built, tmp_path: Path) -> None:
    root = tinykern.write_files(tmp_path / "other")
    project = tinykern.project(root)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        done = building.build(
            project,
            tinykern.tools(),
            ObjectCache(tmp_path / "cache"),
            executor,
            BuildOptions(jobs=2),
            begin=lambda: Transaction(root, "build"),
        )
    assert done.report.counts == {"objects": 4, "compiled": 4}
    for path in built.objects.rglob("*.hsaco"):
        assert (root / "objects" / "scale" / path.relative_to(built.objects)).read_bytes() == path.read_bytes()


def test_a_task_carries_its_sources_by_content(built: Built) -> None:
    tools = tinykern.tools()
    unit = make_plan(built.project, tools)[0]
    row = unit.rows[0].row.instance
    task = CompileTask(operation="scale", target=unit.target, sources=unit.sources, rows=(row,), tools=tools)
    sent: CompileTask = pickle.loads(pickle.dumps(task))
    for path in (built.project.root / "patched").rglob("*.py"):
        path.unlink()
    (outcome,) = compile_rows(sent)
    assert isinstance(outcome, Compiled)
    assert pickle.loads(pickle.dumps(outcome)) == outcome


def test_unknown_executors_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(VendorError, match="unknown executor") as caught:
        pool.open_executor("cluster", 2)
    assert caught.value.code is ExitCode.USAGE
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(VendorError, match="needs the package distributed") as caught:
        pool.open_executor("dask://localhost:8786", 2)
    assert caught.value.code is ExitCode.TOOL_MISSING
