# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where the matrix itself runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch


def test_a_runner_that_lost_its_gpu_fails(device: torch.device) -> None:
    """The matrix is never emulated where a GPU was asked for."""
    if device.type != "cpu":
        pytest.skip("this runner has its GPU")
    words = ["-m", "pytest", "-p", "no:cacheprovider", "-k", "test_inputs_are_left_alone", str(Path(__file__).parent)]
    env = {**os.environ, "ROWKERNELS_DEVICE": "gpu"}
    done = subprocess.run([sys.executable, *words], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "PyTorch shows no AMD GPU" in done.stdout
