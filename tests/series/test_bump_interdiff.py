# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""How a patch changed in a bump: only what changed, in lines that content cannot break out of."""

from __future__ import annotations

import json

from support.chains import Shelf, numbered
from vendorctl.series.bump import Outcome
from vendorctl.series.interdiff import interdiff, review_lines


def bumped(ours: dict[int, str], upstream: dict[int, str], head: str = "") -> Outcome:
    shelf = Shelf()
    old = shelf.chain({"a.py": numbered(20)}, {"a.py": numbered(20, ours)})
    return shelf.bump(old, {"a.py": head + numbered(20, upstream)}).outcomes[0]


def test_new_line_numbers_and_ids_are_no_change() -> None:
    outcome = bumped({10: "ten\n"}, {}, head="# head\n")
    assert interdiff(outcome).lines == ()
    assert list(review_lines(outcome, 9)) == []


def test_changed_context_is_shown_like_range_diff() -> None:
    outcome = bumped({10: "ten\n"}, {8: "eight\n"})
    assert [line for line in interdiff(outcome).lines if line[0] in "-+"] == ["- line_8 = 8", "+ eight"]
    json.dumps(interdiff(outcome).to_json())


def test_the_remainder_of_a_patch_is_shown() -> None:
    found = interdiff(bumped({3: "three\n", 17: "x\n"}, {3: "three\n"}))
    assert "-+three" in found.lines
    assert "-+x" not in found.lines


def test_a_dropped_patch_has_no_new_name_and_nothing_to_review() -> None:
    outcome = bumped({10: "ten\n"}, {10: "ten\n"})
    found = interdiff(outcome)
    assert found.to_json() == {"old": found.old, "new": None, "kind": "merged-upstream", "lines": []}
    assert list(review_lines(outcome, 9)) == []


def test_long_interdiffs_are_cut_and_say_so() -> None:
    outcome = bumped({10: "ten\n"}, {8: "eight\n"})
    total = len(interdiff(outcome).lines)
    assert list(review_lines(outcome, 2))[2:] == [f"... and {total - 2} more lines (--format json has all)"]


def test_content_does_not_drive_a_terminal() -> None:
    outcome = bumped({10: "\x1b[31m\n"}, {8: "\x1b[2J\n"})
    assert "\x1b" not in "".join(review_lines(outcome, 99))
    assert any("[2J" in line for line in review_lines(outcome, 99))
