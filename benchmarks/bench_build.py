# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What building costs over 1,500 instances of the tests' tiny kernel: all of them, none, a check, a restore."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from benchmarks.results import Result, Row, Table
from benchmarks.suite import run
from support import tinykern
from vendorctl.kernels.building.build import BuildOptions
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.check import check

_Result = TypeVar("_Result")

#: Rows that differ in a constant of the kernel, so that each is compiled on its own.
_MANY_ROWS = """        for number in range({count}):
            yield row(dtype="f16" if number % 2 else "f32", step=number)
"""


def timed(name: str, function: Callable[[], _Result], target: float | None = None) -> tuple[Row, _Result]:
    """Seconds of one run, and processor seconds of this process and its children; and the run's result."""
    start, used = time.perf_counter(), processor_seconds()
    result = function()
    row = Row(name=name, wall=time.perf_counter() - start, processor=processor_seconds() - used, target=target)
    return row, result


def processor_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def make_project(root: Path, count: int, targets: tuple[str, ...]) -> Project:
    """The tiny project with `count` rows per target."""
    tinykern.write_files(root)
    recipe = root / "recipes" / "scale.py"
    text = recipe.read_text()
    start, end = text.index('        yield row(dtype="f16")'), text.index("    def launcher")
    recipe.write_text(text[:start] + _MANY_ROWS.format(count=count) + "\n" + text[end:])
    return tinykern.project(root, targets=targets)


def peak_of_children() -> int:
    """Peak resident memory of the largest child process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def measure(scratch: Path, *, quick: bool) -> Result:
    """A build from nothing, then what follows on it; every step must have done what it is named for."""
    instances, jobs = (3 if quick else 1500), len(os.sched_getaffinity(0))
    targets = ("gfx942", "gfx1100", "gfx1201")
    project = make_project(scratch / "workspace", instances // len(targets), targets)
    cache, options = scratch / "cache", BuildOptions(jobs=jobs)
    build = lambda: tinykern.build(project, cache, options).report  # noqa: E731 -- timed several times
    cold, report = timed("compile all", build)
    assert report.ok, report.findings
    objects = report.counts["objects"]
    peak = peak_of_children()
    nothing, again = timed("build, nothing to do", build, target=2.0)
    assert again.counts["unchanged"] == objects
    checking, checked = timed("check", lambda: check(project, require=True))
    assert checked.ok
    for path in (project.root / "objects").rglob("*.hsaco"):
        path.unlink()
    restoring, restored = timed("restore all from the cache", build)
    assert restored.counts["from cache"] == objects
    assert cold.processor
    rates = (
        Row(name="objects compiled", value=objects / cold.processor, unit="a processor second"),
        Row(name="largest compile process", value=peak / 2**20, unit="MiB"),
    )
    return Result(
        size={"objects": objects, "targets": len(targets), "jobs": jobs},
        tables={"build": Table(rows=(cold, nothing, checking, restoring, *rates))},
    )


if __name__ == "__main__":
    run(measure, __doc__)
