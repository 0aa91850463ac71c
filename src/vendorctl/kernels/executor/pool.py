# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Executors by name, and the one that works on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Any, TypeVar

from vendorctl.kernels.executor.side import Sides
from vendorctl.kernels.executor.work import Accept, Executor, Job, Lot, cut

_Shared = TypeVar("_Shared")
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

#: The executor that a command uses unless it is told otherwise.
LOCAL = "local"


def processors() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0))


def open_executor(spec: str, jobs: int, say: Callable[[str], object] = lambda _: None) -> Executor:
    """The executor that `spec` names: `local` with `jobs` places, or a Dask cluster (see `cluster.address`).

    `say` hears of workers that are lost or refused. Raises VendorError (exit code 2) for another name, and (exit code
    7) when there is no such cluster, or `distributed` is not installed.
    """
    if spec == LOCAL:
        return LocalExecutor(jobs)
    from vendorctl.kernels.executor.cluster.address import parse_address

    address = parse_address(spec)
    from vendorctl.kernels.executor.cluster.connection import connect

    return connect(address, say)


class LocalPlace:
    """This machine. With one job, nothing is called in another process: there is nothing to share."""

    def __init__(self, jobs: int) -> None:
        self.folder: Path | None = None
        self._sides = Sides() if jobs > 1 else None

    def aside(self) -> AbstractContextManager[Callable[..., Any]]:
        """A process of its own for each thread; this one for a single job."""
        return _here() if self._sides is None else self._sides.borrow()

    def close(self) -> None:
        """End the processes."""
        if self._sides is not None:
            self._sides.close()


@contextmanager
def _here() -> Iterator[Callable[..., Any]]:
    def call(function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)

    yield call


class LocalExecutor:
    """Works in `jobs` threads of this process, each of which does little but wait for a process of its own."""

    remote = False

    def __init__(self, jobs: int) -> None:
        self._jobs = max(1, jobs)
        self._place = LocalPlace(self._jobs)

    def run(
        self,
        job: Job[_Shared, _Item, _Result],
        lots: Sequence[Lot[_Shared, _Item]],
        accept: Accept[_Result],
        stop: Event,
    ) -> None:
        """See `work.Executor`."""
        if self._jobs == 1:
            for number, lot in enumerate(lots):
                self._work(job, lot, number, range(len(lot.items)), accept, stop)
            return
        # Results and ends of pieces, in the order in which they come about: one thread hands them on.
        news: SimpleQueue[tuple[int, int, _Result] | Future[None]] = SimpleQueue()

        def tell(number: int, index: int, result: _Result) -> None:
            news.put((number, index, result))

        with ThreadPoolExecutor(self._jobs, thread_name_prefix="vendorctl") as threads:
            running = {
                threads.submit(self._work, job, lots[number], number, piece, tell, stop)
                for number, piece in cut(lots, job, self._jobs)
            }
            for future in running:
                future.add_done_callback(news.put)
            try:
                while running:
                    _hand_on(news.get(), running, accept)
            except BaseException:
                stop.set()
                self._place.close()  # their threads would wait for answers that nobody wants
                threads.shutdown(cancel_futures=True)
                while not news.empty():  # finished work is kept, whatever ended this
                    told = news.get()
                    if isinstance(told, tuple):
                        accept(*told)
                raise

    def _work(
        self,
        job: Job[_Shared, _Item, _Result],
        lot: Lot[_Shared, _Item],
        number: int,
        piece: range,
        tell: Accept[_Result],
        stop: Event,
    ) -> None:
        """Work on one piece; on nothing when the work was stopped before its turn."""
        if stop.is_set():
            return
        items = ((index, lot.items[index]) for index in piece if not stop.is_set())
        job.perform(self._place, lot.shared, items, lambda index, result: tell(number, index, result))

    def unconfined(self) -> Sequence[str]:
        """No other machine works here."""
        return ()

    def describe(self) -> str:
        """This machine needs no words."""
        return ""

    def close(self) -> None:
        """End the processes beside this one."""
        self._place.close()


def _hand_on(
    told: tuple[int, int, _Result] | Future[None], running: set[Future[None]], accept: Accept[_Result]
) -> None:
    if isinstance(told, Future):
        running.discard(told)
        told.result()
    else:
        accept(*told)
