# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where a value stands in a JSON text, for error messages. Reads the text again, slowly, and only then."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeAlias

#: A member's name or an item's number. The number -1 after a name: the second member of that name, wherever it is.
JsonKey: TypeAlias = "str | int"

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")


def find_place(text: str, keys: tuple[JsonKey, ...]) -> tuple[int, int]:
    """Line and column (from 1) of the value that `keys` lead to, or of the deepest one on the way that exists.

    `text` must be valid JSON. A member is located by its name.
    """
    position = _repeated(text, str(keys[-2])) if keys and keys[-1] == -1 else _descend(text, keys)
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def _descend(text: str, keys: tuple[JsonKey, ...]) -> int:
    value = place = _skip(text, 0)
    for key in keys:
        for name, name_at, value_at in _members(text, value):
            if name == key:
                place, value = name_at, value_at
                break
        else:
            break
    return place


def _members(text: str, start: int) -> Iterator[tuple[JsonKey, int, int]]:
    """Name or number, place, and place of the value of everything directly inside the container at `start`."""
    if text[start] not in "{[":
        return
    at = _skip(text, start + 1)
    number = 0
    while text[at] not in "}]":
        name_at = at
        name: JsonKey = number
        if text[start] == "{":
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        yield name, name_at, at
        _value, at = _DECODER.raw_decode(text, at)
        number += 1
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _repeated(text: str, key: str) -> int:
    """The first member that repeats the name `key` of an earlier one of the same object."""
    todo = [_skip(text, 0)]
    found: list[int] = []
    while todo:
        seen = False
        for name, name_at, value_at in _members(text, todo.pop()):
            todo.append(value_at)
            if name == key:
                found += [name_at] if seen else []
                seen = True
    return min(found, default=0)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()
