# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What every benchmark shares: its command line, its subjects, the machine it ran on."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from benchmarks.results import Result
from benchmarks.timing import Subject
from benchmarks.workspaces import VENDORCTL, Made


class Measure(Protocol):
    """A benchmark: measures in a scratch folder. `quick` is a smoke test on tiny sizes, whose figures mean nothing."""

    def __call__(self, scratch: Path, *, quick: bool) -> Result:
        """Measure everything."""


def run(measure: Measure, description: str | None) -> None:
    """The command line of one benchmark: prints one JSON object."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="tiny sizes: does it run at all?")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vendorctl-bench-") as name:
        result = measure(Path(name).resolve(), quick=options.quick)
    print(json.dumps(result.to_json(), indent=2))


def in_place(name: str, made: Made, *words: str, accept: frozenset[int] = frozenset({0})) -> Subject:
    """A vendorctl command in the workspace itself, which it leaves as it is."""
    command = [*VENDORCTL, *words]
    return Subject(name=name, command=command, prepare=lambda: made.root, environment=made.env, accept=accept)


def fresh_copy(made: Made, *parts: str) -> Callable[[], Path]:
    """A function that makes a new workspace folder with `parts` of the root, its upstreams beside it as before."""

    def prepare() -> Path:
        folder = Path(tempfile.mkdtemp(dir=made.base))
        copy = folder / "root"
        copy.mkdir()
        for part in parts:
            if (made.root / part).is_dir():
                shutil.copytree(made.root / part, copy / part, symlinks=True)
            elif (made.root / part).exists():
                shutil.copy2(made.root / part, copy / part)
        for name in made.names:
            (folder / f"{name}.git").symlink_to(made.upstream(name))
        return copy

    return prepare


def cold_sync(name: str, made: Made) -> Subject:
    """A sync of a fresh checkout with an empty cache: fetch, write both trees, apply, prove, lock."""
    copy = fresh_copy(made, "VENDOR.yaml", "VENDOR.lock", "patches")

    def prepare() -> Path:
        shutil.rmtree(made.env["VENDORCTL_CACHE"], ignore_errors=True)
        return copy()

    command = [*VENDORCTL, "sync"]
    return Subject(name=name, command=command, prepare=prepare, environment=made.env)


def machine() -> dict[str, str | int | float]:
    """What a reader needs to know of the machine."""
    facts = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    models = [line.split(":", 1)[1].strip() for line in facts.splitlines() if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.processor() or "unknown",
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "load": round(os.getloadavg()[0], 1),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "git": _version("git", "--version"),
    }


def _version(*command: str) -> str:
    """The version that a program prints: the first word of its first line that starts with a digit."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    words = done.stdout.split("\n", 1)[0].split()
    return next((word for word in words if word[0].isdigit()), "unknown")


def version_of(program: str | None) -> str | None:
    """The version of a peer; None when it is not there."""
    if program is None:
        return None
    python = Path(program).with_name("python")
    if not python.exists():
        return _version(program, "--version")
    # Not every program of a venv tells its version; what was installed does.
    ask = f"import importlib.metadata as m; print(m.version({Path(program).name!r}))"
    return _version(str(python), "-c", ask)


PYTHON = sys.executable
