# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The example library without PyTorch: it imports on nothing, and its job for GPU runners is whole.

`make example` runs the library's own tests.
"""

from __future__ import annotations

import os
import re
import shutil
import tomllib
import venv
from pathlib import Path
from typing import Any

import pytest
import yaml

from vendorctl.proc import Completed, run
from vendorctl.workspace.parse import load_manifest

EXAMPLE = Path(__file__).parents[2] / "examples/rowkernels"
JOB = EXAMPLE / "ci/gpu-matrix.yml"
STEPS = EXAMPLE / "ci/matrix.sh"


# -- importing it


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A virtual environment that holds the library's source, and nothing else: not even pip."""
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    shutil.copytree(EXAMPLE / "src/rowkernels", site / "rowkernels", ignore=shutil.ignore_patterns("__pycache__"))
    assert [each.name for each in site.iterdir()] == ["rowkernels"]
    return site


def python(site: Path, code: str) -> Completed:
    return run([str(site.parents[2] / "bin/python"), "-I", "-c", code], cwd=site.parents[2])


def test_it_imports_where_there_is_nothing_but_the_standard_library(empty: Path) -> None:
    done = python(empty, "import rowkernels")
    assert (done.status, done.stdout, done.error_text()) == (0, b"", "")
    known = "sys.stdlib_module_names | {'__main__'}"
    done = python(empty, f"import rowkernels, sys; print({{n.partition('.')[0] for n in sys.modules}} - ({known}))")
    assert done.stdout == b"{'rowkernels'}\n"


@pytest.mark.parametrize("module", ["torch", "numpy", "flydsl", "vendorctl"])
def test_a_copy_with_an_eager_import_does_not(empty: Path, module: str) -> None:
    file = empty / "rowkernels/__init__.py"
    file.write_text(file.read_text().replace("from typing import", f"import {module}\nfrom typing import", 1))
    done = python(empty, "import rowkernels")
    assert done.status == 1
    assert f"ModuleNotFoundError: No module named '{module}'" in done.error_text()


# -- the job for GPU runners


def job() -> Any:
    return yaml.safe_load(JOB.read_text())["jobs"]["matrix"]


def test_the_job_is_for_every_target_of_the_library() -> None:
    rows = job()["strategy"]["matrix"]["include"]
    assert [row["target"] for row in rows] == list(load_manifest(EXAMPLE).kernels.targets)
    assert [row["generation"] for row in rows] == ["CDNA 3", "CDNA 4"]
    assert job()["strategy"]["fail-fast"] is False
    assert job()["runs-on"] == ["self-hosted", "${{ matrix.target }}"]


def test_the_job_installs_a_release_and_has_no_source_of_the_library() -> None:
    checkout, *scripts = job()["steps"]
    folders = checkout["with"]["sparse-checkout"].split()
    assert folders == ["examples/rowkernels/ci", "examples/rowkernels/tests"]
    assert [step["run"] for step in scripts] == [
        "examples/rowkernels/ci/matrix.sh install", "examples/rowkernels/ci/matrix.sh run"
    ]  # fmt: skip
    assert (EXAMPLE.parents[1] / scripts[0]["run"].split()[0]).stat().st_mode & 0o111
    assert job()["env"]["ROWKERNELS_DEVICE"] == "gpu"


def test_every_variable_of_the_steps_is_set_or_has_a_default() -> None:
    used = set(re.findall(r"\$\{?([A-Z]+)\b(?!:=)", STEPS.read_text()))
    defaults = set(re.findall(r"\$\{([A-Z]+):=", STEPS.read_text()))
    assert used - defaults == {"VERSION"}
    assert used - defaults <= set(job()["env"])


def steps(folder: Path, *words: str, **env: str) -> Completed:
    whole = {"PATH": os.environ["PATH"], "HOME": str(folder), "PIP_NO_INDEX": "1", "VENV": str(folder / "venv"), **env}
    return run([str(STEPS), *words], cwd=folder, env=whole)


def test_the_steps_say_how_they_are_used(tmp_path: Path) -> None:
    for words in ((), ("test",)):
        done = steps(tmp_path, *words)
        assert (done.status, "install|run" in done.error_text()) == (2, True)
    done = steps(tmp_path, "install", VENV=os.devnull)
    assert done.status != 0


def test_a_release_that_is_not_there_is_not_installed(tmp_path: Path) -> None:
    version = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["version"]
    assert "VERSION" in steps(tmp_path, "install").error_text()
    done = steps(tmp_path, "install", VERSION=version)
    assert done.status != 0
    assert f"rowkernels[run]=={version}" in done.error_text()
    assert steps(tmp_path, "run").status != 0
