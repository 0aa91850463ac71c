# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The commands over a real workspace: vendored, synced, built, checked, packed; and what they say when they cannot."""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from support import tinykern
from support.repo import Changes, Repo, repo
from vendorctl.cli import main
from vendorctl.errors import ExitCode

KERNELS = """
kernels:
  recipes: [recipes/scale.py]
  targets: [gfx942, gfx11-generic]
  toolchain: {flydsl: "VERSION"}
  policy: {max_spills: 0}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace that vendors the tiny kernel from a git repository, with its recipe."""
    files: Changes = {n.removeprefix("patched/"): text for n, text in tinykern.FILES.items() if "patched" in n}
    upstream = repo(tmp_path / "upstream", files)
    folder = tmp_path / "ws"
    folder.mkdir()
    for arguments in (["init"], ["add", "tinykern", upstream.path.as_uri(), "--include", "tinykern/**"], ["sync"]):
        assert main(["-C", str(folder), *arguments]) == 0
    tinykern.write_files(folder, {"recipes/scale.py": tinykern.RECIPE})
    described = folder / "VENDOR.yaml"
    described.write_text(described.read_text() + KERNELS.replace("VERSION", importlib.metadata.version("flydsl")))
    return folder


def run(capsys: pytest.CaptureFixture[str], root: Path, *arguments: str) -> tuple[int, Any]:
    """Exit code and JSON document of a command."""
    capsys.readouterr()
    code = main(["-C", str(root), "--format", "json", *arguments])
    out = capsys.readouterr().out
    return code, json.loads(out) if out else None


def test_from_upstream_to_shards(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, report = run(capsys, root, "build", "--jobs", "2")
    assert (code, report["schema"]) == (0, "vendorctl/build/1")
    assert report["counts"] == {"objects": 4, "compiled": 4}
    assert (root / "objects/.gitignore").read_text() == "*.hsaco\n"
    assert run(capsys, root, "build")[1]["counts"] == {"objects": 4, "unchanged": 4}
    assert run(capsys, root, "check", "--require")[0] == 0
    assert run(capsys, root, "pack", "--check")[0] == ExitCode.FINDINGS
    assert run(capsys, root, "pack")[1]["counts"]["shards"] == 9
    assert run(capsys, root, "pack", "--check")[0] == 0
    assert run(capsys, root, "build", "--verify")[1]["counts"] == {"objects rebuilt": 4, "identical": 4}


def test_an_edit_of_the_patched_tree_makes_objects_stale_until_they_are_built(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, root, "build")[0] == 0
    source = root / ".vendorctl/patched/tinykern/tinykern/scale.py"
    source.write_text(source.read_text().replace("BLOCK = 64", "BLOCK = 128"))
    code, report = run(capsys, root, "check")
    assert code == ExitCode.FINDINGS
    assert [finding["rule"] for finding in report["findings"]] == ["VC512"]
    assert "source tinykern/scale.py changed" in report["findings"][0]["message"]
    record = ["patch", "record", "tinykern", "--title", "Wider blocks", "--reason", "fewer workgroups"]
    assert main(["-C", str(root), *record]) == 0
    assert run(capsys, root, "build")[1]["counts"] == {"objects": 4, "compiled": 4}
    assert run(capsys, root, "check")[0] == 0
    manifest = json.loads((root / "objects/scale/gfx942/manifest.json").read_text())
    assert list(manifest["inputs"]["patches"]) == ["0001-wider-blocks.patch"]
    assert sorted(manifest["inputs"]["pristine"]) == ["tinykern/__init__.py", "tinykern/scale.py", "tinykern/types.py"]


def test_an_edited_patch_file_is_noticed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = root / ".vendorctl/patched/tinykern/tinykern/scale.py"
    source.write_text(source.read_text().replace("BLOCK = 64", "BLOCK = 128"))
    assert main(["-C", str(root), "patch", "record", "tinykern", "--title", "Wider", "--reason", "speed"]) == 0
    assert run(capsys, root, "build")[0] == 0
    patch = root / "patches/tinykern/0001-wider.patch"
    patch.write_text(patch.read_text().replace("Reason: speed", "Reason: taste"))
    code, report = run(capsys, root, "check")
    assert code == ExitCode.FINDINGS
    assert "patch 0001-wider.patch changed" in report["findings"][0]["message"]


def test_a_failing_kernel_ends_with_six(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = root / "recipes/scale.py"
    recipe.write_text(recipe.read_text().replace('row(dtype="f16")', 'row(dtype="f17")'))
    code, report = run(capsys, root, "build", "--keep-going")
    assert code == ExitCode.BUILD_FAILED
    assert {finding["rule"] for finding in report["findings"]} == {"VC501"}
    assert not (root / "objects").exists()


def test_without_flydsl_everything_but_building_works(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, root, "build")[0] == 0
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == "flydsl":
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    for name in ("flydsl", "numpy", "tinygrad"):
        monkeypatch.setitem(sys.modules, name, None)
    for arguments in (["check", "--require"], ["pack"], ["pack", "--check"]):
        assert run(capsys, root, *arguments)[0] == 0, arguments
    capsys.readouterr()
    assert main(["-C", str(root), "build"]) == ExitCode.TOOL_MISSING
    error = capsys.readouterr().err
    assert "flydsl is not installed" in error
    assert "pip install 'vendorctl[build]'" in error


def test_a_workspace_without_kernels_says_so(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    described = root / "VENDOR.yaml"
    described.write_text(described.read_text().split("kernels:")[0])
    assert main(["-C", str(root), "build"]) == ExitCode.USAGE
    assert "configures no kernels" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["build", "--op", "nothing"], ExitCode.USAGE, "no recipe builds nothing"),
        (["build", "--target", "gfx90a"], ExitCode.USAGE, "gfx90a is not in VENDOR.yaml"),
        (["build", "--executor", "cloud"], ExitCode.USAGE, "unknown executor"),
        (["build", "--jobs", "0"], ExitCode.USAGE, "--jobs"),
        (["compat", "--version", "latest"], ExitCode.USAGE, "is not a version"),
    ],
)
def test_mistakes_are_answered(
    root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    capsys.readouterr()
    assert main(["-C", str(root), *arguments]) == code
    assert words in capsys.readouterr().err


def test_a_pin_of_another_flydsl_is_enforced(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    described = root / "VENDOR.yaml"
    described.write_text(described.read_text().replace(importlib.metadata.version("flydsl"), "0.0.1"))
    assert main(["-C", str(root), "build"]) == ExitCode.TOOL_MISSING
    assert "VENDOR.yaml pins flydsl 0.0.1" in capsys.readouterr().err
    described.write_text(described.read_text().replace("flydsl:", "flydls:"))
    assert main(["-C", str(root), "check"]) == ExitCode.INVALID
    assert "what can be pinned: flydsl, linker, python" in capsys.readouterr().err


def test_a_killed_build_leaves_the_old_state(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All writes are one transaction: stopping between staging and commit changes nothing."""
    from vendorctl.kernels.building import build as building
    from vendorctl.kernels.building.build import BuildOptions
    from vendorctl.kernels.building.project import load_project
    from vendorctl.kernels.caching.cache import ObjectCache
    from vendorctl.kernels.executor import pool
    from vendorctl.workspace.transaction import Transaction

    class Interrupted(Transaction):
        def commit(self) -> Any:
            raise KeyboardInterrupt

    assert run(capsys, root, "build")[0] == 0
    before = {path: path.read_bytes() for path in (root / "objects").rglob("*") if path.is_file()}
    recipe = root / "recipes/scale.py"
    recipe.write_text(recipe.read_text().replace('"a": 2.0', '"a": 4.0'))
    cache = ObjectCache(Path(os.environ["VENDORCTL_CACHE"]) / "objects")
    with pytest.raises(KeyboardInterrupt):
        building.build(
            load_project(root),
            tinykern.tools(),
            cache,
            pool.open_executor("local", 1),
            BuildOptions(),
            begin=lambda: Interrupted(root, "build"),
        )
    assert {path: path.read_bytes() for path in (root / "objects").rglob("*") if path.is_file()} == before
    assert run(capsys, root, "build")[0] == 0
    assert run(capsys, root, "check")[0] == 0


def test_what_a_patch_does_to_objects_is_shown_as_instructions(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tinygrad")
    source = root / ".vendorctl/patched/tinykern/tinykern/scale.py"
    source.write_text(source.read_text().replace("* a)", "* a + 1.0)"))
    assert main(["-C", str(root), "patch", "record", "tinykern", "--title", "Add one", "--reason", "bias"]) == 0
    code, report = run(capsys, root, "diff-upstream", "--objects", "--target", "gfx942")
    assert code == 0
    assert report["counts"] == {"instances": 2, "code": 2}
    assert any("v_add_f32" in line for line in report["differences"]["scale"])
    assert not (root / "objects").exists()


def test_what_a_bump_does_to_objects_is_shown_before_it_is_made(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tinygrad")
    upstream = Repo(root.parent / "upstream")
    plain = upstream.read("tinykern/scale.py").decode()
    upstream.commit({"tinykern/scale.py": "# only a comment\n" + plain})
    upstream.tag("same")
    upstream.commit({"tinykern/scale.py": plain.replace("* a)", "* a + 1.0)")})
    upstream.tag("other")
    pin = (root / "VENDOR.yaml").read_bytes()
    objects = ("diff-upstream", "--objects", "--target", "gfx942", "--against")
    assert run(capsys, root, *objects, "same")[1]["counts"] == {"instances": 2, "same": 2}
    code, report = run(capsys, root, *objects, "other")
    assert code == 0
    assert report["counts"] == {"instances": 2, "code": 2}
    assert any("v_add_f32" in line for line in report["differences"]["scale"])
    assert (root / "VENDOR.yaml").read_bytes() == pin


def test_a_bump_that_conflicts_has_no_objects_to_compare(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = root / ".vendorctl/patched/tinykern/tinykern/scale.py"
    source.write_text(source.read_text().replace("* a)", "* a + 1.0)"))
    assert main(["-C", str(root), "patch", "record", "tinykern", "--title", "Add one", "--reason", "bias"]) == 0
    upstream = Repo(root.parent / "upstream")
    upstream.commit({"tinykern/scale.py": upstream.read("tinykern/scale.py").decode().replace("* a)", "* a * 3.0)")})
    upstream.tag("other")
    code, error = run(capsys, root, "diff-upstream", "--objects", "--against", "other")
    assert code == ExitCode.CONFLICT
    assert "0001-add-one.patch conflicts with other" in error["message"]
    assert not (root / ".vendorctl/bump").exists()


def test_instructions_are_decoded_for_every_member(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tinygrad")
    assert run(capsys, root, "build")[0] == 0
    code, report = run(capsys, root, "check", "--instructions")
    assert code == 0
    assert report["counts"]["decodings"] == 18
