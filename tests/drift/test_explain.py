# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Each changed line belongs to the patch that brought or removed it."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from support.chains import Files, Shelf
from vendorctl.drift.explain import UNRECORDED, FileDifference, Hunk, explain
from vendorctl.series.patch import Change

U = "".join(f"line {number}\n" for number in range(1, 21))


def differences(*states: Files, unrecorded: bool = False) -> dict[str, FileDifference]:
    """Explain the last state against the first; each step is a patch, the last one nobody's when `unrecorded`."""
    shelf = Shelf()
    trees = [shelf.tree(state) for state in states]
    patches = [shelf.patch(number, trees[number - 1], trees[number]) for number in range(1, len(trees))]
    loose: tuple[Change, ...] = patches.pop().changes if unrecorded else ()
    found = explain(trees[0], trees[-1], patches, loose, shelf.blobs)
    return {difference.name.decode(): difference for difference in found}


def owned(difference: FileDifference) -> list[tuple[str, str, int]]:
    return [
        (line.sign.decode(), line.text.decode().strip(), line.owner)
        for hunk in difference.hunks
        for line in hunk.lines
        if line.sign != b" "
    ]


def test_two_patches_share_a_hunk_and_each_line_keeps_its_own() -> None:
    one = U.replace("line 5\n", "five\n")
    two = one.replace("line 6\n", "six\n")
    found = differences({"a": U}, {"a": one}, {"a": two})["a"]
    assert owned(found) == [("-", "line 5", 1), ("-", "line 6", 2), ("+", "five", 1), ("+", "six", 2)]
    assert [hunk.owners for hunk in found.hunks] == [(1, 2)]
    assert not found.unexplained


def test_a_line_changed_twice_belongs_to_the_last_patch_and_its_removal_to_the_first() -> None:
    found = differences({"a": U}, {"a": U.replace("line 5\n", "five\n")}, {"a": U.replace("line 5\n", "FIVE\n")})["a"]
    assert owned(found) == [("-", "line 5", 1), ("+", "FIVE", 2)]


def test_what_one_patch_removed_and_another_brought_back_is_no_difference() -> None:
    without = U.replace("line 5\n", "")
    back = U.replace("line 18\n", "eighteen\n")
    found = differences({"a": U}, {"a": without}, {"a": back})["a"]
    assert owned(found) == [("-", "line 18", 2), ("+", "eighteen", 2)]
    assert differences({"a": U}, {"a": without}, {"a": U}) == {}


def test_an_edit_that_nobody_recorded_has_no_owner() -> None:
    one = U.replace("line 5\n", "five\n")
    found = differences({"a": U}, {"a": one}, {"a": one.replace("line 15\n", "fifteen\n")}, unrecorded=True)["a"]
    assert found.unexplained
    assert [hunk.owners for hunk in found.hunks] == [(1,), (UNRECORDED,)]


def test_hunks_are_numbered_as_in_a_unified_diff() -> None:
    found = differences({"a": U}, {"a": U.replace("line 2\n", "two\nand a half\n").replace("line 15\n", "")})["a"]
    assert [(h.old_start, h.old_count, h.new_start, h.new_count) for h in found.hunks] == [(1, 5, 1, 6), (12, 7, 13, 6)]


def test_an_added_a_deleted_and_an_emptied_file() -> None:
    found = differences({"gone": "a\n", "empty": "b\n"}, {"new": "c\nd\n", "empty": ""})
    assert {name: each.kind.value for name, each in found.items()} == {
        "gone": "delete",
        "new": "add",
        "empty": "modify",
    }
    assert found["new"].hunks[0].old_start == 0
    assert owned(found["gone"]) == [("-", "a", 1)]
    assert owned(found["empty"]) == [("-", "b", 1)]
    assert found["new"].owners == (1,)


def test_a_renamed_and_edited_file_is_followed() -> None:
    one = U.replace("line 5\n", "five\n")
    found = differences({"a": U}, {"a": one}, {"b": one.replace("line 18\n", "eighteen\n")})
    assert list(found) == ["b"]
    assert found["b"].kind.value == "rename"
    assert found["b"].old_path == b"a"
    assert owned(found["b"]) == [("-", "line 5", 1), ("+", "five", 1), ("-", "line 18", 2), ("+", "eighteen", 2)]


def test_a_file_that_one_patch_deletes_and_a_later_one_brings_back() -> None:
    found = differences({"a": U, "z": "z\n"}, {"z": "z\n"}, {"a": U.replace("line 5\n", "five\n"), "z": "z\n"})["a"]
    assert found.kind.value == "modify"
    assert ("+", "five", 2) in owned(found)
    assert not found.unexplained


def test_binary_content_and_modes_belong_to_the_file_as_a_whole() -> None:
    found = differences({"a": b"\0one"}, {"a": b"\0two"})["a"]
    assert (found.binary, found.owners, found.hunks) == (True, (1,), ())


def test_a_file_without_final_newline() -> None:
    found = differences({"a": "x\ny"}, {"a": "x\ny\n"})["a"]
    assert [(line.sign, line.text) for line in found.hunks[0].lines] == [(b" ", b"x\n"), (b"-", b"y"), (b"+", b"y\n")]


def applied(source: list[bytes], hunks: tuple[Hunk, ...]) -> list[bytes]:
    """What the hunks make of the source, refusing any that does not sit exactly where it says."""
    result: list[bytes] = []
    position = 0
    for hunk in hunks:
        start = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        result += source[position:start]
        assert len(result) == (hunk.new_start - 1 if hunk.new_count else hunk.new_start)
        assert [line.text for line in hunk.lines if line.sign != b"+"] == source[start : start + hunk.old_count]
        result += [line.text for line in hunk.lines if line.sign != b"-"]
        position = start + hunk.old_count
    return result + source[position:]


@pytest.mark.parametrize("seed", range(40))
def test_hunks_always_make_the_patched_file_of_the_pristine_one(seed: int) -> None:
    rng = random.Random(seed)
    shelf = Shelf()
    lines = [rng.choice(["a\n", "b\n", "{\n", "}\n", f"x{rng.random():.3f}\n"]) for _ in range(60)]
    states = [lines]
    for number in range(1, 6):
        after = list(states[-1])
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(after) + 1)
            after[at : at + rng.randint(0, 3)] = [f"{rng.choice('abc')}{number}\n" for _ in range(rng.randint(0, 3))]
        states.append(after)
    trees = [shelf.tree({"f": "".join(state)}) for state in states]
    pairs = [(number, old, new) for number, (old, new) in enumerate(pairwise(trees), 1) if old != new]
    patches = [shelf.patch(number, old, new) for number, old, new in pairs]
    found = explain(trees[0], trees[-1], patches, (), shelf.blobs)
    source = [line.encode() for line in states[0]]
    assert applied(source, found[0].hunks) == [line.encode() for line in states[-1]]
    assert UNRECORDED not in {owner for hunk in found[0].hunks for owner in hunk.owners}
