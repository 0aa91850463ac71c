# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A workspace with one small kernel and its recipe, for tests of the build."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from vendorctl import digest
from vendorctl.kernels.building import build as building
from vendorctl.kernels.building.build import BuildOptions, BuildReport
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.caching.cache import ObjectCache
from vendorctl.kernels.caching.shared import SharedCache
from vendorctl.kernels.compiler import toolchain
from vendorctl.kernels.compiler.toolchain import Toolchain
from vendorctl.kernels.executor import pool
from vendorctl.kernels.object import target
from vendorctl.kernels.sources.inputs import PatchedTree, PatchRef
from vendorctl.workspace.transaction import Transaction

SPDX = "# SPDX-FileCopyrightText: 2026 The vendorctl authors\n# SPDX-License-Identifier: Apache-2.0\n"

KERNEL = (
    SPDX
    + '''
"""y[i] = a * x[i]"""
import flydsl.compiler as flyc
import flydsl.expr as fx

from .types import elem_type

# A comment that no object depends on.
BLOCK = 64


def build_scale(dtype):
    elem = elem_type(dtype)

    @flyc.kernel(name=f"scale_{dtype}")
    def scale(x: fx.Pointer, y: fx.Pointer, n: fx.Int32, a: fx.Float32):
        i = fx.block_idx.x * BLOCK + fx.thread_idx.x
        if i < n:
            (y + i).store((x[i].to(fx.Float32) * a).to(elem))

    @flyc.jit
    def launch(x: fx.Pointer, y: fx.Pointer, n: fx.Int32, a: fx.Float32, stream: fx.Stream = fx.Stream(None)):
        scale(x, y, n, a).launch(grid=((n + (BLOCK - 1)) // BLOCK,), block=(BLOCK,), stream=stream)

    return launch
'''
)

TYPES = (
    SPDX
    + """
import flydsl.expr as fx


def elem_type(name):
    return {"f16": fx.Float16, "f32": fx.Float32}[name]
"""
)

RECIPE = (
    SPDX
    + """
from vendorctl.kernels.recipe import Decline, Excluded, Pointer, Recipe, row


class Scale(Recipe):
    operation = "scale"
    upstream = "tinykern"
    declines = (Decline("bf16", "nobody asked"),)

    def instances(self, target):
        yield row(dtype="f16")
        yield row(dtype="f32")
        yield Excluded(row(dtype="f64"), "no double precision on purpose")

    def launcher(self, instance):
        from tinykern.scale import build_scale

        return build_scale(instance.text("dtype"))

    def arguments(self, instance):
        pointer = Pointer(instance.text("dtype"))
        return {"x": pointer, "y": pointer, "n": 100, "a": 2.0}


RECIPE = Scale()
"""
)

#: The recipe of the small kernel with cases; `FACTOR` and `TOLERANCE` are there to be spoiled by tests.
TESTED_RECIPE = RECIPE.replace(
    "from vendorctl.kernels.recipe import Decline, Excluded, Pointer, Recipe, row\n",
    "from vendorctl.kernels.recipe import Case, Decline, Excluded, Expected, Pointer, Recipe, row, storage_dtype\n\n"
    "FACTOR, TOLERANCE = 1.0, 1e-3\n",
).replace(
    "\n\nRECIPE = Scale()",
    """
    def cases(self, instance, rng):
        import numpy as np

        dtype = storage_dtype(instance.text("dtype"))
        for name, n in (("one block and a tail", 100), ("nothing", 0), ("one", 1)):
            x = rng.standard_normal(n).astype(dtype)
            yield Case(name=name, arguments={"x": x, "y": np.zeros_like(x), "n": n, "a": 2.5}, outputs=("y",),
                       inplace=(("y", "x"),))

    def reference(self, instance, case):
        import numpy as np

        x = np.asarray(case.arguments["x"]).astype(np.float64)
        return {"y": Expected(values=FACTOR * case.arguments["a"] * x, tolerance=TOLERANCE, scale=10.0)}


RECIPE = Scale()""",
)

FILES: Mapping[str, str] = {
    "patched/tinykern/__init__.py": SPDX,
    "patched/tinykern/types.py": TYPES,
    "patched/tinykern/scale.py": KERNEL,
    "patched/tinykern/unrelated.py": SPDX + "VALUE = 1\n",
    "recipes/scale.py": RECIPE,
}

TARGETS = ("gfx942", "gfx11-generic")


def write_files(root: Path, files: Mapping[str, str] = FILES) -> Path:
    """Write `files` below `root` and return `root`."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def project(root: Path, *, targets: tuple[str, ...] = TARGETS, recipes: tuple[str, ...] | None = None) -> Project:
    """The project in `root`: its recipes, and the upstream `tinykern` with one patch, to the kernel."""
    tree = root / "patched"
    pristine = {"tinykern/types.py": digest.sha256(TYPES.encode()), "tinykern/scale.py": "0" * 64}
    patch = PatchRef(file="0001-scale.patch", sha256="1" * 64, paths=frozenset({"tinykern/scale.py"}))
    upstream = PatchedTree(name="tinykern", root=tree, pristine=pristine, patches=(patch,))
    if recipes is None:
        recipes = tuple(f"recipes/{path.name}" for path in sorted((root / "recipes").glob("*.py")))
    return Project(
        root=root,
        recipes=recipes,
        targets=tuple(target.find(name) for name in targets),
        trees={"tinykern": upstream},
        pins={"flydsl": toolchain.flydsl_version()},
    )


def with_patch(base: Project, sha256: str) -> Project:
    """The same project with other bytes in its patch file."""
    tree = base.trees["tinykern"]
    return replace(base, trees={"tinykern": replace(tree, patches=(replace(tree.patches[0], sha256=sha256),))})


def tools() -> Toolchain:
    """The toolchain of the test environment."""
    return toolchain.locate(os.environ, pins={})


def build(
    base: Project,
    cache: Path,
    options: BuildOptions | None = None,
    *,
    toolset: Toolchain | None = None,
    shared: SharedCache | None = None,
) -> BuildReport:
    """Build `base` with a cache in `cache`, and one behind it, two jobs unless `options` says otherwise."""
    chosen = options or BuildOptions(jobs=2)
    executor = pool.open_executor("local", chosen.jobs)
    try:
        return building.build(
            base,
            toolset or tools(),
            ObjectCache(cache, shared),
            executor,
            chosen,
            begin=lambda: Transaction(base.root, "build"),
        )
    finally:
        executor.close()
