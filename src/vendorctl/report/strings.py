# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which lines of Python begin inside a string, so that a hunk can be coloured without the lines above it."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: What may hide a quote or begin a string: a comment, three quotes, or a string of one line.
_TOKEN = re.compile(
    r"""\#[^\n]* | (?P<three>\"{3}|'{3}) | "(?:\\.|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'?""", re.VERBOSE | re.DOTALL
)
#: The rest of a string after its three quotes; a backslash hides the next character, in raw strings too.
_REST = {quote: re.compile(rf"(?:\\.|[^\\])*?{quote}", re.DOTALL) for quote in ('"""', "'''")}


def open_strings(text: str) -> list[str]:
    """For each line, the three quotes of the string that it begins in; empty outside of one.

    Source of the rules: the Python language reference, "String and bytes literals". Text that is no Python gives some
    answer, which only colours depend on.
    """
    found = [""] * (text.count("\n") + 1)
    line = at = 0
    while token := _TOKEN.search(text, at):
        quote, end = token["three"], token.end()
        if quote:
            rest = _REST[quote].match(text, end)
            first = line + text.count("\n", at, end)
            end = rest.end() if rest else len(text)
            last = first + text.count("\n", token.end(), end)
            found[first + 1 : last + 1] = [quote] * (last - first)
        line += text.count("\n", at, end)
        at = end
    return found


def starts(text: str, lines: Iterable[int]) -> list[str]:
    """What `open_strings` says of some lines (from 1); lines that the text does not have begin in no string."""
    states = open_strings(text)
    return [states[line - 1] if 0 < line <= len(states) else "" for line in lines]
