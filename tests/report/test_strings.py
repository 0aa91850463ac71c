# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which lines begin inside a string, held against Python's own tokens."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

import pytest

from vendorctl.report.strings import open_strings, starts

SOURCES = sorted((Path(__file__).parent.parent.parent / "src/vendorctl").rglob("*.py"))


def inside(text: str) -> set[int]:
    """The lines, from 1, that begin inside a string, as Python's tokeniser has it."""
    found: set[int] = set()
    starts: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        if name == "STRING":
            found |= set(range(token.start[0] + 1, token.end[0] + 1))
        elif name == "FSTRING_START":
            starts.append(token.start[0])
        elif name == "FSTRING_END":
            found |= set(range(starts.pop() + 1, token.end[0] + 1))
    return found


@pytest.mark.parametrize("part", range(4))
def test_it_agrees_with_python_on_our_own_sources(part: int) -> None:
    compared = 0
    for path in SOURCES[part::4]:
        text = path.read_text("utf-8")
        if "\\\n" in text or "\f" in text:
            continue  # a backslash that continues a one-line string is not followed
        assert {at for at, state in enumerate(open_strings(text), 1) if state} == inside(text), path
        compared += 1
    assert compared > 30


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ('x = """a\nb"""\ny', ["", '"""', ""]),
        ("x = r'''a\\'''\nb'''\ny".replace("\\\\", "\\"), ["", "'''", ""]),
        ('# """\ny', ["", ""]),
        ('\'"""\'\ny', ["", ""]),
        ('"unfinished\n"""\nz', ["", "", '"""']),
        ("", [""]),
    ],
)
def test_quotes_in_odd_places(text: str, states: list[str]) -> None:
    assert open_strings(text) == states


def test_lines_that_are_not_there_begin_in_no_string() -> None:
    assert starts('"""\nx\n', [1, 2, 9, 0]) == ["", '"""', "", ""]
