# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The one place that starts processes: argument lists in, bytes out, never a shell."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from vendorctl.errors import ExitCode, VendorError


@dataclass(frozen=True, slots=True)
class Completed:
    """What a finished process left: its arguments, exit status and both outputs as bytes."""

    args: tuple[str, ...]
    status: int
    stdout: bytes
    stderr: bytes

    @property
    def ok(self) -> bool:
        """True when the process exited with 0."""
        return self.status == 0

    def error_text(self) -> str:
        """The process's stderr (or stdout when that is empty), decoded, without surrounding blanks."""
        return (self.stderr.strip() or self.stdout.strip()).decode("utf-8", "replace")


class OutputLimitError(VendorError):
    """A program was ended because it wrote too much."""


class Runner(Protocol):
    """Starts a program and waits for it. Passed in, so that tests can watch or replace it."""

    def __call__(
        self,
        args: Sequence[str | bytes],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        limit: int | None = None,
    ) -> Completed:
        """See `run`, the runner that everything but tests uses."""


def run(
    args: Sequence[str | bytes],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout: float | None = None,
    limit: int | None = None,
) -> Completed:
    """Run a program to its end and return what it left, whatever its exit status.

    `env` replaces the whole environment (default: a copy of ours). With `limit`, the program gets no input and is
    ended once it has written more bytes than that. Raises VendorError (exit code 7) when the program does not exist,
    (exit code 70) when it runs longer than `timeout` seconds, and OutputLimitError (exit code 3) when it writes too
    much.
    """
    try:
        if limit is not None:
            return _run_bounded(args, cwd, env, limit)
        done = subprocess.run(
            list(args),
            cwd=cwd,
            env=dict(os.environ if env is None else env),
            input=stdin,
            capture_output=True,
            check=False,
            timeout=timeout,
        )
    except FileNotFoundError as error:
        # A missing working directory raises the same exception; only the program itself is a missing tool.
        if cwd is not None and not cwd.is_dir():
            raise VendorError(f"no such folder: {cwd}", code=ExitCode.INTERNAL) from error
        raise VendorError(
            f"the program {os.fsdecode(args[0])!r} is not installed or not on PATH",
            hint=f"install {os.fsdecode(args[0])} and try again",
            code=ExitCode.TOOL_MISSING,
        ) from error
    except subprocess.TimeoutExpired as error:
        raise VendorError(
            f"{os.fsdecode(args[0])} did not finish within {timeout:g} seconds", code=ExitCode.INTERNAL
        ) from error
    return Completed(tuple(os.fsdecode(arg) for arg in args), done.returncode, done.stdout, done.stderr)


def _run_bounded(args: Sequence[str | bytes], cwd: Path | None, env: Mapping[str, str] | None, limit: int) -> Completed:
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            list(args),
            cwd=cwd,
            env=dict(os.environ if env is None else env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        with process:
            assert process.stdout is not None
            output = process.stdout.read(limit + 1)
            if len(output) > limit:
                process.kill()
                raise OutputLimitError(f"{os.fsdecode(args[0])} wrote more than {limit} bytes; that is the limit")
        errors.seek(0)
        return Completed(tuple(os.fsdecode(arg) for arg in args), process.returncode, output, errors.read())


def feed(args: Sequence[str], data: bytes, env: Mapping[str, str]) -> bool:
    """Run a program on the user's own terminal, such as a pager, with `data` as its input.

    False when it cannot be started. That it stops reading early is no fault.
    """
    try:
        subprocess.run(args, input=data, env=env, check=False)
    except OSError:
        return False
    return True


def start(args: Sequence[str], *, cwd: Path, env: Mapping[str, str], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a program that is talked to over pipes, in a process group of its own, and return at once.

    `env` is its whole environment; `stderr` is an open file. The caller ends it with `end_group`. Raises VendorError
    (exit code 7) when the program does not exist.
    """
    try:
        return subprocess.Popen(
            list(args),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise VendorError(f"the program {args[0]!r} does not exist", code=ExitCode.TOOL_MISSING) from error


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End what `start` began and everything that it started in turn, at once, and close the pipes to it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
