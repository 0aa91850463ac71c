# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Patch files: parsed, applied, their messages, their binary hunks, and the list of a series."""

from __future__ import annotations

import base64
import contextlib
import itertools
import zlib
from collections.abc import Iterator

from fuzz.scratch import root_with
from fuzz.target import Target
from vendorctl.errors import Location
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.paths import reject_reason
from vendorctl.series.apply import apply_patch
from vendorctl.series.binary import apply_delta, unfold
from vendorctl.series.headers import decode_words, encode_words
from vendorctl.series.lines import split_lines
from vendorctl.series.message import Message, breaks_message, parse_message, render_message
from vendorctl.series.parse import parse_patch
from vendorctl.series.patch import BinaryDelta, Change, ChangeKind, Patch
from vendorctl.series.quoting import unquote
from vendorctl.series.store import load_series, survey_series
from vendorctl.series.write import check_message

_NAME = "0001-x.patch"
#: Lines of a made-up file beyond which a hunk is not worth placing.
_FAR = 3000

_HEADER = b"""From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: =?UTF-8?q?J=C3=B6rg_K=2E?= <j@example.org>
Date: Mon, 1 Jan 2024 00:00:00 +0000
Subject: [PATCH 1/2] Do it
 in two lines
MIME-Version: 1.0
Content-Type: text/plain; charset=UTF-8
Content-Transfer-Encoding: 8bit

A body.

Origin: vendor
Forwarded: no
Reason: because
Signed-off-by: J <j@example.org>
---
 a.py | 2 +-

"""

_TEXT = b"""diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1,3 +1,4 @@ def f():
 one
-two
+2
+two and a half
 three
@@ -10 +10,0 @@
-ten
\\ No newline at end of file
"""

_KINDS = b"""diff --git a/old b.txt b/new b.txt
similarity index 90%
rename from old b.txt
rename to new b.txt
--- a/old b.txt\t
+++ b/new b.txt\t
@@ -1 +1 @@
-x
+y
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git "a/caf\\303\\251" "b/caf\\303\\251"
new file mode 100644
index 0000000000000000000000000000000000000000..587be6b4c3f93f93c489c0111bba5596147a26cb
--- /dev/null
+++ "b/caf\\303\\251"
@@ -0,0 +1 @@
+x
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
--\x20
2.39.0
"""

_PLAIN = b"""Description: quilt's way
Forwarded: https://example.org/1
Index: a.c
===================================================================
--- a/a.c\t2024-01-01 00:00:00.000000000 +0000
+++ b/a.c\t2024-01-02 00:00:00.000000000 +0000
@@ -5,2 +5,2 @@
 x\r
-y\r
+z\r
"""


def _binary() -> bytes:
    content = bytes(range(40))
    packed = zlib.compress(content)
    line = bytes([ord("A") + len(packed) - 1]) if len(packed) <= 26 else bytes([ord("a") + len(packed) - 27])

    text = line + base64.b85encode(packed, pad=True)
    oid = str(hash_blob(content)).encode()
    head = b"diff --git a/b.bin b/b.bin\nnew file mode 100644\nindex " + b"0" * 40 + b".." + oid + b"\n"
    return head + b"GIT binary patch\nliteral %d\n%s\n\nliteral 0\nHcmV?d00001\n\n" % (len(content), text)


def _patches() -> Iterator[bytes]:
    yield _HEADER + _TEXT
    yield _HEADER + _KINDS
    yield _PLAIN
    yield _HEADER + _binary()
    yield _TEXT


_TOKENS = (
    b"diff --git a/a.py b/a.py\n",
    b"--- a/a.py\n",
    b"+++ b/a.py\n",
    b"--- /dev/null\n",
    b"+++ /dev/null\n",
    b"@@ -1 +1 @@\n",
    b"@@ -0,0 +1 @@\n",
    b"new file mode 120000\n",
    b"deleted file mode 160000\n",
    b"old mode 100755\n",
    b"new mode 100644\n",
    b"rename from x\n",
    b"rename to y\n",
    b"copy from x\n",
    b"copy to y\n",
    b"index 0000..1111 100644\n",
    b"GIT binary patch\n",
    b"literal 3\n",
    b"delta 9\n",
    b"\\ No newline at end of file\n",
    b"-- \n",
    b"similarity index 9%\n",
    b'"a/\\303\\251"',
    b"Subproject commit ",
    b"\r\n",
    b"a/.git/x",
    b"a/../x",
    b"Binary files a/x and b/x differ\n",
)


def check_patch(data: bytes) -> None:
    """Only safe paths, only the bytes that were read, and a message that can be written and read again."""
    found = parse_patch(_NAME, data)
    assert found.raw == data
    assert found.changes
    for change in found.changes:
        for path in (change.path, change.old_path):
            assert path is None or reject_reason(path) is None
    _require_stable_message(
        Message(title=found.title, body=found.body, author=found.author, date=found.date, trailers=found.trailers)
    )


def _require_stable_message(message: Message) -> None:
    """A message that may be written reads back as itself."""
    check_message(message, Location(_NAME))
    written = render_message(message)
    assert parse_message(split_lines(written.removesuffix(b"---\n"))) == message


def check_message_text(data: bytes) -> None:
    """Any text above a diff is read; what may be written again comes back the same."""
    lines = list(itertools.takewhile(lambda line: not breaks_message(line), split_lines(data)))
    _require_stable_message(parse_message(lines))


def check_apply(data: bytes) -> None:
    """Applied to files that it fits, a patch changes what it declares, by as many lines as it says, and only once."""
    found = parse_patch(_NAME, data)
    tree, contents = _files_for(found)
    result, made = apply_patch(found, tree, contents)
    declared = {path for change in found.changes for path in (change.path, change.old_path)}
    assert set(tree.difference(result)) <= declared
    for change in found.changes:
        if change.kind is ChangeKind.MODIFY and change.hunks and change.new_mode is not Mode.GITLINK:
            grown = sum(hunk.new_count - hunk.old_count for hunk in change.hunks)
            before = len(split_lines(contents[tree[change.path].oid]))
            assert len(split_lines(made[result[change.path].oid])) == before + grown


def _files_for(patch: Patch) -> tuple[Tree, dict[Oid, bytes]]:
    """Files that the hunks of a patch stand in, at their lines."""
    contents: dict[Oid, bytes] = {}
    entries: dict[bytes, Entry] = {}
    for change in patch.changes:
        if change.old_path is not None:
            content = _content_for(change)
            oid = change.old_oid if change.old_mode is Mode.GITLINK and change.old_oid else hash_blob(content)
            contents[oid] = content
            entries[change.old_path] = Entry(change.old_mode or Mode.FILE, oid)
    try:
        return Tree(entries), contents
    except ValueError:
        return Tree(), contents


def _content_for(change: Change) -> bytes:
    lines: list[bytes] = []
    for hunk in change.hunks:
        start = hunk.old_start - (hunk.old_count > 0)
        if start < _FAR:
            lines += [b"-\n"] * (start - len(lines))
            lines += [text for sign, text in hunk.lines if sign != b"+"]
    return b"".join(lines)


def check_delta(data: bytes) -> None:
    """A delta gives the size that it states, or is refused; compressed data unfolds to no more than it states."""
    cut = data[0] if data else 0
    base, delta = data[1 : 1 + cut], data[1 + cut :]
    with contextlib.suppress(ValueError):
        unfold(BinaryDelta(literal=bool(cut & 1), size=cut * 8, data=delta), base)
    apply_delta(base, delta)


def _deltas() -> Iterator[bytes]:
    base = b"0123456789"
    yield bytes([10]) + base + bytes([10, 14, 0x91, 2, 5, 4]) + b"abcd" + bytes([0x90, 5])
    yield bytes([0, 0, 3, 3]) + b"abc"


def check_words(data: bytes) -> None:
    """Header text of any bytes is read; encoded, it is ASCII and reads back."""
    decode_words(data.decode("utf-8", "surrogateescape"))
    text = " ".join(data.decode("utf-8", "replace").split())
    encoded = encode_words(text)
    assert encoded.isascii()
    assert decode_words(encoded) == text


def check_quoted(data: bytes) -> None:
    """What git would quote reads back; anything else is refused."""
    quoted = b'"' + b"".join(
        b"\\%03o" % byte if byte < 32 or byte > 126 or byte in b'"\\' else bytes([byte]) for byte in data
    )
    assert unquote(quoted + b'"') == (data, len(quoted) + 1)
    name, end = unquote(data)
    assert 2 <= end <= len(data)
    assert len(name) <= end - 2


def check_series(data: bytes) -> None:
    """The list of a series never ends a survey: whatever is wrong is a finding of a line that exists."""
    root = root_with({"patches/up/series": data, "patches/up/0001-x.patch": _TEXT})
    series, findings = survey_series(root, "up")
    assert len(series.patches) <= 1
    lines = len(data.decode("utf-8", "replace").splitlines())
    places = [found.location for found in findings if found.location and found.location.path.endswith("/series")]
    assert all((place.line or 0) <= lines for place in places)
    load_series(root, "up")


TARGETS = (
    Target(name="patch", check=check_patch, seeds=_patches, tokens=_TOKENS),
    Target(name="apply", check=check_apply, seeds=_patches, tokens=_TOKENS),
    Target(
        name="message",
        check=check_message_text,
        seeds=lambda: [_HEADER, _PLAIN[:60], b"Title\n\nBody\n\nOrigin: vendor\n", b"Subject: x\n\ntext\n"],
        tokens=(
            b"From: ",
            b"Subject: ",
            b"Date: ",
            b"=?UTF-8?q?x?=",
            b"=?x?b?eA==?=",
            b"charset=utf-16",
            b"\n\n",
            b" .\n",
            b"Reason: ",
            b"(cherry picked from commit ",
            b"[PATCH] ",
            b'"',
            b"<",
            b">",
        ),
    ),
    Target(name="delta", check=check_delta, seeds=_deltas, refusals=(ValueError,)),
    Target(
        name="words",
        check=check_words,
        seeds=lambda: [b"J\xc3\xb6rg", b"=?UTF-8?q?J=C3=B6rg_K=2E?= =?us-ascii?B?eA==?=", b"=?utf-7?q?+AGE-?="],
        tokens=(b"=?", b"?=", b"?q?", b"?b?", b"UTF-8", b"idna", b"punycode", b"utf-16", b"unicode_escape"),
    ),
    Target(
        name="quoted",
        check=check_quoted,
        seeds=lambda: [b'"a\\303\\251"', b'"tab\\t\\\\"', b'""'],
        tokens=(b"\\", b'"', b"\\377", b"\\400"),
        refusals=(ValueError,),
        longest=512,
    ),
    Target(
        name="series",
        check=check_series,
        seeds=lambda: [b"0001-x.patch\n", b"# why\n0001-x.patch -p1 # this\n", b""],
        tokens=(b"0001-x.patch", b"0002-y.patch", b"-p1", b"#", b"../", b"\n"),
    ),
)
