# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where acceptance tests work: in memory where that is possible, because every command makes its changes durable."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.workspace import Workspace

_MEMORY = Path("/dev/shm")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder of this test alone."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else tmp_path) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Callable[[Path], Workspace]], Workspace]]:
    """Makes a workspace the first time that it is asked for; tests take copies of it."""
    made: dict[Callable[[Path], Workspace], Workspace] = {}
    base = _MEMORY if os.access(_MEMORY, os.W_OK) else tmp_path_factory.mktemp("originals")
    with tempfile.TemporaryDirectory(dir=base) as folder:

        def original(make: Callable[[Path], Workspace]) -> Workspace:
            if make not in made:
                # A name of its own each time: a making that failed leaves half a workspace.
                made[make] = make(Path(tempfile.mkdtemp(dir=folder)) / "original")
            return made[make]

        yield original
