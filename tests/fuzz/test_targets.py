# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every reader of untrusted input takes what it should and refuses the rest as promised: seeds, old crashes, and
inputs made of them. `make fuzz` looks further.
"""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.crashes import CRASHES
from fuzz.mutate import mutated, mutated_json
from fuzz.registry import BROKEN, TARGETS
from fuzz.target import Target, TooSlowError, attempt, seeds_of
from support.soak import TIMEOUT
from vendorctl.errors import VendorError


def inputs(target: Target) -> st.SearchStrategy[bytes]:
    """Any bytes, and seeds with a few changes."""

    def changed(data: bytes, number: int) -> bytes:
        numbers = random.Random(number)
        if target.is_json and numbers.random() < 0.6:
            return mutated_json(data, numbers)[: target.longest]
        return mutated(data, numbers, seeds_of(target), target.tokens)[: target.longest]

    seeds = st.sampled_from(seeds_of(target))
    return st.one_of(st.binary(max_size=64), st.builds(changed, seeds, st.integers(0, (1 << 32) - 1)))


@pytest.mark.timeout(TIMEOUT)
@pytest.mark.parametrize("name", TARGETS)
def test_nothing_escapes(name: str) -> None:
    target = TARGETS[name]

    @settings(max_examples=settings().max_examples * 5)
    @given(inputs(target))
    def survives(data: bytes) -> None:
        attempt(target, data)

    survives()


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_taken(name: str) -> None:
    """A search that begins with refused inputs would never get past the front door."""
    target = TARGETS[name]
    seeds = seeds_of(target)
    assert all(len(seed) <= target.longest for seed in seeds)
    assert any(attempt(target, seed) for seed in seeds)


@pytest.mark.parametrize(("name", "number"), [(name, at) for name in CRASHES for at in range(len(CRASHES[name]))])
def test_old_crashes(name: str, number: int) -> None:
    attempt(TARGETS[name], CRASHES[name][number])


# -- what a driver must notice -------------------------------------------------------------------------------------


def test_a_fault_of_a_reader_escapes() -> None:
    assert attempt(BROKEN, b"vc?")
    with pytest.raises(KeyError):
        attempt(BROKEN, b"vc!")


def _refusing(data: bytes) -> None:
    if data:
        raise VendorError("refused")
    raise ValueError("not promised")


def test_only_promised_refusals_count() -> None:
    target = Target(name="x", check=_refusing, seeds=list)
    assert not attempt(target, b"x")
    with pytest.raises(ValueError, match="not promised"):
        attempt(target, b"")


def test_a_slow_reader_is_a_fault() -> None:
    def spin(_data: bytes) -> None:
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass

    with pytest.raises(TooSlowError, match="3 bytes took"):
        attempt(Target(name="x", check=spin, seeds=list, seconds=0.01), b"abc")


def test_changes_are_many_and_reproducible() -> None:
    seed = b'{"a": [1, 2, {"b": "text"}]}'
    made = [mutated_json(mutated(seed, random.Random(at), (seed,), (b"null",)), random.Random(at)) for at in range(300)]
    again = [
        mutated_json(mutated(seed, random.Random(at), (seed,), (b"null",)), random.Random(at)) for at in range(300)
    ]
    assert made == again
    assert len(set(made)) > 200
