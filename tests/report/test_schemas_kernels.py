# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the kernel commands write as JSON, and the files they leave, is what the published schemas say."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

import pytest

from report.tampering import tampered
from support import tinykern
from support.command import call
from support.repo import Changes, repo
from support.schemas import faults
from support.soak import sample
from vendorctl.kernels.shipping import shard

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
        (["build", "--verify"], "build-verify"),
        (["check"], "check"),
        (["check", "--instructions"], "check"),
        (["pack"], "pack"),
        (["pack", "--check"], "pack-check"),
        (["test", "--jobs", "1"], "test"),
        (["test", "--without", "1", "--jobs", "1"], "test-without"),
        (["test", "--mutate", "--mutants", "1", "--jobs", "1"], "mutation"),
        (["bisect", "tinykern", "--test", "scale", "--jobs", "1"], "bisect"),
        (["diff-upstream", "--objects"], "object-drift"),
        (["guard", "guard.py"], "guard"),
        (["guard", "guard.py", "--check"], "guard"),
    ):
        document = call("-C", str(root), *words, "--format", "json", cwd=root).json()
        assert document["schema"] == f"vendorctl/{schema}/1", words
        assert faults(document) == [], words
        assert [what for what, fake in tampered(document) if not faults(fake)] == [], words


ROOT = Path(__file__).parent.parent.parent
#: How many objects of a manifest are looked at.
ROWS = 2


@pytest.mark.parametrize("operation", sorted(path.name for path in (ROOT / "objects").iterdir() if path.is_dir()))
def test_the_manifests_and_descriptors_of_this_repository_fit(operation: str) -> None:
    """All of them; of the rows, which are alike, a sample."""
    for path in (ROOT / "objects" / operation).glob("*/manifest.json"):
        document = json.loads(path.read_bytes())
        document["objects"] = sample(document["objects"], ROWS)
        assert faults(document) == [], path
    for path in (ROOT / "descriptors" / operation).glob("*.json"):
        document = json.loads(path.read_bytes())
        document["kernels"] = sample(document["kernels"], ROWS)
        assert faults(document) == [], path
        assert [what for what, fake in tampered(document) if not faults(fake)] == []


def test_the_index_of_a_shard_fits(tmp_path: Path) -> None:
    data = shard.dump("gfx942", [])
    length = int.from_bytes(data[8:16], "little")
    document = json.loads(data[16 : 16 + length])
    assert faults(document) == []
    assert faults(document | {"entries": [{}]}) != []
