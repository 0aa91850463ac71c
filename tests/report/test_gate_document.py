# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The document of the bump gate is as its schema says: of a bump that makes kernels worse, and of one that does not.

`sync` shows it as text and never writes it, so that it is taken where the gate returns it.
"""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path
from typing import Any

import pytest

from report.tampering import tampered
from support import tinykern
from support.repo import Changes, Repo, repo
from support.schemas import faults
from vendorctl.cli import main
from vendorctl.kernels.testing import gate
from vendorctl.report.json import render_json

FILES: Changes = {name.removeprefix("patched/"): text for name, text in tinykern.FILES.items() if "patched" in name}
KERNEL = "tinykern/scale.py"
BETTER = tinykern.KERNEL.replace("if i < n:", "if i < n and n > 0:")
WORSE = tinykern.KERNEL.replace("* a)", "* a * 2.0)")


@pytest.fixture
def upstream(tmp_path: Path) -> Repo:
    """A kernel, the same compiled to other objects, and one with wrong results: v1, v2 and v3."""
    made = repo(tmp_path / "upstream", FILES, {KERNEL: BETTER}, {KERNEL: WORSE})
    for number, commit in enumerate(made.commits, start=1):
        made.tag(f"v{number}", commit)
    return made


@pytest.fixture
def root(tmp_path: Path, upstream: Repo) -> Path:
    pytest.importorskip("flydsl")
    pytest.importorskip("tinygrad")
    root = tmp_path / "ws"
    root.mkdir()
    added = ("add", "tinykern", upstream.path.as_uri(), "--ref", "v1", "--include", "tinykern/**")
    for words in (("init",), added, ("sync",)):
        assert main(["-C", str(root), *words]) == 0
    tinykern.write_files(root, {"recipes/scale.py": tinykern.TESTED_RECIPE})
    version = importlib.metadata.version("flydsl")
    with (root / "VENDOR.yaml").open("a") as manifest:
        manifest.write(
            f'kernels:\n  recipes: [recipes/scale.py]\n  targets: [gfx942]\n  toolchain: {{flydsl: "{version}"}}\n'
        )
    return root


def bumped(root: Path, ref: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, dict[str, Any]]:
    """How a gated bump ends, and the document of its gate."""
    documents: list[dict[str, Any]] = []
    examine = gate.examine_bump

    def kept(*arguments: Any) -> Any:
        done = examine(*arguments)
        documents.append(json.loads(render_json(done.report)))
        return done

    with monkeypatch.context() as patched:
        patched.setattr(gate, "examine_bump", kept)
        code = main(["-C", str(root), "sync", "--pin", f"tinykern={ref}", "--gate", "test"])
    (document,) = documents
    return code, document


def test_the_document_of_the_gate_fits(root: Path, upstream: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    code, worse = bumped(root, "v3", monkeypatch)
    assert (code, worse["ok"], len(worse["findings"])) == (6, False, 2)
    assert {item["turn"] for item in worse["objects"]} == {"regressed"}
    code, better = bumped(root, "v2", monkeypatch)
    assert (code, better["ok"], better["findings"]) == (0, True, [])
    assert better["objects"]
    for document, after in ((worse, upstream.commits[2]), (better, upstream.commits[1])):
        assert document["schema"] == "vendorctl/gate/1"
        assert (document["before"], document["after"]) == (f"at {upstream.commits[0].short}", f"at {after.short}")
        assert faults(document) == []
        spoiled = list(tampered(document))
        assert len(spoiled) > 20
        assert [what for what, fake in spoiled if not faults(fake)] == []
