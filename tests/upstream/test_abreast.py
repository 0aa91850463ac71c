# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Several upstreams at once: in order, really at once, and with the error that one after another would have shown."""

from __future__ import annotations

import threading

import pytest

from vendorctl.upstream.abreast import abreast


def test_results_come_in_the_order_of_the_items() -> None:
    last = threading.Event()

    def work(number: int) -> int:
        if number == 5:
            last.set()
        assert last.wait(30), "the last item was not begun while the first was in hand"
        return number * number

    assert abreast(work, range(6), workers=6) == [0, 1, 4, 9, 16, 25]


def test_no_more_than_the_workers_are_in_hand() -> None:
    lock, in_hand, most = threading.Lock(), 0, 0

    def work(_number: int) -> None:
        nonlocal in_hand, most
        with lock:
            in_hand += 1
            most = max(most, in_hand)
        threading.Event().wait(0.005)
        with lock:
            in_hand -= 1

    abreast(work, range(20), workers=3)
    assert most <= 3


def test_the_first_error_in_order_is_raised() -> None:
    second_failed = threading.Event()

    def work(number: int) -> int:
        if number == 2:
            second_failed.set()
            raise ValueError("later in order, earlier in time")
        if number == 1:
            assert second_failed.wait(30)
            raise KeyError("first in order")
        return number

    with pytest.raises(KeyError, match="first in order"):
        abreast(work, range(3))


def test_one_item_stays_in_the_thread_of_the_caller() -> None:
    assert abreast(lambda _: threading.current_thread(), [0]) == [threading.current_thread()]
    assert threading.current_thread() not in abreast(lambda _: threading.current_thread(), [0, 1])
    assert abreast(str, []) == []
