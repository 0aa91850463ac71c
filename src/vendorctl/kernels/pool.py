# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where compile tasks run: anything shaped like a `concurrent.futures.Executor`."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from vendorctl.errors import ExitCode, VendorError

_Result = TypeVar("_Result")


class Executor(Protocol):
    """The part of `concurrent.futures.Executor` that a build uses. Arguments and results can be pickled."""

    def submit(self, function: Callable[..., _Result], /, *arguments: Any) -> Future[_Result]:
        """Run `function(*arguments)` some time, somewhere."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let go of the workers; with `cancel_futures`, of everything that has not begun."""


def processors() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0))


def open_executor(spec: str, jobs: int) -> Executor:
    """The executor that `spec` names: `local`, or `dask://HOST:PORT` for a Dask cluster.

    Local tasks run in `jobs` threads, each of which does nothing but wait for a compiler child of its own.
    Raises VendorError (exit code 7) when Dask is asked for and `distributed` is not installed.
    """
    if spec == "local":
        return ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="build")
    if not spec.startswith("dask://"):
        raise VendorError(f"unknown executor {spec!r}", hint="use `local` or `dask://HOST:PORT`", code=ExitCode.USAGE)
    try:
        import distributed
    except ImportError:
        raise VendorError(
            "a Dask executor needs the package distributed",
            hint="`pip install distributed`",
            code=ExitCode.TOOL_MISSING,
        ) from None
    client: Any = distributed.Client("tcp://" + spec.removeprefix("dask://"))  # type: ignore[no-untyped-call]
    executor: Executor = client.get_executor()
    return executor
