# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Whole processes timed from outside, in turn, so that a ratio holds when the machine's speed drifts."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.results import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A command to time. `prepare` runs before each run, untimed, and returns the folder to run in.

    `accept` are the exit codes of a run that did its work: some tools exit with 1 to say what they found. Folders stay
    until the benchmark ends: ext4 hands out no inode that was freed in the last minutes, and whoever makes files then
    pays for the search.
    """

    name: str
    command: Sequence[str]
    prepare: Callable[[], Path]
    environment: Mapping[str, str]
    accept: frozenset[int] = frozenset({0})


@dataclass(frozen=True, slots=True)
class Run:
    """What one run took: seconds of wall clock and of processor (with children), and the largest process in MiB."""

    wall: float
    processor: float
    memory: float


def once(subject: Subject) -> Run:
    """One timed run. Raises RuntimeError with the command's output when it fails: a failure is no measurement."""
    folder = subject.prepare()
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        child = subprocess.Popen(
            subject.command, cwd=folder, env=dict(subject.environment), stdout=output, stderr=output
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in subject.accept:
            output.seek(0)
            words = output.read().decode("utf-8", "replace")[-2000:]
            raise RuntimeError(f"{subject.name} ended with {child.returncode}: {words}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def in_turn(subjects: Sequence[Subject], rounds: int, *, warm: bool = True) -> list[Row]:
    """Medians per subject over `rounds` rounds in which each runs once, every other round in reverse.

    With `warm`, one round that does not count goes first.
    """
    runs: dict[str, list[Run]] = {subject.name: [] for subject in subjects}
    for number in range(-1 if warm else 0, rounds):
        for subject in reversed(subjects) if number % 2 else subjects:
            run = once(subject)
            if number >= 0:
                runs[subject.name].append(run)
    return [_row(name, done) for name, done in runs.items()]


def _row(name: str, runs: Sequence[Run]) -> Row:
    walls = [run.wall for run in runs]
    return Row(
        name=name,
        wall=statistics.median(walls),
        fastest=min(walls),
        slowest=max(walls),
        processor=statistics.median(run.processor for run in runs),
        memory_mib=statistics.median(run.memory for run in runs),
    )
