# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Merging contents and trees: git's result, honest conflicts, and the two rules that go beyond git."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.chains import Shelf, numbered
from support.repo import executable, symlink
from vendorctl.errors import VendorError
from vendorctl.git.tree import Mode, Tree
from vendorctl.series.content import ContentMerger, Labels, has_markers
from vendorctl.series.merge import ConflictKind, Merged, Settled, merge_trees
from vendorctl.series.moves import Move, compared_contents, find_moves


@pytest.fixture(scope="module")
def merger() -> Iterator[ContentMerger]:
    with ContentMerger() as opened:
        yield opened


def lines(*words: str) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()


def test_both_sides_change_different_lines(merger: ContentMerger) -> None:
    base = numbered(9).encode()
    merged = merger.merge(base, base.replace(b"= 1\n", b"= up\n"), base.replace(b"= 9\n", b"= down\n"))
    assert merged.clean
    assert merged.marked() == base.replace(b"= 1\n", b"= up\n").replace(b"= 9\n", b"= down\n")


def test_sides_that_did_not_change_start_no_process() -> None:
    idle = ContentMerger()
    assert idle.merge(b"a", b"b", b"a").marked() == b"b"
    assert idle.merge(b"a", b"a", b"b").marked() == b"b"
    assert idle.merge(b"a", b"b", b"b").marked() == b"b"
    with pytest.raises(VendorError):
        idle.merge(b"a", b"b", b"c")


def test_markers_name_the_sides_and_grow_when_the_content_has_some(merger: ContentMerger) -> None:
    labels = Labels(base="the base", ours="upstream 1", theirs="0001-x.patch")
    merged = merger.merge(lines("=======", "a"), lines("=======", "b"), lines("=======", "c"), labels)
    assert merged.marker_size == 8
    assert merged.marked() == lines(
        "=======", "<<<<<<<< upstream 1", "b", "|||||||| the base", "a", "========", "c", ">>>>>>>> 0001-x.patch"
    )
    assert has_markers(merged.marked(), 8)
    assert not has_markers(b"a = b << 7\n======= not one\n", 8)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_line_ends_survive(merger: ContentMerger, end: bytes) -> None:
    base = numbered(9).encode().replace(b"\n", end)
    merged = merger.merge(base, b"head" + end + base, base + b"tail" + end)
    assert merged.marked() == b"head" + end + base + b"tail" + end


def test_a_missing_final_newline_is_not_made_up(merger: ContentMerger) -> None:
    base = b"a\nb\nc\nd\ne"
    assert merger.merge(base, b"x\n" + base, base.replace(b"e", b"E")).marked() == b"x\na\nb\nc\nd\nE"
    conflict = merger.merge(b"a\nb", b"a\nb and up", b"a\nb and down")
    assert conflict.regions


def test_a_part_of_the_patch_that_landed_is_absorbed(merger: ContentMerger) -> None:
    merged = merger.merge(lines("a = 1", "b = 1"), lines("a = 2", "b = 1"), lines("a = 2", "b = 2"))
    assert merged.clean
    assert merged.absorbed == 1
    assert merged.marked() == lines("a = 2", "b = 2")


def test_upstream_going_further_than_the_patch_is_absorbed(merger: ContentMerger) -> None:
    merged = merger.merge(lines("a = 1", "b = 1"), lines("a = 2", "b = 2"), lines("a = 2", "b = 1"))
    assert merged.marked() == lines("a = 2", "b = 2")


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        (("a", "b"), (), ("z",)),  # upstream deleted what the patch rewrites
        (("a", "b"), ("b",), ("a = 2", "b")),  # deleted against changed
        (("a", "b"), ("b", "a = 2"), ("a = 2", "b = 2")),  # another order
        (("a", "b = 1"), ("b = 2",), ("z", "b = 2")),  # one line in common, another deleted against rewritten
        (("a = 1",), ("a = 2",), ("a = 3",)),
    ],
)
def test_what_is_no_part_stays_a_conflict(
    merger: ContentMerger, base: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]
) -> None:
    merged = merger.merge(lines(*base), lines(*ours), lines(*theirs))
    assert merged.regions or merged.marked() != lines(*theirs)
    assert not merged.absorbed


def test_pure_deletions_of_different_size_are_absorbed(merger: ContentMerger) -> None:
    merged = merger.merge(lines("a", "b", "c"), lines("b", "c"), lines("c"))
    assert merged.marked() == lines("c")


words = st.lists(st.sampled_from(["alpha = 1", "beta = 2", "gamma = 3", "", "    delta", "epsilon"]), max_size=8)


@given(base=words, ours=words, theirs=words)
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_contents_merge_as_git_merges_them(
    merger: ContentMerger, tmp_path: Path, base: list[str], ours: list[str], theirs: list[str]
) -> None:
    sides = {"ours": lines(*ours), "base": lines(*base), "theirs": lines(*theirs)}
    for name, content in sides.items():
        (tmp_path / name).write_bytes(content)
    command = ["git", "merge-file", "-p", "-q", *(str(tmp_path / name) for name in sides)]
    expected = subprocess.run(command, capture_output=True, check=False)
    merged = merger.merge(sides["base"], sides["ours"], sides["theirs"])
    if expected.returncode == 0:
        assert not merged.regions
        assert merged.choose(lambda region: region.ours) == expected.stdout
    elif merged.clean:
        assert merged.absorbed


def merge(shelf: Shelf, base: Tree, ours: Tree, theirs: Tree, merger: ContentMerger, **options: object) -> Merged:
    merged = merge_trees(base, ours, theirs, shelf.blobs, merger=merger, **options)  # type: ignore[arg-type]
    shelf.blobs.update(merged.blobs)
    return merged


def test_a_deletion_on_both_sides_has_landed(merger: ContentMerger) -> None:
    shelf = Shelf()
    base, gone = shelf.tree({"a": "1\n", "b": "1\n"}), shelf.tree({"b": "1\n"})
    merged = merge(shelf, base, gone, gone, merger)
    assert merged.tree == gone
    assert merged.landed == (b"a",)


def test_a_folder_may_take_the_place_of_a_file(merger: ContentMerger) -> None:
    shelf = Shelf()
    base, theirs = shelf.tree({"a": "1\n", "b": "1\n"}), shelf.tree({"a/inner": "1\n", "b": "1\n"})
    assert merge(shelf, base, base.replace({}), theirs, merger).tree == theirs


def test_a_rename_by_the_patch_carries_upstreams_edit(merger: ContentMerger) -> None:
    shelf = Shelf()
    base = shelf.tree({"a.py": numbered(9)})
    ours, theirs = shelf.tree({"a.py": "# up\n" + numbered(9)}), shelf.tree({"b.py": numbered(9) + "# down\n"})
    merged = merge(shelf, base, ours, theirs, merger, their_moves={b"a.py": b"b.py"})
    assert shelf.files(merged.tree) == {"b.py": "# up\n" + numbered(9) + "# down\n"}


def test_renames_to_different_places_conflict_and_to_the_same_do_not(merger: ContentMerger) -> None:
    shelf = Shelf()
    base, one, two = (shelf.tree({name: numbered(9)}) for name in ("a.py", "b.py", "c.py"))
    moves = {"our_moves": {b"a.py": b"b.py"}}
    split = merge(shelf, base, one, two, merger, their_moves={b"a.py": b"c.py"}, **moves)
    assert [(conflict.kind, conflict.suggestion) for conflict in split.conflicts] == [
        (ConflictKind.MOVED_BY_BOTH, b"c.py")
    ]
    same = merge(shelf, base, one, one, merger, their_moves={b"a.py": b"b.py"}, **moves)
    assert (same.tree, same.landed) == (one, (b"b.py",))


def test_a_file_moved_out_of_sight_says_where_it_went(merger: ContentMerger) -> None:
    shelf = Shelf()
    base, theirs = shelf.tree({"a.py": "1\n", "b": ""}), shelf.tree({"a.py": "2\n", "b": ""})
    merged = merge(shelf, base, shelf.tree({"b": ""}), theirs, merger, our_moves={b"a.py": b"lib/a.py"})
    assert [(conflict.kind, conflict.suggestion) for conflict in merged.conflicts] == [
        (ConflictKind.DELETED_UPSTREAM, b"lib/a.py")
    ]


def test_modes_merge_by_themselves(merger: ContentMerger) -> None:
    shelf = Shelf()
    base, ours, theirs = (shelf.tree({"a": put}) for put in ("1\n2\n3\n", executable("1\n2\n3\n"), "1\n2\nthree\n"))
    merged = merge(shelf, base, ours, theirs, merger)
    assert merged.tree == shelf.tree({"a": executable("1\n2\nthree\n")})
    assert merged.tree[b"a"].mode is Mode.EXECUTABLE


def test_links_are_never_merged_by_lines(merger: ContentMerger) -> None:
    shelf = Shelf()
    base, ours, theirs = (shelf.tree({"l": symlink(target)}) for target in ("a", "b", "c"))
    assert [conflict.kind for conflict in merge(shelf, base, ours, theirs, merger).conflicts] == [ConflictKind.BINARY]
    assert merge(shelf, base, base, theirs, merger).tree == theirs


def test_a_decision_settles_a_conflict(merger: ContentMerger) -> None:
    shelf = Shelf()
    base, ours, theirs = (shelf.tree({"a": text}) for text in ("1\n", "2\n", "3\n"))
    for wanted in (theirs[b"a"], None):
        merged = merge(shelf, base, ours, theirs, merger, settle=lambda _conflict, wanted=wanted: Settled(wanted))
        assert merged.conflicts == ()
        assert merged.tree.get(b"a") == wanted
    undecided = merge(shelf, base, ours, theirs, merger)
    assert undecided.tree == ours


class TestMoves:
    def find(self, old: dict[str, str], new: dict[str, str]) -> list[tuple[str, str]]:
        shelf = Shelf()
        moves = find_moves(shelf.tree(old), shelf.tree(new), shelf.blobs)
        return [(move.old.decode(), move.new.decode()) for move in moves]

    def test_identical_content_moves_to_the_same_base_name(self) -> None:
        text = numbered(9)
        assert self.find({"a/x.py": text}, {"b/y.py": text, "c/x.py": text}) == [("a/x.py", "c/x.py")]

    def test_similar_content_moves_and_other_content_does_not(self) -> None:
        text = numbered(20)
        new = {"n/x.py": text.replace("line_3 = 3", "line = three"), "n/z.py": numbered(20, word="other")}
        assert self.find({"x.py": text}, new) == [("x.py", "n/x.py")]
        assert self.find({"x.py": text}, {"n/x.py": numbered(20, word="other")}) == []

    def test_one_new_file_is_the_target_of_one_old_file(self) -> None:
        text = numbered(20)
        assert self.find({"x.py": text, "y.py": text + "# y\n"}, {"n/x.py": text}) == [("x.py", "n/x.py")]

    def test_a_kept_base_name_wins_over_a_better_match(self) -> None:
        text = numbered(20)
        new = {"n/x.py": text + "# new\n" * 3, "n/other.py": text + "# new\n"}
        assert self.find({"x.py": text}, new) == [("x.py", "n/x.py")]

    def test_empty_files_and_kinds_do_not_match(self) -> None:
        shelf = Shelf()
        assert self.find({"__init__.py": ""}, {"n/__init__.py": ""}) == []
        old, new = shelf.tree({"a": "target"}), shelf.tree({"b": symlink("target")})
        assert find_moves(old, new, shelf.blobs) == ()

    def test_missing_contents_leave_identical_ones_found(self) -> None:
        shelf = Shelf()
        old, new = shelf.tree({"a": "1\n", "b": numbered(9)}), shelf.tree({"n/a": "1\n", "n/b": numbered(8)})
        assert find_moves(old, new, {}) == (Move(b"a", b"n/a", 100),)
        assert compared_contents(old, new) == set(shelf.blobs)
