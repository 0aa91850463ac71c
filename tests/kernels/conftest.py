# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A workspace that was built once; each test gets a copy of its own."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from support import tinykern
from vendorctl.kernels.building.project import Project


@dataclass(frozen=True, slots=True)
class Built:
    """A built project, and the cache that its objects are in."""

    project: Project
    cache: Path

    @property
    def objects(self) -> Path:
        return self.project.root / "objects" / "scale"


@pytest.fixture(scope="session")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Built:
    root = tinykern.write_files(tmp_path_factory.mktemp("tinykern"))
    cache = tmp_path_factory.mktemp("cache")
    project = tinykern.project(root)
    report = tinykern.build(project, cache).report
    assert report.ok, report.findings
    assert report.counts == {"objects": 4, "compiled": 4}
    return Built(project, cache)


@pytest.fixture
def built(built_once: Built, tmp_path: Path) -> Built:
    root = tmp_path / "project"
    shutil.copytree(built_once.project.root, root)
    cache = tmp_path / "object-cache"
    shutil.copytree(built_once.cache, cache)
    return Built(tinykern.project(root), cache)
