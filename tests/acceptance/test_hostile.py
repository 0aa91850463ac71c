# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Hostile input of every kind: refused with a clear message or taken as plain bytes, and never obeyed."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from acceptance.hostile import SECTIONS, Case, page
from support.faults import snapshot
from support.workspace import Workspace, make_workspace
from vendorctl.upstream import source

Original = Callable[[Callable[[Path], Workspace]], Workspace]

CASES = {f"{title}: {case.name}": case for title, cases in SECTIONS for case in cases}
PAGE = Path(__file__).parents[2] / "docs/reference/hostile-input.md"


def sound(folder: Path) -> Workspace:
    space = make_workspace(folder, {"a.py": "x = 1\ny = 2\nz = 3\n", "text": "x = 1\ny = 2\nz = 3\n"}, output="out")
    space.sync()
    space.record("Set x to ten", {"a.py": "x = 10\ny = 2\nz = 3\n"})
    return space


@pytest.fixture
def space(originals: Original, disk: Path) -> Workspace:
    return originals(sound).copy(disk / "w")


@pytest.mark.parametrize("name", CASES)
def test_hostile_input(name: str, space: Workspace, home: Path, tmp_path: Path) -> None:
    case = CASES[name]
    case.spoil(space)
    witness = set_traps(space, home, tmp_path)
    inside, outside = snapshot(space.root), others(space)
    result = space.run(*case.words)
    assert result.code == case.code, result.text
    assert case.says in result.text
    assert_harmless(result.text)
    assert others(space) == outside
    assert not witness.exists()
    if case.code != 0:
        assert snapshot(space.root) == inside
    else:
        taken_as_bytes(space, case)


def set_traps(space: Workspace, home: Path, tmp_path: Path) -> Path:
    """Programs that would leave a file behind if a hook or filter of the upstream's choice ever ran."""
    witness, trap = tmp_path / "witness", tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho \"$0\" >> '{witness}'\ncat\n")
    trap.chmod(0o755)
    for hook in ("post-checkout", "post-merge", "pre-receive", "reference-transaction", "post-index-change"):
        (space.upstream.git_dir / "hooks").mkdir(exist_ok=True)
        (space.upstream.git_dir / "hooks" / hook).symlink_to(trap)
    with (home / ".gitconfig").open("a") as config:
        config.write(f'[filter "evil"]\n\tsmudge = {trap}\n\tclean = {trap}\n\trequired = true\n')
    with (space.upstream.git_dir / "config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {trap}\n\tsshCommand = {trap}\n[uploadpack]\n\tpackObjectsHook = {trap}\n")
    return witness


def others(space: Workspace) -> object:
    """Everything beside the workspace but the upstream's own repository."""
    return {
        path: entry
        for path, entry in snapshot(space.folder, without="workspace").items()
        if not path.startswith("upstream/.git")
    }


def assert_harmless(text: str) -> None:
    """Nothing drives a terminal, hides, or changes the direction of what is read."""
    for char in text.replace("\n", ""):
        assert unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}, f"U+{ord(char):04X} in {text!r}"


def taken_as_bytes(space: Workspace, case: Case) -> None:
    """Accepted input is on disk exactly as the upstream's commit has it, whatever it says of itself."""
    for row in space.upstream.git("ls-tree", "-r", "-z", "main").split(b"\0")[:-1]:
        head, _tab, path = row.partition(b"\t")
        if b" blob " in head:
            content = space.upstream.git("cat-file", "blob", head.split(b" ")[2])
            assert (space.pristine / path.decode()).read_bytes() == content
    for form in ("text", "json", "markdown", "sarif", "github", "junit"):
        (space.pristine / "more\u202e\x1b[31m").write_text("x")
        result = space.run("verify", "--format", form)
        assert result.code == 1
        assert_harmless(result.text)
    assert case.words == ("sync",)


def test_a_file_beyond_the_limit_is_refused_by_name(space: Workspace) -> None:
    """The real limit is a gigabyte; this one is smaller, so that the test is fast."""
    space.describe(space.upstream.commit({"big.bin": "x" * 1000}))
    before = snapshot(space.root)
    refused = space.run("sync", prepare=lambda: setattr(source, "MAX_FILE_BYTES", 999))
    assert (refused.code, snapshot(space.root)) == (3, before)
    assert "big.bin of " in refused.err
    assert "has 1000 bytes; the limit is 999" in refused.err
    assert space.run("sync", prepare=lambda: setattr(source, "MAX_FILE_BYTES", 1000)).code == 0


def test_the_page_is_in_step() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "see the head of tests/acceptance/hostile.py"
