# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl` as a process of its own, at the price of a fork: own outputs, own environment, own death.

    result = call("-C", str(root), "verify")
    assert (result.code, result.out) == (0, "...")

`prepare` runs in the child before the command, so that a test can break the world around it: kill it at a step, fill
its disk, set its umask or environment.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from support.schemas import faults
from vendorctl.cli import main

#: Loaded once, before the first fork: a child has what its parent had, and would otherwise load them every time.
_PRELOADED = (
    "filelock",
    "git",
    "vendorctl.cli.diff_upstream",
    "vendorctl.cli.patch",
    "vendorctl.cli.patch_author",
    "vendorctl.cli.status",
    "vendorctl.cli.surroundings",
    "vendorctl.cli.sync",
    "vendorctl.cli.verify",
    "vendorctl.licenses.changes",
    "vendorctl.licenses.declared",
    "vendorctl.licenses.notices",
    "vendorctl.report.json",
    "vendorctl.report.text",
    "vendorctl.series.authorship",
    "vendorctl.series.carry",
    "vendorctl.series.content",
    "vendorctl.series.proofs",
    "vendorctl.series.recording",
    "vendorctl.series.sync.resume",
    "vendorctl.workspace.lockparse",
)

#: What happens in the child before the command.
Prepare = Callable[[], object]


def nothing() -> None:
    """The world as it is."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a command ended: its exit code (or minus the signal that killed it), and what it said."""

    code: int
    out: str
    err: str

    @property
    def killed(self) -> bool:
        """Whether it was killed as by `kill -9`."""
        return self.code == -signal.SIGKILL

    @property
    def text(self) -> str:
        """Both outputs."""
        return self.out + self.err

    def json(self) -> Any:
        """Stdout as the one JSON document that it must be, and as its published schema says."""
        document = json.loads(self.out)
        assert faults(document) == []
        return document

    def findings(self) -> set[tuple[str, str]]:
        """Rule and path of every finding that is an error or a warning; needs ``--format json``."""
        rows = self.json()["findings"]
        return {(row["rule"], (row["location"] or {"path": ""})["path"]) for row in rows if row["severity"] != "note"}


class Running:
    """A command that is at work."""

    def __init__(self, pid: int, out: IO[bytes], err: IO[bytes]) -> None:
        self.pid = pid
        self._out = out
        self._err = err

    def wait(self) -> Result:
        """Its result, once it is over."""
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        with self._out, self._err:
            for stream in (self._out, self._err):
                stream.seek(0)
            return Result(code, self._out.read().decode(), self._err.read().decode())

    def said(self) -> str:
        """What it has written to stderr so far."""
        return os.pread(self._err.fileno(), 1 << 20, 0).decode()


def start(*words: str, cwd: Path | None = None, prepare: Prepare = nothing) -> Running:
    """Begin a command in a forked child and return at once."""
    for name in _PRELOADED:
        import_module(name)
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 - closed by `Running.wait`
    child = os.fork()
    if child == 0:
        _become(words, cwd, prepare, out.fileno(), err.fileno())
    return Running(child, out, err)


def call(*words: str, cwd: Path | None = None, prepare: Prepare = nothing) -> Result:
    """Run a command to its end."""
    return start(*words, cwd=cwd, prepare=prepare).wait()


def _become(words: tuple[str, ...], cwd: Path | None, prepare: Prepare, out: int, err: int) -> None:
    """The child's life. Never returns, whatever happens: the test must not go on twice."""
    status = 99
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        # pytest's own capture objects are the parent's business.
        sys.stdout, sys.stderr = os.fdopen(1, "w", encoding="utf-8"), os.fdopen(2, "w", encoding="utf-8")
        if cwd is not None:
            os.chdir(cwd)
        prepare()
        status = main(words)
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001 - nothing may leave this function
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)
