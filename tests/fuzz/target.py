# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What is fuzzed: one reader, what it promises, and inputs to begin with."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from vendorctl.errors import VendorError


class TooSlowError(Exception):
    """An input took more processor time than its size can excuse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One reader under test.

    `check` gives the bytes to the reader and asserts what holds for its answer; `refusals` are the errors that the
    reader promises for what it does not take. `seeds` are inputs that it takes, `tokens` words of its language. No
    input is longer than `longest` bytes, and none may take more than `seconds` of processor time. `is_json` says that
    inputs are JSON documents, which are then also changed value by value.
    """

    name: str
    check: Callable[[bytes], object]
    seeds: Callable[[], Iterable[bytes]]
    tokens: tuple[bytes, ...] = ()
    refusals: tuple[type[Exception], ...] = (VendorError,)
    longest: int = 4096
    seconds: float = 2.0
    is_json: bool = False


@lru_cache(maxsize=128)
def seeds_of(target: Target) -> tuple[bytes, ...]:
    """The target's seeds, made once."""
    return tuple(target.seeds())


def attempt(target: Target, data: bytes, *, patience: float = 1.0) -> bool:
    """Give one input to a target: True when it was taken, False when it was refused as promised.

    Raises whatever else escapes: an exception that the reader did not promise, the AssertionError of an answer that
    is wrong, and TooSlowError. `patience` multiplies the time allowed, for instrumented code.
    """
    begun = time.process_time()
    try:
        target.check(data)
        taken = True
    except target.refusals:
        taken = False
    spent = time.process_time() - begun
    if spent > target.seconds * patience:
        raise TooSlowError(f"{len(data)} bytes took {spent:.1f} s")
    return taken
