# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Text of mail headers: character sets, and the encoded words of RFC 2047 that carry what ASCII cannot."""

from __future__ import annotations

import base64
import re

_WORD = re.compile(r"=\?([^?\s]+)\?([bBqQ])\?([^?\s]*)\?=")
_BETWEEN_WORDS = re.compile(r"(\?=)\s+(?==\?[^?\s]+\?[bBqQ]\?)")
#: RFC 2047 allows 75 characters in a word, of which the frame (``=?UTF-8?q?`` and ``?=``) takes 12.
_WORD_LENGTH = 75 - 12
#: What needs no escape in the strictest place, the name of a person (RFC 2047, section 5 (3)).
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/")


def decode_text(raw: bytes, encoding: str) -> str:
    """Decode with the stated encoding, else as UTF-8, else as Latin-1, which never fails."""
    for candidate in (encoding, "utf-8"):
        try:
            return raw.decode(candidate)
        except (LookupError, ValueError):
            continue
    return raw.decode("latin-1")


def field_text(raw: bytes) -> str:
    """A header field whose value is ASCII by its nature."""
    return raw.decode("ascii", "replace")


def decode_words(text: str) -> str:
    """Resolve RFC 2047 encoded words. A malformed word, or one in an unknown encoding, stays as it is."""
    return _WORD.sub(_decode_word, _BETWEEN_WORDS.sub(r"\1", text))


def _decode_word(match: re.Match[str]) -> str:
    charset, kind, payload = match.groups()
    try:
        if kind in "bB":
            raw = base64.b64decode(payload.encode("ascii"), validate=True)
        else:
            raw = _decode_q(payload.encode("ascii"))
        return raw.decode(charset.partition("*")[0])
    except (LookupError, ValueError):
        return match.group()


def _decode_q(payload: bytes) -> bytes:
    spaced = payload.replace(b"_", b" ")
    return re.sub(rb"=([0-9A-Fa-f]{2})", lambda hit: bytes([int(hit.group(1), 16)]), spaced)


def encode_words(text: str) -> str:
    """`text` itself when it is ASCII and cannot be mistaken for encoded words, else UTF-8 encoded words, folded."""
    if text.isascii() and "=?" not in text:
        return text
    words = [""]
    for letter in text:
        escaped = "".join(map(_encode_q, letter.encode()))
        if len(words[-1]) + len(escaped) > _WORD_LENGTH:
            words.append("")
        words[-1] += escaped
    return "\n ".join(f"=?UTF-8?q?{word}?=" for word in words)


def _encode_q(byte: int) -> str:
    return "_" if byte == ord(" ") else chr(byte) if byte in _PLAIN else f"={byte:02X}"
