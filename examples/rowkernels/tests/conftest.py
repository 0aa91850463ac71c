# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where the matrix runs: the GPU, if PyTorch has one for these kernels, else the emulator on CPU tensors.

The installed package is tested, never the source folder.
"""

from __future__ import annotations

import os

import pytest
import torch

import rowkernels

ON_GPU = torch.version.hip is not None and torch.cuda.is_available()


@pytest.fixture(scope="session")
def device() -> torch.device:
    """The device of the matrix: a GPU, else an emulation of $ARCH.

    ROWKERNELS_DEVICE=gpu makes a missing GPU an error instead.
    """
    if not ON_GPU:
        assert os.environ.get("ROWKERNELS_DEVICE") != "gpu", "PyTorch shows no AMD GPU"
        rowkernels.emulate(os.environ.get("ARCH", "gfx942"))
    return torch.device("cuda" if ON_GPU else "cpu")


@pytest.fixture(scope="session", autouse=True)
def _compile_afresh(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What PyTorch compiles is kept for this session only."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(tmp_path_factory.mktemp("inductor"))


@pytest.fixture(autouse=True)
def _forget_what_was_compiled() -> None:
    """Each test compiles on its own: PyTorch gives up after some recompilations of one function."""
    torch._dynamo.reset()
