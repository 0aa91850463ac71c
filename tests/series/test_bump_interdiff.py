# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""How a patch changed in a bump: only what changed, in three formats that content cannot break out of."""

from __future__ import annotations

import json

from support.chains import Shelf, numbered
from vendorctl.series.interdiff import interdiff, render_markdown, render_text


def bumped(shelf: Shelf, ours: dict[int, str], upstream: dict[int, str], head: str = "") -> list[object]:
    old = shelf.chain({"a.py": numbered(20)}, {"a.py": numbered(20, ours)})
    return list(shelf.bump(old, {"a.py": head + numbered(20, upstream)}).outcomes)


def test_new_line_numbers_and_ids_are_no_change() -> None:
    found = interdiff(bumped(Shelf(), {10: "ten\n"}, {}, head="# head\n")[0])  # type: ignore[arg-type]
    assert found.lines == ()
    assert render_text([found]) == "! 0001-local-change-1.patch -> 0001-local-change-1.patch: refreshed\n"


def test_changed_context_is_shown_like_range_diff() -> None:
    found = interdiff(bumped(Shelf(), {10: "ten\n"}, {8: "eight\n"})[0])  # type: ignore[arg-type]
    assert [line for line in found.lines if line[0] in "-+"] == ["- line_8 = 8", "+ eight"]
    assert "    - line_8 = 8\n" in render_text([found])
    json.dumps(found.to_json())


def test_the_remainder_of_a_patch_is_shown() -> None:
    found = interdiff(bumped(Shelf(), {3: "three\n", 17: "x\n"}, {3: "three\n"})[0])  # type: ignore[arg-type]
    assert "-+three" in found.lines
    assert "-+x" not in found.lines


def test_a_dropped_patch_has_no_new_name() -> None:
    found = interdiff(bumped(Shelf(), {10: "ten\n"}, {10: "ten\n"})[0])  # type: ignore[arg-type]
    assert render_text([found]) == "< 0001-local-change-1.patch -> (none): merged-upstream\n"
    assert found.to_json() == {"old": found.old, "new": None, "kind": "merged-upstream", "lines": []}


def test_content_neither_closes_a_fence_nor_drives_a_terminal() -> None:
    shelf = Shelf()
    hostile = {10: "```` \x1b[31m\n"}
    found = interdiff(bumped(shelf, hostile, {8: "````` eight\n"})[0])  # type: ignore[arg-type]
    text = render_markdown([found])
    assert "``````diff\n" in text
    assert text.rstrip().endswith("\n``````")
    assert "\x1b" not in text
