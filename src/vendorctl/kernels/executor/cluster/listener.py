# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The thread that looks, at every pulse, which workers are there, and asks them what is finished."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Event, Thread

from vendorctl.kernels.executor.cluster import node
from vendorctl.kernels.executor.cluster.link import Link, SchedulerGoneError
from vendorctl.kernels.executor.cluster.node import Delivery, Word

#: Seconds after which a question to all workers counts as stuck, and how many may be.
STUCK, _MOST_ASKING = 2.0, 16
#: Pulses in a row that may fail on a connection that stands: a scheduler can be busy.
_FAILURES = 3


@dataclass(frozen=True, slots=True)
class Present:
    """Who is there: threads by worker."""

    threads: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Said:
    """What the pieces at each worker say."""

    deliveries: Mapping[str, tuple[Delivery, ...]]


class Listener:
    """Tells `hear` of `Present` and `Said`, or of the exception that ended it. `word` is what it tells the pieces."""

    def __init__(
        self, link: Link, workers: Callable[[], Sequence[str]], hear: Callable[[Present | Said | Exception], object]
    ) -> None:
        """`workers` gives those to be asked; `hear` is called in threads of the listener's own."""
        self._link, self._workers, self._hear = link, workers, hear
        self._over = Event()
        self.word = Word(run="")

    def start(self, pulse: float) -> None:
        """Look and ask every `pulse` seconds, less often when there are very many workers."""
        Thread(target=self._listen, args=(pulse,), name="vendorctl-pulse", daemon=True).start()

    def stop(self) -> None:
        """Ask no more."""
        self._over.set()

    def ask(self) -> Thread:
        """Ask all workers what is finished, in a thread of its own."""
        thread = Thread(target=self._ask, name="vendorctl-ask", daemon=True)
        thread.start()
        return thread

    def _listen(self, pulse: float) -> None:
        """A worker that died just now keeps whoever asks it waiting for half a minute: then others are asked anew."""
        asking: list[tuple[float, Thread]] = []
        failures = 0
        while not self._over.wait(max(pulse, 0.02 * len(self._workers()))):
            try:
                self._hear(Present(self._link.workers()))
                failures = 0
            except SchedulerGoneError as error:
                failures += 1
                if failures >= _FAILURES or not self._link.up:
                    self._hear(error)
                    return
            now = time.monotonic()
            asking = [(since, thread) for since, thread in asking if thread.is_alive()]
            if not asking or (now - asking[-1][0] > STUCK and len(asking) < _MOST_ASKING):
                asking.append((now, self.ask()))

    def _ask(self) -> None:
        try:
            answers = self._link.ask(self._workers(), node.pulse, self.word)
        except SchedulerGoneError:
            return  # the next look at who is there finds that out, too
        except Exception as error:  # noqa: BLE001 -- a thread has nobody to raise to
            self._hear(error)
            return
        self._hear(Said({address: answer for address, answer in answers.items() if isinstance(answer, tuple)}))
