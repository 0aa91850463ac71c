# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What building costs: objects per second and core, a build with nothing to do over 1,500 instances, memory per worker.

Makes a workspace of the tiny kernel of the tests in a temporary folder, and prints one JSON object. Times are seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support import tinykern
from vendorctl.kernels.build import BuildOptions
from vendorctl.kernels.check import check
from vendorctl.kernels.project import Project

_Result = TypeVar("_Result")

#: Rows that differ in a constant of the kernel, so that each is compiled on its own.
_MANY_ROWS = """        for number in range({count}):
            yield row(dtype="f16" if number % 2 else "f32", step=number)
"""


def timed(function: Callable[[], _Result]) -> tuple[dict[str, float], _Result]:
    """Elapsed seconds, and processor seconds of this process and its children: the latter hold on a busy machine."""
    start, used = time.perf_counter(), processor_seconds()
    result = function()
    elapsed, worked = time.perf_counter() - start, processor_seconds() - used
    return {"elapsed": round(elapsed, 3), "processor": round(worked, 3)}, result


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


def measure(instances: int, jobs: int) -> dict[str, Any]:
    targets = ("gfx942", "gfx1100", "gfx1201")
    with tempfile.TemporaryDirectory() as name:
        project = make_project(Path(name) / "workspace", instances // len(targets), targets)
        cache, options = Path(name) / "cache", BuildOptions(jobs=jobs)
        build = lambda: tinykern.build(project, cache, options).report  # noqa: E731 -- timed several times
        cold, report = timed(build)
        assert report.ok, report.findings
        objects = report.counts["objects"]
        peak = peak_of_children()
        nothing, again = timed(build)
        assert again.counts["unchanged"] == objects
        checking, checked = timed(lambda: check(project, require=True))
        assert checked.ok
        for path in (project.root / "objects").rglob("*.hsaco"):
            path.unlink()
        restoring, restored = timed(build)
        assert restored.counts["from cache"] == objects
    return {
        "objects": objects,
        "jobs": jobs,
        "build": cold,
        "objects_per_second_and_core": round(objects / cold["elapsed"] / jobs, 2),
        "objects_per_processor_second": round(objects / cold["processor"], 2),
        "build_with_nothing_to_do": nothing,
        "check": checking,
        "restore_from_cache": restoring,
        "peak_memory_per_worker_mb": peak >> 20,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=1500)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    chosen = parser.parse_args()
    print(json.dumps(measure(chosen.instances, chosen.jobs), indent=2))


if __name__ == "__main__":
    main()
