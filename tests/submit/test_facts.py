# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`Forwarded` and `Applied-Upstream` in patch files of every shape: one line changes, the rest stays byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vendorctl.errors import VendorError
from vendorctl.series.parse import parse_patch
from vendorctl.series.patch import Patch
from vendorctl.submit.facts import APPLIED, FORWARDED, state_fact

DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
HEAD = "From: A <a@example.org>\nSubject: Set x\n\n"
URL = "https://example.org/pull/7"


def patch(text: str) -> Patch:
    return parse_patch("0001-set-x.patch", text.encode())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            HEAD + "Why.\n\nForwarded: no\nReason: r\n---\n" + DIFF,
            HEAD + f"Why.\n\nForwarded: {URL}\nReason: r\n---\n" + DIFF,
        ),
        (
            HEAD + "Origin: vendor\nReason: r\nSigned-off-by: A <a@example.org>\n---\n" + DIFF,
            HEAD + f"Origin: vendor\nForwarded: {URL}\nReason: r\nSigned-off-by: A <a@example.org>\n---\n" + DIFF,
        ),
        (HEAD + "Only text.\n---\n" + DIFF, HEAD + f"Only text.\n\nForwarded: {URL}\n---\n" + DIFF),
        (HEAD + DIFF, HEAD + f"Forwarded: {URL}\n\n" + DIFF),
        (HEAD + "Why.\n" + DIFF, HEAD + f"Why.\n\nForwarded: {URL}\n" + DIFF),
        (
            HEAD + "Forwarded: https://example.org/a\n folded/line\nReason: r\n---\n\n" + DIFF,
            HEAD + f"Forwarded: {URL}\nReason: r\n---\n\n" + DIFF,
        ),
        (
            HEAD + "forwarded: no\nforwarded: yes\nReason: r\n---\n stat | 2 +-\n\n" + DIFF,
            HEAD + f"Forwarded: {URL}\nReason: r\n---\n stat | 2 +-\n\n" + DIFF,
        ),
    ],
    ids=["replaced", "inserted in order", "no trailers", "no text", "no separator", "folded", "twice, with a diffstat"],
)
def test_the_line_is_set_and_nothing_else(before: str, after: str) -> None:
    stated = state_fact(patch(before), FORWARDED, URL)
    assert stated.raw.decode() == after
    assert stated.trailers.forwarded == URL
    assert state_fact(stated, FORWARDED, URL).raw == stated.raw


def test_a_fact_of_a_dep3_header_is_outweighed() -> None:
    stated = state_fact(patch("Description: Set x\n More.\nForwarded: no\n\n" + DIFF), FORWARDED, URL)
    assert stated.trailers.forwarded == URL
    assert stated.title == "Set x"


def test_where_the_patch_landed_stands_after_where_it_was_sent() -> None:
    sent = patch(HEAD + f"Forwarded: {URL}\nReason: r\n---\n" + DIFF)
    rows = state_fact(sent, APPLIED, "v2").raw.decode().split("\n")
    assert rows[3:6] == [f"Forwarded: {URL}", "Applied-Upstream: v2", "Reason: r"]


@pytest.mark.parametrize("value", ["", "two\nlines", "bell\a"])
def test_what_is_no_plain_line_is_refused(value: str) -> None:
    with pytest.raises(VendorError, match="not a value"):
        state_fact(patch(HEAD + DIFF), FORWARDED, value)


def test_a_value_that_would_not_be_read_back_is_refused() -> None:
    with pytest.raises(VendorError, match="cannot be stated"):
        state_fact(patch(HEAD + DIFF), FORWARDED, " padded ")


@given(
    body=st.lists(st.sampled_from(["Text.", "", "Key: value", "Reason: r", "Forwarded: no", " indented"]), max_size=6),
    values=st.lists(st.sampled_from(["no", URL, "not-needed"]), min_size=1, max_size=3),
)
def test_any_message_keeps_its_text_and_says_the_last_thing(body: list[str], values: list[str]) -> None:
    first = patch(HEAD + "".join(f"{line}\n" for line in body) + "---\n" + DIFF)
    stated = first
    for value in values:
        stated = state_fact(stated, FORWARDED, value)
    assert stated.trailers.forwarded == values[-1]
    assert (stated.title, stated.changes[0].hunks[0].lines) == (first.title, first.changes[0].hunks[0].lines)

    def others(one: Patch) -> list[str]:
        rows = one.raw.decode().split("\n")
        return [row for row in rows if row.strip() and not row.startswith(("Forwarded:", " "))]

    assert others(stated) == others(first)
