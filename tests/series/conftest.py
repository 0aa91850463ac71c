# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Workspaces in which bumps meet conflicts."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.field import Field, make_field


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Where to crash: in memory if possible, because these tests make many synchronous calls."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as folder:
        yield Path(folder)


@pytest.fixture
def field(disk: Path) -> Field:
    return make_field(disk / "field")
