# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Python source without what cannot reach an object: so that a reworded comment does not make objects stale.

flydsl keeps source positions out of objects unless debug information is asked for, which the fixed environment does
not (`tests/kernels/test_closure.py` compiles to make sure). Text is compared rather than syntax trees, because the
spelling of a dumped tree changes between Python versions. Two modules that behave differently must never have the same
normal form: whatever is not plainly safe to leave out stays in.
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Iterator, Sequence

#: A module that mentions one of these may see its own text or where it is; every byte of it counts.
_SELF_AWARE = frozenset(
    {"__doc__", "__file__", "_getframe", "co_firstlineno", "f_lineno", "getsource", "inspect", "linecache", "traceback"}
)
_NO_STATEMENT = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}


def normal_form(content: bytes) -> bytes:
    """A Python module without comments, docstrings, blank lines and trailing blanks.

    A module that looks at itself, does not tokenise, is not plain UTF-8, or has control characters (a carriage return
    ends a line for the compiler, and hides what follows a comment from tools) is returned unchanged.
    """
    try:
        text = content.decode("utf-8").replace("\r\n", "\n")
        tokens = list(tokenize.tokenize(io.BytesIO(text.encode()).readline))
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError, ValueError):
        return content
    if tokens[0].string != "utf-8" or _has_control_characters(text) or _looks_at_itself(tokens):
        return content
    lines = text.split("\n")
    strings, docstrings = set(_string_lines(tokens)), set(_docstring_lines(tokens))
    # A line behind a backslash belongs to the statement, also when it is blank.
    continued = {number + 1 for number, line in enumerate(lines, start=1) if line.endswith("\\")}
    for token in tokens:
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    kept = [
        line if number in strings else line.rstrip()
        for number, line in enumerate(lines, start=1)
        if number not in docstrings and (line.strip() or number in strings or number in continued)
    ]
    return ("\n".join(kept) + "\n").encode()


def _has_control_characters(text: str) -> bool:
    return any(char < " " and char not in "\n\t" for char in text) or "\ufeff" in text


def _looks_at_itself(tokens: Iterable[tokenize.TokenInfo]) -> bool:
    """By a name, or by a name in a string that an attribute may be looked up with."""
    for token in tokens:
        if token.type == tokenize.NAME and token.string in _SELF_AWARE:
            return True
        if token.type == tokenize.STRING and any(word in token.string for word in ("__doc__", "__file__", "f_lineno")):
            return True
    return False


def _docstring_lines(tokens: Sequence[tokenize.TokenInfo]) -> Iterator[int]:
    """Numbers of the lines of statements that are nothing but one constant string."""
    statement: list[tokenize.TokenInfo] = []
    for token in tokens:
        if token.type == tokenize.NEWLINE:
            if len(statement) == 1 and statement[0].type == tokenize.STRING and not _is_formatted(statement[0].string):
                yield from range(statement[0].start[0], statement[0].end[0] + 1)
            statement = []
        elif token.type not in _NO_STATEMENT:
            statement.append(token)


def _is_formatted(literal: str) -> bool:
    """True for an f-string, which runs code wherever it stands; since Python 3.12 it is several tokens anyway."""
    return "f" in literal[: min(literal.find(quote) for quote in "'\"" if quote in literal)].lower()


def _string_lines(tokens: Iterable[tokenize.TokenInfo]) -> Iterator[int]:
    """Numbers of the lines that hold part of a string going over several lines; blanks there are content."""
    open_at: list[int] = []
    for token in tokens:
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_START":  # since Python 3.12 a formatted string is several tokens
            open_at.append(token.start[0])
        elif kind == "FSTRING_END" and open_at:
            first = open_at.pop()
            if token.end[0] > first:
                yield from range(first, token.end[0] + 1)
        elif token.type == tokenize.STRING and token.end[0] > token.start[0]:
            yield from range(token.start[0], token.end[0] + 1)
