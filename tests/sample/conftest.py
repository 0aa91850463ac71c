# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The sample upstream, made once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from vendorctl.sample import history


@pytest.fixture(scope="session")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository."""
    return history.write(tmp_path_factory.mktemp("sample") / "mini.git").path


@pytest.fixture(scope="session")
def releases(upstream: Path) -> dict[str, dict[str, bytes]]:
    """By tag, what a downstream vendors of it: the package, path to content."""

    def git(*args: str) -> bytes:
        return subprocess.run(["git", "-C", str(upstream), *args], check=True, capture_output=True).stdout

    contents = {}
    for tag in git("tag").decode().split():
        paths = git("ls-tree", "-r", "--name-only", tag, "minikernels/").decode().splitlines()
        contents[tag] = {path: git("cat-file", "blob", f"{tag}:{path}") for path in paths}
    return contents
