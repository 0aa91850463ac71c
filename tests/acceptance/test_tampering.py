# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Whatever is done to a vendored workspace, `verify` exits with 1 and names path and rule, and `sync` loses nothing.

An untouched workspace gives 0, and `verify` never writes.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.faults import snapshot
from support.repo import Changes, executable, symlink
from support.workspace import Workspace, every_fact, make_workspace

Original = Callable[[Callable[[Path], Workspace]], Workspace]

#: What a person can do to a tree of files.
Tampering = Callable[[Path], object]

FILES: Changes = {
    "a.py": "x = 1\ny = 2\nz = 3\n",
    "twin.py": "x = 1\ny = 2\nz = 3\n",
    "text": "a.py",
    "link": symlink("a.py"),
    "d/run.sh": executable("exit\n"),
    "d/crlf.txt": "one\r\ntwo\r\n",
    "d/plain.txt": "plain\n",
    "d/empty": "",
    "lone/file.py": "only here\n",
}


def tracked(folder: Path) -> Workspace:
    """Two patches over all kinds of files, with the patched tree in git at `out`."""
    space = make_workspace(folder, FILES, output="out")
    space.sync()
    space.record("Set x to ten", {"a.py": "x = 10\ny = 2\nz = 3\n"})
    space.record("Add a file", {"new.py": "new\n", "d/plain.txt": None})
    return space


@pytest.fixture
def space(originals: Original, disk: Path) -> Workspace:
    return originals(tracked).copy(disk / "w")


# -- trees ---------------------------------------------------------------------------------------------------------


def replaced(name: str, make: Callable[[Path], object]) -> Tampering:
    """Something else in the place of a file."""

    def tamper(tree: Path) -> None:
        (tree / name).unlink()
        make(tree / name)

    return tamper


def renamed(old: str, new: str) -> Tampering:
    return lambda tree: (tree / old).rename(tree / new)


def written(name: str, content: bytes) -> Tampering:
    return lambda tree: (tree / name).write_bytes(content)


def git_ignored(tree: Path) -> None:
    (tree / "d/.gitignore").write_text("*.so\n")
    (tree / "d/kernel.so").write_text("x")


def linked_away(tree: Path) -> None:
    shutil.move(tree, tree.parent.parent / "aside")
    tree.symlink_to(tree.parent.parent / "aside")


def swapped(tree: Path) -> None:
    """Every byte of the tree is there, in the same order; two names have traded places."""
    (tree / "text").rename(tree / "x")
    (tree / "twin.py").rename(tree / "text")
    (tree / "x").rename(tree / "twin.py")


#: Tampering with a tree: what is done, then rules and paths below `vendored/up`, then those below `out`.
TREES: dict[str, tuple[Tampering, str, str]] = {
    "byte changed": (written("twin.py", b"x = 1\ny = 3\nz = 3\n"), "VC101 twin.py", "VC225 twin.py"),
    "bytes reordered": (written("twin.py", b"z = 3\ny = 2\nx = 1\n"), "VC101 twin.py", "VC225 twin.py"),
    "file moved": (
        renamed("lone/file.py", "d/file.py"),
        "VC106 lone/file.py",
        "VC226 lone/file.py, VC227 d/file.py",
    ),
    "names swapped": (swapped, "VC101 text, VC101 twin.py", "VC225 text, VC225 twin.py"),
    "mode set": (lambda tree: (tree / "twin.py").chmod(0o755), "VC102 twin.py", "VC228 twin.py"),
    "mode lost": (lambda tree: (tree / "d/run.sh").chmod(0o644), "VC102 d/run.sh", "VC228 d/run.sh"),
    "link for file": (replaced("text", lambda path: path.symlink_to("a.py")), "VC103 text", "VC228 text"),
    "link to equal content": (
        replaced("twin.py", lambda path: path.symlink_to("d/../twin")),
        "VC103 twin.py",
        "VC228 twin.py",
    ),
    "file for link": (replaced("link", lambda path: path.write_text("a.py")), "VC103 link", "VC228 link"),
    "link retargeted": (replaced("link", lambda path: path.symlink_to("twin.py")), "VC101 link", "VC225 link"),
    "file added": (written("more.py", b"m"), "VC105 more.py", "VC227 more.py"),
    "empty file added": (written("d/__init__.py", b""), "VC105 d/__init__.py", "VC227 d/__init__.py"),
    "git-ignored file added": (
        git_ignored,
        "VC105 d/.gitignore, VC105 d/kernel.so",
        "VC227 d/.gitignore, VC227 d/kernel.so",
    ),
    "file removed": (lambda tree: (tree / "twin.py").unlink(), "VC104 twin.py", "VC226 twin.py"),
    "file emptied": (written("twin.py", b""), "VC108 twin.py", "VC225 twin.py"),
    "converted to CRLF": (written("twin.py", b"x = 1\r\ny = 2\r\nz = 3\r\n"), "VC109 twin.py", "VC225 twin.py"),
    "converted to LF": (written("d/crlf.txt", b"one\ntwo\n"), "VC109 d/crlf.txt", "VC225 d/crlf.txt"),
    "case renamed": (renamed("twin.py", "Twin.py"), "VC107 twin.py", "VC226 twin.py, VC227 Twin.py"),
    "folder case renamed": (
        renamed("lone", "Lone"),
        "VC107 lone/file.py",
        "VC226 lone/file.py, VC227 Lone/file.py",
    ),
    "pipe added": (lambda tree: os.mkfifo(tree / "pipe"), "VC117 pipe", "VC227 pipe"),
    "whole tree behind a link": (linked_away, "VC103", "VC228"),
}


def expected(words: str, folder: str) -> set[tuple[str, str]]:
    """``VC101 a.py, VC102 b`` as rules and paths of the workspace."""
    rows = [row.partition(" ") for row in words.split(", ")]
    return {(rule, f"{folder}/{path}".rstrip("/")) for rule, _blank, path in rows}


def check(space: Workspace, wanted: set[tuple[str, str]]) -> None:
    """`verify` finds exactly this, in JSON and in text, and leaves no trace."""
    before = every_fact(space.root)
    machine, people = space.run("verify", "--format", "json"), space.run("verify")
    assert every_fact(space.root) == before
    assert machine.findings() == wanted
    assert (machine.code, people.code) == (1, 1)
    for rule, path in wanted:
        assert f"{rule} " in people.out
        assert path in people.out


def test_an_untouched_workspace_passes_and_nothing_is_written(space: Workspace) -> None:
    before = every_fact(space.root)
    for words in (("verify",), ("verify", "--require"), ("verify", "up"), ("verify", "--format", "sarif")):
        assert space.run(*words).code == 0
    assert every_fact(space.root) == before


@pytest.mark.parametrize("name", TREES)
def test_a_tampered_pristine_tree(name: str, space: Workspace) -> None:
    tamper, words, _output = TREES[name]
    tamper(space.pristine)
    check(space, expected(words, "vendored/up"))
    assert_sync_loses_nothing(space)


@pytest.mark.parametrize("name", TREES)
def test_a_tampered_output(name: str, space: Workspace) -> None:
    tamper, _pristine, words = TREES[name]
    tamper(space.patched)
    check(space, expected(words, "out"))
    assert_sync_loses_nothing(space)


def assert_sync_loses_nothing(space: Workspace) -> None:
    """`sync` restores what holds nobody's work, and refuses otherwise; with --discard a copy is kept."""
    before = snapshot(space.root)
    ours = set(snapshot_contents(space.root))
    first = space.run("sync")
    if first.code != 0:
        assert snapshot(space.root) == before
        discarded = space.run("sync", "--discard")
        if discarded.code != 0:
            # What is no file cannot be kept, so it is for a person to remove.
            assert snapshot(space.root) == before
            return
    assert ours <= set(snapshot_contents(space.root))
    after = space.run("verify", "--format", "json")
    assert {rule for rule, _path in after.findings()} <= {"VC105", "VC117", "VC227"}, after.out


def snapshot_contents(root: Path) -> Iterator[bytes]:
    """Every content in a workspace, also below the state folder."""
    return (content for kind, content in snapshot(root, without="").values() if kind.startswith("file"))


# -- series --------------------------------------------------------------------------------------------------------

FIRST, SECOND = "0001-set-x-to-ten.patch", "0002-add-a-file.patch"


def listed(*names: str) -> Tampering:
    return lambda series: (series / "series").write_text("".join(f"{name}\n" for name in names))


def patch_edited(series: Path) -> None:
    """A change of the change itself, such that the patch still applies."""
    patch = series / FIRST
    patch.write_bytes(patch.read_bytes().replace(b"+x = 10\n", b"+x = 11\n"))


def reason_edited(series: Path) -> None:
    """Not one byte of the trees changes."""
    patch = series / FIRST
    patch.write_bytes(patch.read_bytes().replace(b"Reason: ours", b"Reason: yours"))


def renumbered(series: Path) -> None:
    (series / SECOND).rename(series / "0003-add-a-file.patch")
    listed(FIRST, "0003-add-a-file.patch")(series)


def exchanged(series: Path) -> None:
    first, second = (series / FIRST).read_bytes(), (series / SECOND).read_bytes()
    (series / FIRST).write_bytes(second)
    (series / SECOND).write_bytes(first)


def removed(series: Path) -> None:
    (series / SECOND).unlink()
    listed(FIRST)(series)


def duplicated(series: Path) -> None:
    shutil.copy(series / SECOND, series / "0003-again.patch")
    listed(FIRST, SECOND, "0003-again.patch")(series)


def added(series: Path) -> None:
    (series / "0003-more.patch").write_bytes((series / SECOND).read_bytes().replace(b"new.py", b"newer.py"))
    listed(FIRST, SECOND, "0003-more.patch")(series)


def same_number(series: Path) -> None:
    shutil.copy(series / SECOND, series / "0002-other.patch")
    listed(FIRST, SECOND, "0002-other.patch")(series)


def cut_off(series: Path) -> None:
    os.truncate(series / FIRST, (series / FIRST).stat().st_size - 9)


#: Tampering with `patches/up`: what is done, then rules that must be among the findings, and their paths.
SERIES: dict[str, tuple[Tampering, str]] = {
    "patch edited": (patch_edited, f"VC215 {FIRST}"),
    "reason edited": (reason_edited, f"VC215 {FIRST}"),
    "patch cut off": (cut_off, f"VC207 {FIRST}"),
    "patch renumbered": (renumbered, "VC218 0003-add-a-file.patch"),
    "patches exchanged": (exchanged, f"VC219 {FIRST}, VC219 {SECOND}"),
    "patch removed": (removed, f"VC216 {SECOND}"),
    "patch file removed": (lambda series: (series / SECOND).unlink(), "VC201 series"),
    "patch duplicated": (duplicated, "VC220 0003-again.patch"),
    "patch added": (added, "VC217 0003-more.patch"),
    "number used twice": (same_number, "VC204 0002-other.patch"),
    "line of `series` removed": (listed(FIRST), f"VC202 {SECOND}"),
    "lines of `series` swapped": (listed(SECOND, FIRST), "VC203 series"),
    "patch behind a link": (
        replaced(FIRST, lambda path: path.symlink_to("../../out/a.py")),
        f"VC206 {FIRST}",
    ),
}


@pytest.mark.parametrize("name", SERIES)
def test_a_tampered_series(name: str, space: Workspace) -> None:
    tamper, words = SERIES[name]
    tamper(space.patches)
    before = every_fact(space.root)
    result = space.run("verify", "--format", "json")
    assert every_fact(space.root) == before
    assert result.code == 1
    assert expected(words, "patches/up") <= result.findings()
    assert space.run("verify").code == 1


# -- lock ----------------------------------------------------------------------------------------------------------

LockEdit = Callable[[dict[str, Any]], object]


def leaves(value: Any, *keys: Any) -> Iterator[tuple[Any, ...]]:
    """The address of every text and number of a JSON document."""
    if isinstance(value, dict | list):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(below, *keys, key)
    else:
        yield keys


def other(value: str | int) -> str | int:
    """A value of the same kind that says something else."""
    if isinstance(value, int):
        return value + 1
    return value[:-1] + ("1" if value.endswith("0") else "0") if value[-1:].isalnum() else value + "x"


def test_no_value_of_the_lock_can_be_edited_unnoticed(space: Workspace) -> None:
    lock = space.root / "VENDOR.lock"
    original = lock.read_text()
    addresses = list(leaves(json.loads(original)))
    assert len(addresses) > 50
    for address in addresses:
        document = json.loads(original)
        place = document
        for key in address[:-1]:
            place = place[key]
        place[address[-1]] = other(place[address[-1]])
        lock.write_text(json.dumps(document))
        # The tree of everything that upstream has is not derived from what is vendored: only upstream can tell.
        words = ("verify", "--origin") if address[-1] == "root_tree" else ("verify",)
        result = space.run(*words, "--format", "json")
        assert result.code in (1, 3), (address, result.text)
        assert result.code == 3 or result.findings(), address


def test_no_row_of_the_lock_can_go_unnoticed(space: Workspace) -> None:
    lock = space.root / "VENDOR.lock"
    original = lock.read_text()
    for rows in ("files", "series"):
        for index in range(len(json.loads(original)["upstreams"]["up"][rows])):
            document = json.loads(original)
            del document["upstreams"]["up"][rows][index]
            lock.write_text(json.dumps(document))
            result = space.run("verify", "--format", "json")
            assert (result.code, bool(result.findings())) == (1, True)
    document = json.loads(original)
    document["upstreams"] = {}
    lock.write_text(json.dumps(document))
    assert ("VC120", "VENDOR.yaml") in space.run("verify", "--format", "json").findings()
    lock.unlink()
    assert ("VC120", "VENDOR.yaml") in space.run("verify", "--format", "json").findings()


# -- formats -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "json", "markdown", "sarif", "github", "junit"])
def test_every_format_fails_with_rule_and_path(form: str, space: Workspace) -> None:
    assert space.run("verify", "--format", form).code == 0
    (space.pristine / "d/run.sh").chmod(0o644)
    result = space.run("verify", "--format", form)
    assert result.code == 1
    assert "VC102" in result.out
    assert "vendored/up/d/run.sh" in result.out


@pytest.mark.parametrize("folder", ["vendored", "patches", "out", "VENDOR.lock"])
def test_what_is_gone_altogether(folder: str, space: Workspace) -> None:
    place = space.root / folder
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    result = space.run("verify", "--format", "json")
    assert result.code == 1
    assert result.findings()
