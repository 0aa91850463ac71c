# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The programs that a user would pick instead, where this machine has them. None is a dependency of ours."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.suite import version_of

ROOT = Path(__file__).parents[1]
VENV = ROOT / "build" / "bench-peers"
LOCK = ROOT / "requirements" / "bench.lock"

#: What each program that is no part of git comes from.
SOURCES = {"dfetch": "PyPI", "quilt": "Debian", "stg": "Debian's stgit", "reuse": "PyPI"}


def find(program: str) -> str | None:
    """Where a peer is: in the venv that `install` makes, beside this Python, or on PATH."""
    for folder in (VENV / "bin", Path(sys.executable).parent):
        if (folder / program).exists():
            return str(folder / program)
    return shutil.which(program)


def has_subtree() -> bool:
    """Whether git has its `subtree` command, which some distributions package apart."""
    done = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True)
    return (Path(done.stdout.strip()) / "git-subtree").exists()


def install() -> None:
    """Put the peers that PyPI has, with pinned hashes, into a venv of their own; what fails is reported as missing."""
    if (VENV / "bin" / "dfetch").exists():
        return
    subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    pip = [str(VENV / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    subprocess.run([*pip, "-r", str(LOCK)], check=False)


def versions() -> dict[str, str | None]:
    """The version of every peer; None for those that are not there."""
    return {program: version_of(find(program)) for program in SOURCES}


def missing(*programs: str) -> tuple[str, ...]:
    """A line for each of the programs that is not there."""
    return tuple(f"{name} (from {SOURCES[name]}) is not installed" for name in programs if find(name) is None)
