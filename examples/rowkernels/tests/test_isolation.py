# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Importing the library needs the standard library only; a call without PyTorch says what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import rowkernels

SITE = Path(rowkernels.__file__).parent.parent


def bare(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in an interpreter that has this package and the standard library, and nothing else."""
    start = f"import sys; sys.path.insert(0, {str(SITE)!r}); import rowkernels; sys.path.pop(0); "
    return subprocess.run([sys.executable, "-I", "-S", "-c", start + code], capture_output=True, text=True, check=False)


def test_it_imports_on_the_standard_library_alone() -> None:
    known = "sys.stdlib_module_names | {'__main__'}"
    done = bare(f"import sys; print({{name.partition('.')[0] for name in sys.modules}} - ({known}))")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "{'rowkernels'}"


def test_a_call_says_what_is_missing() -> None:
    done = bare("rowkernels.rms_norm")
    assert "ModuleNotFoundError: No module named 'torch'" in done.stderr


@pytest.mark.parametrize("module", ["torch", "numpy", "flydsl", "vendorctl"])
def test_public_names_are_listed_without_it(module: str) -> None:
    names = "assert set(rowkernels.__all__) <= set(dir(rowkernels)); print(*rowkernels.__all__)"
    done = bare(f"import sys; sys.modules[{module!r}] = None; {names}")
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == set(rowkernels.__all__)
