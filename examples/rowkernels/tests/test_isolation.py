# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Importing the library needs the standard library only, in an environment that has nothing else."""

from __future__ import annotations

import shutil
import subprocess
import venv
from pathlib import Path

import pytest

import rowkernels

PACKAGE = Path(rowkernels.__file__).parent


class Environment:
    """A virtual environment without pip and without the system's packages, that holds a copy of this package."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False, symlinks=True)
        (site,) = folder.glob("lib/python*/site-packages")
        self.package = site / "rowkernels"
        self.python = folder / "bin/python"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("*.hsaco", "__pycache__"))

    def run(self, code: str) -> subprocess.CompletedProcess[str]:
        """Run code, isolated from our own environment and from this folder."""
        return subprocess.run([self.python, "-I", "-c", code], capture_output=True, text=True, check=False)


@pytest.fixture
def empty(tmp_path: Path) -> Environment:
    return Environment(tmp_path / "venv")


def test_the_environment_is_empty(empty: Environment) -> None:
    assert [each.name for each in empty.package.parent.iterdir()] == ["rowkernels"]
    for module in ("torch", "numpy", "flydsl", "vendorctl", "pip"):
        assert "ModuleNotFoundError" in empty.run(f"import {module}").stderr


def test_it_imports_on_the_standard_library_alone(empty: Environment) -> None:
    done = empty.run("import rowkernels")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    known = "sys.stdlib_module_names | {'__main__'}"
    loaded = f"{{name.partition('.')[0] for name in sys.modules}} - ({known})"
    done = empty.run(f"import rowkernels, sys; print({loaded}, rowkernels.__file__)")
    assert done.stdout.strip() == f"{{'rowkernels'}} {empty.package / '__init__.py'}"


@pytest.mark.parametrize("module", ["torch", "numpy", "flydsl", "vendorctl", "rowkernels._ops", "rowkernels._hip"])
def test_a_copy_with_an_eager_import_does_not(empty: Environment, module: str) -> None:
    file = empty.package / "__init__.py"
    marker = "from typing import TYPE_CHECKING\n"
    assert marker in file.read_text()
    file.write_text(file.read_text().replace(marker, f"{marker}import {module}\n"))
    done = empty.run("import rowkernels")
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr


def test_a_call_says_what_is_missing(empty: Environment) -> None:
    done = empty.run("import rowkernels; rowkernels.rms_norm")
    assert "torch is not installed. Run: pip install 'rowkernels[run]'" in done.stderr


def test_all_names_are_listed_and_all_exceptions_are_there(empty: Environment) -> None:
    lines = (
        "import rowkernels",
        "assert set(rowkernels.__all__) <= set(dir(rowkernels))",
        "for name in rowkernels.__all__:",
        "    if name.endswith('Error'): assert issubclass(getattr(rowkernels, name), Exception)",
        "print(*rowkernels.__all__)",
    )
    done = empty.run("\n".join(lines))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == rowkernels.__all__


def test_an_unknown_name_is_an_attribute_error(empty: Environment) -> None:
    assert (
        "AttributeError: module 'rowkernels' has no attribute 'layer_norm'"
        in empty.run("import rowkernels; rowkernels.layer_norm").stderr
    )
