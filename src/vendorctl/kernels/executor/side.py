# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Processes beside this one that call functions for it: a crash there is an answer here.

Functions, arguments and results are pickled, both ways between two processes of one user on one machine. A process that
has nothing to do ends after a while, and when this one ends, however that comes about.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Timer
from typing import IO, Any

from vendorctl import proc
from vendorctl.kernels.executor import side_main

_IDLE_SECONDS = 30.0
_LENGTH = struct.Struct(">Q")
_LOG_TAIL = 2000


class SideDiedError(Exception):
    """The process ended before it answered; the message says how."""


class Side:
    """One process. Start it with nothing in hand; `call` any number of times, from one thread at a time."""

    def __init__(self, folder: Path | None = None) -> None:
        """Start it, with this process's environment and import path, in a scratch folder below `folder`."""
        self._folder = tempfile.TemporaryDirectory(prefix="vendorctl-side-", dir=folder, ignore_cleanup_errors=True)
        self._log_path = Path(self._folder.name, "stderr.log")
        with self._log_path.open("wb") as log:
            self._process = proc.start(
                [sys.executable, "-P", "-B", side_main.__file__],
                cwd=Path(self._folder.name),
                env=os.environ,
                stderr=log,
            )
        self._send(pickle.dumps(list(sys.path)))
        self.idle_since = time.monotonic()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """`function(*arguments)` over there. Raises what it raises, and SideDiedError when the process dies."""
        try:
            self._send(pickle.dumps((function, arguments)))
            fine, answer = pickle.loads(self._receive())  # noqa: S301 -- our own process, our own user
        except (EOFError, OSError) as error:
            raise SideDiedError(self._why()) from error
        if fine:
            return answer
        raise answer

    @property
    def alive(self) -> bool:
        """Whether it can be called."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it at once, with everything it started."""
        proc.end_group(self._process)
        self._folder.cleanup()

    def _send(self, data: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(_LENGTH.pack(len(data)) + data)
            stdin.flush()
        except ValueError as error:  # closed meanwhile, by another thread that gives up all work
            raise EOFError from error

    def _receive(self) -> bytes:
        stdout = self._process.stdout
        assert stdout is not None
        (length,) = _LENGTH.unpack(_exactly(stdout, _LENGTH.size))
        return _exactly(stdout, length)

    def _why(self) -> str:
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        with contextlib.suppress(ValueError):
            if status < 0:
                return f"it died with {signal.Signals(-status).name}"
        log = self._log_path.read_bytes()[-_LOG_TAIL:] if self._log_path.is_file() else b""
        lines = log.decode("utf-8", "replace").strip().splitlines()
        return f"it ended with status {status}{': ' + lines[-1] if lines else ''}"


def _exactly(stream: IO[bytes], length: int) -> bytes:
    try:
        data = stream.read(length)
    except ValueError as error:
        raise EOFError from error
    if len(data) != length:
        raise EOFError
    return data


class Sides:
    """Processes to borrow. They are kept for the next borrower, and ended when none comes."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lock = Lock()
        self._idle: list[Side] = []
        self._lent: list[Side] = []

    @contextmanager
    def borrow(self) -> Iterator[Callable[..., Any]]:
        """Something to call functions with, for one thread. A process that dies is replaced for the next call."""
        side = self._take()

        def call(function: Callable[..., Any], *arguments: Any) -> Any:
            nonlocal side
            if not side.alive:
                self._drop(side)
                side = self._take()
            return side.call(function, *arguments)

        try:
            yield call
        finally:
            self._give_back(side)

    def close(self) -> None:
        """End all processes, also those that are lent."""
        with self._lock:
            sides, self._idle, self._lent = [*self._idle, *self._lent], [], []
        for side in sides:
            side.close()

    def _take(self) -> Side:
        with self._lock:
            side = self._idle.pop() if self._idle else None
            if side is not None:
                self._lent.append(side)
        if side is None:
            side = Side(self._folder)
            with self._lock:
                self._lent.append(side)
        return side

    def _drop(self, side: Side) -> None:
        with self._lock:
            if side in self._lent:
                self._lent.remove(side)
        side.close()

    def _give_back(self, side: Side) -> None:
        if not side.alive:
            self._drop(side)
            return
        side.idle_since = time.monotonic()
        with self._lock:
            if side not in self._lent:  # all were closed meanwhile
                return
            self._lent.remove(side)
            self._idle.append(side)
        timer = Timer(_IDLE_SECONDS, self._end_idle)
        timer.daemon = True
        timer.start()

    def _end_idle(self) -> None:
        with self._lock:
            old = [side for side in self._idle if time.monotonic() - side.idle_since >= _IDLE_SECONDS - 1]
            self._idle = [side for side in self._idle if side not in old]
        for side in old:
            side.close()
