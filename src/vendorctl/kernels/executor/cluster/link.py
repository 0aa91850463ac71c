# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The few things that are asked of Dask, typed; of its many exceptions two are left: task lost, scheduler gone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError as Cancelled
from contextlib import contextmanager
from typing import Any

#: Seconds for the result of a task that has ended to come here.
_FETCH = 60


class SchedulerGoneError(Exception):
    """The scheduler does not answer any more."""


class TaskLostError(Exception):
    """A task's worker, or its result, is gone. `where` is the worker's address, if it is known."""

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(message)
        self.where = where


class Link:
    """A connected `distributed.Client`."""

    def __init__(self, client: Any, spec: str) -> None:
        """`spec` is what people call the cluster."""
        self._client = client
        self.spec = spec

    @property
    def up(self) -> bool:
        """Whether the connection stands."""
        return bool(self._client.status == "running")

    def workers(self) -> dict[str, int]:
        """Threads by the address of every worker that the scheduler knows now."""
        with _scheduler():
            return dict(self._client.nthreads())

    def ask(self, workers: Sequence[str], function: Callable[..., Any], *arguments: Any) -> Mapping[str, Any]:
        """Call a function on workers, beside their tasks; what it returned or raised there, by address."""
        if not workers:
            return {}
        with _scheduler():
            answers: Mapping[str, Any] = self._client.run(
                function, *arguments, workers=list(workers), on_error="return"
            )
        return answers

    def submit(
        self, function: Callable[..., Any], *arguments: Any, key: object, workers: Sequence[str] | None = None
    ) -> Any:
        """Queue a task, for any worker or for some only; its future."""
        with _scheduler():
            return self._client.submit(
                function, *arguments, key=key, workers=None if workers is None else list(workers), pure=False
            )

    def result(self, future: Any) -> Any:
        """What an ended task returned. Raises what it raised, or TaskLostError when it could not end."""
        from distributed import CancelledError, KilledWorker

        try:
            if future.status == "finished":
                return future.result(timeout=_FETCH)
            error = future.exception(timeout=_FETCH) if future.status == "error" else TaskLostError(future.status)
        except (CancelledError, Cancelled, OSError) as lost:
            raise TaskLostError(str(lost)) from lost
        if isinstance(error, KilledWorker | CancelledError | Cancelled):
            last = getattr(error, "last_worker", None)
            raise TaskLostError(str(error), getattr(last, "address", "")) from error
        raise error

    def cancel(self, futures: Iterable[Any]) -> None:
        """Call tasks off. A scheduler that is gone has called them off already."""
        found = list(futures)
        if found and self.up:
            with contextlib.suppress(SchedulerGoneError), _scheduler():
                self._client.cancel(found, force=True)

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError, RuntimeError, Cancelled):
            self._client.close(timeout=5)


@contextmanager
def _scheduler() -> Iterator[None]:
    """Around a request to the scheduler."""
    from distributed import CancelledError

    try:
        yield
    except (OSError, CancelledError, Cancelled) as error:
        raise SchedulerGoneError(" ".join(str(error).split()) or type(error).__name__) from error
