# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The patch matrix: every kind of change is written, parsed, applied again, and read by git am, patch and quilt."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from support.kinds import KINDS, LINES, Kind
from support.repo import Changes, Repo, executable, repo
from support.trees import Contents, tree
from vendorctl.git.tree import Mode, Tree
from vendorctl.series.apply import apply_patch
from vendorctl.series.misfit import ApplyError
from vendorctl.series.patch import Patch, Trailers
from vendorctl.series.stack import Series
from vendorctl.series.store import dump_series_file
from vendorctl.series.write import write_patch
from vendorctl.vendor.disk import scan

FACTS = Trailers(origin="vendor", forwarded="no", reason="to see it survive", signed_off_by=("A B <a@example.org>",))
EVERY_KIND = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name.replace(" ", "-"))


def make(old: Tree, new: Tree, contents: Contents) -> Patch:
    return write_patch(
        old,
        new,
        contents,
        number=1,
        title="Change what must survive",
        body="A body\nof two lines.",
        author="Downstream Author <downstream@example.org>",
        date="Mon, 1 Jan 2024 12:00:00 +0100",
        trailers=FACTS,
    )


@EVERY_KIND
def test_written_parsed_and_applied_gives_the_same_tree(kind: Kind) -> None:
    contents: Contents = {}
    old, new = tree(kind.before, contents), tree(kind.after, contents)
    for before, after in ((old, new), (new, old)):
        patch = make(before, after, contents)
        result, made = apply_patch(patch, before, contents)
        assert result == after
        assert all(contents[oid] == content for oid, content in made.items())
        assert (patch.title, patch.body, patch.trailers) == ("Change what must survive", "A body\nof two lines.", FACTS)
        with pytest.raises(ApplyError):
            apply_patch(patch, after, contents)


@EVERY_KIND
def test_git_am_makes_the_same_tree(kind: Kind, tmp_path: Path) -> None:
    contents: Contents = {}
    old, new = tree(kind.before, contents), tree(kind.after, contents)
    patch = make(old, new, contents)
    upstream = repo(tmp_path / "up", kind.before)
    upstream.checkout()
    # --keep-cr: git am strips the CR of CRLF content unless told not to.
    upstream.git("am", "-q", "--keep-cr", stdin=patch.raw)
    assert upstream.tree_oid() == new.oid
    shown = upstream.git("log", "-1", "--format=%an <%ae>%n%s%n%b").decode()
    assert shown.startswith("Downstream Author <downstream@example.org>\nChange what must survive\nA body\n")
    assert "Reason: to see it survive" in upstream.git("log", "-1", "--format=%(trailers)").decode()


def lay_out(folder: Path, kind: Kind) -> Path:
    made = repo(folder, kind.before)
    made.checkout()
    shutil.rmtree(folder / ".git")
    return folder


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.quilt], ids=lambda kind: kind.name.replace(" ", "-"))
@pytest.mark.parametrize("tool", ["patch", "quilt"])
def test_patch_and_quilt_make_the_same_tree(kind: Kind, tool: str, tmp_path: Path) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    contents: Contents = {}
    old, new = tree(kind.before, contents), tree(kind.after, contents)
    patch = make(old, new, contents)
    folder = lay_out(tmp_path / "src", kind)
    series = tmp_path / "series"
    series.mkdir()
    (series / patch.file_name).write_bytes(patch.raw)
    (series / "series").write_text(f"{patch.file_name}\n")
    if tool == "quilt":
        environment = os.environ | {"QUILT_PATCHES": str(series), "QUILT_PC": str(tmp_path / "pc")}
        command = ["quilt", "--quiltrc", "-", "push", "-a", "--fuzz=0"]
    else:
        environment = dict(os.environ)
        command = ["patch", "-p1", "-s", "--binary", "-F0", "-i", str(series / patch.file_name)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert scan(folder).tree == new


def test_bytes_do_not_depend_on_the_users_configuration(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = next(kind for kind in KINDS if kind.name == "many kinds at once")
    contents: Contents = {}
    old, new = tree(kind.before, contents), tree(kind.after, contents)
    expected = make(old, new, contents).raw
    hostile = (
        "[diff]\n\tnoprefix = true\n\tmnemonicPrefix = true\n\texternal = false\n\trenames = copies\n\tcontext = 0\n"
        "\talgorithm = patience\n\tinterHunkContext = 9\n\torderFile = /dev/null\n\tsuppressBlankEmpty = true\n"
        "[core]\n\tautocrlf = true\n\teol = crlf\n\tquotePath = false\n\tattributesFile = ~/attributes\n\tabbrev = 5\n"
        "[color]\n\tui = always\n\tdiff = always\n[format]\n\tsignature = sig\n\tpretty = fuller\n"
    )
    (home / ".gitconfig").write_text(hostile)
    (home / "attributes").write_text("* -diff\n*.py text eol=crlf filter=none diff=python\n")
    stray: Repo = repo(tmp_path / "stray", {"x": "x\n"})
    for name, value in {
        "GIT_DIR": str(stray.git_dir),
        "GIT_INDEX_FILE": str(tmp_path / "no-index"),
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "no-objects"),
        "GIT_EXTERNAL_DIFF": "false",
        "GIT_DIFF_OPTS": "--unified=0",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "diff.noprefix",
        "GIT_CONFIG_VALUE_0": "true",
        "LC_ALL": "C",
        "TZ": "Asia/Tokyo",
        "COLUMNS": "20",
    }.items():
        monkeypatch.setenv(name, value)
    assert make(old, new, contents).raw == expected
    assert b"\x1b[" not in expected
    assert not (tmp_path / "no-objects").exists()


def test_a_rename_reads_as_one(tmp_path: Path) -> None:
    contents: Contents = {}
    old, new = tree({"a.py": LINES}, contents), tree({"b.py": LINES.replace("line 9\n", "line nine\n")}, contents)
    patch = make(old, new, contents)
    assert b"rename from a.py\nrename to b.py\n" in patch.raw
    assert patch.raw.count(b"\n+line") == 1


def test_a_rename_changes_modes_as_stated() -> None:
    contents: Contents = {}
    kind = next(kind for kind in KINDS if kind.name == "rename with mode")
    old, new = tree(kind.before, contents), tree(kind.after, contents)
    patch = make(old, new, contents)
    assert patch.changes[0].new_mode is Mode.EXECUTABLE
    with pytest.raises(ApplyError, match="the mode is"):
        apply_patch(patch, tree({"a.sh": kind.after["b.sh"]}, contents), contents)


def test_a_whole_series_through_git_am_and_quilt(tmp_path: Path) -> None:
    states: list[Changes] = [
        {"a.py": LINES, "b.sh": "x\n"},
        {"a.py": LINES.replace("line 3\n", "three\n"), "b.sh": "x\n"},
        {"pkg/a.py": LINES.replace("line 3\n", "three\n"), "b.sh": executable("x\n")},
        {"pkg/a.py": LINES.replace("line 3\n", "drei\n"), "b.sh": executable("x\n"), "pkg/__init__.py": ""},
    ]
    contents: Contents = {}
    trees = [tree(state, contents) for state in states]
    patches = [
        replace(make(old, new, contents), number=number) for number, (old, new) in enumerate(pairwise(trees), start=1)
    ]
    upstream = repo(tmp_path / "up", states[0])
    upstream.checkout()
    upstream.git("am", "-q", "--keep-cr", stdin=b"".join(patch.raw for patch in patches))
    assert upstream.tree_oid() == trees[-1].oid
    assert [upstream.tree_oid(f"HEAD~{back}") for back in (2, 1, 0)] == [each.oid for each in trees[1:]]
    if shutil.which("quilt") is None:
        pytest.skip("git am agrees; quilt is not installed")
    folder = lay_out(tmp_path / "src", Kind("series", states[0], states[-1]))
    series = tmp_path / "series"
    series.mkdir()
    for patch in patches:
        (series / patch.file_name).write_bytes(patch.raw)
    (series / "series").write_bytes(dump_series_file(Series("up", tuple(patches))))
    environment = os.environ | {"QUILT_PATCHES": str(series), "QUILT_PC": str(tmp_path / "pc")}
    for direction, wanted in (("push", trees[-1]), ("pop", trees[0])):
        command = ["quilt", "--quiltrc", "-", direction, "-a"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert scan(folder).tree == wanted
