# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""System calls that fail on demand, in a whole command and in every program that it starts.

A small library (`faultshim.c`) is preloaded and counts the calls that change something below a folder: opening for
writing, writing, syncing, renaming, linking, removing, making folders and links, changing modes and sizes. So a fault
reaches what no wrapper of Python functions sees: the buffers of files, and git.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.command import Result

_SOURCE = Path(__file__).with_name("faultshim.c")


def build_shim(folder: Path) -> Path:
    """Compile the library into `folder`. Skips the test, visibly, where there is no C compiler."""
    library = folder / "faultshim.so"
    compilers = [[name] for name in ("cc", "gcc", "clang") if shutil.which(name)]
    compilers.append([sys.executable, "-m", "ziglang", "cc"])
    for compiler in compilers:
        command = [*compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(_SOURCE), "-ldl"]
        if subprocess.run(command, capture_output=True).returncode == 0:
            return library
    pytest.skip("no C compiler for the library that makes system calls fail")


@dataclass(frozen=True)
class Faults:
    """Runs commands under the library. `folder` is where calls count; bookkeeping lives in `notes`, outside of it.

    Temporary files go to `scratch`, by default a folder in which calls count as well.
    """

    library: Path
    folder: Path
    notes: Path
    scratch: Path | None = None

    def count(self, *words: str) -> tuple[Result, int]:
        """Run a command undisturbed; its result, and how many calls it made that change something."""
        return self._run(words, {})

    def fail(self, number: int, error: int, *words: str, lasting: bool = False) -> tuple[Result, str]:
        """Run a command whose call `number` (from 0) fails with `error`, and so do all later ones if `lasting`.

        Returns its result and the name of the call that failed, which is empty when the command made fewer calls.
        """
        log = self.notes / "failed"
        log.unlink(missing_ok=True)
        asked = {"FAULTS_AT": str(number), "FAULTS_ERRNO": str(error), "FAULTS_LOG": str(log)}
        result, _count = self._run(words, asked | ({"FAULTS_LASTING": "1"} if lasting else {}))
        return result, log.read_text().partition("\n")[0] if log.exists() else ""

    def kill(self, number: int, *words: str) -> Result:
        """Run a command that is killed, with every program that it started, at its call `number` (from 0)."""
        return self._run(words, {"FAULTS_AT": str(number), "FAULTS_DEADLY": "1"})[0]

    def _run(self, words: tuple[str, ...], asked: Mapping[str, str]) -> tuple[Result, int]:
        counter = self.notes / "count"
        counter.write_bytes(bytes(8))
        temporary = self.scratch or self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        environment = {
            **os.environ,
            "LD_PRELOAD": str(self.library),
            "FAULTS_BELOW": str(self.folder),
            "FAULTS_FILE": str(counter),
            "TMPDIR": str(temporary),
            "PYTHONDONTWRITEBYTECODE": "1",
            **asked,
        }
        command = [sys.executable, "-m", "vendorctl", *words]
        done = subprocess.run(
            command, capture_output=True, env=environment, stdin=subprocess.DEVNULL, timeout=120, start_new_session=True
        )
        made = int.from_bytes(counter.read_bytes(), sys.byteorder)
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode()), made
