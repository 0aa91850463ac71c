# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Inputs made of other inputs: bytes cut, doubled, spliced and replaced by words of the language, JSON value by value.

Everything is decided by the random numbers that are passed in, so that a seed makes the same input anywhere.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Sequence
from typing import Any

#: Where sizes, signs, widths and conversions go wrong.
NUMBERS = (
    0, 1, -1, 2, 7, 63, 64, 65, 127, 128, 255, 256, 4095, 65535, 65536, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32,
    -(1 << 31), (1 << 63) - 1, 1 << 63, 1 << 64, -(1 << 63), 10**18, 10**30,
)  # fmt: skip

#: JSON values of every type, with those that Python's reader knows beyond the standard.
_VALUES: tuple[Any, ...] = (
    None, True, False, "", "x", "../x", "\ud800", "\x00", "a" * 300, "const", "i32", "ptr", 1.5, -0.0, 1e308,
    float("inf"), float("nan"), [], {}, [[]], {"": None}, [1, 2, 3], ["const", "i32", 1], *NUMBERS,
)  # fmt: skip

_NUMBER = re.compile(rb"\d+")


def mutated(data: bytes, numbers: random.Random, others: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """`data` after one to four changes; `others` are inputs to splice with."""
    for _ in range(numbers.choice((1, 1, 1, 2, 2, 4))):
        data = numbers.choice(_CHANGES)(data, numbers, others, tokens)
    return data


def mutated_json(data: bytes, numbers: random.Random) -> bytes:
    """A JSON document with one to three of its values or keys changed, removed or doubled; others come back as is."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return data
    for _ in range(numbers.choice((1, 1, 2, 3))):
        holders = list(_holders(document))
        if not holders:
            return json.dumps(numbers.choice(_VALUES)).encode()
        _change_one(numbers.choice(holders), numbers)
    return json.dumps(document, ensure_ascii=numbers.random() < 0.5).encode("utf-8", "surrogatepass")


def _holders(value: Any) -> Any:
    """Every collection of a document that is not empty."""
    if isinstance(value, dict | list) and value:
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from _holders(each)


def _change_one(holder: Any, numbers: random.Random) -> None:
    key = numbers.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    action = numbers.randrange(6)
    if action == 0:
        del holder[key]
    elif action == 1 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif action == 1:
        holder[numbers.choice(("", "x", f"{key}x"))] = copy.deepcopy(holder[key])
    elif action == 2:
        holder[key] = [holder[key]]
    elif action == 3 and isinstance(holder[key], str) and holder[key]:
        at = numbers.randrange(len(holder[key]))
        holder[key] = holder[key][:at] + numbers.choice(("", "/", "..", "\n", "\u202e", "0", "z")) + holder[key][at:]
    else:
        holder[key] = copy.deepcopy(numbers.choice(_VALUES))


def _span(data: bytes, numbers: random.Random) -> tuple[int, int]:
    """A short stretch, or one of whole lines."""
    start = numbers.randrange(len(data) + 1)
    if numbers.random() < 0.5:
        start = data.rfind(b"\n", 0, start) + 1
        end = data.find(b"\n", start) + 1
        return start, end or len(data)
    return start, min(len(data), start + numbers.choice((1, 1, 2, 4, 8, 32)))


def _cut(data: bytes, numbers: random.Random, _others: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    start, end = _span(data, numbers)
    return data[:start] + data[end:]


def _double(data: bytes, numbers: random.Random, _others: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    start, end = _span(data, numbers)
    return data[:start] + data[start:end] * numbers.choice((2, 2, 3, 40)) + data[end:]


def _end(data: bytes, numbers: random.Random, _others: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    return data[: numbers.randrange(len(data) + 1)]


def _word(data: bytes, numbers: random.Random, _others: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    if not tokens:
        return _byte(data, numbers, _others, tokens)
    start, end = _span(data, numbers)
    return data[:start] + numbers.choice(tokens) + data[numbers.choice((start, end)) :]


def _byte(data: bytes, numbers: random.Random, _others: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    start, end = _span(data, numbers)
    new = numbers.choice((bytes([numbers.randrange(256)]), b"\0", b"\xff", b"\n", b"\r", b" ", numbers.randbytes(8)))
    return data[:start] + new + data[numbers.choice((start, start + len(new), end)) :]


def _number(data: bytes, numbers: random.Random, others: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:
        return _byte(data, numbers, others, tokens)
    place = numbers.choice(found)
    return data[: place.start()] + b"%d" % numbers.choice(NUMBERS) + data[place.end() :]


def _splice(data: bytes, numbers: random.Random, others: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    other = numbers.choice(others) if others else data
    start, end = _span(other, numbers)
    at = numbers.randrange(len(data) + 1)
    return data[:at] + other[start : numbers.choice((end, len(other)))] + data[at:]


_CHANGES = (_cut, _double, _end, _word, _byte, _number, _splice)
