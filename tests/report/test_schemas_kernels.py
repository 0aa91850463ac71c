# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the kernel commands write as JSON is what the published schemas say."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from report.schemafaults import faults
from support import tinykern
from support.command import call
from support.repo import Changes, repo

KERNELS = """
kernels:
  recipes: [recipes/scale.py]
  targets: [gfx942]
  toolchain: {flydsl: "VERSION"}
"""


def workspace(folder: Path) -> Path:
    """A workspace of the tiny kernel with one patch."""
    pytest.importorskip("flydsl")
    files: Changes = {n.removeprefix("patched/"): text for n, text in tinykern.FILES.items() if "patched" in n}
    upstream = repo(folder / "upstream", files)
    root = folder / "ws"
    root.mkdir()
    for words in (["init"], ["add", "tinykern", upstream.path.as_uri(), "--include", "tinykern/**"], ["sync"]):
        assert call("-C", str(root), *words).code == 0
    tinykern.write_files(root, {"recipes/scale.py": tinykern.RECIPE})
    manifest = root / "VENDOR.yaml"
    manifest.write_text(manifest.read_text() + KERNELS.replace("VERSION", importlib.metadata.version("flydsl")))
    source = root / ".vendorctl/patched/tinykern/tinykern/scale.py"
    source.write_text(source.read_text().replace("* a)", "* a + 1.0)"))
    assert call("-C", str(root), "patch", "record", "tinykern", "--title", "Add one", "--reason", "bias").code == 0
    return root


def test_from_build_to_test(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    for words, schema in (
        (["build", "--jobs", "1"], "build"),
        (["build"], "build"),
        (["check"], "check"),
        (["pack"], "pack"),
        (["pack", "--check"], "pack-check"),
        (["test", "--jobs", "1"], "test"),
        (["diff-upstream", "--objects"], "object-drift"),
    ):
        document = call("-C", str(root), *words, "--format", "json").json()
        assert document["schema"] == f"vendorctl/{schema}/1"
        assert faults(document) == [], words
