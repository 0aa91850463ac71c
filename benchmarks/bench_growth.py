# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""How time and memory grow with files, patches, upstreams and upstream's history.

Times are processor seconds of whole processes with their children, the least of some runs: on a busy machine they say
more than a clock. A command that is linear has an exponent of about 1; one that history does not touch, of about 0.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import Curve, Result
from benchmarks.suite import cold_sync, in_place, run
from benchmarks.timing import Run, Subject, once
from benchmarks.workspaces import VENDORCTL, Made, Size, make


@dataclass(frozen=True, slots=True)
class Sweep:
    """A size that grows: its name, the workspace of each of its values, the values, and the commands to time."""

    over: str
    shape: Callable[[int], Size]
    sizes: Sequence[int]
    commands: Callable[[Made], list[Subject]]


def measure(scratch: Path, *, quick: bool) -> Result:
    curves: dict[str, Curve] = {}
    for sweep in (SWEEPS[0], SWEEPS[-1]) if quick else SWEEPS:
        curves |= _curves(sweep, scratch / sweep.over, 1 if quick else 2, quick=quick)
    return Result(size={"rounds": 1 if quick else 2}, curves=curves)


def offline(made: Made) -> list[Subject]:
    """What reads the whole workspace."""
    words = {"verify": ["verify"], "sync, nothing to do": ["sync"], "diff-upstream": ["-q", "diff-upstream"]}
    return [in_place(name, made, *rest) for name, rest in words.items()]


def online(made: Made) -> list[Subject]:
    """What talks to upstream, each time with an empty cache."""

    def cold_in_place() -> Path:
        shutil.rmtree(made.env["VENDORCTL_CACHE"], ignore_errors=True)
        return made.root

    drift = [*VENDORCTL, "-q", "diff-upstream", "--against", "v2"]
    bump = [*VENDORCTL, "sync", "--dry-run", *(word for name in made.names for word in ("--pin", f"{name}=v2"))]
    return [
        cold_sync("sync", made),
        Subject(name="drift", command=drift, prepare=cold_in_place, environment=made.env),
        Subject(name="bump", command=bump, prepare=cold_in_place, environment=made.env),
    ]


def _size(**fixed: int) -> Callable[..., Size]:
    """Sizes that are alike but for what is given later."""
    return lambda **grown: Size(**fixed, **grown)


_FILES, _FLAT = _size(patches=1), _size(patches=50)
_PATCHES, _UPSTREAMS = _size(files=500), _size(files=40, patches=4)
_COMMITS, _HISTORY = _size(files=100, patches=10), _size(files=100, patches=10, commits=50)

SWEEPS = (
    Sweep("files", lambda n: _FILES(files=n), (625, 2500, 10_000), offline),
    Sweep("files of one folder", lambda n: _FLAT(files=n, per_folder=n), (625, 2500, 10_000), offline),
    Sweep("patches", lambda n: _PATCHES(patches=n), (125, 250, 500, 1000), offline),
    Sweep("upstreams", lambda n: _UPSTREAMS(upstreams=n), (6, 12, 25, 50), offline),
    Sweep("commits", lambda n: _COMMITS(commits=n), (250, 500, 1000, 2000), online),
    Sweep("MiB of history", lambda n: _HISTORY(history=n), (64, 256, 1024), online),
)


def _curves(sweep: Sweep, folder: Path, rounds: int, *, quick: bool) -> dict[str, Curve]:
    """Two curves of one sweep: processor seconds, and MiB of the largest process."""
    sizes = (2, 4) if quick else tuple(sweep.sizes)
    floor = _runs(sweep, folder / "floor", 1, rounds)
    points = [_runs(sweep, folder / str(size), size, rounds) for size in sizes]

    def curve(unit: str, figure: Callable[[Run], float]) -> Curve:
        return Curve(
            over=sweep.over,
            unit=unit,
            sizes=sizes,
            series={name: tuple(min(map(figure, runs[name])) for runs in points) for name in floor},
            floor={name: min(map(figure, runs)) for name, runs in floor.items()},
        )

    return {
        f"{sweep.over}: time": curve("processor seconds", lambda run: run.processor),
        f"{sweep.over}: memory": curve("MiB", lambda run: run.memory),
    }


def _runs(sweep: Sweep, folder: Path, size: int, rounds: int) -> dict[str, list[Run]]:
    """The runs of each command in a workspace of that size, which is gone afterwards."""
    made = make(folder, sweep.shape(size))
    subjects = sweep.commands(made)
    runs = {subject.name: [once(subject) for _ in range(rounds)] for subject in subjects}
    shutil.rmtree(folder)
    return runs


if __name__ == "__main__":
    run(measure, __doc__)
