# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""DVC as a program: which one is run, and what it makes of the repository that it finds."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from support.objectstore import DAMAGED, Place, dvc_run, git, objects_in, remote
from vendorctl.errors import ExitCode
from vendorctl.kernels.objectstore import dvc
from vendorctl.kernels.objectstore.pointer import Stored


def test_without_a_dvc_repository_the_command_that_makes_one_is_told(fresh: Place) -> None:
    code, error = fresh.run("objects", "push")
    assert (code, "run `dvc init`" in error["hint"]) == (ExitCode.USAGE, True)
    below = fresh.root / "below"
    assert dvc.init_arguments(fresh.root) == ("init",)
    assert dvc.init_arguments(below) == ("init", "--subdir")
    assert dvc.init_arguments(fresh.root.parent) == ("init", "--no-scm")
    code, error = fresh.run("objects", "push", "--init")
    assert code == ExitCode.USAGE
    assert error["hint"] == "run `dvc remote add --default NAME URL`"
    assert (fresh.root / ".dvc/config").is_file()
    dvc_run(fresh.root, "remote", "add", "-q", "other", "../remote")
    assert "`dvc remote default other`" in fresh.run("objects", "push")[1]["hint"]
    assert "configured: other" in fresh.run("objects", "push", "--remote", "mine")[1]["message"]
    assert fresh.run("objects", "push", "--remote", "other")[0] == 0


def test_outside_git_it_works_as_well_and_with_a_cache_elsewhere(fresh: Place) -> None:
    shutil.rmtree(fresh.root / ".git")
    fresh.configure(remote("store", "../../remote", core="    no_scm = True\n[cache]\n    dir = ../../cache\n"))
    assert fresh.run("objects", "push")[0] == 0
    assert not (fresh.root / ".dvc/cache/files").exists()
    kept = objects_in(fresh.root)
    for name in kept:
        (fresh.root / name).unlink()
    assert fresh.run("objects", "pull")[0] == 0
    assert objects_in(fresh.root) == kept


def test_dvc_itself_restores_what_pointers_name(kept: Place) -> None:
    clone = kept.clone()
    dvc_run(clone, "pull", "-q")
    assert objects_in(clone) == objects_in(kept.root)
    assert json.loads(dvc_run(clone, "status", "--json")) == {}
    assert git(clone, "status", "--porcelain") == ""


def test_modules_of_the_workspace_are_not_taken_for_those_of_dvc(kept: Place) -> None:
    (kept.root / "dvc.py").write_text("raise SystemExit('this is not DVC')\n")
    assert kept.run("objects", "status", "--in-remote", "--require")[0] == 0


def test_links_that_dvc_would_make_are_files_here(kept: Place) -> None:
    kept.configure(remote("store", "../../remote", core="[cache]\n    type = symlink\n"))
    kept.commit()
    clone = kept.clone()
    assert kept.run("objects", "pull", root=clone)[0] == 0
    assert kept.run("objects", "push", root=clone)[0] == 0
    assert not [path for path in clone.rglob("*.hsaco") if path.is_symlink()]
    assert kept.run("check", "--require", root=clone)[0] == 0


def test_objects_of_equal_bytes_are_all_missed_when_the_remote_lacks_them(kept: Place) -> None:
    """DVC names only one of them."""
    same = Stored.of(b"same")
    pointers = {}
    for folder in ("a", "b"):
        (kept.root / folder).mkdir()
        pointers[f"{folder}/objects.dvc"] = {"x.hsaco": same, "y.hsaco": same}
        lines = "".join(f"- {{md5: {same.md5}, size: 4, hash: md5, path: {name}.hsaco}}\n" for name in "xy")
        (kept.root / folder / "objects.dvc").write_text("outs:\n" + lines)
    repository = dvc.open_repository(kept.root, dvc.find_program(os.environ), os.environ)
    assert repository.absent(pointers, "store") == {same}
    (kept.remote / same.key).parent.mkdir(parents=True, exist_ok=True)
    (kept.remote / same.key).write_bytes(b"same")
    assert repository.absent(pointers, "store") == set()


def test_dvc_that_is_absent_or_too_old_ends_with_seven(
    kept: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (kept.root / DAMAGED).unlink()
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "dvc" else find(name, *rest))
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", os.pathsep.join(p for p in path.split(os.pathsep) if not (Path(p) / "dvc").exists()))
    code, error = kept.run("objects", "pull")
    assert (code, error["hint"]) == (ExitCode.TOOL_MISSING, "install it with `pip install 'vendorctl[dvc]'`")
    assert kept.run("objects", "status")[0] == 0  # reading needs no DVC
    script = tmp_path / "bin" / "dvc"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\necho 2.58.2\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    code, error = kept.run("objects", "pull")
    assert (code, "DVC 2.58.2 is too old" in error["message"]) == (ExitCode.TOOL_MISSING, True)
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dvc "$@"\n')
    assert kept.run("objects", "pull")[0] == 0  # one on PATH will do
