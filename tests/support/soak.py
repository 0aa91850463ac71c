# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""How much is tried: all there is in a soak (``make soak``), samples that are spread over it otherwise."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TypeVar

SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"

#: Seconds that a test of samples may take; a soak may take hours.
TIMEOUT = 0 if SOAK else 300

T = TypeVar("T")


def sample(values: Sequence[T], count: int, *, always: Iterable[int] = ()) -> list[T]:
    """About `count` of `values`, at equal distances and in their order, and those at the places `always`."""
    if SOAK:
        return list(values)
    places = {*range(0, len(values), max(1, len(values) // count)), *always}
    return [value for place, value in enumerate(values) if place in places]
