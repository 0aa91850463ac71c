# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`work.Executor` over a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event
from typing import Any, TypeVar

from vendorctl.kernels.executor.cluster.link import Link
from vendorctl.kernels.executor.cluster.run import Patience, Run
from vendorctl.kernels.executor.work import Accept, Job, Lot

_Shared = TypeVar("_Shared")
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class ClusterExecutor:
    """A cluster, for as long as the connection stands."""

    remote = True

    def __init__(self, link: Link, say: Callable[[str], object], patience: Patience) -> None:
        """Work through `link`, which is closed with this; `say` hears of what happens to workers."""
        self._link = link
        self._say = say
        self._patience = patience
        self._current: Run[Any, Any, Any] | None = None
        self._unconfined: set[str] = set()

    def run(
        self,
        job: Job[_Shared, _Item, _Result],
        lots: Sequence[Lot[_Shared, _Item]],
        accept: Accept[_Result],
        stop: Event,
    ) -> None:
        """See `work.Executor`. Raises VendorError (exit code 7) when the scheduler is lost or no worker can do it."""
        if not any(lot.items for lot in lots):
            return
        run = Run(self._link, job, lots, accept, stop, say=self._say, patience=self._patience)
        self._current = run
        try:
            run.go()
        finally:
            self._unconfined |= run.unconfined

    def unconfined(self) -> Sequence[str]:
        """Workers whose kernel has no Landlock."""
        return sorted(self._unconfined)

    def describe(self) -> str:
        """How many workers are at it."""
        return "" if self._current is None else self._current.describe()

    def close(self) -> None:
        """Close the connection; what has not ended is given up."""
        self._link.close()
