# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Work spread over processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from vendorctl.errors import ExitCode, VendorError

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def spread(function: Callable[[_Item], _Result], items: Sequence[_Item], jobs: int) -> Iterator[tuple[int, _Result]]:
    """(index, `function(item)`) of every item, as they are done; with one job in this process, in order.

    `function`, items and results can be pickled. Raises what `function` raises, and VendorError when a process dies.
    """
    if jobs <= 1 or len(items) <= 1:
        yield from enumerate(map(function, items))
        return
    # A fresh interpreter for each worker: a fork would copy locks that a progress bar's thread may hold.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(max_workers=min(jobs, len(items)), mp_context=context)
    try:
        futures: dict[Future[_Result], int] = {pool.submit(function, item): index for index, item in enumerate(items)}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BrokenProcessPool as error:
        raise VendorError(
            "a test process died, perhaps for lack of memory", hint="try again with `--jobs 1`", code=ExitCode.INTERNAL
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)
