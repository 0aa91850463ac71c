# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A tree is git's tree: same id, same differences, nothing that git would refuse."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vendorctl.git.oid import Oid, hash_blob, hash_object
from vendorctl.git.tree import EMPTY_TREE, Entry, Mode, Tree

#: Names that sort differently as files and as folders, and names of odd bytes.
NAMES = st.sampled_from(
    [b"a", b"a.b", b"a-", b"a0", b"ab", b"A", b"\xff", b"caf\xc3\xa9", b"a b", b'"', b"a\nb", b"-x"]
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(b"/".join)
ENTRIES = st.builds(Entry, st.sampled_from(list(Mode)), st.integers(0, 5).map(lambda number: hash_blob(b"%d" % number)))


def _without_clashes(files: dict[bytes, Entry]) -> dict[bytes, Entry]:
    """The files without those that stand inside another one."""
    return {path: entry for path, entry in files.items() if not any(path.startswith(each + b"/") for each in files)}


FILES = st.dictionaries(PATHS, ENTRIES, max_size=12).map(_without_clashes)


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judge")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def gits_id(judge: Path, files: dict[bytes, Entry]) -> str:
    rows = b"".join(
        b"%s %s\t%s\0" % (entry.mode.encode(), str(entry.oid).encode(), path) for path, entry in files.items()
    )
    subprocess.run(["git", "read-tree", "--empty"], cwd=judge, check=True)
    subprocess.run(["git", "update-index", "-z", "--index-info"], cwd=judge, input=rows, check=True)
    done = subprocess.run(["git", "write-tree", "--missing-ok"], cwd=judge, capture_output=True, check=True)
    return done.stdout.decode().strip()


@given(files=FILES)
def test_the_id_is_gits(judge: Path, files: dict[bytes, Entry]) -> None:
    tree = Tree(files)
    assert str(tree.oid) == gits_id(judge, files)
    assert dict(tree) == files
    assert list(tree) == sorted(files)


@given(before=FILES, after=FILES)
def test_differences_lead_from_one_to_the_other(before: dict[bytes, Entry], after: dict[bytes, Entry]) -> None:
    one, two = Tree(before), Tree(after)
    found = one.difference(two)
    assert found == {
        path: (before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    }
    there = one.replace({path: pair[1] for path, pair in found.items()})
    assert (there, dict(there)) == (two, after)
    assert one.replace({path: pair[1] for path, pair in found.items()}).oid == two.oid
    assert (one == two) == (before == after)
    assert dict(one) == before, "trees never change"


@given(files=FILES)
def test_folders_are_the_objects_of_the_tree(files: dict[bytes, Entry]) -> None:
    tree = Tree(files)
    assert tree.oid in {hash_object(b"tree", content) for content in tree.folders()}


def _wide(numbers: Iterable[int]) -> dict[bytes, Entry]:
    """Files and folders that stand among each other in one folder: each third name is a folder with a file in it."""
    return {
        b"f%04d" % number + (b"/x" if number % 3 == 0 else b""): Entry(Mode.FILE, hash_blob(b"%d" % (number % 7)))
        for number in numbers
    }


def test_wide_folders_are_gits_whatever_becomes_of_them(judge: Path) -> None:
    """A folder of many pages, through changes that split, thin out and empty its pages."""
    draw = random.Random(20261130)
    files = _wide(range(0, 1000, 2))
    tree = Tree(files)
    for wanted in (
        _wide(range(0, 1000, 1)),
        _wide(draw.sample(range(1000), 900)),
        _wide([0, *range(400, 420), 999]),
        _wide(range(300, 700)) | {b"f0000.py": ENTRY, b"a": ENTRY, b"z/z": ENTRY},
        {path + b"/now/a/folder": entry for path, entry in _wide(range(500)).items()},
        {},
        _wide(range(70)),
    ):
        changes = {path: wanted.get(path) for path in files.keys() | wanted.keys()}
        before, tree, files = tree, tree.replace(changes), wanted
        assert str(tree.oid) == gits_id(judge, files)
        assert list(tree.items()) == sorted(files.items())
        assert tree.oid == Tree(files).oid
        assert list(tree.difference(before)) == sorted(path for path in changes if tree.get(path) != before.get(path))
        assert all(path in tree and path + b"/x" not in tree for path in files)
        assert b"f9999" not in tree


def test_one_change_among_many_is_the_only_difference() -> None:
    files = _wide(range(5000))
    tree = Tree(files)
    path = b"f2501"
    other = tree.replace({path: ENTRY})
    assert other.difference(tree) == {path: (ENTRY, files[path])}
    assert other.replace({path: files[path]}) == tree
    with pytest.raises(ValueError, match="both a file and a folder"):
        tree.replace({path + b"/below": ENTRY})
    with pytest.raises(ValueError, match="both a file and a folder"):
        tree.replace({b"f2502": ENTRY})


def test_the_empty_tree() -> None:
    assert str(EMPTY_TREE) == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    assert Tree().oid == EMPTY_TREE
    entry = Entry(Mode.FILE, hash_blob(b""))
    assert Tree({b"a/b/c": entry}).replace({b"a/b/c": None}) == Tree()


ENTRY = Entry(Mode.FILE, hash_blob(b""))


@pytest.mark.parametrize("path", [b"", b"/a", b"a//b", b"a/", b".", b"..", b"a/../b", b"./a", b"a\0b"])
def test_paths_that_no_tree_has(path: bytes) -> None:
    with pytest.raises(ValueError, match="not a plain relative path"):
        Tree({path: ENTRY})


def test_a_file_and_a_folder_share_no_name() -> None:
    with pytest.raises(ValueError, match="both a file and a folder"):
        Tree({b"a": ENTRY, b"a/b": ENTRY})
    assert dict(Tree({b"a": ENTRY}).replace({b"a": None, b"a/b": ENTRY})) == {b"a/b": ENTRY}
    with pytest.raises(ValueError, match="both a file and a folder"):
        Tree({b"a": ENTRY}).replace({b"a/b": ENTRY})


def test_what_is_not_there_cannot_be_removed() -> None:
    with pytest.raises(KeyError):
        Tree({b"a": ENTRY}).replace({b"b": None})
    tree = Tree({b"a/b": ENTRY})
    assert b"a" not in tree
    with pytest.raises(KeyError):
        tree[b"a"]


def test_ids_are_forty_lower_case_digits() -> None:
    oid = hash_blob(b"hello\n")
    assert str(oid) == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert Oid.parse(str(oid)) == oid
    for wrong in ("", str(oid)[:-1], str(oid).upper(), f"{oid}0", f" {oid}", f"{oid}\n", "g" * 40):
        with pytest.raises(ValueError, match="full object id"):
            Oid.parse(wrong)
    with pytest.raises(ValueError, match="20 bytes"):
        Oid(b"short")
