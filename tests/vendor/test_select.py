# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a selection holds, and what it warns of."""

from __future__ import annotations

import dataclasses

import pytest

from support.repo import Changes, executable, gitlink, symlink
from support.trees import Contents, tree
from vendorctl.errors import Location, VendorError
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Tree
from vendorctl.model import Severity
from vendorctl.rules import RULES
from vendorctl.vendor.select import content_findings, escaping_links, on_disk, select, selection_findings
from vendorctl.workspace.manifest import Store, Upstream

COMMIT = Oid.parse("2" * 40)


@pytest.fixture
def contents() -> Contents:
    return {}


@pytest.fixture
def whole(contents: Contents) -> Tree:
    files: Changes = {
        "LICENSE": "L",
        "kernels/norm/a.py": "a",
        "kernels/norm/a_test.py": "t",
        "kernels/norm/run.sh": executable("r"),
        "kernels/gemm/b.py": "b",
        "kernels/norm/link": symlink("a.py"),
        "third/sub": gitlink(COMMIT),
        "docs/x.md": "x",
    }
    return tree(files, contents)


UPSTREAM = Upstream(
    name="up",
    url="u",
    pin=COMMIT,
    ref=None,
    track=None,
    include=(),
    exclude=(),
    license=None,
    store=Store.FETCH,
    output=None,
    places={"include": Location("VENDOR.yaml", 7, 5), "exclude": Location("VENDOR.yaml", 8, 5)},
)


def test_include_and_exclude(whole: Tree) -> None:
    chosen = select(whole, ["kernels/norm/**", "/LICENSE"], ["*_test.py"])
    assert list(chosen.tree) == [b"LICENSE", b"kernels/norm/a.py", b"kernels/norm/link", b"kernels/norm/run.sh"]
    assert chosen.tree[b"kernels/norm/run.sh"] == whole[b"kernels/norm/run.sh"]
    assert selection_findings(UPSTREAM, chosen) == []
    assert select(whole, [], []).tree == whole


def test_globs_without_effect_are_named_where_they_stand(whole: Tree) -> None:
    chosen = select(whole, ["docs/*", "kernel/**"], ["*.cu", "docs/y.md"])
    found = selection_findings(UPSTREAM, chosen)
    assert [(each.rule, each.severity, each.location) for each in found] == [
        ("VC110", Severity.ERROR, Location("VENDOR.yaml", 7, 5)),
        ("VC111", Severity.WARNING, Location("VENDOR.yaml", 8, 5)),
        ("VC111", Severity.WARNING, Location("VENDOR.yaml", 8, 5)),
    ]
    assert "kernel/**" in found[0].message


def test_a_selection_that_excludes_all_it_includes_is_an_error(whole: Tree) -> None:
    found = selection_findings(UPSTREAM, select(whole, ["docs/**"], ["*.md"]))
    assert [(each.rule, each.severity) for each in found] == [("VC110", Severity.ERROR)]


@pytest.mark.parametrize("glob", ["third/**", "third/sub", "third/sub/", "sub/", "**"])
def test_submodules_are_folders_that_are_recorded(whole: Tree, glob: str) -> None:
    chosen = select(whole, [glob], [])
    assert chosen.submodules == (b"third/sub",)
    assert chosen.tree[b"third/sub"].oid == COMMIT
    assert b"third/sub" not in on_disk(chosen.tree)
    assert [(each.rule, each.severity) for each in selection_findings(UPSTREAM, chosen)] == [("VC114", Severity.NOTE)]
    assert select(whole, ["**"], [glob]).submodules == ()


@pytest.mark.parametrize(
    "path",
    [b"a/.git/hooks/x", b"a/.GIT", b"git~1", b"con", b"a/nul.txt", b"c:/x", b"a\\b", b"a\nb", b"-\x1b[2J", b"x" * 300],
)
def test_paths_that_must_not_be_written(contents: Contents, path: bytes) -> None:
    chosen = select(tree({path: "x", "ok": "y"}, contents), [], [])
    found = selection_findings(UPSTREAM, chosen)
    assert [(each.rule, each.severity) for each in found] == [("VC112", Severity.ERROR)]
    assert found[0].message.isprintable()
    assert selection_findings(UPSTREAM, select(tree({path: "x", "ok": "y"}, contents), ["ok"], [])) == []


def test_names_that_are_one_on_some_disks(contents: Contents) -> None:
    files: Changes = {"d/A.py": "1", "d/a.py": "2", "E/x": "3", "e/y": "4", "caf\u00e9": "5", "cafe\u0301": "6"}
    found = selection_findings(UPSTREAM, select(tree(files, contents), [], []))
    assert [each.rule for each in found] == ["VC113"] * 3


def test_links_out_of_the_tree(contents: Contents) -> None:
    files: Changes = {
        "in": symlink("d/x"),
        "d/x": "x",
        "d/up": symlink("../in"),
        "d/out": symlink("../../etc/passwd"),
        "abs": symlink("/etc/passwd"),
        "self": symlink("."),
        "d/via": symlink("../self/../../out"),
        "dangling": symlink("nowhere"),
    }
    made = tree(files, contents)
    assert escaping_links(made, contents).keys() == {b"d/out", b"abs", b"d/via"}
    found = content_findings(UPSTREAM, made, contents, [b"big.bin"])
    assert sorted(each.rule for each in found) == ["VC115", "VC115", "VC115", "VC116"]
    assert all(each.rule in RULES for each in found)


def test_malformed_globs_are_errors(whole: Tree) -> None:
    with pytest.raises(VendorError):
        select(whole, ["ok", "[x"], [])
    with pytest.raises(VendorError):
        select(whole, ["**"], ["!ok"])


def test_places_default_to_the_entry(whole: Tree) -> None:
    bare = dataclasses.replace(UPSTREAM, places={"": Location("VENDOR.yaml", 3, 1)})
    found = selection_findings(bare, select(whole, ["nothing"], []))
    assert found[0].location == Location("VENDOR.yaml", 3, 1)
