# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Built objects with test cases: a small kernel compiled once, and the sample upstream as a workspace of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support import tinykern
from support.hermetic import hermetic_environment
from vendorctl.cli import main
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.testing.selection import Built, Choice, subjects
from vendorctl.sample import edits, history


@dataclass(frozen=True, slots=True)
class Shipped:
    """A built project whose recipe has test cases."""

    project: Project

    @property
    def root(self) -> Path:
        return self.project.root

    @property
    def objects(self) -> tuple[Built, ...]:
        return subjects(self.project, Choice()).objects

    def edit_recipe(self, old: str, new: str) -> None:
        path = self.root / "recipes" / "scale.py"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))


@pytest.fixture(scope="session")
def shipped_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tinykern.write_files(
        tmp_path_factory.mktemp("shipped"), {**tinykern.FILES, "recipes/scale.py": tinykern.TESTED_RECIPE}
    )
    report = tinykern.build(tinykern.project(root), tmp_path_factory.mktemp("shipped-cache")).report
    assert report.ok, report.findings
    return root


@pytest.fixture
def shipped(shipped_once: Path, tmp_path: Path) -> Shipped:
    root = tmp_path / "shipped"
    shutil.copytree(shipped_once, root)
    return Shipped(tinykern.project(root))


_KERNELS = "kernels:\n  recipes: [recipes/softmax.py]\n  targets: [gfx942]\n"


@pytest.fixture(scope="session")
def softmax_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The sample upstream at v0.1.0 with the demo's three patches, and softmax built for one target."""
    base = tmp_path_factory.mktemp("softmax")
    wanted = hermetic_environment(base / "home", os.environ)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in wanted.items():
            patch.setenv(name, value)
        history.write(base / "minikernels.git")
        root = base / "workspace"
        root.mkdir()

        def run(*words: str) -> None:
            assert main(["-C", str(root), "-q", *words]) == 0, words

        run("init")
        run("add", "minikernels", "../minikernels.git", "--ref", "v0.1.0", "--include", "minikernels/**")
        run("sync")
        for edit in edits.all():
            for path, content in edit.files.items():
                (root / ".vendorctl/patched/minikernels" / path).write_bytes(content)
            run("patch", "record", "minikernels", "--title", edit.title, "--reason", edit.reason,
                "--forwarded", edit.forwarded, "--origin", edit.origin)  # fmt: skip
        (root / "recipes").mkdir()
        (root / "recipes/softmax.py").write_bytes(edits.recipe())
        (root / "VENDOR.yaml").write_text((root / "VENDOR.yaml").read_text() + _KERNELS)
        run("build")
        yield base


@pytest.fixture
def softmax(softmax_once: Path, home: Path, tmp_path: Path) -> Path:
    """A copy of the workspace, beside its upstream, with the caches that making it filled."""
    shutil.copytree(softmax_once / "minikernels.git", tmp_path / "minikernels.git")
    shutil.copytree(softmax_once / "workspace", tmp_path / "workspace", symlinks=True)
    shutil.copytree(softmax_once / "home/.cache", home / ".cache", dirs_exist_ok=True)
    return tmp_path / "workspace"
