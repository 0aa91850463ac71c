# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Moving a pin under a series, and saying beforehand what that would bring.

Upstream moved by many commits, all of which touch vendored files; every patch applies at the new pin, for every tool.
`git rebase` and `stg rebase` stand beside the bump, `git range-diff` beside the drift report. All of them find what
they need fetched: what is timed is the work, not the transport.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import peers
from benchmarks.results import Result, Row, Table
from benchmarks.suite import fresh_copy, in_place, run
from benchmarks.timing import Subject, in_turn
from benchmarks.workspaces import VENDORCTL, Made, Size, call, make

BUMP, DRIFT = "vendorctl sync --pin", "vendorctl diff-upstream --against"
_TARGET = 0.6


def measure(scratch: Path, *, quick: bool) -> Result:
    size = Size(files=20, patches=3, commits=10) if quick else Size(files=470, patches=20, commits=500)
    made = make(scratch / "ws", size)
    call(*VENDORCTL, "-q", "diff-upstream", "--against", "v2", cwd=made.root, env=made.env)  # fills the cache
    checkout = _checkout(made)
    rounds, warm = (1, False) if quick else (5, True)
    program = peers.find("stg")
    bumps = [bump(made), rebase(made, checkout), *([stg_rebase(made, checkout, program)] if program else [])]
    drifts = [in_place(DRIFT, made, "-q", "diff-upstream", "--against", "v2"), range_diff(made, checkout)]
    return Result(
        size={"files": size.files, "patches": size.patches, "commits": size.commits},
        tables={
            "bump": Table(rows=tuple(map(_aimed, in_turn(bumps, rounds, warm=warm))), base=BUMP),
            "drift": Table(rows=tuple(in_turn(drifts, rounds, warm=warm)), base=DRIFT),
        },
        not_measured=peers.missing("stg"),
    )


def _aimed(row: Row) -> Row:
    return replace(row, target=_TARGET) if row.name == BUMP else row


def bump(made: Made) -> Subject:
    """Carries the series over, proves the result, writes trees, patches, manifest and lock."""
    prepare = fresh_copy(made, "VENDOR.yaml", "VENDOR.lock", "patches", "vendored", ".vendorctl")
    command = [*VENDORCTL, "sync", "--pin", "up0=v2"]
    return Subject(name=BUMP, command=command, prepare=prepare, environment=made.env)


def rebase(made: Made, checkout: Path) -> Subject:
    command = ["git", "rebase", "-q", "--onto", "v2", "v1", "series"]
    return Subject(name="git rebase", command=command, prepare=_copies(made, checkout), environment=made.env)


def stg_rebase(made: Made, checkout: Path, program: str) -> Subject:
    managed = checkout.parent / "stg"
    shutil.copytree(checkout, managed)
    for words in (["init"], ["uncommit", "--number", str(made.size.patches)]):
        call(program, *words, cwd=managed, env=made.env)
    command = [program, "rebase", "v2"]
    return Subject(name="stg rebase", command=command, prepare=_copies(made, managed), environment=made.env)


def range_diff(made: Made, checkout: Path) -> Subject:
    """Compares the series before and after a rebase that was made already; knows nothing of upstream's changes."""
    call("git", "branch", "carried", "series", cwd=checkout, env=made.env)
    call("git", "rebase", "-q", "--onto", "v2", "v1", "carried", cwd=checkout, env=made.env)
    command = ["git", "--no-pager", "range-diff", "v1..series", "v2..carried"]
    return Subject(name="git range-diff", command=command, prepare=lambda: checkout, environment=made.env)


def _checkout(made: Made) -> Path:
    """A clone with the series as commits on the old pin."""
    folder = Path(tempfile.mkdtemp(dir=made.base)) / "checkout"
    call("git", "clone", "-q", "--shared", str(made.upstream("up0")), str(folder), cwd=made.base, env=made.env)
    call("git", "checkout", "-q", "-b", "series", "v1", cwd=folder, env=made.env)
    patches = [str(made.root / "patches/up0" / name) for name in (made.root / "patches/up0/series").read_text().split()]
    call("git", "am", "-q", *patches, cwd=folder, env=made.env)
    return folder


def _copies(made: Made, folder: Path) -> Callable[[], Path]:
    def prepare() -> Path:
        copy = Path(tempfile.mkdtemp(dir=made.base)) / "copy"
        shutil.copytree(folder, copy)
        # Copied files have other times than git's index says; what it costs to notice is not what is measured.
        call("git", "update-index", "-q", "--refresh", cwd=copy, env=made.env)
        return copy

    return prepare


if __name__ == "__main__":
    run(measure, __doc__)
