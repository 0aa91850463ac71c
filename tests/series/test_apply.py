# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Exact application: what fits, what is refused and why, and agreement with `git apply --cached`."""

from __future__ import annotations

import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.kinds import LINES
from support.repo import Changes, Put, executable
from support.trees import Contents, tree
from vendorctl.git.oid import Oid
from vendorctl.git.scratch import scratch_repository
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.series.apply import apply_patch
from vendorctl.series.lines import split_lines
from vendorctl.series.misfit import ApplyError, Misfit
from vendorctl.series.parse import parse_patch
from vendorctl.series.patch import Patch, Trailers
from vendorctl.series.stack import Series, apply_series
from vendorctl.series.write import format_diff, write_patch

NAME = "0001-x.patch"


def make(old: Tree, new: Tree, contents: Contents, number: int = 1) -> Patch:
    return write_patch(old, new, contents, number=number, title="x", body="", author="", date="", trailers=Trailers())


def without_ids(patch: Patch) -> Patch:
    """The same hunks as a plain diff states them: no ids, no modes."""
    changes = tuple(replace(each, old_oid=None, new_oid=None, old_mode=None, new_mode=None) for each in patch.changes)
    return replace(patch, changes=changes)


def refusal(patch: Patch, files: Changes, contents: Contents) -> ApplyError:
    with pytest.raises(ApplyError) as caught:
        apply_patch(patch, tree(files, contents), contents)
    return caught.value


def edited(text: str, number: int) -> str:
    return text.replace(f"line {number}\n", f"line {number} changed\n")


@pytest.fixture
def contents() -> Contents:
    return {}


@pytest.fixture
def patch(contents: Contents) -> Patch:
    return make(tree({"a.py": LINES}, contents), tree({"a.py": edited(LINES, 20)}, contents), contents)


def test_already_applied(patch: Patch, contents: Contents) -> None:
    for candidate in (patch, without_ids(patch)):
        error = refusal(candidate, {"a.py": edited(LINES, 20)}, contents)
        assert error.misfit is Misfit.ALREADY_APPLIED
        assert error.path == b"a.py"
        assert "drop the patch" in (error.hint or "")


def test_already_applied_elsewhere_in_the_file(patch: Patch, contents: Contents) -> None:
    error = refusal(without_ids(patch), {"a.py": "new\n" * 9 + edited(LINES, 20)}, contents)
    assert error.misfit is Misfit.ALREADY_APPLIED
    assert "at other lines" in error.message


def test_drifted_by_an_offset(patch: Patch, contents: Contents) -> None:
    error = refusal(without_ids(patch), {"a.py": "new\nnew\n" + LINES}, contents)
    assert error.misfit is Misfit.DRIFTED
    assert "2 lines further down (line 19)" in error.message
    assert error.location is not None
    hunk_line = patch.raw.decode().split("\n").index("@@ -17,7 +17,7 @@ line 16") + 1
    assert (error.location.path, error.location.line) == (NAME, hunk_line)


def test_drifted_context(patch: Patch, contents: Contents) -> None:
    error = refusal(without_ids(patch), {"a.py": edited(LINES, 18)}, contents)
    assert error.misfit is Misfit.DRIFTED
    assert "line 18 should be `line 18`, but is `line 18 changed`" in error.message


def test_a_look_alike_function_is_not_edited(contents: Contents) -> None:
    """Fuzz and offsets would put this hunk into the second function of the same shape."""
    body = "    x = 1\n    y = 2\n    z = 3\n    return x\n"
    old = tree({"a.py": f"def f():\n{body}\ndef g():\n{body}"}, contents)
    new = tree({"a.py": f"def f():\n{body.replace('z = 3', 'z = 4')}\ndef g():\n{body}"}, contents)
    moved: Changes = {"a.py": f"\ndef h():\n    pass\n\ndef g():\n{body}"}
    error = refusal(without_ids(make(old, new, contents)), moved, contents)
    assert error.misfit is Misfit.DRIFTED


def test_hunks_that_fit_a_file_that_differs_elsewhere_are_refused(patch: Patch, contents: Contents) -> None:
    error = refusal(patch, {"a.py": edited(LINES, 2)}, contents)
    assert error.misfit is Misfit.DRIFTED
    assert "every hunk still fits" in error.message
    # The same hunks without ids do apply: it is the stated id that refuses.
    apply_patch(without_ids(patch), tree({"a.py": edited(LINES, 2)}, contents), contents)


def test_a_hunk_edited_by_hand_is_broken(patch: Patch, contents: Contents) -> None:
    for old, new in ((b"-line 20\n", b"-line XX\n"), (b"+line 20 changed\n", b"+line 20 chan9ed\n")):
        assert old in patch.raw
        forged = parse_patch(NAME, patch.raw.replace(old, new))
        assert refusal(forged, {"a.py": LINES}, contents).misfit is Misfit.BROKEN


def test_modes_must_match(contents: Contents) -> None:
    old, new = tree({"a": "x\n"}, contents), tree({"a": executable("x\n")}, contents)
    mode_only = make(old, new, contents)
    assert refusal(mode_only, {"a": executable("x\n")}, contents).misfit is Misfit.ALREADY_APPLIED
    both = make(new, tree({"a": executable("y\n")}, contents), contents)
    assert refusal(both, {"a": "x\n"}, contents).misfit is Misfit.DRIFTED


@pytest.mark.parametrize(
    ("before", "after", "target", "misfit"),
    [
        ({"k": "k"}, {"k": "k", "n": "n\n"}, {"k": "k", "n": "n\n"}, Misfit.ALREADY_APPLIED),
        ({"k": "k"}, {"k": "k", "n": "n\n"}, {"k": "k", "n": "other\n"}, Misfit.DRIFTED),
        ({"k": "k"}, {"k": "k", "n": "n\n"}, {"k": "k", "n/m": "n\n"}, Misfit.DRIFTED),
        ({"k": "k"}, {"k": "k", "n/m": "n\n"}, {"k": "k", "n": "n\n"}, Misfit.DRIFTED),
        ({"k": "k", "d": "d\n"}, {"k": "k"}, {"k": "k"}, Misfit.ALREADY_APPLIED),
        ({"k": "k", "d": "d\n"}, {"k": "k"}, {"k": "k", "d": "e\n"}, Misfit.DRIFTED),
        ({"a": LINES}, {"b": LINES}, {"b": LINES}, Misfit.ALREADY_APPLIED),
        ({"a": LINES}, {"b": LINES}, {"a": LINES, "b": "taken\n"}, Misfit.DRIFTED),
        ({"a": LINES}, {"b": LINES}, {"c": LINES}, Misfit.DRIFTED),
        ({"a": "a\n"}, {"a": "b\n"}, {"c": "c\n"}, Misfit.DRIFTED),
        ({"b": b"\0a"}, {"b": b"\0b"}, {"b": b"\0b"}, Misfit.ALREADY_APPLIED),
        ({"b": b"\0a"}, {"b": b"\0b"}, {"b": b"\0c"}, Misfit.DRIFTED),
    ],
)
def test_each_kind_of_refusal(
    before: Changes, after: Changes, target: Changes, misfit: Misfit, contents: Contents
) -> None:
    made = make(tree(before, contents), tree(after, contents), contents)
    assert apply_patch(made, tree(before, contents), contents)[0] == tree(after, contents)
    assert refusal(made, target, contents).misfit is misfit


def test_damaged_binary_data_is_broken(contents: Contents) -> None:
    old, new = tree({"b": b"\0" * 500}, contents), tree({"b": b"\0" * 500 + b"\1end"}, contents)
    raw = make(old, new, contents).raw
    line = next(line for line in raw.split(b"\n") if line.startswith((b"literal", b"delta")))
    forged = parse_patch(NAME, raw.replace(line, line.split()[0] + b" 7", 1))
    assert refusal(forged, {"b": b"\0" * 500}, contents).misfit is Misfit.BROKEN


def test_content_that_nobody_has_is_a_key_error(patch: Patch, contents: Contents) -> None:
    with pytest.raises(KeyError):
        apply_patch(patch, tree({"a.py": LINES}, contents), {})


def test_a_series_stops_at_the_first_patch_that_does_not_fit(contents: Contents) -> None:
    trees = [tree({"a.py": text}, contents) for text in (LINES, edited(LINES, 3), edited(edited(LINES, 3), 30))]
    first, second = make(trees[0], trees[1], contents), make(trees[1], trees[2], contents, number=2)
    applied = apply_series(trees[0], Series("up", (first, second)), contents)
    assert applied.trees == tuple(trees)
    assert applied.patched == trees[2]
    with pytest.raises(ApplyError) as caught:
        apply_series(trees[0], Series("up", (second, first)), contents)
    assert caught.value.location is not None
    assert caught.value.location.path == "patches/up/0002-x.patch"


# -- agreement with git ------------------------------------------------------------------------------------------------

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "b\n", "\n", "x y\n", "\r\n", "é\n"]), max_size=14).map("".join)
FILES = st.builds(lambda text, cut: text[:-1] if cut else text, TEXTS, st.booleans()).map(str.encode)
TREES = st.dictionaries(st.sampled_from(["a", "b b", "d/c"]), st.one_of(FILES, FILES.map(executable)), max_size=3)


def git_applies(diff: bytes, target: Tree, contents: Contents, *options: str) -> Tree | None:
    """What `git apply --cached` makes of `target`, by tree id; None when it refuses."""
    with scratch_repository() as scratch:
        scratch.add_tree(target, contents)
        index = Path(str(scratch.git.git_dir), "test-index")
        git = replace(scratch.git, index=index)
        git.exact("read-tree", str(target.oid))
        done = git.exact("apply", "--cached", "--whitespace=nowarn", *options, "-", stdin=diff, check=False)
        if not done.ok:
            return None
        return tree_of(git.exact("ls-files", "-s", "-z").stdout)


def tree_of(listing: bytes) -> Tree:
    rows = (row.split(b"\t", 1) for row in listing.split(b"\0") if row)
    return Tree(
        {path: Entry(Mode(facts.split()[0].decode()), Oid.parse(facts.split()[1].decode())) for facts, path in rows}
    )


@given(before=TREES, after=TREES, target=TREES)
def test_git_apply_agrees(before: Changes, after: Changes, target: Changes) -> None:
    contents: Contents = {}
    old, new, other = (tree(files, contents) for files in (before, after, target))
    if old == new:
        return
    patch = make(old, new, contents)
    assert apply_patch(patch, old, contents)[0] == new
    assert git_applies(patch.raw, old, contents) == new
    # Onto a third tree we may only be stricter than git, never different from it.
    try:
        mine = apply_patch(patch, other, contents)[0]
    except ApplyError:
        return
    assert git_applies(patch.raw, other, contents) == mine


@given(text=FILES, edit=FILES, context=st.integers(0, 4))
def test_diffs_of_any_context_width_apply(text: bytes, edit: bytes, context: int) -> None:
    contents: Contents = {}
    old, new = tree({"f": text}, contents), tree({"f": edit}, contents)
    if old == new:
        return
    with scratch_repository() as scratch:
        ids = [str(scratch.add_tree(side, contents)) for side in (old, new)]
        diff = scratch.git.exact("diff-tree", "-p", "--full-index", f"-U{context}", *ids).stdout
    assert apply_patch(parse_patch(NAME, diff), old, contents)[0] == new


@given(text=FILES, edit=FILES)
def test_diffs_of_gnu_diff_apply(text: bytes, edit: bytes) -> None:
    contents: Contents = {}
    old, new = tree({"f": text}, contents), tree({"f": edit}, contents)
    if old == new:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for side, content in (("a", text), ("b", edit)):
            (folder / side).mkdir()
            (folder / side / "f").write_bytes(content)
        diff = subprocess.run(["diff", "-u", "a/f", "b/f"], cwd=folder, capture_output=True, check=False).stdout
    result, _made = apply_patch(parse_patch(NAME, diff), old, contents)
    assert result == new


def test_split_lines_only_knows_newlines() -> None:
    assert split_lines(b"a\r\nb\x0cc\n\nd") == [b"a\r\n", b"b\x0cc\n", b"\n", b"d"]
    assert split_lines(b"") == []


def test_five_hundred_patches_apply_in_well_under_a_second() -> None:
    contents: Contents = {}
    names = [f"pkg{number % 20}/mod{number}.py" for number in range(500)]
    base: dict[str | bytes, str | bytes | Put | None] = dict.fromkeys(names, LINES * 5)
    change: Changes = {"pkg0/mod0.py": edited(LINES, 20) + LINES * 4}
    template = format_diff(tree({"pkg0/mod0.py": LINES * 5}, contents), tree(change, contents), contents)
    patches = [
        parse_patch(f"{number:04d}-x.patch", template.replace(b"pkg0/mod0.py", name.encode()))
        for number, name in enumerate(names, 1)
    ]
    start = time.perf_counter()
    applied = apply_series(tree(base, contents), Series("up", tuple(patches)), contents)
    elapsed = time.perf_counter() - start
    assert set(applied.patched.values()) == set(tree(change, contents).values())
    assert elapsed < 1.0
