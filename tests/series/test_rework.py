# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reworking a series: later patches are carried over, untouched ones keep their bytes, and nothing is half done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.chains import Shelf, numbered
from support.repo import Content
from support.small_workspace import SmallWorkspace, notices
from vendorctl.errors import ExitCode, VendorError
from vendorctl.series.authoring import Rework, plan_refresh, plan_rework, rework_report, stage_rework
from vendorctl.series.content import ContentMerger
from vendorctl.series.editing import load_editing, stage_editing, stage_editing_end
from vendorctl.series.rework import drop_patch, fold_edits, move_patch, refresh_with
from vendorctl.series.split import parts_of, split_by, split_patch
from vendorctl.series.stack import Applied
from vendorctl.series.workspace import load_standing, locked_upstream
from vendorctl.workspace.lockfile import load_lock
from vendorctl.workspace.transaction import Transaction

BASE = {"a.py": numbered(30), "b.py": numbered(30, word="b")}


def state(**changes: dict[int, str]) -> dict[str, str]:
    words = {"a": "line", "b": "b"}
    return {f"{name}.py": numbered(30, changes.get(name, {}), word=word) for name, word in words.items()}


THREE = (
    state(a={5: "five\n"}),
    state(a={5: "five\n", 15: "fifteen\n"}),
    state(a={5: "five\n", 15: "fifteen\n", 25: "twentyfive\n"}),
)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def chain(shelf: Shelf) -> Applied:
    return shelf.chain(BASE, *THREE)


def rework(shelf: Shelf, action: Callable[[ContentMerger], Applied]) -> tuple[Applied, dict[str, str]]:
    with ContentMerger() as merger:
        result = action(merger)
    shelf.blobs.update(result.blobs)
    return result, shelf.files(result.patched)


def names(chain: Applied) -> list[str]:
    return [patch.file_name for patch in chain.series.patches]


def test_dropping_a_patch_keeps_the_others(shelf: Shelf, chain: Applied) -> None:
    result, files = rework(shelf, lambda merger: drop_patch(2, chain, shelf.blobs, merger))
    assert names(result) == ["0001-local-change-1.patch", "0003-local-change-3.patch"]
    assert files == state(a={5: "five\n", 25: "twentyfive\n"})
    assert result.series.patches[0].raw == chain.series.patches[0].raw


def test_dropping_the_only_patch_leaves_the_pristine_tree(shelf: Shelf) -> None:
    chain = shelf.chain(BASE, THREE[0])
    result, files = rework(shelf, lambda merger: drop_patch(1, chain, shelf.blobs, merger))
    assert (names(result), files) == ([], BASE)


def test_a_patch_that_a_later_one_needs_is_not_dropped(shelf: Shelf) -> None:
    chain = shelf.chain(BASE, state(a={5: "five\n"}), state(a={5: "five and more\n"}))
    with pytest.raises(VendorError) as caught:
        rework(shelf, lambda merger: drop_patch(1, chain, shelf.blobs, merger))
    assert caught.value.code is ExitCode.CONFLICT
    assert "0002-local-change-2.patch" in caught.value.message


@pytest.mark.parametrize(("number", "to", "order"), [(3, 1, [3, 1, 2]), (1, 3, [2, 3, 1]), (2, 2, [1, 2, 3])])
def test_moving_reorders_and_keeps_the_numbers(
    shelf: Shelf, chain: Applied, number: int, to: int, order: list[int]
) -> None:
    result, files = rework(shelf, lambda merger: move_patch(number, to, chain, shelf.blobs, merger))
    assert names(result) == [f"{at:04d}-local-change-{patch}.patch" for at, patch in enumerate(order, 1)]
    assert files == THREE[-1]


def test_patches_that_depend_on_each_other_do_not_change_places(shelf: Shelf) -> None:
    chain = shelf.chain(BASE, state(a={5: "five\n"}), state(a={5: "five and more\n"}))
    with pytest.raises(VendorError) as caught:
        rework(shelf, lambda merger: move_patch(2, 1, chain, shelf.blobs, merger))
    assert caught.value.code is ExitCode.CONFLICT


def test_refreshing_an_early_patch_carries_the_later_ones(shelf: Shelf, chain: Applied) -> None:
    tree = shelf.tree(state(a={5: "FIVE\n", 6: "six\n"}))
    result, files = rework(shelf, lambda merger: refresh_with(chain, 1, tree, shelf.blobs, merger))
    assert files == state(a={5: "FIVE\n", 6: "six\n", 15: "fifteen\n", 25: "twentyfive\n"})
    assert names(result) == names(chain)
    assert b"Reason: the launcher needs it" in result.series.patches[0].raw


def test_refreshing_to_nothing_is_refused(shelf: Shelf, chain: Applied) -> None:
    with pytest.raises(VendorError, match="nothing is left"):
        rework(shelf, lambda merger: refresh_with(chain, 1, chain.trees[0], shelf.blobs, merger))


def test_edits_on_top_are_folded_into_an_earlier_patch(shelf: Shelf, chain: Applied) -> None:
    edited = {**THREE[-1], "b.py": numbered(30, {3: "bee\n"}, word="b")}
    tree = shelf.tree(edited)
    result, files = rework(shelf, lambda merger: fold_edits(chain, 1, tree, shelf.blobs, merger))
    assert files == edited
    assert [change.path for change in result.series.patches[0].changes] == [b"a.py", b"b.py"]
    assert [patch.raw for patch in result.series.patches[1:]] == [patch.raw for patch in chain.series.patches[1:]]


def test_edits_of_a_later_patch_do_not_fit_an_earlier_one(shelf: Shelf, chain: Applied) -> None:
    tree = shelf.tree(state(a={5: "five\n", 15: "fifteen and more\n", 25: "twentyfive\n"}))
    with pytest.raises(VendorError) as caught:
        rework(shelf, lambda merger: fold_edits(chain, 1, tree, shelf.blobs, merger))
    assert caught.value.code is ExitCode.CONFLICT


def test_splitting_by_hunk_and_by_file(shelf: Shelf) -> None:
    both = state(a={5: "five\n", 25: "twentyfive\n"}, b={3: "bee\n"})
    chain = shelf.chain(BASE, both, {**both, "c.py": "c\n"})
    assert len(parts_of(chain.series.patches[0])) == 3
    by_hunk, files = rework(shelf, lambda merger: split_by(1, (), (2,), "Second hunk", "", chain, shelf.blobs, merger))
    assert files == {**both, "c.py": "c\n"}
    assert names(by_hunk) == ["0001-second-hunk.patch", "0002-local-change-1.patch", "0003-local-change-2.patch"]
    assert shelf.files(by_hunk.trees[1]) == state(a={25: "twentyfive\n"})
    assert by_hunk.series.patches[0].trailers.reason == "the launcher needs it"
    by_file, _ = rework(
        shelf, lambda merger: split_by(1, ("b.py",), (), "Only b", "b needs it", chain, shelf.blobs, merger)
    )
    assert shelf.files(by_file.trees[1]) == state(b={3: "bee\n"})
    assert by_file.series.patches[0].trailers.reason == "b needs it"


def test_a_split_needs_two_sides_and_known_parts(shelf: Shelf, chain: Applied) -> None:
    part = parts_of(chain.series.patches[0])
    for action in (
        lambda merger: split_patch(chain, 1, part, "All", "r", shelf.blobs, merger),
        lambda merger: split_by(1, ("missing.py",), (), "None", "", chain, shelf.blobs, merger),
        lambda merger: split_by(1, (), (7,), "None", "", chain, shelf.blobs, merger),
    ):
        with pytest.raises(VendorError) as caught:
            rework(shelf, action)
        assert caught.value.code is ExitCode.USAGE


def test_an_unknown_number_names_the_known_ones(shelf: Shelf, chain: Applied) -> None:
    with pytest.raises(VendorError) as caught:
        rework(shelf, lambda merger: drop_patch(9, chain, shelf.blobs, merger))
    assert caught.value.hint == "it has: 1, 2, 3"


def as_changes(files: dict[str, str]) -> dict[str | bytes, Content]:
    return dict(files.items())


@pytest.fixture
def workspace(tmp_path: Path) -> SmallWorkspace:
    return SmallWorkspace(tmp_path, as_changes(BASE), tuple(map(as_changes, THREE))).write()


def write(workspace: SmallWorkspace, planned: Rework) -> None:
    with Transaction(workspace.root, "patch") as tx:
        stage_rework(tx, planned)
        tx.commit()


def planned_drop(workspace: SmallWorkspace, number: int) -> Rework:
    def action(chain: Applied, blobs: object, merger: ContentMerger) -> Applied:
        return drop_patch(number, chain, blobs, merger)  # type: ignore[arg-type]  # a Blobs, as Reworker says

    return plan_rework(workspace.root, workspace.upstream, load_lock(workspace.root), notices, "drop", action)


def assert_consistent(workspace: SmallWorkspace, files: dict[str, str]) -> None:
    """The workspace holds these files, and lock, series and patched tree agree."""
    lock = load_lock(workspace.root)
    standing = load_standing(workspace.root, workspace.upstream, locked_upstream(lock, "up"), notices)
    shelf = Shelf({entry.oid: standing.blobs[entry.oid] for entry in standing.applied.patched.values()})
    assert shelf.files(standing.applied.patched) == files
    for path, text in files.items():
        assert text.splitlines()[-1] in (workspace.folder / path).read_text()
    listed = (workspace.patches / "series").read_text().split()
    assert listed == [patch.file_name for patch in standing.series.patches]
    assert sorted(file.name for file in workspace.patches.glob("*.patch")) == listed


def test_drop_in_a_workspace_moves_everything_together(workspace: SmallWorkspace) -> None:
    planned = planned_drop(workspace, 2)
    assert planned.removed == ["0002-change-number-2.patch"]
    assert rework_report(planned, dry_run=True).data["dry_run"] is True
    write(workspace, planned)
    assert_consistent(workspace, state(a={5: "five\n", 25: "twentyfive\n"}))


def test_unrecorded_edits_stop_a_drop(workspace: SmallWorkspace) -> None:
    file = workspace.folder / "b.py"
    file.write_text(file.read_text() + "mine\n")
    with pytest.raises(VendorError) as caught:
        planned_drop(workspace, 2)
    assert caught.value.code is ExitCode.FINDINGS
    assert "b.py" in caught.value.message


def test_an_edit_between_plan_and_commit_is_not_overwritten(workspace: SmallWorkspace) -> None:
    planned = planned_drop(workspace, 2)
    file = workspace.folder / "a.py"
    file.write_text(file.read_text() + "mine\n")
    with pytest.raises(VendorError):
        write(workspace, planned)
    assert file.read_text().endswith("mine\n")
    assert (workspace.patches / "0002-change-number-2.patch").exists()


def test_refresh_takes_edits_of_the_patched_tree(workspace: SmallWorkspace) -> None:
    file = workspace.folder / "b.py"
    file.write_text(file.read_text().replace("b_3 = 3", "bee"))
    write(workspace, plan_refresh(workspace.root, workspace.upstream, load_lock(workspace.root), notices, None))
    assert_consistent(workspace, state(a={5: "five\n", 15: "fifteen\n", 25: "twentyfive\n"}, b={3: "bee\n"}))
    with pytest.raises(VendorError, match="no file was edited"):
        plan_refresh(workspace.root, workspace.upstream, load_lock(workspace.root), notices, None)


def begin_edit(workspace: SmallWorkspace, number: int) -> Path:
    lock = load_lock(workspace.root)
    standing = load_standing(workspace.root, workspace.upstream, locked_upstream(lock, "up"), notices)
    with Transaction(workspace.root, "patch edit") as tx:
        stage_editing(tx, standing, number)
        tx.commit()
    return workspace.root / ".vendorctl/edit/up/tree"


def test_edit_then_refresh_reworks_an_early_patch(workspace: SmallWorkspace) -> None:
    tree = begin_edit(workspace, 1)
    assert (tree / "a.py").read_text() == THREE[0]["a.py"]
    (tree / "a.py").write_text(THREE[0]["a.py"].replace("five", "FIVE"))
    write(workspace, plan_refresh(workspace.root, workspace.upstream, load_lock(workspace.root), notices, None))
    assert_consistent(workspace, state(a={5: "FIVE\n", 15: "fifteen\n", 25: "twentyfive\n"}))
    assert not tree.exists()
    assert load_editing(workspace.root, "up") is None


def test_a_second_edit_and_a_wrong_number_are_refused(workspace: SmallWorkspace) -> None:
    begin_edit(workspace, 1)
    with pytest.raises(VendorError, match="being edited already"):
        begin_edit(workspace, 2)
    with pytest.raises(VendorError, match="not 0002"):
        plan_refresh(workspace.root, workspace.upstream, load_lock(workspace.root), notices, 2)


def test_giving_an_edit_up_leaves_no_trace(workspace: SmallWorkspace) -> None:
    tree = begin_edit(workspace, 1)
    (tree / "a.py").write_text("spoilt")
    with Transaction(workspace.root, "patch edit --abort") as tx:
        stage_editing_end(tx, "up")
        tx.commit()
    assert not tree.parent.exists()
    assert_consistent(workspace, THREE[-1])


def test_a_damaged_edit_state_says_how_to_go_on(workspace: SmallWorkspace) -> None:
    begin_edit(workspace, 1)
    (workspace.root / ".vendorctl/edit/up/state.json").write_text("{")
    with pytest.raises(VendorError) as caught:
        load_editing(workspace.root, "up")
    assert caught.value.hint == "`vendorctl patch edit up --abort` removes it"
