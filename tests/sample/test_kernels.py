# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Kernels of every release, and after every edit, compile for each family and take the arguments that they document."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from sample.probe import KERNELS
from vendorctl.kernels.compiler import toolchain
from vendorctl.kernels.compiler.compile import Compiled, CompileTask, Failed, compile_rows
from vendorctl.kernels.object import target
from vendorctl.kernels.object.instance import row
from vendorctl.kernels.sources.closure import SourceFile, Sources
from vendorctl.sample import edits

pytest.importorskip("flydsl")

TARGETS = ("gfx942", "gfx1100", "gfx1201")

#: What is new or different in each state of the sources; what is as before has been compiled before.
STATES = {
    "v0.1.0": ("forward", "softmax"),
    "edit-1": ("forward-epsilon",),
    "edit-2": ("forward-epsilon", "softmax"),
    "edit-3": ("forward-weights", "softmax"),
    "v0.2.0": ("forward", "softmax", "backward"),
    "v0.3.0": ("forward-typed", "backward-moved", "gradient", "attention", "attention-causal", "tile"),
    "resolution": ("forward-resolved",),
    "v0.4.0": ("forward-landed", "forward-dynamic", "softmax-dynamic", "decode", "merge"),
}

Files = Mapping[str, bytes]


@pytest.fixture(scope="module")
def states(releases: dict[str, dict[str, bytes]]) -> dict[str, Files]:
    """The releases, v0.1.0 after each edit, and v0.3.0 with the resolution."""
    trees: dict[str, Files] = dict(releases)
    edited: Files = releases["v0.1.0"]
    for edit in edits.all():
        edited = {**edited, **edit.files}
        trees[f"edit-{edit.number}"] = edited
    return trees | {"resolution": {**releases["v0.3.0"], **edits.resolution()}}


def documented_size(files: Files, kernel: str) -> int:
    """The size of the argument segment that a builder's docstring states."""
    path = f"minikernels/{KERNELS[kernel].module.replace('.', '/')}.py"
    nodes = ast.walk(ast.parse(files[path]))
    name = KERNELS[kernel].builder
    builder = next(node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == name)
    stated = re.search(r"KERNARG:.*\((\d+) bytes\)", ast.get_docstring(builder) or "", re.DOTALL)
    assert stated is not None, f"{path}: {name}"
    return int(stated[1])


def compile_state(files: Files, kernels: tuple[str, ...], target_name: str) -> dict[str, Compiled | Failed]:
    recipe = (Path(__file__).parent / "probe.py").read_bytes()
    sources = Sources(
        recipe="probe.py",
        recipe_files=(SourceFile("probe.py", recipe),),
        tree_files=tuple(SourceFile(path, content) for path, content in sorted(files.items())),
    )
    task = CompileTask(
        operation="probe",
        target=target.find(target_name),
        sources=sources,
        tools=toolchain.locate(os.environ, pins={}),
    )
    return dict(zip(kernels, compile_rows(task, [row(kernel=name) for name in kernels]), strict=True))


@pytest.mark.parametrize("target_name", TARGETS)
@pytest.mark.parametrize("state", STATES)
def test_kernels_compile_and_take_what_they_document(states: dict[str, Files], state: str, target_name: str) -> None:
    for kernel, outcome in compile_state(states[state], STATES[state], target_name).items():
        assert isinstance(outcome, Compiled), f"{kernel}: {outcome.reason}\n{outcome.log}"
        (launch,) = outcome.plan.launches
        assert max(offset + size for offset, size in launch.fields) == documented_size(states[state], kernel), kernel


def test_a_kernel_that_cannot_compile_is_seen(states: dict[str, Files]) -> None:
    path = "minikernels/softmax.py"
    broken = {**states["v0.1.0"], path: states["v0.1.0"][path].replace(b"fx.exp(x_last - top)", b"fx.exp(x_first)")}
    outcome = compile_state(broken, ("softmax",), "gfx1100")["softmax"]
    assert isinstance(outcome, Failed)
    assert "x_first" in outcome.reason
