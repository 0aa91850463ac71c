# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

r"""Path names as git prints them: plain, or in double quotes with C escapes (``"a/caf\303\251"``).

Source of the format: git-diff(1), and `core.quotePath` in git-config(1).
"""

from __future__ import annotations

_ESCAPES = {
    ord("a"): 7,
    ord("b"): 8,
    ord("t"): 9,
    ord("n"): 10,
    ord("v"): 11,
    ord("f"): 12,
    ord("r"): 13,
    ord('"'): ord('"'),
    ord("\\"): ord("\\"),
}
_OCTAL = frozenset(b"01234567")


def unquote(text: bytes, start: int = 0) -> tuple[bytes, int]:
    """Read a quoted name that begins at `start`; returns the name and the position after the closing quote.

    Raises ValueError when the text is no well-formed quoted name.
    """
    if text[start : start + 1] != b'"':
        raise ValueError("a quoted name starts with a double quote")
    name = bytearray()
    position = start + 1
    while position < len(text):
        byte = text[position]
        if byte == ord('"'):
            return bytes(name), position + 1
        if byte != ord("\\"):
            name.append(byte)
            position += 1
            continue
        digits = text[position + 1 : position + 4]
        if digits[:1] in (b"0", b"1", b"2", b"3") and len(digits) == 3 and _OCTAL.issuperset(digits):
            name.append(int(digits, 8))
            position += 4
        elif digits and digits[0] in _ESCAPES:
            name.append(_ESCAPES[digits[0]])
            position += 2
        else:
            raise ValueError("unknown escape in a quoted name")
    raise ValueError("a quoted name has no closing quote")


def unquote_pair(text: bytes) -> tuple[bytes, bytes] | None:
    """The two names of a ``diff --git`` line of which at least one is quoted; None when they cannot be told apart.

    Raises ValueError for a malformed quoted name.
    """
    if text.startswith(b'"'):
        first, end = unquote(text)
        rest = text[end:]
    else:
        # An unquoted name holds no double quote, so the first one opens the second name.
        at = text.find(b' "')
        if at < 0:
            return None
        first, rest = text[:at], text[at:]
    if not rest.startswith(b" "):
        raise ValueError("two names are separated by one blank")
    rest = rest[1:]
    if not rest.startswith(b'"'):
        return first, rest
    second, end = unquote(rest)
    if end != len(rest):
        raise ValueError("text after the closing quote")
    return first, second
