# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One job on a Dask cluster: pieces are queued at the scheduler, results collected while the pieces run.

The thread that calls `go` decides everything; a `Listener` asks the workers every second what is finished.
A worker that is lost gives its items back: the one in hand is suspected and tried again alone, and one that takes three
workers with it is given up, so that it cannot take the rest. Idle workers take over half of what the slowest still has
before it, and at the very end repeat an item that takes much longer than others: the first result counts, and a second
one must agree with it.
"""

from __future__ import annotations

import contextlib
import pickle
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event
from typing import Any, Generic, TypeAlias, TypeVar

from vendorctl import digest
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.executor.cluster import node
from vendorctl.kernels.executor.cluster.crew import Crew
from vendorctl.kernels.executor.cluster.ledger import Key, Ledger, Piece
from vendorctl.kernels.executor.cluster.link import Link, SchedulerGoneError, TaskLostError
from vendorctl.kernels.executor.cluster.listener import STUCK, Listener, Present, Said
from vendorctl.kernels.executor.cluster.node import Delivery, Order, RefusalError, Word
from vendorctl.kernels.executor.work import Accept, Job, Lot, cut

_Shared = TypeVar("_Shared")
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

#: Pieces that wait at the scheduler, however few places there are: a cluster that can grow grows for these.
_LEAST_QUEUED = 16
#: Places to cut the work for when there is no worker yet.
_EXPECTED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long things may take.

    Seconds until the scheduler answers (`connect`), until there is a worker (`workers`), between two pulses, and until
    an item that takes long is repeated elsewhere (`straggler`); `losses` is how many workers one item may take with it.
    """

    connect: float = 10.0
    workers: float = 300.0
    pulse: float = 1.0
    straggler: float = 15.0
    losses: int = 3


@dataclass(frozen=True, slots=True)
class _Ended:
    """A piece's task has ended, one way or the other."""

    piece: Piece
    future: Any = field(repr=False)


_News: TypeAlias = "_Ended | Present | Said"


class Run(Generic[_Shared, _Item, _Result]):
    """One job on the cluster, from its first piece to its last result."""

    def __init__(
        self,
        link: Link,
        job: Job[_Shared, _Item, _Result],
        lots: Sequence[Lot[_Shared, _Item]],
        accept: Accept[_Result],
        stop: Event,
        *,
        say: Callable[[str], object],
        patience: Patience,
    ) -> None:
        """Nothing happens before `go`."""
        self._link, self._say, self._patience = link, say, patience
        self._job, self._lots, self._accept, self._stop = job, lots, accept, stop
        self._name = uuid.uuid4().hex
        self._ledger = Ledger(lots)
        self._crew = Crew(link, job.faults, say)
        self._news: SimpleQueue[_News | BaseException] = SimpleQueue()
        #: Pieces that the scheduler does not know of yet: it holds the inputs of those that it knows.
        self._waiting: deque[tuple[int, Sequence[int]]] = deque()
        self._futures: dict[int, Any] = {}
        self._inputs: dict[int, Any] = {}
        self._listener = Listener(link, lambda: self._crew.sound, self._news.put)
        self._without_workers = 0.0

    def go(self) -> None:
        """Do everything; see `work.Executor.run`."""
        try:
            self._crew.meet(self._link.workers())
            self._waiting.extend(cut(self._lots, self._job, self._crew.places or _EXPECTED))
            self._fill()
            self._speak()
            self._listener.start(self._patience.pulse)
            while self._unfinished():
                self._hear(self._next())
        except SchedulerGoneError as error:
            self._rescue(ask=False)
            raise self._gone(error) from error
        except BaseException:
            self._rescue(ask=True)
            raise
        finally:
            self._listener.stop()
            self._link.cancel(self._futures.values())

    def describe(self) -> str:
        """How many workers and threads can be used."""
        count = len(self._crew.sound)
        return f"{count} worker{'s' if count != 1 else ''}, {self._crew.places} threads"

    @property
    def unconfined(self) -> set[str]:
        """Workers that cannot confine what they run."""
        return self._crew.unconfined

    # What arrives ----------------------------------------------------------------------------------------------------

    def _unfinished(self) -> bool:
        if not self._stop.is_set():
            return bool(self._ledger.left)
        self._waiting.clear()
        for piece in self._unseen():
            self._close(piece)
        return bool(self._ledger.pieces)

    def _next(self) -> _News:
        while True:
            if not self._link.up:
                raise SchedulerGoneError("the connection was closed")
            with contextlib.suppress(Empty):
                news = self._news.get(timeout=self._patience.pulse)
                if isinstance(news, BaseException):
                    raise news
                return news

    def _hear(self, news: _News) -> None:
        if isinstance(news, Present):
            self._look_around(news.threads)
        elif isinstance(news, Said):
            self._take(news)
        elif self._ledger.pieces.get(news.piece.number) is news.piece:  # not given up meanwhile
            self._ended(news.piece, news.future)
        self._fill()
        self._use_idle_places()
        self._speak()

    def _ended(self, piece: Piece, future: Any) -> None:
        try:
            self._receive(piece, None, self._link.result(future))
        except RefusalError as error:
            self._crew.refuse(error.address, error.faults)
        except TaskLostError as error:
            if not self._link.up:
                raise SchedulerGoneError("the connection was closed") from None
            self._close(piece)
            self._lost(piece, error.where or piece.where or "unknown")
            return
        self._close(piece)
        self._again(self._ledger.orphans(piece))

    def _receive(self, piece: Piece, where: str | None, delivery: Delivery) -> None:
        for key, result, first in self._ledger.note(piece, where, delivery):
            found = self._job.fingerprint(result)
            if first:
                self._ledger.prints[key] = found
                self._accept(*key, result)
            elif self._ledger.prints.get(key, found) != found:
                self._accept(*key, self._job.torn(self._item(key), "two workers made different things of the same"))

    def _look_around(self, threads: Mapping[str, int]) -> None:
        lost = self._crew.lost(threads)
        mixed = bool(self._crew.refused)
        if self._crew.meet(threads) and mixed:
            self._spread()
        for address in lost:
            self._worker_lost(address)
        self._wait_for_workers(threads)

    def _take(self, said: Said) -> None:
        for address, deliveries in said.deliveries.items():
            for delivery in deliveries:
                self._receive(self._ledger.known[delivery.piece], address, delivery)

    def _wait_for_workers(self, threads: Mapping[str, int]) -> None:
        """Wait for a first worker, or another one, but not for ever."""
        if threads:
            self._without_workers = 0.0
            return
        if self._without_workers == 0.0:
            self._say(f"{self._link.spec} has no worker; waiting for one")
        self._without_workers += self._patience.pulse
        if self._without_workers > self._patience.workers:
            raise VendorError(
                f"{self._link.spec} had no worker for {self._patience.workers:g} seconds",
                hint=f"start some, then run the command again: {self._kept()}",
                code=ExitCode.TOOL_MISSING,
            )

    # What is handed out ----------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        """Keep the scheduler's queue so full that no place waits."""
        while (
            self._waiting
            and not self._ledger.trying
            and len(self._unseen()) < max(_LEAST_QUEUED, 2 * self._crew.places)
        ):
            lot, indices = self._waiting.popleft()
            if left := [index for index in indices if (lot, index) in self._ledger.left]:
                self._hand_out(lot, left)

    def _unseen(self) -> list[Piece]:
        return [piece for piece in self._ledger.pieces.values() if piece.where is None]

    def _hand_out(
        self, lot: int, indices: Iterable[int], *, bound: str | None = None, avoid: str | None = None
    ) -> None:
        """Queue a piece at the scheduler: for any worker, or where some are refused, for those that are right.

        With `bound` it is for one worker only: Dask would try it elsewhere by itself when that one dies. With `avoid`
        it repeats an item that this worker has in hand.
        """
        piece = self._ledger.open(lot, indices, bound=bound, copy=avoid is not None)
        anywhere = bound is None and avoid is None and not self._crew.refused
        workers = [bound] if bound else [address for address in self._crew.sound if address != avoid]
        order = Order(
            run=self._name,
            piece=piece.number,
            job=self._job,
            items=tuple((index, self._item((lot, index))) for index in piece.indices),
        )
        future = self._link.submit(
            node.carry_out,
            order,
            self._shared(lot),
            key=(f"vendorctl-{self._job.title}-{self._name}", piece.number),
            workers=None if anywhere else workers,
        )
        self._futures[piece.number] = future
        future.add_done_callback(lambda done: self._news.put(_Ended(piece, done)))

    def _shared(self, lot: int) -> Any:
        """The shared inputs of a lot at the cluster, under a key that is their content's: sent once."""
        if lot not in self._inputs:
            data = pickle.dumps(self._lots[lot].shared)
            key = f"vendorctl-inputs-{digest.sha256(data)}"
            self._inputs[lot] = self._link.submit(node.hold, data, key=key)
        return self._inputs[lot]

    def _item(self, key: Key) -> _Item:
        lot, index = key
        return self._lots[lot].items[index]

    def _close(self, piece: Piece) -> None:
        """Forget a piece; its task is called off if it has not ended."""
        self._ledger.pieces.pop(piece.number, None)
        future = self._futures.pop(piece.number, None)
        if future is not None and not future.done():
            self._link.cancel([future])

    def _again(self, keys: Sequence[Key]) -> None:
        """Items of one lot are to be handed out once more, before those that never were."""
        if keys and not self._stop.is_set():
            self._waiting.appendleft((keys[0][0], [index for _, index in keys]))

    def _spread(self) -> None:
        """Queue again what waits: it is bound to the workers that were known to be right when it was queued."""
        for piece in self._unseen():
            if piece.bound is None:
                self._close(piece)
                self._again(self._ledger.orphans(piece))

    def _use_idle_places(self) -> None:
        """Try suspects when nothing else runs; else split the longest piece, or repeat the item that takes longest."""
        ledger = self._ledger
        if self._stop.is_set():
            return
        alone = not ledger.pieces and not self._waiting
        if self._crew.sound and not ledger.trying and (suspect := ledger.next_suspect(alone=alone)) is not None:
            self._hand_out(suspect[0], [suspect[1]], bound=self._least_busy())
        if self._waiting or ledger.trying:
            return
        idle = self._crew.places - len(ledger.pieces)
        while idle > 0 and (piece := ledger.splittable(max(1, self._job.least // 2))) is not None:
            self._again(ledger.split(piece))
            self._fill()
            idle -= 1
        if idle > 0 and len(self._crew.sound) > 1 and (slow := ledger.straggler(self._patience.straggler)) is not None:
            assert slow.hand is not None
            self._hand_out(slow.lot, [slow.hand], avoid=slow.where)

    def _least_busy(self) -> str:
        pieces = self._ledger.pieces.values()
        return min(self._crew.sound, key=lambda address: sum(piece.at(address) for piece in pieces))

    # What is lost ----------------------------------------------------------------------------------------------------

    def _worker_lost(self, address: str) -> None:
        pieces = [piece for piece in self._ledger.pieces.values() if piece.at(address)]
        items = sum(len(self._ledger.missing(piece)) for piece in pieces)
        self._say(f"worker {address} is lost" + (f"; others take its {items} unfinished items" if items else ""))
        for piece in pieces:
            self._close(piece)
            self._lost(piece, address)

    def _lost(self, piece: Piece, where: str) -> None:
        """Give the items of a lost piece out again; the one that was in hand is suspected."""
        keys = self._ledger.orphans(piece)
        if not keys or self._stop.is_set():
            return
        suspect, rest = keys[0], keys[1:]
        if self._ledger.suspect(suspect, where) >= self._patience.losses:
            self._convict(suspect)
        self._again(rest)

    def _convict(self, key: Key) -> None:
        """Give an item up that had the cluster for itself when the last of them died."""
        self._ledger.settle(key)
        places = self._ledger.lost_on[key]
        why = f"{len(places)} workers died while they had it in hand ({', '.join(places)})"
        self._accept(*key, self._job.lost(self._item(key), why))

    # The pulse, and the end ------------------------------------------------------------------------------------------

    def _speak(self) -> None:
        """Prepare what the next pulse tells the pieces."""
        pieces = list(self._ledger.pieces.values())
        self._listener.word = Word(
            run=self._name,
            received={piece.number: frozenset(piece.received) for piece in pieces},
            dropped={piece.number: self._ledger.dropped(piece) for piece in pieces},
            halt=self._stop.is_set(),
        )

    def _rescue(self, *, ask: bool) -> None:
        """Whatever ended this, take what is finished; if workers can be asked, tell their pieces to end."""
        self._stop.set()
        self._speak()
        if ask and self._link.up:
            self._listener.ask().join(STUCK)
        while not self._news.empty():
            if isinstance(news := self._news.get(), Said):
                self._take(news)

    def _gone(self, error: SchedulerGoneError) -> VendorError:
        return VendorError(
            f"the Dask scheduler at {self._link.spec} went away: {error}",
            hint=f"run the command again: {self._kept()}",
            code=ExitCode.TOOL_MISSING,
        )

    def _kept(self) -> str:
        done = len(self._ledger.prints)
        return f"{done} of {done + len(self._ledger.left)} are finished and kept"
