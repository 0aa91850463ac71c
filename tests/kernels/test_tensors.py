# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Kernels with tensor arguments, as upstreams write them: compiled without torch, launched from their plan."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from support import tinykern
from vendorctl.kernels.building.build import BuildReport
from vendorctl.kernels.object import manifest

KERNEL = (
    tinykern.SPDX
    + """
import flydsl.compiler as flyc
import flydsl.expr as fx

try:
    import torch
except ImportError:
    torch = None
assert torch is None, "kernel files must not see the stand-in"


def build_copy(dynamic_lds):
    @flyc.kernel(name="copy")
    def copy(x: fx.Tensor, y: fx.Pointer, flag: fx.Boolean, wide: fx.Int64):
        i = fx.block_idx.x * 64 + fx.thread_idx.x
        (y + i).store(x[fx.block_idx.x, fx.thread_idx.x])

    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Pointer, rows: fx.Int32, flag: fx.Boolean, wide: fx.Int64, depth: fx.Constexpr[int],
               stream: fx.Stream = fx.Stream(None)):
        copy(x, y, flag, wide).launch(grid=(fx.max(rows, 1), depth), block=(64,), stream=stream)

    return launch
"""
)

RECIPE = (
    tinykern.SPDX
    + """
from vendorctl.kernels.recipe import Pointer, Recipe, Tensor, row


class Copy(Recipe):
    operation = "copy"
    upstream = "tinykern"

    def instances(self, target):
        yield row(dtype="f32")

    def launcher(self, instance):
        from tinykern.copy import build_copy

        return build_copy(False)

    def arguments(self, instance):
        examples = {"rows": 4, "flag": True, "wide": 7, "depth": 3}
        return {"x": Tensor("f32", (4, 64)), "y": Pointer("f32"), **examples}


RECIPE = Copy()
"""
)


@dataclass(frozen=True)
class Device:
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def build(root: Path, kernel: str) -> BuildReport:
    files = {"patched/tinykern/__init__.py": "", "patched/tinykern/copy.py": kernel, "recipes/copy.py": RECIPE}
    tinykern.write_files(root, files)
    return tinykern.build(tinykern.project(root, targets=("gfx1201",)), root / "cache")


def test_a_tensor_reaches_the_kernel_with_its_layout(tmp_path: Path) -> None:
    report = build(tmp_path, KERNEL).report
    assert report.ok, report.findings
    found = manifest.parse((tmp_path / "objects/copy/gfx1201/manifest.json").read_bytes(), "manifest.json")
    plan = found.objects[0].launch
    assert [(p.name, p.type, p.elements, p.rank) for p in plan.parameters] == [
        ("x", "ptr", "f32", 2), ("y", "ptr", "f32", 0), ("rows", "i32", "", 0), ("flag", "i1", "", 0),
        ("wide", "i64", "", 0),
    ]  # fmt: skip
    for rows, groups in ((0, 1), (5, 5)):
        tensor = Device(0x1000, (rows, 64), (96, 1))
        (launch,) = plan.evaluate({"x": tensor, "y": 0x2000, "rows": rows, "flag": True, "wide": -2})
        assert launch.grid == (groups, 3, 1)
        assert launch.kernarg[:33] == struct.pack("<QiiqQ?", 0x1000, rows, 64, 96, 0x2000, True)
        assert launch.kernarg[40:48] == struct.pack("<q", -2)


def test_a_choice_of_grid_is_part_of_the_plan(tmp_path: Path) -> None:
    chosen = KERNEL.replace("grid=(fx.max(rows, 1), depth)", "grid=(rows if rows > 3 else fx.Int32(1),)")
    assert build(tmp_path, chosen).report.ok
    found = manifest.parse((tmp_path / "objects/copy/gfx1201/manifest.json").read_bytes(), "manifest.json")
    for rows, groups in ((3, 1), (4, 4)):
        tensor = Device(0x1000, (rows, 64), (64, 1))
        (launch,) = found.objects[0].launch.evaluate({"x": tensor, "y": 0x2000, "rows": rows, "flag": False, "wide": 0})
        assert launch.grid == (groups, 1, 1)


def test_a_launch_that_a_plan_cannot_say_is_refused_not_guessed(tmp_path: Path) -> None:
    halved = KERNEL.replace("fx.max(rows, 1)", "fx.Int32(rows.to(fx.Float32) * 0.5)")
    (finding,) = build(tmp_path, halved).report.findings
    assert "which a launch plan cannot express" in finding.message
    assert not (tmp_path / "objects").exists()
