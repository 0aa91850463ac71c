# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Work that can be done anywhere: the words that compiling, testing and every executor share.

A *job* says how items are worked on; a *lot* is the items that share inputs; an *executor* cuts lots into pieces, has
each piece worked on at some *place* (a thread of this process, a worker of a cluster), and hands every result on as it
arrives. Shared inputs, items and results are plain values that can be pickled; they hold no path of this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

_Shared = TypeVar("_Shared")
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Place(Protocol):
    """Where a piece is worked on."""

    @property
    def folder(self) -> Path | None:
        """A folder for scratch files that outlives no worker; None: the system's."""

    def aside(self) -> AbstractContextManager[Callable[..., Any]]:
        """Something that calls a function, for code that may crash or that threads cannot share.

        It runs in a process of its own, or in this one where there is nothing to share. What the function raises is
        raised; `side.SideDiedError` is raised when the process dies.
        """


#: Index and item of a piece, in order. The iterator may end early: the rest was given to others, or is not wanted.
Items: TypeAlias = Iterator[tuple[int, _Item]]
#: Tells of the result of the item with an index, as soon as there is one.
Tell: TypeAlias = Callable[[int, _Result], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Generic[_Shared, _Item, _Result]):
    """How items are worked on. `perform` and `faults` are module-level functions (or partials), to be sent anywhere.

    `perform` works on items in order and tells of each result. `faults` says why a place cannot give the same results
    as any other (another compiler, say); nothing when it can. `lost` is the result of an item whose place died under it
    again and again, `torn` of one that gave two results whose `fingerprint`s differ. `least` and `most` bound the items
    of one piece: `least` of them pay for what starting a piece costs.
    """

    title: str
    perform: Callable[[Place, _Shared, Items[_Item], Tell[_Result]], None]
    faults: Callable[[], Sequence[str]]
    lost: Callable[[_Item, str], _Result]
    torn: Callable[[_Item, str], _Result]
    fingerprint: Callable[[_Result], str]
    least: int = 1
    most: int = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Lot(Generic[_Shared, _Item]):
    """Items that share inputs."""

    shared: _Shared
    items: tuple[_Item, ...]


#: Hears of each result: the number of the lot, of the item in it, and the result. Called in the thread that runs a job.
Accept: TypeAlias = Callable[[int, int, _Result], object]


class Executor(Protocol):
    """Where work is done."""

    @property
    def remote(self) -> bool:
        """Whether places are other machines, which have none of this one's paths."""

    def run(
        self,
        job: Job[_Shared, _Item, _Result],
        lots: Sequence[Lot[_Shared, _Item]],
        accept: Accept[_Result],
        stop: Event,
    ) -> None:
        """Do all the work, in any order. Once `stop` is set nothing more is begun; what is in hand is finished.

        An item may be told twice: first its result, then what `job.torn` makes of another result that disagrees. When
        the user interrupts, results that are there are handed on before the interruption is.
        """

    def unconfined(self) -> Sequence[str]:
        """Other machines that worked on something and cannot keep recipes from writing outside their folder."""

    def describe(self) -> str:
        """Where the work is done, in a few words for a progress bar; empty for this machine."""

    def close(self) -> None:
        """Let go of the places."""


def cut(lots: Sequence[Lot[Any, Any]], job: Job[Any, Any, Any], places: int) -> list[tuple[int, range]]:
    """The number of a lot and the indices of its items, for every piece: large ones first, small ones at the end.

    A piece is a fair part of half of what is left, within the job's bounds, so that all `places` end together.
    """
    left = sum(len(lot.items) for lot in lots)
    pieces: list[tuple[int, range]] = []
    for number, lot in enumerate(lots):
        start = 0
        while start < len(lot.items):
            size = max(job.least, min(job.most, -(-left // (2 * max(1, places)))))
            if len(lot.items) - start - size < job.least:  # no remainder that does not pay for itself
                size = min(len(lot.items) - start, max(size, job.most))
            piece = range(start, min(start + size, len(lot.items)))
            pieces.append((number, piece))
            start, left = piece.stop, left - len(piece)
    return pieces
