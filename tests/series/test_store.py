# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The folder of a series, and its comparison with the lock: each mistake has its own rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from support.small_workspace import SmallWorkspace
from support.trees import tree
from vendorctl.errors import VendorError
from vendorctl.model import Severity
from vendorctl.series.lint import lint_series
from vendorctl.series.stack import Series
from vendorctl.series.store import dump_series_file, load_series, next_number, survey_series
from vendorctl.series.verify import prove_series

LINES = [f"line {number}\n" for number in range(60)]


def state(*numbers: int) -> dict[str | bytes, str | bytes]:
    return {"a.py": "".join(f"changed {n}\n" if n in numbers else line for n, line in enumerate(LINES))}


@pytest.fixture
def desk(workspace: Path) -> SmallWorkspace:
    states = [state(5), state(5, 20), state(5, 20, 40)]
    return SmallWorkspace(workspace, state(), tuple(states)).write()


def names(desk: SmallWorkspace) -> list[str]:
    return [patch.file_name for patch in desk.applied.series.patches]


def rules(desk: SmallWorkspace) -> list[str]:
    report = prove_series(desk.root, desk.locked, desk.contents).report
    return sorted({finding.rule for finding in report.findings if finding.severity is Severity.ERROR})


def test_an_untouched_series_is_proven(desk: SmallWorkspace) -> None:
    proof = prove_series(desk.root, desk.locked, desk.contents)
    assert proof.report.findings == ()
    assert proof.report.counts == {"patches": 3}
    assert proof.applied is not None
    assert proof.applied.trees == desk.applied.trees
    assert load_series(desk.root, "up") == desk.applied.series


def test_no_folder_is_an_empty_series(workspace: Path) -> None:
    assert load_series(workspace, "up") == Series("up", ())


def test_number_order_not_name_order(workspace: Path) -> None:
    states = tuple(state(*range(count)) for count in range(1, 12))
    desk = SmallWorkspace(workspace, state(), states).write()
    big = replace(desk.applied.series.patches[-1], number=10000)
    (desk.patches / names(desk)[-1]).rename(desk.patches / big.file_name)
    series = Series("up", (*desk.applied.series.patches[:-1], big))
    (desk.patches / "series").write_bytes(dump_series_file(series))
    assert [patch.number for patch in load_series(workspace, "up").patches] == [*range(1, 11), 10000]
    assert next_number(load_series(workspace, "up")) == 10001


def edit(desk: SmallWorkspace) -> None:
    file = desk.patches / names(desk)[1]
    file.write_bytes(file.read_bytes().replace(b"Reason: a test", b"Reason: another"))


def edit_hunk(desk: SmallWorkspace) -> None:
    file = desk.patches / names(desk)[1]
    file.write_bytes(file.read_bytes().replace(b"+changed 20", b"+changed 2O"))


def truncate(desk: SmallWorkspace) -> None:
    file = desk.patches / names(desk)[1]
    file.write_bytes(file.read_bytes()[:-5])


def remove_file(desk: SmallWorkspace) -> None:
    (desk.patches / names(desk)[1]).unlink()


def remove_line(desk: SmallWorkspace) -> None:
    relist(desk, [names(desk)[0], names(desk)[2]])


def remove_both(desk: SmallWorkspace) -> None:
    remove_file(desk)
    remove_line(desk)


def rename(desk: SmallWorkspace, old: str, new: str) -> None:
    (desk.patches / old).rename(desk.patches / new)


def relist(desk: SmallWorkspace, wanted: list[str]) -> None:
    (desk.patches / "series").write_text("".join(f"{name}\n" for name in wanted))


def renumber(desk: SmallWorkspace) -> None:
    first, second, third = names(desk)
    rename(desk, third, "0007-change-number-3.patch")
    relist(desk, [first, second, "0007-change-number-3.patch"])


def same_number(desk: SmallWorkspace) -> None:
    first, second, third = names(desk)
    rename(desk, third, "0002-change-number-3.patch")
    relist(desk, [first, second, "0002-change-number-3.patch"])


def swap_contents(desk: SmallWorkspace) -> None:
    first, second, _ = (desk.patches / name for name in names(desk))
    one, two = first.read_bytes(), second.read_bytes()
    first.write_bytes(two)
    second.write_bytes(one)


def swap_lines(desk: SmallWorkspace) -> None:
    first, second, third = names(desk)
    relist(desk, [second, first, third])


def duplicate(desk: SmallWorkspace) -> None:
    copy = "0004-again.patch"
    (desk.patches / copy).write_bytes((desk.patches / names(desk)[2]).read_bytes())
    relist(desk, [*names(desk), copy])


def twice_in_list(desk: SmallWorkspace) -> None:
    relist(desk, [*names(desk), names(desk)[0]])


def add(desk: SmallWorkspace) -> None:
    patch = desk.patch(4, desk.applied.patched, tree(state(5, 20, 40, 50), desk.contents), "New")
    (desk.patches / patch.file_name).write_bytes(patch.raw)
    relist(desk, [*names(desk), patch.file_name])


def add_unlisted(desk: SmallWorkspace) -> None:
    (desk.patches / "0004-x.patch").write_bytes(b"not yet a patch")


def odd_name(desk: SmallWorkspace) -> None:
    rename(desk, names(desk)[2], "fix.patch")
    relist(desk, [*names(desk)[:2], "fix.patch"])


def link(desk: SmallWorkspace) -> None:
    (desk.patches / "0004-link.patch").symlink_to(names(desk)[0])


def escape(desk: SmallWorkspace) -> None:
    relist(desk, [*names(desk), "../../etc/passwd"])


def strip_option(desk: SmallWorkspace) -> None:
    relist(desk, [f"{name} -p0" for name in names(desk)])


@pytest.mark.parametrize(
    ("tamper", "expected"),
    [
        (edit, ["VC215"]),
        (edit_hunk, ["VC212", "VC215"]),
        (truncate, ["VC207"]),
        (remove_file, ["VC201", "VC216"]),
        (remove_line, ["VC202"]),
        (remove_both, ["VC211", "VC216"]),
        (renumber, ["VC218"]),
        (same_number, ["VC204", "VC216"]),
        (swap_contents, ["VC211", "VC219"]),
        (swap_lines, ["VC203"]),
        (duplicate, ["VC210", "VC220"]),
        (twice_in_list, ["VC203"]),
        (add, ["VC217"]),
        (add_unlisted, ["VC202", "VC207"]),
        (odd_name, ["VC206", "VC216"]),
        (link, ["VC206"]),
        (escape, ["VC206"]),
        (strip_option, ["VC203"]),
    ],
)
def test_each_mistake_has_its_rule(
    desk: SmallWorkspace, tamper: Callable[[SmallWorkspace], None], expected: list[str]
) -> None:
    assert rules(desk) == []
    tamper(desk)
    assert rules(desk) == expected
    report = prove_series(desk.root, desk.locked, desk.contents).report
    for finding in report.findings:
        assert finding.location is not None
        assert finding.location.path.startswith("patches/up/")
        assert finding.upstream == "up"


def test_loading_refuses_what_surveying_finds(desk: SmallWorkspace) -> None:
    remove_file(desk)
    with pytest.raises(VendorError) as caught:
        load_series(desk.root, "up")
    assert caught.value.location is not None
    assert (caught.value.location.path, caught.value.location.line) == ("patches/up/series", 2)
    assert caught.value.hint


def test_a_gap_in_the_numbers_is_only_a_note_of_lint(desk: SmallWorkspace) -> None:
    renumber(desk)
    series, findings = survey_series(desk.root, "up")
    assert findings == ()
    assert len(series.patches) == 3
    notes = [finding for finding in lint_series(series).findings if finding.rule == "VC205"]
    assert [(str(note.location), note.severity) for note in notes] == [
        ("patches/up/0007-change-number-3.patch", Severity.NOTE)
    ]


def test_a_folder_that_is_a_link_is_not_followed(desk: SmallWorkspace) -> None:
    desk.patches.rename(desk.root / "elsewhere")
    desk.patches.symlink_to(desk.root / "elsewhere")
    series, findings = survey_series(desk.root, "up")
    assert series.patches == ()
    assert ("VC206", "patches/up") in [(finding.rule, str(finding.location)) for finding in findings]


def test_a_series_that_cannot_be_read_is_counted_as_not_applied(desk: SmallWorkspace) -> None:
    truncate(desk)
    proof = prove_series(desk.root, desk.locked, desk.contents)
    assert proof.applied is None
    assert proof.report.counts == {"patches": 2, "patches not applied": 2}


def test_comments_and_p1_in_series_are_quilts(desk: SmallWorkspace) -> None:
    listed = "# a comment\n\n" + "".join(f"{name} -p1 # why\n" for name in names(desk))
    (desk.patches / "series").write_text(listed)
    assert load_series(desk.root, "up") == desk.applied.series


def test_an_edited_lock_is_told_from_an_edited_patch(desk: SmallWorkspace) -> None:
    entries = desk.locked.series
    wrong_tree = replace(entries[1], tree=entries[0].tree)
    desk.locked = replace(desk.locked, series=(entries[0], wrong_tree, entries[2]))
    assert rules(desk) == ["VC221"]
    desk.locked = replace(desk.locked, series=(entries[1], entries[0], entries[2]))
    assert rules(desk) == ["VC219"]
    desk.locked = replace(desk.locked, series=entries[:2])
    assert rules(desk) == ["VC217"]
    desk.locked = replace(desk.locked, series=(replace(entries[0], sha256="0" * 64), *entries[1:]))
    assert rules(desk) == ["VC215"]


def test_a_pristine_tree_that_is_not_there_is_counted_not_passed(desk: SmallWorkspace) -> None:
    proof = prove_series(desk.root, desk.locked, {})
    assert proof.applied is None
    assert proof.report.counts == {"patches": 3, "patches not applied": 3}
    assert "was not applied" in proof.report.notes[0]
    edit(desk)
    assert [finding.rule for finding in prove_series(desk.root, desk.locked, {}).report.findings] == ["VC215"]
