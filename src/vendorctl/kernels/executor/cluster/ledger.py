# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The books of one run on a cluster: which item is in which piece, what arrived, and how often it was lost.

Plain bookkeeping: nothing here talks to anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from vendorctl.kernels.executor.cluster.node import Delivery
from vendorctl.kernels.executor.work import Lot

#: An item: the number of its lot, and its index there.
Key = tuple[int, int]


@dataclass(slots=True, kw_only=True, eq=False)
class Piece:
    """A piece that was handed out. `where` is the worker that was last seen at it; None: it was not seen to run.

    `bound` is the only worker that may do it, if there is one; `copy` marks a piece that repeats an item which takes
    long elsewhere.
    """

    number: int
    lot: int
    indices: tuple[int, ...]
    bound: str | None = None
    copy: bool = False
    where: str | None = None
    hand: int | None = None
    seconds: float = 0.0
    moved: set[int] = field(default_factory=set)
    received: set[int] = field(default_factory=set)

    def at(self, address: str) -> bool:
        """Whether it is, or may be, in the hands of a worker."""
        return address in (self.where, self.bound)

    @property
    def keys(self) -> list[Key]:
        """The items that it is to do, in order."""
        return [(self.lot, index) for index in self.indices if index not in self.moved]


class Ledger:
    """What is to be done, what is being done, what is done."""

    def __init__(self, lots: Sequence[Lot[Any, Any]]) -> None:
        self.left: set[Key] = {(number, index) for number, lot in enumerate(lots) for index in range(len(lot.items))}
        #: Pieces that are out, and all that ever were: word of one may come after it was given up.
        self.pieces: dict[int, Piece] = {}
        self.known: dict[int, Piece] = {}
        self.prints: dict[Key, str] = {}
        self.lost_on: dict[Key, list[str]] = {}
        #: Items that a worker died under, to be tried again.
        self.suspects: list[Key] = []
        self._seconds: list[float] = []

    def open(self, lot: int, indices: Iterable[int], *, bound: str | None = None, copy: bool = False) -> Piece:
        """A new piece."""
        piece = Piece(number=len(self.known), lot=lot, indices=tuple(indices), bound=bound, copy=copy)
        self.pieces[piece.number] = self.known[piece.number] = piece
        return piece

    def missing(self, piece: Piece) -> list[Key]:
        """Items of a piece without a result, in order."""
        return [key for key in piece.keys if key in self.left]

    def orphans(self, piece: Piece) -> list[Key]:
        """Items without a result that are in no other piece."""
        others = {key for other in self.pieces.values() if other is not piece for key in other.keys}
        return [key for key in self.missing(piece) if key not in others and key not in self.suspects]

    def note(self, piece: Piece, where: str | None, delivery: Delivery) -> Iterator[tuple[Key, Any, bool]]:
        """Enter what a piece said; (item, result, whether it is the first of that item) for each new result."""
        piece.where = where or piece.where
        if piece.hand is not None and delivery.hand != piece.hand:
            self._seconds.append(piece.seconds)
        piece.hand, piece.seconds = delivery.hand, delivery.seconds
        for index, result in delivery.results:
            key = (piece.lot, index)
            if index in piece.received or index not in piece.indices:
                continue
            piece.received.add(index)
            first = key in self.left
            self.left.discard(key)
            yield key, result, first

    def settle(self, key: Key) -> None:
        """The item is not looked for any more."""
        self.left.discard(key)

    def suspect(self, key: Key, where: str) -> int:
        """A worker was lost at this item, which is to be tried again: how often that has happened now."""
        self.lost_on.setdefault(key, []).append(where)
        self.suspects.append(key)
        return len(self.lost_on[key])

    def next_suspect(self, *, alone: bool) -> Key | None:
        """A suspect to try again; one that was lost more than once only when it would be `alone`."""
        self.suspects = [key for key in self.suspects if key in self.left]
        for key in self.suspects:
            if alone or len(self.lost_on[key]) == 1:
                self.suspects.remove(key)
                return key
        return None

    @property
    def trying(self) -> bool:
        """Whether a suspect has the cluster for itself: whatever worker dies now, it is to blame."""
        return any(
            piece.bound and len(self.lost_on.get(key, ())) > 1 for piece in self.pieces.values() for key in piece.keys
        )

    def dropped(self, piece: Piece) -> frozenset[int]:
        """Items of a piece that it need not begin any more: others have them, or their results are here."""
        done = {index for index in piece.indices if (piece.lot, index) not in self.left}
        return frozenset((done | piece.moved) - piece.received)

    def splittable(self, least: int) -> Piece | None:
        """The running piece with the most items that it has not begun, if that is worth another piece."""
        best = max(self.pieces.values(), key=self._spare, default=None)
        return best if best is not None and self._spare(best) >= max(1, least) else None

    def split(self, piece: Piece) -> list[Key]:
        """Take the later half of what a piece has not begun away from it."""
        spare = self.missing(piece)[1:]
        taken = spare[len(spare) // 2 :]
        piece.moved |= {index for _, index in taken}
        return taken

    def straggler(self, least: float) -> Piece | None:
        """The piece whose item in hand takes longest: over `least` seconds and three times as long as most."""
        limit = max(least, 3 * median(self._seconds)) if self._seconds else least
        twice = {key for piece in self.pieces.values() if piece.copy for key in piece.keys}
        slow = [
            piece
            for piece in self.pieces.values()
            if not piece.copy
            and piece.bound is None
            and piece.hand is not None
            and piece.seconds > limit
            and (piece.lot, piece.hand) in self.left - twice
        ]
        return max(slow, key=lambda piece: piece.seconds, default=None)

    def _spare(self, piece: Piece) -> int:
        return len(self.missing(piece)) - 1 if piece.where is not None else 0
