# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a pristine file itself says about its licence: SPDX expressions as tagged, copyright lines verbatim.

A file whose comments hold a licence's full text, word for word, states that licence as if it were tagged.
A header is a comment. Text in a string literal is none, with one exception that can only add duties: copyright lines in
a Python module's docstring are kept as notices, because some projects write them there.
The tags are those of the REUSE specification 3.3, with its ignore markers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vendorctl.licenses.comments import Style, comments, docstring, style_of
from vendorctl.licenses.texts import Kind, recognise
from vendorctl.workspace.lock import LicenseFacts

# The tags are spelled in two parts, so that no scanner takes this module's own source for a header.
_ID = b"SPDX-License" + b"-Identifier:"
_TEXT = b"SPDX-(?:File|Snippet)" + b"CopyrightText:"

#: Whatever lacks all of these has no facts.
_ANY = re.compile(b"(?i)SPDX-|copyright|\xc2\xa9|\xa9|\\(c\\)\\s*(?:19|20)[0-9]")
_MARKS = (b"spdx-", b"copyright", b"\xa9")
_YEAR_MARK = re.compile(rb"\(c\)\s*(?:19|20)[0-9]")
# What may stand before a header's text on its line: comment signs and box drawing, never words or "(c)".
_SIGNS = b" \t\r\n\f\v#/*;!%\"'<>|.\\@:{[-=~+"
_COMMENT_WORD = re.compile(rb"(?i:REM|dnl)\s+")
_CLOSERS = (b"*/", b"-->", b"#}", b"]]", b'"""', b"'''")

#: Words that a licence text has which is short enough to stand in a header.
_GRANTS = (b"permission", b"redistribution", b"unencumbered", b"'as-is'")

# "Copyright" at the start of a line, followed by a name rather than by one of the words that licence texts go on with.
_NOT_AN_OWNER = (
    rb"(?!\s*=)(?!\s+[\[<{](?:yyyy|year))(?!\s+(?:notices?|holders?|owners?|laws?|licen[cs]\w*|statements?|and\s|or\s"
    rb"|in\s|of\s|is\s|tags?|headers?|interests?|protection|treaty|act|infring\w*|years?|lines?)\b)"
)
_COPYRIGHT = re.compile(
    rb"^" + _TEXT + rb"\s*\S"
    rb"|\b(?i:copyright)s?[\s:,]*(?:\([cC]\)|\xc2\xa9|\xa9|&copy;|(?:19|20)[0-9x]{2}\b)(?!\s*[\[<{](?:yyyy|year))"
    rb"|^(?:Copyright|COPYRIGHT)\b(?i:" + _NOT_AN_OWNER + rb")[\s:]+\S"
    rb"|^(?:\([cC]\)\s*(?:19|20)\d\d|\xc2\xa9|\xa9)"
)
_IGNORE_START, _IGNORE_END = b"REUSE-Ignore" + b"Start", b"REUSE-Ignore" + b"End"

#: Names of files that hold licence texts and notices: they are what others refer to, and need no header themselves.
_NOTICE_FILE = re.compile(
    rb"(?i)(?:^|/)(?:licen[cs]es?|copying|copyright|notice|unlicense)(?:[.\-_][^/]*)?$|^licenses/[^/]+$"
)

_PROSE = {Style.PLAIN, Style.MARKUP, Style.RST}


def scan(path: bytes, content: bytes) -> LicenseFacts:
    """The facts in one file's own header, in the order of the file, each once.

    `path` (bytes, from the root of the tree) decides how comments look. Never raises: bytes that are no text have no
    facts, and a line that is not UTF-8 is read as Latin-1 so that a notice in it survives.
    """
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        content = content.decode("utf-16", "replace").encode()
    content = content.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in content[:8000]:
        return LicenseFacts()
    lowered = content.lower()
    end = _end_of_facts(lowered)
    if end == 0:
        return LicenseFacts()
    expressions: dict[str, None] = {}
    copyrights: dict[str, None] = {}
    # A literal that the cut leaves open takes the rest, so what stands before it is read as in the whole file.
    for line in _header_lines(path, content[:end]):
        text = _bare(line)
        if text.startswith(_ID):
            expressions[_text(text.removeprefix(_ID).strip())] = None
        elif _is_notice(text):
            copyrights[_text(text)] = None
    granted = any(word in lowered for word in _GRANTS) and not is_notice_file(path) and _granted(path, content)
    if granted:
        expressions[granted] = None
    for line in docstring(path, content).splitlines():
        if _is_notice(text := _bare(line)):
            copyrights[_text(text)] = None
    if not expressions and not copyrights:
        return LicenseFacts()
    return LicenseFacts(expressions=tuple(expressions), copyrights=tuple(copyrights), source="header")


def is_notice_file(path: bytes) -> bool:
    """True for LICENSE, COPYING, NOTICE and their like, and for texts in a LICENSES folder; never for source code."""
    return _NOTICE_FILE.search(path) is not None and style_of(path, b"") in _PROSE


def _end_of_facts(lowered: bytes) -> int:
    """Where the last line ends that could hold a fact, 0 for none: most files need no look beyond their top."""
    last = max(lowered.rfind(mark) for mark in _MARKS)
    if b"(c)" in lowered:
        last = max([last, *(match.start() for match in _YEAR_MARK.finditer(lowered))])
    if last < 0:
        return 0
    end = lowered.find(b"\n", last)
    return len(lowered) if end < 0 else end


def _header_lines(path: bytes, content: bytes) -> Iterator[bytes]:
    """Lines of comments that may hold a fact, outside of REUSE's ignore markers."""
    ignoring = False
    for comment in comments(path, content):
        if _ANY.search(comment) is None and b"REUSE-" not in comment:
            continue
        for line in comment.splitlines():
            if _IGNORE_START in line:
                ignoring = True
            elif _IGNORE_END in line:
                ignoring = False
            elif not ignoring:
                yield line


def _granted(path: bytes, content: bytes) -> str:
    """The licence whose full text stands in the comments of a file, else nothing."""
    spdx_id, kind = recognise(b"\n".join(comments(path, content)))
    return spdx_id if kind is Kind.FULL else ""


def _bare(line: bytes) -> bytes:
    """A line of a comment without the signs and box borders around its text."""
    text = line.lstrip(_SIGNS).rstrip()
    if word := _COMMENT_WORD.match(text):
        text = text[word.end() :]
    for closer in _CLOSERS:
        text = text.removesuffix(closer).rstrip()
    inner = text.rstrip(b"*#|/")
    return inner.rstrip() if inner[-1:].isspace() else text


def _is_notice(text: bytes) -> bool:
    return _ANY.search(text) is not None and _COPYRIGHT.search(text) is not None


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
