# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Work on several upstreams at once: most of its time goes by while servers and git processes answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

#: How many upstreams are in hand at a time: enough to hide a server's delay, few enough to be welcome on it.
WORKERS = 8


def abreast(work: Callable[[_Item], _Result], items: Sequence[_Item], *, workers: int = WORKERS) -> list[_Result]:
    """The result of `work` for every item, in the order of the items, `workers` of them at a time.

    `work` runs in threads (in the caller's own when there is one item only). When it raises, the error of the first
    such item in order is raised, whatever failed first; items that were not begun by then are left out.
    """
    if len(items) < 2:
        return [work(item) for item in items]
    from concurrent.futures import ThreadPoolExecutor  # one upstream does without

    with ThreadPoolExecutor(min(workers, len(items)), thread_name_prefix="upstream") as pool:
        return list(pool.map(work, items))
