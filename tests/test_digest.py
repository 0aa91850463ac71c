# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""JSON from anywhere is read strictly; what is read can be written again."""

from __future__ import annotations

import pytest

from vendorctl.digest import canonical_json, parse_json


@pytest.mark.parametrize("text", [b'{"a": [1, 2.5, "\\u00e9", null]}', '{"a": [1, 2.5, "\u00e9", null]}'])
def test_a_value(text: bytes | str) -> None:
    assert parse_json(text) == {"a": [1, 2.5, "\u00e9", None]}


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert parse_json(b'"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b'{"a": NaN}',
        b"[Infinity]",
        b"-Infinity",
        b"1e999",
        b'"\\ud800"',
        b'{"\\udfff": 1}',
        b'"\xed\xa0\x80"',
        b"\xff",
        b"[" * 100_000,
        b"1" * 5000,
    ],
)
def test_what_is_no_json_is_a_value_error(text: bytes) -> None:
    with pytest.raises(ValueError):
        canonical_json(parse_json(text))
