# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What became of patches upstream: planted cases with known answers, told from history alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from support.chains import numbered
from support.repo import Changes, repo
from support.workspace import Workspace, make_workspace
from vendorctl.git.oid import Oid
from vendorctl.sample import edits, history
from vendorctl.submit.tracking import pull_request

BASE = numbered(40)
FIXED = numbered(40, {5: "value_five = compute(5)\nvalue_more = compute(6)\n"})
TITLE = "Compute the fifth value"


def case(folder: Path, after: Sequence[Changes], messages: Sequence[str] = (), patched: str = FIXED) -> Workspace:
    """A workspace that changed ``k/a.py`` at the first commit, and upstream's commits since then."""
    upstream: Changes = {"k/a.py": BASE, "k/b.py": "other = 1\n"}
    space = make_workspace(folder, upstream, track="main")
    space.sync()
    space.record(TITLE, {"k/a.py": patched})
    space.upstream.add_commits(list(after), messages=list(messages))
    return space


def fate(space: Workspace, *words: str) -> dict[str, Any]:
    """What is known of the only patch."""
    (patch,) = space.must("submit", "--check", "--format", "json", *words).json()["upstreams"]["up"]["patches"]
    assert isinstance(patch, dict)
    return patch


def verdict(space: Workspace, *words: str) -> tuple[str, Oid | None]:
    """Its fate and the commit behind it."""
    found = fate(space, *words)
    return found["fate"], None if found["commit"] is None else Oid.parse(found["commit"])


OTHER: Changes = {"k/b.py": "other = 2\n"}


def test_nothing_happened(tmp_path: Path) -> None:
    assert verdict(case(tmp_path, [OTHER])) == ("open", None)


def test_it_landed_as_it_is(tmp_path: Path) -> None:
    space = case(tmp_path, [OTHER, {"k/a.py": FIXED}, {"k/a.py": FIXED + "after = 1\n"}])
    assert verdict(space) == ("landed", space.upstream.commits[2])


def test_it_landed_in_another_spelling(tmp_path: Path) -> None:
    other = FIXED.replace("compute(5)", "compute(\n    5,\n)").replace("compute(6)", "( compute( 6 ) )")
    space = case(tmp_path, [OTHER, {"k/a.py": other}])
    found = fate(space)
    assert (found["fate"], found["commit"]) == ("landed", str(space.upstream.commits[2]))
    assert found["grounds"] == ["the same syntax tree"]


def test_it_landed_in_a_file_that_moved(tmp_path: Path) -> None:
    space = case(tmp_path, [{"k/a.py": None, "deep/er/a.py": BASE}, {"deep/er/a.py": FIXED}])
    assert verdict(space) == ("landed", space.upstream.commits[2])


def test_it_landed_and_was_changed_again(tmp_path: Path) -> None:
    again = FIXED.replace("compute(5)", "derive(5)").replace("value_more", "value_most")
    space = case(tmp_path, [{"k/a.py": FIXED}, OTHER, {"k/a.py": again}])
    assert verdict(space) == ("landed", space.upstream.commits[1])
    assert space.upstream.commits[3].short in space.run("submit", "--check").out


def test_a_part_of_it_landed(tmp_path: Path) -> None:
    both = numbered(40, {5: "value_five = compute(5)\n", 30: "value_thirty = compute(30)\n"})
    space = case(tmp_path, [{"k/a.py": numbered(40, {5: "value_five = compute(5)\n"})}], patched=both)
    assert verdict(space)[0] == "partly-landed"


def test_upstream_did_the_same_in_other_words_under_its_title(tmp_path: Path) -> None:
    other: Changes = {"k/a.py": numbered(40, {5: "fifth = derive(5)\n"})}
    space = case(tmp_path, [OTHER, other], ["Unrelated", f"{TITLE} (#12)\n\nNot ours."])
    found = fate(space)
    assert (found["fate"], found["commit"]) == ("rewritten", str(space.upstream.commits[2]))
    assert found["grounds"] == ["an upstream commit has its title"]


@pytest.mark.parametrize("subject", ["Something else (#12)", "Merge pull request #12 from us/branch"])
def test_the_pull_request_that_it_names_was_merged(tmp_path: Path, subject: str) -> None:
    other: Changes = {"k/a.py": numbered(40, {5: "fifth = derive(5)\n"})}
    space = case(tmp_path, [OTHER, other], ["Unrelated (#11)", subject])
    assert verdict(space)[0] == "conflict"
    space.must("submit", "1", "--sent", "https://forge.example.org/them/up/pull/12")
    assert verdict(space) == ("rewritten", space.upstream.commits[2])
    space.must("submit", "1", "--sent", "https://forge.example.org/them/up/pull/11/files")
    assert verdict(space)[0] == "conflict"


def test_most_of_its_lines_are_upstream(tmp_path: Path) -> None:
    theirs = BASE.replace("line_5 = 5\n", "value_five = compute(5)\nvalue_more = compute(6)\nextra = compute(7)\n")
    theirs = theirs.replace("line_4 = 4\n", "").replace("line_6 = 6\n", "")
    space = case(tmp_path, [OTHER, {"k/a.py": theirs}])
    assert verdict(space) == ("rewritten", space.upstream.commits[2])


def test_lines_that_were_there_before_prove_nothing(tmp_path: Path) -> None:
    """The patch adds lines that the file has elsewhere; upstream changed the place."""
    patched = numbered(40, {5: "line_20 = 20\nline_21 = 21\n"})
    space = case(tmp_path, [{"k/a.py": numbered(40, {5: "fifth = derive(5)\n"})}], patched=patched)
    assert verdict(space)[0] == "conflict"


def test_the_code_is_gone(tmp_path: Path) -> None:
    space = case(tmp_path, [{"k/a.py": "".join(f"new_code_{i} = {i}\n" for i in range(30))}])
    assert verdict(space)[0] == "superseded"
    removed = case(tmp_path / "removed", [OTHER, {"k/a.py": None}])
    assert verdict(removed) == ("superseded", removed.upstream.commits[2])


def test_it_would_conflict_today(tmp_path: Path) -> None:
    space = case(tmp_path, [OTHER, {"k/a.py": numbered(40, {5: "fifth = derive(5)\n"})}, OTHER])
    assert verdict(space) == ("conflict", space.upstream.commits[2])
    assert ("VC240", "patches/up/0001-compute-the-fifth-value.patch") in space.run(
        "submit", "--check", "--format", "json"
    ).findings()


def test_it_is_looked_for_on_the_branch_that_is_named(tmp_path: Path) -> None:
    space = case(tmp_path, [OTHER])
    space.upstream.commit({"k/a.py": FIXED}, branch="next", parents=[space.upstream.commits[0]])
    assert verdict(space)[0] == "open"
    assert verdict(space, "--onto", "next")[0] == "landed"


def test_what_landed_is_recorded_in_the_patch_and_only_once(tmp_path: Path) -> None:
    space = case(tmp_path, [{"k/a.py": FIXED}])
    told = space.run("submit", "--check", "--format", "json").findings()
    assert told == {("VC290", "patches/up/0001-compute-the-fifth-value.patch")}
    space.must("submit", "--check", "--record")
    assert fate(space)["applied_upstream"] == str(space.upstream.commits[1])
    assert space.run("submit", "--check", "--format", "json").findings() == set()
    assert space.must("verify").code == 0
    before = (space.patches / "0001-compute-the-fifth-value.patch").read_bytes()
    space.must("submit", "--check", "--record")
    assert (space.patches / "0001-compute-the-fifth-value.patch").read_bytes() == before


def test_a_wrong_claim_is_told(tmp_path: Path) -> None:
    space = case(tmp_path, [OTHER])
    space.must("submit", "1", "--landed", "v1.2")
    assert space.run("submit", "--check", "--format", "json").findings() == {
        ("VC293", "patches/up/0001-compute-the-fifth-value.patch")
    }


def test_a_reverted_patch_has_not_landed(tmp_path: Path) -> None:
    space = case(tmp_path, [{"k/a.py": FIXED}, {"k/a.py": BASE}])
    assert verdict(space) == ("open", None)


def test_a_patch_that_was_taken_back_is_told_as_such(tmp_path: Path) -> None:
    messages = [f"{TITLE} (#3)", f'Revert "{TITLE} (#3)" (#4)']
    space = case(tmp_path, [{"k/a.py": FIXED}, {"k/a.py": BASE}, OTHER], messages)
    assert verdict(space) == ("reverted", space.upstream.commits[1])


def test_three_quarters_of_a_patch_are_a_part_of_it(tmp_path: Path) -> None:
    changes = {number: f"value_{number} = compute({number})\n" for number in (5, 15, 25, 35)}
    landed = {number: text for number, text in changes.items() if number != 35}
    space = case(tmp_path, [{"k/a.py": numbered(40, landed)}], patched=numbered(40, changes))
    assert verdict(space)[0] == "partly-landed"


@pytest.mark.parametrize(
    ("forwarded", "upstream", "number"),
    [
        ("https://github.com/Them/Up/pull/7", "https://github.com/them/up.git", 7),
        ("https://github.com/them/up/pull/7/files", "git@github.com:them/up.git", 7),
        ("https://gitlab.example.org/g/sub/up/-/merge_requests/8", "https://gitlab.example.org/g/sub/up", 8),
        ("https://github.com/fork/up/pull/7", "https://github.com/them/up.git", None),
        ("https://forge.example.org/pull/9", "../upstream", 9),
        ("https://lists.example.org/archive/123", "https://github.com/them/up.git", None),
        ("no", "https://github.com/them/up.git", None),
    ],
)
def test_a_pull_request_counts_for_its_own_repository(forwarded: str, upstream: str, number: int | None) -> None:
    assert pull_request(forwarded, upstream) == number


def test_the_sample_fix_is_recognised_in_upstreams_own_form(tmp_path: Path) -> None:
    """minikernels took the barrier in another spelling, and epsilon after it had moved the file."""
    sample = history.write(tmp_path / "sample")
    space = Workspace(tmp_path, repo(tmp_path / "unused"))
    space.root.mkdir()
    space.describe(sample.tags["v0.1.0"], url="../sample", track="main", include='["minikernels/**"]')
    space.sync()
    for edit in edits.all():
        space.edit({path: content.decode() for path, content in edit.files.items()})
        space.must("patch", "record", "up", "--title", edit.title, "--reason", edit.reason)
    rows = space.must("submit", "--check", "--format", "json").json()["upstreams"]["up"]["patches"]
    assert [(row["fate"], row["subject"]) for row in rows] == [
        ("landed", "RMSNorm: take epsilon at run time (#22)"),
        ("landed", "Wait before the reduction slots are used again"),
        ("conflict", "RMSNorm: separate input and output element types (#16)"),
    ]
