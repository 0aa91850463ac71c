# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What runs on a worker: pieces are carried out, and answer while they run.

`carry_out` is the task. `pulse` is called out of band, between the worker's other duties: it returns what is finished
since the last time, tells pieces what they need not do any more, and so shows them that the client is alive. A piece
whose client has been silent for long ends by itself.
"""

from __future__ import annotations

import logging
import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from vendorctl.kernels.executor import confine
from vendorctl.kernels.executor.side import Sides
from vendorctl.kernels.executor.work import Job

#: Seconds without a pulse after which a piece takes its client for gone.
LEASE = 60.0


class RefusalError(Exception):
    """This worker cannot give the same results as others; `address` is its own, `faults` say why."""

    def __init__(self, address: str, faults: Sequence[str]) -> None:
        super().__init__(address, tuple(faults))  # what it is unpickled from
        self.address = address
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A piece of work: items of one lot with their indices, in the order in which they are to be done."""

    run: str
    piece: int
    job: Job[Any, Any, Any]
    items: tuple[tuple[int, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What a piece has to say: results that the client is not known to have, in the order in which they came about.

    While it runs, `hand` is the index of the item in hand, and `seconds` how long it has been.
    """

    piece: int
    results: tuple[tuple[int, Any], ...]
    hand: int | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """What the client says to all pieces of a run.

    `received` are, for each piece, the indices whose results arrived from it; `dropped` those that others take care of.
    `halt` means that nothing more is to be begun.
    """

    run: str
    received: Mapping[int, frozenset[int]] = field(default_factory=dict)
    dropped: Mapping[int, frozenset[int]] = field(default_factory=dict)
    halt: bool = False


class _Desk:
    """One piece in hand. Its thread works; the thread that answers pulses looks on."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self._lock = Lock()
        self._told: list[tuple[int, Any]] = []
        self._received: frozenset[int] = frozenset()
        self._dropped: frozenset[int] = frozenset()
        self._halted = False
        self._hand: int | None = None
        self._since = self._heard = time.monotonic()

    def items(self) -> Iterator[tuple[int, Any]]:
        """The items that are still wanted when their turn comes."""
        for index, item in self.order.items:
            with self._lock:
                if self._halted or time.monotonic() - self._heard > LEASE:
                    return
                if index in self._dropped or index in self._received:
                    continue
                self._hand, self._since = index, time.monotonic()
            yield index, item

    def tell(self, index: int, result: Any) -> None:
        with self._lock:
            self._told.append((index, result))
            self._hand, self._since = None, time.monotonic()

    def hear(self, word: Word) -> Delivery:
        with self._lock:
            self._heard = time.monotonic()
            self._received = word.received.get(self.order.piece, frozenset())
            self._dropped = word.dropped.get(self.order.piece, frozenset())
            self._halted = self._halted or word.halt
        return self.delivery()

    def delivery(self) -> Delivery:
        with self._lock:
            return Delivery(
                piece=self.order.piece,
                results=tuple(entry for entry in self._told if entry[0] not in self._received),
                hand=self._hand,
                seconds=time.monotonic() - self._since,
            )


class _NodePlace:
    """This worker: scratch files lie where the cluster wants them; processes beside it outlive a piece."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._sides = Sides(folder)

    def aside(self) -> AbstractContextManager[Callable[..., Any]]:
        """A process of its own: threads of a worker share one interpreter, and a crash would end all of them."""
        return self._sides.borrow()


class _Node:
    """The state of this worker process: pieces in hand, by run and number, and the place, made on first use."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._desks: dict[tuple[str, int], _Desk] = {}
        self._place: _NodePlace | None = None
        self._sound: set[bytes] = set()

    def place(self, folder: Path | None) -> _NodePlace:
        with self._lock:
            if self._place is None:
                self._place = _NodePlace(folder)
            return self._place

    def open(self, order: Order) -> _Desk:
        desk = _Desk(order)
        with self._lock:
            self._desks[order.run, order.piece] = desk
        return desk

    def close(self, desk: _Desk) -> None:
        with self._lock:
            if self._desks.get((desk.order.run, desk.order.piece)) is desk:
                del self._desks[desk.order.run, desk.order.piece]

    def desks(self, run: str) -> list[_Desk]:
        with self._lock:
            return [desk for (name, _), desk in self._desks.items() if name == run]

    def faults(self, ask: Callable[[], Sequence[str]]) -> tuple[str, ...]:
        """What `ask` says of this worker; asked again only when something was wrong."""
        key = pickle.dumps(ask)
        if key in self._sound:
            return ()
        found = tuple(ask())
        if not found:
            self._sound.add(key)
        return found


#: A worker process is one node for its whole life, and Dask gives tasks nothing of their own to keep this in.
_NODE = _Node()


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a worker says of itself."""

    faults: tuple[str, ...]
    confined: bool


def introduce(ask: Callable[[], Sequence[str]]) -> Facts:
    """What this worker is, and why it cannot do the work of `ask`'s job, if it cannot."""
    _hush_pulses()
    return Facts(faults=_NODE.faults(ask), confined=confine.supported())


def _hush_pulses() -> None:
    """Keep pulses, one a second, out of the worker's log: Dask writes a line for whatever is called out of band."""
    logger = logging.getLogger("distributed.worker")
    if _no_pulse not in logger.filters:
        logger.addFilter(_no_pulse)


def _no_pulse(record: logging.LogRecord) -> bool:
    return record.args != (pulse.__name__,)


def hold(data: bytes) -> bytes:
    """Inputs that many pieces share, as a task: workers copy them from each other, and any can have them again."""
    return data


def carry_out(order: Order, shared: bytes) -> Delivery:
    """Do a piece; return what the client has not yet been told. Raises RefusalError where it cannot be done."""
    address, folder = _here()
    faults = _NODE.faults(order.job.faults)
    if faults:
        raise RefusalError(address, faults)
    desk = _NODE.open(order)
    try:
        inputs = pickle.loads(shared)  # noqa: S301 -- a cluster runs the client's code: nothing here is more than that
        order.job.perform(_NODE.place(folder), inputs, desk.items(), desk.tell)
        return desk.delivery()
    finally:
        _NODE.close(desk)


def pulse(word: Word) -> tuple[Delivery, ...]:
    """What the pieces of a run that are in hand here have to say, after they have heard `word`."""
    return tuple(desk.hear(word) for desk in _NODE.desks(word.run))


def _here() -> tuple[str, Path | None]:
    """The worker's address, and the folder it keeps its files in."""
    from distributed import get_worker

    worker: Any = get_worker()
    folder = Path(worker.local_directory)
    return str(worker.address), folder if folder.is_dir() else None
