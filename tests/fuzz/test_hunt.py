# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The drivers find the fault of a target that is broken on purpose, and say how to see it again."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_TESTS = Path(__file__).parent.parent


def fuzz(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`python -m fuzz` in a folder of its own."""
    environment = {**os.environ, "PYTHONPATH": str(_TESTS)}
    command = [sys.executable, "-m", "fuzz", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_an_input_is_replayed(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(b"vc?")
    (tmp_path / "bad").write_bytes(b"vc!")
    assert fuzz(tmp_path, "replay", "broken", "good").stdout == "taken\n"
    bad = fuzz(tmp_path, "replay", "broken", "bad")
    assert (bad.returncode, "KeyError: b'vc!'" in bad.stderr) == (1, True)
    assert fuzz(tmp_path, "replay", "quoted", "bad").stdout == "refused, as promised\n"
    assert "there is no target 'typo'" in fuzz(tmp_path, "replay", "typo", "good").stderr


def test_a_hunt_finds_the_fault(tmp_path: Path) -> None:
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("atheris is not installed; `make fuzz` installs it")
    done = fuzz(tmp_path, "hunt", "broken", "--seconds", "8")
    assert done.returncode == 1, done.stdout + done.stderr
    crashes = [path for path in (tmp_path / "build/fuzz/broken/crashes").iterdir() if path.suffix != ".txt"]
    assert [path.read_bytes()[:3] for path in crashes] == [b"vc!"]
    assert f"replay broken {crashes[0].relative_to(tmp_path)}" in done.stdout
    total = json.loads((tmp_path / "build/fuzz/broken/total.json").read_text())
    assert total["executions"] > 100
    assert total["edges"] > 0
    assert total["crashes"] == [crashes[0].name]
