# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Whole processes timed from outside, two commands in turn, so that a ratio holds when the machine's speed drifts."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A command to time. `prepare` runs before each run, untimed, and returns the folder to run in."""

    name: str
    command: Sequence[str]
    prepare: Callable[[], Path]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Run:
    """What one run took: seconds of wall clock and of processor, and peak memory in MiB."""

    wall: float
    processor: float
    memory: float


def once(subject: Subject) -> Run:
    """One timed run. Raises RuntimeError with the command's output when it fails: a failure is no measurement."""
    folder = subject.prepare()
    log = folder.parent / "output.log"
    with log.open("wb") as output:
        start = time.perf_counter()
        child = subprocess.Popen(
            subject.command, cwd=folder, env=dict(subject.environment), stdout=output, stderr=output
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{subject.name} failed: {log.read_text('utf-8', 'replace')[-2000:]}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def in_turn(subjects: Sequence[Subject], rounds: int) -> dict[str, dict[str, float]]:
    """Medians per subject over `rounds` rounds in which each runs once, after one warm-up round."""
    runs: dict[str, list[Run]] = {subject.name: [] for subject in subjects}
    for number in range(rounds + 1):
        for subject in subjects:
            run = once(subject)
            if number:
                runs[subject.name].append(run)
    return {name: summary(done) for name, done in runs.items()}


def summary(runs: Sequence[Run]) -> dict[str, float]:
    """Median seconds and MiB of several runs."""
    return {
        "wall": round(statistics.median(run.wall for run in runs), 3),
        "processor": round(statistics.median(run.processor for run in runs), 3),
        "memory_mib": round(statistics.median(run.memory for run in runs), 1),
    }


def machine() -> dict[str, str | int | float]:
    """What a reader needs to know of the machine."""
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.processor(),
    )
    return {
        "processor": model,
        "cores": os.cpu_count() or 1,
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "system": platform.system(),
    }
