# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Finding a workspace, and the folders in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from vendorctl.errors import ExitCode, VendorError
from vendorctl.workspace.parse import parse_manifest
from vendorctl.workspace.root import ensure_state_folder, find_root, patched_dir, patches_dir, vendored_dir


def test_the_nearest_manifest_upwards_decides(workspace: Path) -> None:
    inner = workspace / "examples/inner"
    deep = inner / "src/deep"
    deep.mkdir(parents=True)
    with pytest.raises(VendorError) as error:
        find_root(deep)
    assert error.value.code is ExitCode.USAGE
    assert "vendorctl init" in (error.value.hint or "")
    (workspace / "VENDOR.yaml").write_text("")
    assert find_root(deep) == workspace.resolve()
    (inner / "VENDOR.yaml").write_text("")
    assert find_root(deep) == inner.resolve()
    assert find_root(workspace) == workspace.resolve()


def test_a_link_to_a_workspace_gives_its_real_place(workspace: Path, tmp_path: Path) -> None:
    (workspace / "VENDOR.yaml").write_text("")
    (tmp_path / "link").symlink_to(workspace)
    assert find_root(tmp_path / "link") == workspace.resolve()


def test_folders_of_an_upstream() -> None:
    pin = "1" * 40
    text = f"version: 1\nupstreams:\n  up:\n    url: x\n    pin: {pin}\n    include: ['**']\n"
    upstream = parse_manifest(text).upstreams["up"]
    assert (vendored_dir("up"), patches_dir("up")) == ("vendored/up", "patches/up")
    assert patched_dir(upstream) == ".vendorctl/patched/up"
    assert patched_dir(replace(upstream, output="src/_vendor/up")) == "src/_vendor/up"


def test_the_state_folder_ignores_itself(workspace: Path) -> None:
    folder = ensure_state_folder(workspace)
    assert (folder / ".gitignore").read_text() == "*\n"
    (folder / ".gitignore").write_text("# mine\n*\n")
    ensure_state_folder(workspace)
    assert (folder / ".gitignore").read_text() == "# mine\n*\n"
