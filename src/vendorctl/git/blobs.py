# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Blob contents read when asked for, many at a time, with a bound on what stays in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock

from vendorctl.git.objects import BATCH_BYTES, batches
from vendorctl.git.oid import Oid

#: How many bytes of contents stay in memory.
KEPT_BYTES = 4 * BATCH_BYTES


class StoredBlobs:
    """`Blobs` over a store that is read in batches.

    `sizes` lists what there is, in the order in which it will mostly be asked for, with sizes in bytes; `read` returns
    the contents of a batch. Neighbours come with the first of them that is asked for.
    """

    def __init__(self, sizes: Mapping[Oid, int], read: Callable[[list[Oid]], Mapping[Oid, bytes]]) -> None:
        self._sizes = dict(sizes)
        self._read = read
        self._batches = list(batches(list(self._sizes), self._sizes))
        self._batch_of = {oid: number for number, batch in enumerate(self._batches) for oid in batch}
        self._kept: OrderedDict[int, Mapping[Oid, bytes]] = OrderedDict()
        self._lock = Lock()

    def __getitem__(self, oid: Oid) -> bytes:
        number = self._batch_of[oid]
        with self._lock:
            if number in self._kept:
                self._kept.move_to_end(number)
            else:
                self._kept[number] = self._read(self._batches[number])
                self._forget()
            return self._kept[number][oid]

    def __contains__(self, oid: object) -> bool:
        return oid in self._batch_of

    def size(self, oid: Oid) -> int:
        """The size of a content in bytes, without reading it. Raises KeyError when it is not to be had."""
        return self._sizes[oid]

    def _forget(self) -> None:
        """Drop the batches that were not used for longest; the newest always stays."""
        while len(self._kept) > 1 and sum(map(self._batch_size, self._kept)) > KEPT_BYTES:
            self._kept.popitem(last=False)

    def _batch_size(self, number: int) -> int:
        return sum(self._sizes[oid] for oid in self._batches[number])
