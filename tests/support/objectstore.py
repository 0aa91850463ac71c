# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Workspaces whose objects are kept outside of git: what tests run on them, and what they look at."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support import tinykern
from support.schemas import faults
from vendorctl.cli import main

KERNELS = f"""
kernels:
  recipes: [recipes/scale.py]
  targets: [gfx942, gfx11-generic]
  toolchain: {{flydsl: "{importlib.metadata.version("flydsl")}"}}
"""


OBJECTS = {f"objects/scale/{target}/{dtype}.hsaco" for target in tinykern.TARGETS for dtype in ("f16", "f32")}


POINTERS = {f"objects/scale/{target}/objects.dvc" for target in tinykern.TARGETS}


DAMAGED = "objects/scale/gfx942/f16.hsaco"


def dvc_run(root: Path, *arguments: str) -> str:
    environment = {**os.environ, "DVC_NO_ANALYTICS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "dvc", *arguments], cwd=root, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


@dataclass(frozen=True, slots=True)
class Place:
    """A workspace in git with objects, and a folder beside it that is its DVC remote."""

    root: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def remote(self) -> Path:
        return self.root.parent / "remote"

    def run(self, *arguments: str, root: Path | None = None) -> tuple[int, Any]:
        """Exit code and document of a command; the document is as its schema says."""
        self.capsys.readouterr()
        code = main(["-C", str(root or self.root), "--format", "json", *arguments])
        document = json.loads(self.capsys.readouterr().out)
        assert faults(document) == []
        return code, document

    def clone(self, name: str = "clone") -> Path:
        """A clone beside the workspace: it has manifests and pointers, but no objects."""
        folder = self.root.parent / name
        git(self.root.parent, "clone", "-q", str(self.root), name)
        return folder

    def configure(self, config: str) -> None:
        """Make the workspace a DVC repository, as DVC's own commands would, or change its configuration."""
        (self.root / ".dvc").mkdir(exist_ok=True)
        (self.root / ".dvc" / ".gitignore").write_text("/config.local\n/tmp\n/cache\n")
        (self.root / ".dvc" / "config").write_text(config)

    def commit(self) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", "change")


def remote(name: str, url: str, *, core: str = "") -> str:
    """DVC's configuration with one remote, which is the default."""
    return f"[core]\n    remote = {name}\n{core}['remote \"{name}\"']\n    url = {url}\n"


def rules(document: Any) -> list[str]:
    return sorted({finding["rule"] for finding in document["findings"]})


def objects_in(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*.hsaco"))}
