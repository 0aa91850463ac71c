# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What holds for every test: nothing of the machine's user leaks in, and property tests are reproducible."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from support.hermetic import hermetic_environment

# A failing example must fail again on the next run and on the next machine; `soak` is for hunting by hand.
_QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large)
settings.register_profile(
    "ci", deadline=None, derandomize=True, max_examples=60, database=None, suppress_health_check=_QUIET
)
settings.register_profile("soak", deadline=None, max_examples=3000, database=None, suppress_health_check=_QUIET)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def _enter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `folder` the HOME, and drop what the machine's user has set."""
    wanted = hermetic_environment(folder, os.environ)
    for name in set(os.environ) - set(wanted):
        monkeypatch.delenv(name)
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            monkeypatch.setenv(name, value)


@pytest.fixture(autouse=True, scope="session")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What `home` is to a test, for fixtures that outlive one."""
    folder = tmp_path_factory.mktemp("shared-home")
    with pytest.MonkeyPatch.context() as monkeypatch:
        _enter(folder, monkeypatch)
        yield folder


@pytest.fixture(autouse=True)
def home(shared_home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A private HOME with a git identity; no system configuration, no `GIT_*` variable, UTC."""
    folder = tmp_path_factory.mktemp("home")
    _enter(folder, monkeypatch)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty folder to make a workspace in; not inside any git repository."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder
