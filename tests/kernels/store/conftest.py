# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A built workspace in git, and the same with its objects in a DVC remote; each test gets a copy of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support import tinykern
from support.objectstore import KERNELS, Place, dvc_run, git
from support.repo import Changes, repo
from vendorctl.cli import main


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a built workspace in git, `ws`, that knows of no object store."""
    pytest.importorskip("dvc")
    folder = tmp_path_factory.mktemp("store")
    files: Changes = {n.removeprefix("patched/"): text for n, text in tinykern.FILES.items() if "patched" in n}
    upstream = repo(folder / "upstream", files)
    root = folder / "ws"
    root.mkdir()
    described = root / "VENDOR.yaml"
    assert main(["-C", str(root), "init"]) == 0
    assert main(["-C", str(root), "add", "tinykern", upstream.path.as_uri(), "--include", "tinykern/**"]) == 0
    described.write_text(described.read_text().replace("    include:", "    output: out\n    include:") + KERNELS)
    tinykern.write_files(root, {"recipes/scale.py": tinykern.RECIPE})
    for command in ("sync", "build"):
        assert main(["-C", str(root), command]) == 0
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "built")
    return folder


@pytest.fixture(scope="session")
def pushed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, with its objects in a DVC remote beside it."""
    folder = tmp_path_factory.mktemp("pushed") / "all"
    shutil.copytree(built, folder, symlinks=True)
    root = folder / "ws"
    dvc_run(root, "init", "-q")
    dvc_run(root, "remote", "add", "-q", "--default", "store", "../remote")
    assert main(["-C", str(root), "objects", "push"]) == 0
    git(root, "add", "-A")
    git(root, "commit", "-qm", "pointers")
    return folder


def _place(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Place:
    shutil.copytree(folder, tmp_path / "all", symlinks=True)
    return Place(tmp_path / "all" / "ws", capsys)


@pytest.fixture
def fresh(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Place:
    return _place(built, tmp_path, capsys)


@pytest.fixture
def kept(pushed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Place:
    return _place(pushed, tmp_path, capsys)
