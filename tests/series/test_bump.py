# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A bump: unchanged, refreshed, landed (whole, in part, reformatted, reverted), in conflict; never applied twice."""

from __future__ import annotations

import pytest

from support.chains import Files, Shelf, numbered
from support.repo import executable, symlink
from vendorctl.series.bump import OutcomeKind
from vendorctl.series.landed import BY_SYNTAX, BY_WORDS
from vendorctl.series.merge import ConflictKind, Settled

GUARD = "def scale(x, factor):\n    return x * factor\n\n\ndef norm(x):\n    return x\n"


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def kinds(plan: object) -> list[str]:
    return [outcome.kind.value for outcome in plan.outcomes]  # type: ignore[attr-defined]


def test_an_untouched_patch_keeps_its_bytes(shelf: Shelf) -> None:
    old = shelf.chain({"a.py": numbered(9), "b.py": "b = 1\n"}, {"a.py": numbered(9, {5: "x\n"}), "b.py": "b = 1\n"})
    plan = shelf.bump(old, {"a.py": numbered(9), "b.py": "b = 2\n", "c.py": ""})
    assert kinds(plan) == ["unchanged"]
    assert plan.outcomes[0].new_raw == old.series.patches[0].raw
    assert plan.applied is not None
    assert shelf.files(plan.applied.patched) == {"a.py": numbered(9, {5: "x\n"}), "b.py": "b = 2\n", "c.py": ""}


def test_a_moved_context_is_refreshed_and_the_message_kept(shelf: Shelf) -> None:
    old = shelf.chain({"a.py": numbered(9)}, {"a.py": numbered(9, {5: "x = 5\n"})})
    plan = shelf.bump(old, {"a.py": "# head\n" + numbered(9)})
    assert kinds(plan) == ["refreshed"]
    new, before = plan.outcomes[0].new, old.series.patches[0]
    assert new is not None
    assert new.raw != before.raw
    assert new.raw.split(b"\ndiff --git ")[0] == before.raw.split(b"\ndiff --git ")[0]
    assert plan.applied is not None
    assert shelf.files(plan.applied.patched) == {"a.py": "# head\n" + numbered(9, {5: "x = 5\n"})}


def test_bumping_again_changes_nothing_and_back_restores_every_byte(shelf: Shelf) -> None:
    first, second = {"a.py": numbered(20)}, {"a.py": numbered(20, {2: "new_2 = 2\nextra = 0\n"})}
    old = shelf.chain(first, {"a.py": numbered(20, {9: "x\n"})}, {"a.py": numbered(20, {9: "x\n", 16: "y\n"})})
    there = shelf.bump(old, second).applied
    assert there is not None
    again = shelf.bump(there, second)
    assert kinds(again) == ["unchanged", "unchanged"]
    back = shelf.bump(there, first).applied
    assert back is not None
    assert [patch.raw for patch in back.series.patches] == [patch.raw for patch in old.series.patches]
    assert back.trees == old.trees


def test_a_patch_that_landed_verbatim_leaves_the_series(shelf: Shelf) -> None:
    fixed = numbered(20, {9: "fixed = 9\n"})
    old = shelf.chain({"a.py": numbered(20)}, {"a.py": fixed}, {"a.py": numbered(20, {9: "fixed = 9\n", 15: "z\n"})})
    plan = shelf.bump(old, {"a.py": "# new head\n" + fixed})
    assert kinds(plan) == ["merged-upstream", "refreshed"]
    assert plan.outcomes[0].landed == (b"a.py",)
    assert plan.landed == (plan.outcomes[0],)
    assert plan.applied is not None
    assert [patch.number for patch in plan.applied.series.patches] == [2]
    expected = "# new head\n" + numbered(20, {9: "fixed = 9\n", 15: "z\n"})
    assert shelf.files(plan.applied.patched) == {"a.py": expected}


def test_a_patch_that_landed_and_was_reverted_is_still_ours(shelf: Shelf) -> None:
    old = shelf.chain({"a.py": numbered(20)}, {"a.py": numbered(20, {9: "fixed = 9\n"})})
    plan = shelf.bump(old, {"a.py": "# after the revert\n" + numbered(20)})
    assert kinds(plan) == ["refreshed"]


def test_a_patch_that_landed_reformatted_is_recognised_by_its_syntax(shelf: Shelf) -> None:
    ours = GUARD.replace("    return x * factor\n", "    check(x, 'scale', [1, 2])\n    return x * factor\n")
    upstream = GUARD.replace(
        "    return x * factor\n",
        '    # upstream words\n    check(\n        x, "scale", [1, 2],\n    )\n    return x * factor\n',
    )
    old = shelf.chain({"a.py": GUARD}, {"a.py": ours})
    plan = shelf.bump(old, {"a.py": upstream})
    assert kinds(plan) == ["merged-upstream"]
    assert plan.outcomes[0].by == (BY_SYNTAX,)
    assert plan.applied is not None
    assert shelf.files(plan.applied.patched) == {"a.py": upstream}


def test_other_languages_are_compared_without_white_space(shelf: Shelf) -> None:
    text = "int scale(int x) {\n  return x;\n}\n"
    old = shelf.chain({"a.hip": text}, {"a.hip": text.replace("  return x;", "  if (x < 0) return 0;\n  return x;")})
    upstream = text.replace("  return x;", "\tif ( x < 0 )\n\t\treturn 0;\n  return x;")
    plan = shelf.bump(old, {"a.hip": upstream})
    assert kinds(plan) == ["merged-upstream"]
    assert plan.outcomes[0].by == (BY_WORDS,)


def test_a_reformatted_landing_that_differs_in_meaning_is_a_conflict(shelf: Shelf) -> None:
    ours = GUARD.replace("    return x * factor\n", "    check(x, 1)\n    return x * factor\n")
    upstream = GUARD.replace("    return x * factor\n", "    check(\n        x, 2\n    )\n    return x * factor\n")
    plan = shelf.bump(shelf.chain({"a.py": GUARD}, {"a.py": ours}), {"a.py": upstream})
    assert kinds(plan) == ["conflict"]
    assert plan.applied is None


def test_a_patch_that_landed_in_part_keeps_its_remainder(shelf: Shelf) -> None:
    ours = numbered(30, {5: "five = 5\n", 25: "twenty_five = 25\n"})
    plan = shelf.bump(shelf.chain({"a.py": numbered(30)}, {"a.py": ours}), {"a.py": numbered(30, {5: "five = 5\n"})})
    assert kinds(plan) == ["partly-merged"]
    new = plan.outcomes[0].new
    assert new is not None
    assert len(new.changes[0].hunks) == 1
    assert plan.applied is not None
    assert shelf.files(plan.applied.patched) == {"a.py": ours}


def test_a_part_within_one_hunk_is_no_conflict(shelf: Shelf) -> None:
    ours = numbered(9, {4: "four = 4\n", 5: "five = 5\n"})
    plan = shelf.bump(shelf.chain({"a.py": numbered(9)}, {"a.py": ours}), {"a.py": numbered(9, {4: "four = 4\n"})})
    assert kinds(plan) == ["partly-merged"]
    assert plan.applied is not None
    assert shelf.files(plan.applied.patched) == {"a.py": ours}


def test_one_landed_file_of_two_is_a_part(shelf: Shelf) -> None:
    pristine, ours = {"a.py": numbered(9), "b.py": numbered(9)}, {"a.py": numbered(9, {3: "x\n"}), "b.py": "b\n"}
    plan = shelf.bump(shelf.chain(pristine, ours), {"a.py": numbered(9, {3: "x\n"}), "b.py": numbered(9)})
    assert kinds(plan) == ["partly-merged"]
    assert plan.outcomes[0].landed == (b"a.py",)
    new = plan.outcomes[0].new
    assert new is not None
    assert [change.path for change in new.changes] == [b"b.py"]


def test_a_patch_that_landed_elsewhere_in_the_file_is_not_applied_twice(shelf: Shelf) -> None:
    helper = "def clamp_to_range(value, low, high):\n    return max(low, min(value, high))\n"
    base = numbered(40)
    old = shelf.chain({"a.py": base}, {"a.py": helper + base})
    plan = shelf.bump(old, {"a.py": base + helper})
    assert kinds(plan) == ["conflict"]
    assert plan.stuck is not None
    assert plan.stuck.conflicts[0].kind is ConflictKind.ADDED_TWICE
    content = plan.stuck.conflicts[0].content
    assert content is not None
    assert helper.encode() in content.marked()


def test_a_common_line_is_no_sign_of_landing(shelf: Shelf) -> None:
    base = numbered(40)
    ours = "import collections.abc\n" + numbered(40, {20: "def mine():\n    return collections.abc.Mapping\n"})
    plan = shelf.bump(shelf.chain({"a.py": base}, {"a.py": ours}), {"a.py": base + "import collections.abc\n"})
    assert kinds(plan) == ["refreshed"]


def test_a_conflict_stops_with_the_workspace_of_values_untouched(shelf: Shelf) -> None:
    old = shelf.chain({"a.py": numbered(9)}, {"a.py": numbered(9, {5: "mine\n"})})
    plan = shelf.bump(old, {"a.py": numbered(9, {5: "theirs\n"})})
    assert plan.stuck is not None
    conflict = plan.stuck.conflicts[0]
    assert conflict.kind is ConflictKind.CONTENT
    assert conflict.content is not None
    assert (
        conflict.content.marked()
        == (
            numbered(4)
            + "<<<<<<< upstream\ntheirs\n||||||| base\nline_5 = 5\n=======\nmine\n>>>>>>> 0001-local-change-1.patch\n"
            + "".join(f"line_{n} = {n}\n" for n in range(6, 10))
        ).encode()
    )


def test_a_skipped_patch_is_left_out(shelf: Shelf) -> None:
    old = shelf.chain(
        {"a.py": numbered(9)}, {"a.py": numbered(9, {5: "x\n"})}, {"a.py": numbered(9, {1: "y\n", 5: "x\n"})}
    )
    plan = shelf.bump(old, {"a.py": numbered(9, {5: "theirs\n"})}, skip=frozenset({1}))
    assert kinds(plan) == ["skipped", "refreshed"]
    assert plan.applied is not None
    assert shelf.files(plan.applied.patched) == {"a.py": numbered(9, {1: "y\n", 5: "theirs\n"})}


def test_patches_follow_a_moved_and_edited_file(shelf: Shelf) -> None:
    old = shelf.chain({"norm.py": numbered(30)}, {"norm.py": numbered(30, {20: "mine = 20\n"})})
    plan = shelf.bump(old, {"norm/rms.py": numbered(30, {2: "moved = 2\n"})})
    assert kinds(plan) == ["refreshed"]
    assert [(move.old, move.new) for move in plan.moves] == [(b"norm.py", b"norm/rms.py")]
    new = plan.outcomes[0].new
    assert new is not None
    assert [change.path for change in new.changes] == [b"norm/rms.py"]
    assert plan.applied is not None
    assert shelf.files(plan.applied.patched) == {"norm/rms.py": numbered(30, {2: "moved = 2\n", 20: "mine = 20\n"})}


@pytest.mark.parametrize(
    ("ours", "upstream", "kind"),
    [
        ({"a.py": "mine\n"}, {"b.py": "other\n"}, ConflictKind.DELETED_UPSTREAM),
        ({}, {"a.py": numbered(9, {1: "theirs\n"})}, ConflictKind.DELETED_BY_PATCH),
        ({"a.py": numbered(9), "n.py": "mine\n"}, {"a.py": numbered(9), "n.py": "x\n"}, ConflictKind.ADDED_BY_BOTH),
        ({"a.py": symlink("n.py")}, {"a.py": numbered(9, {1: "theirs\n"})}, ConflictKind.TYPE),
        ({"a.py": b"\0mine"}, {"a.py": b"\0theirs"}, ConflictKind.BINARY),
        ({"a.py": numbered(9), "d": "file\n"}, {"a.py": numbered(9), "d/x": "x\n"}, ConflictKind.OCCUPIED),
    ],
)
def test_what_needs_a_person_is_a_conflict_of_its_kind(
    shelf: Shelf, ours: Files, upstream: Files, kind: ConflictKind
) -> None:
    plan = shelf.bump(shelf.chain({"a.py": numbered(9)}, ours), upstream)
    assert plan.stuck is not None
    assert [conflict.kind for conflict in plan.stuck.conflicts] == [kind]


def test_a_file_added_to_a_moved_folder_asks(shelf: Shelf) -> None:
    pristine = {"norm/a.py": numbered(9, word="a"), "norm/b.py": numbered(9, word="b")}
    upstream = {path.replace("norm/", "kernels/"): text for path, text in pristine.items()}
    plan = shelf.bump(shelf.chain(pristine, {**pristine, "norm/own.py": "own\n"}), upstream)
    assert plan.stuck is not None
    conflict = plan.stuck.conflicts[0]
    assert (conflict.kind, conflict.suggestion) == (ConflictKind.FOLDER_MOVED, b"kernels/own.py")


def test_modes_and_links_are_carried(shelf: Shelf) -> None:
    pristine: Files = {"run.sh": "echo 1\necho 2\necho 3\n", "l": symlink("a")}
    old = shelf.chain(pristine, {"run.sh": executable("echo 1\necho 2\necho 3\n"), "l": symlink("b")})
    plan = shelf.bump(old, {"run.sh": "echo 0\necho 2\necho 3\n", "l": symlink("a"), "more": ""})
    # A change of mode states no ids, so the file need not change although the content below it did.
    assert kinds(plan) == ["unchanged"]
    assert plan.applied is not None
    assert plan.applied.patched == shelf.tree(
        {"run.sh": executable("echo 0\necho 2\necho 3\n"), "l": symlink("b"), "more": ""}
    )


def test_reports_go_on_after_a_conflict(shelf: Shelf) -> None:
    old = shelf.chain(
        {"a.py": numbered(9), "b.py": "b\n"},
        {"a.py": numbered(9, {5: "mine\n"}), "b.py": "b\n"},
        {"a.py": numbered(9, {5: "mine\n"}), "b.py": "mine\n"},
    )
    plan = shelf.bump(old, {"a.py": numbered(9, {5: "theirs\n"}), "b.py": "b\n"}, halt=False)
    assert kinds(plan) == ["conflict", "unchanged"]
    assert plan.stuck is not None
    assert plan.stuck.position == 1


def test_outcomes_that_stay_are_those_with_a_file() -> None:
    assert [kind.value for kind in OutcomeKind if kind.keeps] == ["unchanged", "refreshed", "partly-merged"]


def test_a_later_patch_is_judged_as_if_the_conflict_were_resolved(shelf: Shelf) -> None:
    old = shelf.chain(
        {"a.py": numbered(9)},
        {"a.py": numbered(9, {5: "mine\n"})},
        {"a.py": numbered(9, {5: "mine and more\n"})},
    )
    plan = shelf.bump(old, {"a.py": numbered(9, {5: "theirs\n"})}, halt=False)
    assert kinds(plan) == ["conflict", "unchanged"]


def test_a_decision_to_drop_an_occupied_path_is_heard(shelf: Shelf) -> None:
    pristine: Files = {"a.py": numbered(9)}
    old = shelf.chain(pristine, {**pristine, "d": "file\n", "e": "e\n"})
    plan = shelf.bump(old, {**pristine, "d/x": "x\n"}, resolve=lambda _patch, _conflict: Settled(None))
    assert plan.applied is not None
    assert shelf.files(plan.applied.patched) == {**pristine, "d/x": "x\n", "e": "e\n"}
    stuck = shelf.bump(old, {**pristine, "d/x": "x\n"}, resolve=lambda _patch, conflict: Settled(conflict.theirs.entry))
    assert stuck.stuck is not None


def test_a_file_may_follow_its_moved_folder(shelf: Shelf) -> None:
    pristine = {"norm/a.py": numbered(9, word="a"), "norm/b.py": numbered(9, word="b")}
    upstream = {path.replace("norm/", "kernels/"): text for path, text in pristine.items()}
    old = shelf.chain(pristine, {**pristine, "norm/own.py": "own\n"})
    plan = shelf.bump(old, upstream, resolve=lambda _patch, conflict: Settled(conflict.theirs.entry))
    assert plan.applied is not None
    assert shelf.files(plan.applied.patched) == {**upstream, "kernels/own.py": "own\n"}
