# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every release of the sample is a working project: its Python parses and its own tests pass."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from vendorctl.sample import edits, history

RELEASES = ("v0.1.0", "v0.2.0", "v0.3.0", "v0.4.0")


def check_out(upstream: Path, commit: str, folder: Path) -> Path:
    folder.mkdir()
    archive = subprocess.run(["git", "-C", str(upstream), "archive", commit], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x"], cwd=folder, input=archive, check=True)
    return folder


def own_tests(project: Path) -> subprocess.CompletedProcess[str]:
    """Run the project's tests as its README says, with nothing of ours on the path."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON"))}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("release", RELEASES)
def test_own_tests_pass(upstream: Path, tmp_path: Path, release: str) -> None:
    done = own_tests(check_out(upstream, release, tmp_path / "project"))
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout


def test_own_tests_can_fail(upstream: Path, tmp_path: Path) -> None:
    project = check_out(upstream, "v0.1.0", tmp_path / "project")
    plan = project / "minikernels" / "rowplan.py"
    plan.write_text(plan.read_text().replace("if thread < self.tail:", "if thread < self.tail - 1:"))
    assert own_tests(project).returncode == 1


def test_every_python_file_of_every_commit_parses() -> None:
    sources = [path for path in Path(str(history.trees())).rglob("*.py") if "__pycache__" not in path.parts]
    assert len(sources) > 30
    for path in sources:
        ast.parse(path.read_text("utf-8"), filename=str(path))
    for edit in edits.all():
        for name, content in edit.files.items():
            ast.parse(content, filename=name)


def test_one_file_of_the_first_release_has_no_licence_tag(upstream: Path, tmp_path: Path) -> None:
    untagged = {}
    for release in RELEASES:
        project = check_out(upstream, release, tmp_path / release)
        files = sorted((project / "minikernels").rglob("*.py"))
        untagged[release] = [p.name for p in files if "SPDX-License-Identifier" not in p.read_text()]
    assert untagged == {release: ["softmax.py"] if release == "v0.1.0" else [] for release in RELEASES}
