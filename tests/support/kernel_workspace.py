# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Whole workspaces with the tests' small kernel, made through the command line, each beside a cache of its objects.

Making one compiles; a copy of it builds from the cache, as long as commands are given `cache_of` it.
"""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
from pathlib import Path

import pytest

from support import tinykern
from support.repo import Changes
from support.workspace import Workspace, make_workspace
from vendorctl.kernels.caching import entry
from vendorctl.kernels.objectstore.pointer import Stored

TARGET = "gfx942"
#: Every object of the workspace, relative to it.
OBJECTS = frozenset(f"objects/scale/{TARGET}/{dtype}.hsaco" for dtype in ("f16", "f32"))

_KERNELS = f"""kernels:
  recipes: [recipes/scale.py]
  targets: [{TARGET}]
  toolchain: {{flydsl: "{importlib.metadata.version("flydsl")}"}}
"""


def cache_of(space: Workspace) -> Path:
    """The cache beside a workspace."""
    return space.folder / "cache"


def built(folder: Path) -> Workspace:
    """Synced and built, never packed or tested."""
    files: Changes = {name.removeprefix("patched/"): t for name, t in tinykern.FILES.items() if "patched/" in name}
    space = make_workspace(folder, files, output="out")
    with (space.root / "VENDOR.yaml").open("a") as file:
        file.write(_KERNELS)
    recipe = tinykern.TESTED_RECIPE.replace('upstream = "tinykern"', 'upstream = "up"')
    tinykern.write_files(space.root, {"recipes/scale.py": recipe})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VENDORCTL_CACHE", str(cache_of(space)))
        space.sync()
        space.must("build")
    return space


def unbuild(space: Workspace) -> None:
    """Remove objects and manifests: they are in the cache only."""
    shutil.rmtree(space.root / "objects")


def lend(space: Workspace) -> None:
    """Remove objects and manifests, and make the cache that has them a shared one: the user's own is empty."""
    unbuild(space)
    (cache_of(space) / "objects").rename(shared_cache(space))
    share(space, "../shared")


def share(space: Workspace, place: str) -> None:
    """Let builds of the workspace share what they compile with others, at `place`."""
    with (space.root / "VENDOR.yaml").open("a") as file:
        file.write(f"  cache: {place}\n")


def shared_cache(space: Workspace) -> Path:
    """The cache that `lend` makes."""
    return space.folder / "shared"


def connect_store(space: Workspace) -> None:
    """Put the workspace into git, with a folder beside it as its DVC remote that has nothing yet."""
    (space.root / ".dvc").mkdir()
    (space.root / ".dvc/.gitignore").write_text("/config.local\n/tmp\n/cache\n")
    (space.root / ".dvc/config").write_text("[core]\n    remote = store\n['remote \"store\"']\n    url = ../../store\n")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "built")):
        subprocess.run(["git", *words], cwd=space.root, check=True)


def store_of(space: Workspace) -> Path:
    """The remote of `connect_store`."""
    return space.folder / "store"


def stored(space: Workspace) -> bool:
    """Whether the remote has every object, undamaged."""
    wanted = [Stored.of(data) for data in _codes(space)]
    files = {each: store_of(space) / each.key for each in wanted}
    return all(path.is_file() and Stored.of(path.read_bytes()) == each for each, path in files.items())


def _codes(space: Workspace) -> list[bytes]:
    """The bytes of every object, from wherever it is."""
    entries = [path.read_bytes() for path in sorted((cache_of(space) / "objects").rglob("*")) if path.is_file()]
    return [code for code in map(entry.code_of, entries) if code is not None]
