# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl guard`, and the module that it writes, in a process that has what it asks for and in one that has not."""

from __future__ import annotations

import importlib.util
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest

from support.command import Result, call

MANIFEST = """\
version: 1
upstreams: {}
kernels:
  targets: [gfx942, gfx950]
  toolchain: {flydsl: "0.5.0"}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "VENDOR.yaml").write_text(MANIFEST)
    return tmp_path


def guard(root: Path, *words: str) -> Result:
    return call("-C", str(root), "guard", "lib/_toolchain.py", *words)


@pytest.fixture
def module(root: Path) -> ModuleType:
    """The written guard, loaded afresh, so that no target is chosen yet."""
    assert guard(root).code == 0
    spec = importlib.util.spec_from_file_location("_toolchain", root / "lib/_toolchain.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def installed(monkeypatch: pytest.MonkeyPatch, version: str | None) -> None:
    def answer(_name: str) -> str:
        if version is None:
            raise metadata.PackageNotFoundError
        return version

    monkeypatch.setattr(metadata, "version", answer)


def test_it_is_short_and_ours(root: Path) -> None:
    assert guard(root).code == 0
    text = (root / "lib/_toolchain.py").read_text()
    assert len(text.splitlines()) < 100
    # REUSE-IgnoreStart
    assert "SPDX-License-Identifier: Apache-2.0" in text
    # REUSE-IgnoreEnd


def test_writing_it_again_changes_nothing(root: Path) -> None:
    guard(root)
    assert "nothing to do" in guard(root).out
    assert guard(root, "--check").code == 0


@pytest.mark.parametrize(("old", "new"), [("0.5.0", "0.6.0"), ("gfx950", "gfx90a")])
def test_a_manifest_that_moved_on_is_noticed(root: Path, old: str, new: str) -> None:
    guard(root)
    (root / "VENDOR.yaml").write_text(MANIFEST.replace(old, new))
    assert "VC610" in guard(root, "--check").out
    assert guard(root, "--check").code == 1
    guard(root)
    assert guard(root, "--check").code == 0


def test_an_edited_or_missing_guard_is_noticed(root: Path) -> None:
    assert guard(root, "--check").code == 1
    guard(root)
    with (root / "lib/_toolchain.py").open("a") as file:
        file.write("TARGETS = ()\n")
    assert guard(root, "--check").code == 1


def test_another_file_is_not_overwritten(root: Path) -> None:
    (root / "lib").mkdir()
    (root / "lib/_toolchain.py").write_text("precious = True\n")
    assert guard(root).code == 2
    assert (root / "lib/_toolchain.py").read_text() == "precious = True\n"


def test_it_needs_a_toolchain_and_targets(root: Path) -> None:
    (root / "VENDOR.yaml").write_text("version: 1\nupstreams: {}\n")
    assert guard(root).code == 3


def test_it_stays_in_the_workspace(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "guard.py"
    assert call("-C", str(root), "guard", str(elsewhere)).code == 2
    assert not elsewhere.exists()


@pytest.mark.parametrize("version", ["0.5.0", "0.5", "0.5.0.post1", "0.5.0+rocm7", "0.10.0", "1"])
def test_a_toolchain_that_is_new_enough_will_do(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    installed(monkeypatch, version)
    module.require()


@pytest.mark.parametrize("version", [None, "0.4.9", "0.5.0rc1", "0.5.0.dev3", "0", "unknown"])
def test_a_missing_or_old_toolchain_is_refused_with_the_command(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, version: str | None
) -> None:
    installed(monkeypatch, version)
    with pytest.raises(ImportError, match=r"flydsl.*Run: pip install flydsl==0\.5\.0$"):
        module.require()


def test_a_target_is_chosen_once_and_told_to_the_compiler(module: ModuleType) -> None:
    env: dict[str, str] = {"ARCH": "gfx942"}
    assert module.choose_target(None, env) == "gfx942"
    assert env == {"ARCH": "gfx942", "FLYDSL_GPU_ARCH": "gfx942"}
    assert module.choose_target("gfx942", {}) == "gfx942"
    with pytest.raises(module.TargetError, match="works for gfx942"):
        module.choose_target("gfx950", {})


@pytest.mark.parametrize(
    ("target", "env", "said"),
    [
        (None, {}, "no target"),
        (None, {"ARCH": ""}, "no target"),
        ("gfx906", {}, "no objects for gfx906"),
        (None, {"ARCH": "gfx942", "FLYDSL_GPU_ARCH": "gfx950"}, "disagree"),
        ("gfx950", {"FLYDSL_GPU_ARCH": "gfx942"}, "disagree"),
    ],
)
def test_unclear_targets_are_refused_and_change_nothing(
    module: ModuleType, target: str | None, env: dict[str, str], said: str
) -> None:
    before = dict(env)
    with pytest.raises(module.TargetError, match=said):
        module.choose_target(target, env)
    assert env == before
    assert module.choose_target("gfx950", {}) == "gfx950"
