# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The benchmark of clusters, on the smallest of them and on the tests' small kernel: its parts run and fit together."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from docs.test_links import ROOT
from support import tinykern

sys.path.insert(0, str(ROOT))


@pytest.fixture
def bench() -> ModuleType:
    """Its module, which is slow to import."""
    pytest.importorskip("distributed")
    from benchmarks import bench_distributed

    return bench_distributed


def test_its_parts_measure_something_and_give_a_curve(bench: ModuleType, tmp_path: Path) -> None:
    from vendorctl.kernels.building.plan import make_plan

    root = tinykern.write_files(tmp_path, {**tinykern.FILES, "recipes/scale.py": tinykern.TESTED_RECIPE})
    project, tools = tinykern.project(root, targets=("gfx942",)), tinykern.tools()
    units = make_plan(project, tools, jobs=1)
    costs = bench.measure_costs(project, units, tools, 1)
    assert set(costs) == {"scale"}
    assert all(getattr(costs["scale"], name) > 0 for name in ("row", "test", "sent", "returned"))
    busy = bench.measure_keeping_up(1, 2, 0.01, 2)
    assert (busy["places"], busy["items"]) == (2, 4)
    assert 0 < busy["efficiency"] <= 1
    rows = bench.curve(units, costs, tools, bench.Overhead(piece=0.001, item=0.0001))
    assert [row["places"] for row in rows] == list(bench.PLACES)
    assert rows[0]["build_speedup"] == rows[0]["test_speedup"] == 1


def test_the_model_hands_out_one_piece_after_the_other(bench: ModuleType) -> None:
    none, some = bench.Overhead(piece=0, item=0), bench.Overhead(piece=1, item=0.5)
    assert bench.modelled([(10, 2)] * 4, 1, none) == 40
    assert bench.modelled([(10, 2)] * 4, 4, none) == 10
    assert bench.modelled([(10, 2)] * 4, 4, some) == 4 * 2 + 10
