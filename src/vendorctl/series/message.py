# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The text above a patch's diff: mail header, title, body and trailers, read and written.

Sources of the format: git-format-patch(1), git-interpret-trailers(1), RFC 5322 (header), and DEP-3 (field names,
https://dep-team.pages.debian.net/deps/dep3/), whose fields may also stand in the header.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from vendorctl.series.headers import decode_text, decode_words, encode_words, field_text
from vendorctl.series.patch import Trailers

#: The first line of a written patch: git's mail separator, with an id that says nothing.
ZEROED_FROM = b"From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"

_FIELD = re.compile(rb"([A-Za-z][A-Za-z0-9-]*):(?:[ \t]+(.*)|)\n?")
_TRAILER = re.compile(r"([A-Za-z][A-Za-z0-9-]*):(?:[ \t]+(.*)|)")
_FACTS = {
    "origin": "origin",
    "forwarded": "forwarded",
    "applied-upstream": "applied_upstream",
    "reason": "reason",
}
_MAIL_FIELDS = {"from", "subject", "date", "message-id", "mime-version", "content-type", "content-transfer-encoding"}
_DEP3_FIELDS = {"description", "author", "last-update", "reviewed-by", "bug", "signed-off-by", *_FACTS}
_CHARSET = re.compile(r"charset=\"?([\w.:-]+)", re.IGNORECASE)
_PATCH_TAG = re.compile(r"\A\s*\[[^\]]*\bPATCH\b[^\]]*\]\s*")
_ADDRESS = re.compile(r"\s*(.*?)\s*<([^<>]*)>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a patch says about itself. `author` is ``Name <mail>``, `date` as RFC 5322 writes it; empty: not stated."""

    title: str = ""
    body: str = ""
    author: str = ""
    date: str = ""
    trailers: Trailers = field(default_factory=Trailers)


def breaks_message(line: bytes) -> bool:
    """True for a line at which git-mailinfo ends the message and starts looking for the diff."""
    if line.startswith((b"diff -", b"Index: ")):
        return True
    if not line.startswith(b"---"):
        return False
    return not line[3:].strip() or (line[3:4] == b" " and not line[4:5].isspace())


def parse_message(lines: list[bytes]) -> Message:
    """Read the lines above the diff. Never fails: what is no field is text, and undecodable text is read as Latin-1."""
    fields, rest = _split_fields(lines)
    charset = _CHARSET.search(field_text(fields.get("content-type", b"")))
    encoding = charset.group(1) if charset else "utf-8"
    header = {name: decode_text(value, encoding) for name, value in fields.items()}
    paragraphs = "".join(decode_text(line, encoding) for line in rest)
    subject, _, described = (header.get("subject") or header.get("description", "")).partition("\n")
    body, trailers = _split_trailers(paragraphs)
    if not fields and not subject:
        subject, _, body = body.partition("\n")
    elif "subject" in header:
        subject, described = f"{subject} {described}", ""
    title = " ".join(_PATCH_TAG.sub("", decode_words(subject)).split())
    described = "\n".join("" if line.strip() == "." else line.strip() for line in described.split("\n"))
    body = "\n\n".join(part.strip("\n") for part in (described, body) if part.strip())
    if trailers == Trailers():
        # Written again, trailers directly below the title would stand in a paragraph of their own.
        body, trailers = _split_trailers(body)
    return Message(
        title=title,
        body=body,
        author=_read_author(header.get("from") or header.get("author", "")),
        date=" ".join(header.get("date", "").split()),
        trailers=_with_header_facts(trailers, header),
    )


def _split_fields(lines: list[bytes]) -> tuple[dict[str, bytes], list[bytes]]:
    """Header fields by lower-case name (the first of a name wins, folds become newlines), and the lines that follow."""
    start = 1 if lines and lines[0].startswith(b"From ") else 0
    first = _FIELD.fullmatch(lines[start]) if start < len(lines) else None
    if first is None or (start == 0 and first.group(1).decode().lower() not in _MAIL_FIELDS | _DEP3_FIELDS):
        return {}, lines[start:]
    fields: list[tuple[str, bytes]] = []
    position = start
    while position < len(lines):
        line = lines[position]
        match = _FIELD.fullmatch(line)
        if match:
            fields.append((match.group(1).decode().lower(), match.group(2) or b""))
        elif line[:1] in {b" ", b"\t"} and fields and line.strip():
            name, value = fields[-1]
            fields[-1] = (name, value + b"\n" + line.strip())
        else:
            break
        position += 1
    return dict(reversed(fields)), lines[position:]


def _split_trailers(text: str) -> tuple[str, Trailers]:
    """The body and, when every line of its last paragraph is a trailer, the trailers."""
    head, _, last = text.strip("\n").rpartition("\n\n")
    pairs: list[tuple[str, str]] = []
    for line in last.split("\n"):
        match = _TRAILER.fullmatch(line)
        if match:
            pairs.append((match.group(1), (match.group(2) or "").strip()))
        elif line.startswith("(cherry picked from commit ") and line.endswith(")"):
            pairs.append(("", line))
        elif pairs and line[:1] in {" ", "\t"} and line.strip():
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]} {line.strip()}".strip())
        else:
            return text.strip("\n"), Trailers()
    return head.strip("\n"), _sort_trailers(pairs)


def _sort_trailers(pairs: list[tuple[str, str]]) -> Trailers:
    facts: dict[str, str] = {}
    signed: list[str] = []
    other: list[tuple[str, str]] = []
    for name, value in pairs:
        fact = _FACTS.get(name.lower())
        if fact and value and fact not in facts:
            facts[fact] = value
        elif name.lower() == "signed-off-by":
            signed.append(value)
        else:
            other.append((name, value))
    return Trailers(signed_off_by=tuple(signed), other=tuple(other), **facts)


def _with_header_facts(trailers: Trailers, header: dict[str, str]) -> Trailers:
    """DEP-3 allows its fields in the header; a trailer of the same name wins."""
    facts = {fact: getattr(trailers, fact) or " ".join(header.get(name, "").split()) for name, fact in _FACTS.items()}
    signed = trailers.signed_off_by or tuple(filter(None, [" ".join(header.get("signed-off-by", "").split())]))
    return Trailers(signed_off_by=signed, other=trailers.other, **facts)


def _read_author(text: str) -> str:
    """``Name <mail>`` with encoded words and quotes resolved."""
    match = _ADDRESS.fullmatch(text)
    if not match:
        return " ".join(decode_words(text).split())
    name, mail = match.groups()
    if len(name) > 1 and name.startswith('"') and name.endswith('"'):
        name = re.sub(r"\\(.)", r"\1", name[1:-1])
    name = " ".join(decode_words(name).split())
    return f"{name} <{mail.strip()}>".strip()


def unsafe_lines(body: str) -> list[tuple[int, str]]:
    """Lines of a body (number from 1, text) that some mail or patch tool takes for the start of something else.

    git-mailinfo ends the message at ``---``, ``diff -`` and ``Index:``, and takes a leading ``From:``, ``Subject:`` or
    ``Date:`` for the header; git-mailsplit splits at ``From ``; patch(1) obeys ``+++``, ``***``, ``@@``, ``Index:`` and
    ``Prereq:``.
    """
    starts = ("---", "+++", "***", "@@", "diff ", "Index:", "Prereq:", "From ", ">From ")
    rows = list(enumerate(body.split("\n"), 1))
    found = [(number, line) for number, line in rows if line.startswith(starts)]
    first = next(((number, line) for number, line in rows if line.strip()), None)
    if first and re.match(r"(?i)(from|subject|date|message-id|mime-version|content-[a-z-]+):", first[1]):
        found.append(first)
    return found


def render_message(message: Message) -> bytes:
    """Write everything above the diff, up to and with the ``---`` line.

    The result depends on `message` alone: UTF-8, LF, no folding but of encoded words.
    """
    header = [
        ("From", _write_author(message.author)),
        ("Date", message.date),
        ("Subject", encode_words(message.title)),
    ]
    trailers = "".join(f"{line}\n" for line in trailer_lines(message.trailers))
    text = "\n\n".join(part.rstrip("\n") for part in (message.body.strip("\n"), trailers) if part)
    if not text.isascii():
        header += [
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=UTF-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ]
    top = "".join(f"{name}: {value}\n" for name, value in header if value)
    return ZEROED_FROM + (top + "\n" + (f"{text}\n" if text else "") + "---\n").encode()


def trailer_lines(trailers: Trailers) -> list[str]:
    """The trailers as they stand in the last paragraph: recorded facts first, signatures last."""
    facts = [
        ("Origin", trailers.origin),
        ("Forwarded", trailers.forwarded),
        ("Applied-Upstream", trailers.applied_upstream),
        ("Reason", trailers.reason),
    ]
    pairs = [(name, value) for name, value in facts if value]
    pairs += [*trailers.other, *(("Signed-off-by", value) for value in trailers.signed_off_by)]
    return [f"{name}: {value}".rstrip() if name else value for name, value in pairs]


def _write_author(author: str) -> str:
    match = _ADDRESS.fullmatch(author)
    if not match:
        return encode_words(author)
    name, mail = match.groups()
    if re.search(r'[()<>@,;:\\".\[\]]', name) and name.isascii():
        escaped = re.sub(r'(["\\])', r"\\\1", name)
        name = f'"{escaped}"'
    else:
        name = encode_words(name)
    return f"{name} <{mail}>".strip()
