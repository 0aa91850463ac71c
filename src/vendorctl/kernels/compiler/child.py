# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The parent's end of a compiler child: start it, ask it, time it, and say what became of it.

Nothing the child says is trusted here beyond being one bounded JSON line; `compile.py` checks the contents.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import vendorctl
from vendorctl import proc
from vendorctl.digest import parse_json
from vendorctl.errors import ExitCode, VendorError

_MAX_REPLY = 64 << 20
#: More than this from one compile is a failure of its own, and is not read.
MAX_LOG = 16 << 20
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one compile may use: wall-clock seconds, bytes of address space, bytes per written file."""

    seconds: float = 120.0
    memory: int = 6 << 30
    file_size: int = 256 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Died:
    """The child ended, or was ended, before it answered. `reason` is one line for the user."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The child's reply, still unchecked."""

    reply: Mapping[str, Any]


class Child:
    """One running worker. Use it as a context manager; it is gone, with its whole process group, afterwards."""

    def __init__(
        self, *, python: Path, folder: Path, env: Mapping[str, str], setup: Mapping[str, Any], limits: Limits
    ) -> None:
        """Start the worker below `folder`, a private scratch folder, with exactly the environment `env`."""
        self._limits = limits
        self._log_path = folder / "stderr.log"
        self._log = self._log_path.open("wb")
        self._buffer = bytearray()
        imports = _import_folder(folder)
        worker = imports / "vendorctl" / "kernels" / "compiler" / "worker.py"
        home = folder / "scratch"
        home.mkdir(exist_ok=True)
        self._process = proc.start(
            [str(python), "-P", "-s", "-B", str(worker), str(imports)],
            cwd=home,
            env={**env, "HOME": str(home), "TMPDIR": str(home), "XDG_CACHE_HOME": str(home)},
            stderr=self._log,
        )
        first = self._exchange({**setup, "scratch": str(home), "memory": limits.memory, "file_size": limits.file_size})
        self.confined = isinstance(first, Answered) and first.reply.get("confined") is True
        self.alive = isinstance(first, Answered)

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()
        self._log.close()

    def ask(self, request: Mapping[str, Any]) -> Answered | Died:
        """Send one request and wait for its answer, at most the limit's seconds."""
        if not self.alive:
            return Died(reason=f"the compiler process did not start: {self._last_line()}")
        outcome = self._exchange(request)
        self.alive = isinstance(outcome, Answered)
        return outcome

    def log_size(self) -> int:
        """How many bytes the child has written to stderr so far."""
        return self._log_path.stat().st_size

    def log_since(self, offset: int) -> str:
        """What the child wrote to stderr after `offset`, at most `MAX_LOG` bytes of it."""
        with self._log_path.open("rb") as log:
            log.seek(offset)
            return log.read(MAX_LOG).decode("utf-8", "replace")

    def _exchange(self, message: Mapping[str, Any]) -> Answered | Died:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(json.dumps(message).encode() + b"\n")
            stdin.flush()
            line = self._read_line(time.monotonic() + self._limits.seconds)
        except (BrokenPipeError, EOFError):
            return Died(reason=self._why_it_ended())
        except TimeoutError:
            self._kill()
            return Died(reason=f"no answer within {self._limits.seconds:g} seconds; the process was ended")
        try:
            reply = parse_json(line)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            self._kill()
            return Died(reason="the compiler process sent something that is not an answer")
        return Answered(reply=reply)

    def _read_line(self, deadline: float) -> bytes:
        """One line of stdout. Raises TimeoutError at the deadline and EOFError when the child is gone."""
        stdout = self._process.stdout
        assert stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while (end := self._buffer.find(b"\n")) < 0:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    raise TimeoutError
                chunk = os.read(stdout.fileno(), _CHUNK)
                if not chunk or len(self._buffer) > _MAX_REPLY:
                    raise EOFError
                self._buffer += chunk
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _why_it_ended(self) -> str:
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._kill()
            return "the compiler process closed its output; it was ended"
        if status < 0:
            with contextlib.suppress(ValueError):
                return f"the compiler process died with {signal.Signals(-status).name}: {self._last_line()}"
        return f"the compiler process ended with status {status}: {self._last_line()}"

    def _last_line(self) -> str:
        """The most telling line of the log: the first that says "error", else the last."""
        lines = [line.strip() for line in self.log_since(0).splitlines() if line.strip()]
        telling = [line for line in lines if "error" in line.lower()]
        return (telling or lines[-1:] or ["no message"])[0]

    def _kill(self) -> None:
        """End the child and everything it started (the linker, or a recipe's own children)."""
        proc.end_group(self._process)


def _import_folder(folder: Path) -> Path:
    """A folder that holds nothing but a link to this package, for the child's import path.

    Adding the package's real parent would let its whole environment leak into the child's.
    """
    package = Path(vendorctl.__file__).resolve().parent
    imports = folder / "package"
    imports.mkdir(exist_ok=True)
    link = imports / "vendorctl"
    if not link.is_symlink():
        link.symlink_to(package, target_is_directory=True)
    return imports


def python_of(environment: Path | None) -> Path:
    """The Python program of a virtual environment, or the running one. Raises VendorError (7) when it is missing."""
    if environment is None:
        return Path(sys.executable)
    python = environment / "bin" / "python"
    if not python.exists():
        raise VendorError(f"no Python in {environment}", code=ExitCode.TOOL_MISSING)
    return python
