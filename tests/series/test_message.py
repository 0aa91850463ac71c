# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The text above the diff: what git and DEP-3 tools write is understood, what we write reads back the same."""

from __future__ import annotations

import subprocess
import tempfile
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.repo import repo
from support.trees import Contents, tree
from vendorctl.errors import Location, VendorError
from vendorctl.series.lines import split_lines
from vendorctl.series.message import Message, breaks_message, parse_message, render_message, unsafe_lines
from vendorctl.series.patch import Trailers, slugify
from vendorctl.series.write import check_message, format_patch


def read(text: str | bytes) -> Message:
    return parse_message(split_lines(text.encode() if isinstance(text, str) else text))


def test_a_mail_with_folded_and_encoded_headers() -> None:
    message = read(
        "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\n"
        'From: "Doe, J. \\"X\\"" <j@example.org>\n'
        "Date: Mon,\n  1 Jan 2024 00:00:00 +0000\n"
        "Subject: [RFC PATCH v2 3/7] =?UTF-8?q?Caf=C3=A9_?=\n =?utf-8?B?w7E=?=\n  and more\n"
        "Content-Type: text/plain; charset=UTF-8\n\n\nBody é\n\n\n"
    )
    assert message.title == "Café ñ and more"
    assert message.author == 'Doe, J. "X" <j@example.org>'
    assert message.date == "Mon, 1 Jan 2024 00:00:00 +0000"
    assert message.body == "Body é"


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ("[PATCH] a", "a"),
        ("[PATCH 01/12] a", "a"),
        ("[norm] a", "[norm] a"),
        ("a [PATCH]", "a [PATCH]"),
        ("=?utf-8?q?bad=ZZ?=", "bad=ZZ"),
        ("=?nope?q?x?=", "=?nope?q?x?="),
        ("=?utf-8?b?!!!?=", "=?utf-8?b?!!!?="),
        ("=?rot13?q?x?=", "=?rot13?q?x?="),
        ("=?utf-8?q?=FF?=", "=?utf-8?q?=FF?="),
        ("=?iso-8859-1?q?caf=E9?=", "café"),
    ],
)
def test_subjects(subject: str, title: str) -> None:
    assert read(f"Subject: {subject}\n\n").title == title.strip()


def test_latin_1_messages() -> None:
    assert read(b"Subject: x\nContent-Type: text/plain; charset=ISO-8859-1\n\ncaf\xe9\n").body == "café"
    assert read(b"Subject: x\n\ncaf\xe9\n").body == "café"


def test_trailers_are_the_last_paragraph() -> None:
    message = read(
        "Subject: x\n\nNote: this is prose,\nnot a trailer.\n\norigin: vendor\nForwarded: https://x/1\n"
        "Reason: because\n  it folds\nApplied-Upstream: v2\nBug: https://x/2\n"
        "Signed-off-by: A <a@b>\nSigned-off-by: B <b@b>\n"
        "(cherry picked from commit 123)\n"
    )
    assert message.body == "Note: this is prose,\nnot a trailer."
    assert message.trailers == Trailers(
        origin="vendor",
        forwarded="https://x/1",
        applied_upstream="v2",
        reason="because it folds",
        signed_off_by=("A <a@b>", "B <b@b>"),
        other=(("Bug", "https://x/2"), ("", "(cherry picked from commit 123)")),
    )


def test_a_last_paragraph_with_prose_in_it_holds_no_trailers() -> None:
    message = read("Subject: x\n\nReason: one\nand some prose\n")
    assert message.trailers == Trailers()
    assert message.body == "Reason: one\nand some prose"


def test_dep3_headers() -> None:
    message = read(
        "Description: Fix the thing\n More about it.\n .\n Even more.\nAuthor: A <a@example.org>\nOrigin: upstream, https://x\n"
        "Forwarded: not-needed\nReason: r\n"
    )
    assert message.title == "Fix the thing"
    assert message.body == "More about it.\n\nEven more."
    assert message.author == "A <a@example.org>"
    assert (message.trailers.origin, message.trailers.forwarded) == ("upstream, https://x", "not-needed")


def test_free_text_of_quilt() -> None:
    message = read("Fix the thing\n\nbecause: it is broken\nin many ways\n")
    assert (message.title, message.body) == ("Fix the thing", "because: it is broken\nin many ways")
    assert read("") == Message()


@pytest.mark.parametrize("line", ["---", "--- ", "---\t", "--- a/x", "diff --git a/x b/x", "diff -u x", "Index: x"])
def test_lines_that_end_a_message(line: str) -> None:
    assert breaks_message(line.encode() + b"\n")
    assert unsafe_lines(f"fine\n{line}") == [(2, line)]


@pytest.mark.parametrize("line", ["----", "--", "-- x", " ---", "different", "Indexes: x", "--- and so on"[:3] + "x"])
def test_lines_that_do_not_end_a_message(line: str) -> None:
    assert not breaks_message(line.encode() + b"\n")


@pytest.mark.parametrize("line", ["+++ b/x", "@@ -1 +1 @@", "From here on", ">From x", "*** x", "Prereq: 1"])
def test_lines_that_other_tools_misread(line: str) -> None:
    assert unsafe_lines(line) == [(1, line)]
    assert unsafe_lines(f" {line}") == []


def test_in_body_headers_only_count_at_the_top() -> None:
    assert unsafe_lines("\nSubject: x") == [(2, "Subject: x")]
    assert unsafe_lines("Text\nSubject: x") == []


@pytest.mark.parametrize("body", ["a\n--- \nb", "diff --git a/x b/x", "@@ -1 +1 @@", "Date: x"])
def test_an_unsafe_body_is_refused(body: str) -> None:
    with pytest.raises(VendorError) as caught:
        check_message(Message(title="x", body=body), Location("0001-x.patch"))
    assert "would be taken for part of the diff or mail" in caught.value.message


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (Message(title=""), "needs a title"),
        (Message(title="[PATCH] x"), "must not start with"),
        (Message(title="x", author="A\x1b[31m <a@b>"), "control characters"),
        (Message(title="x", trailers=Trailers(reason="a\nSubject: b")), "control characters"),
        (Message(title="x", date="now\n\n---"), "control characters"),
    ],
)
def test_messages_that_cannot_be_written(message: Message, text: str) -> None:
    with pytest.raises(VendorError, match=text):
        check_message(message, Location("0001-x.patch"))


WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=12)
LINE = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
BODY = st.lists(st.one_of(LINE, st.just("")), max_size=6).map("\n".join)


def is_writable(message: Message) -> bool:
    try:
        check_message(message, Location("x"))
    except VendorError:
        return False
    return True


@given(title=LINE, body=BODY, name=LINE, reason=LINE)
def test_what_is_written_reads_back(title: str, body: str, name: str, reason: str) -> None:
    name = name.replace("<", "(").replace(">", ")")
    message = Message(
        title=title,
        body=body.strip("\n"),
        author=f"{name} <a@example.org>",
        date="Mon, 1 Jan 2024 00:00:00 +0000",
        trailers=Trailers(origin="vendor", reason=reason, other=(("Bug", "x"),), signed_off_by=("A <a@b>",)),
    )
    if not is_writable(message):
        return
    raw = render_message(message)
    lines = split_lines(raw)
    assert lines[-1] == b"---\n"
    assert parse_message(lines[:-1]) == message
    # Python's own mail parser agrees about the header, and no line of it is longer than mail allows.
    mail = message_from_bytes(raw.split(b"\n", 1)[1], policy=policy.default)
    assert " ".join(str(mail["Subject"]).split()) == message.title
    assert raw.partition(b"\n\n")[0].isascii()


@given(title=LINE, body=BODY)
def test_git_mailinfo_reads_the_same_title_and_body(title: str, body: str) -> None:
    # git cleans subjects up: brackets in front, a leading "Re:" or colon, and white space go.
    if title[0] in "[:" or title.lower().startswith("re:"):
        return
    message = Message(title=title, body=body.strip("\n"), author="Ä Ö <a@example.org>", trailers=Trailers(reason="r"))
    if not is_writable(message) or any(ord(char) > 0x2FFF for char in title + body):
        return
    info, text = mailinfo(render_message(message))
    assert f"Subject: {' '.join(title.split())}" in info
    assert "Author: Ä Ö" in info
    assert text.strip("\n").split("\n") == [
        *(message.body.split("\n") if message.body else []),
        *([""] if message.body else []),
        "Reason: r",
    ]


def mailinfo(raw: bytes) -> tuple[list[str], str]:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["git", "mailinfo", "msg", "patch"], cwd=folder, input=raw, capture_output=True, check=True
        )
        return done.stdout.decode().split("\n"), (Path(folder) / "msg").read_text("utf-8")


def test_git_format_patch_is_read(tmp_path: Path) -> None:
    upstream = repo(tmp_path / "up", {"a": "a\n"}, {"a": "b\n"}, messages=["one", "Tïtle of two\n\nBody\n\nReason: r"])
    raw = upstream.git("format-patch", "-1", "--stdout", "main")
    message = parse_message(split_lines(raw.partition(b"---\n")[0]))
    assert (message.title, message.body, message.trailers.reason) == ("Tïtle of two", "Body", "r")
    assert message.author == "Upstream Author <author@example.org>"


def test_bytes_do_not_depend_on_the_number() -> None:
    contents: Contents = {}
    old, new = tree({"a": "a\n"}, contents), tree({"a": "b\n"}, contents)
    raws = {
        format_patch(old, new, contents, number=number, title="x", body="", author="", date="", trailers=Trailers())
        for number in (1, 77)
    }
    assert len(raws) == 1


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Take epsilon as a run-time argument", "take-epsilon-as-a-run-time-argument"),
        ("Don't: café/ñ  (v2.1)", "dont-cafe-n-v2-1"),
        ("—", "patch"),
        ("x" * 99, "x" * 52),
        ("many words " * 9, "many-words-many-words-many-words-many-words-many"),
    ],
)
def test_slugs(title: str, slug: str) -> None:
    assert slugify(title) == slug
