# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""An upstream with a few commits, and a cache of its own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.repo import Repo, executable, repo, symlink
from vendorctl.progress import Silent
from vendorctl.upstream.cache import Cache


@pytest.fixture
def made(tmp_path: Path) -> Repo:
    made = repo(
        tmp_path / "up",
        {"a.py": "a1\n", "d/b.py": "b1\n", "run.sh": executable("exit\n"), "link": symlink("a.py")},
        {"a.py": "a2\n"},
        {"a.py": "a3\n", "big": "x" * 100_000},
        {"a.py": "a4\n"},
    )
    made.tag("v1", made.commits[1], message="Release 1")
    made.tag("light", made.commits[2])
    return made


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache", progress=Silent())
