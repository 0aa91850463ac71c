# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A whole workspace beside its upstream repository, made and driven through the command line alone.

space = make_workspace(tmp_path / "w", {"k/a.py": "x = 1\\n"}, output="out")
space.sync()
space.record("Set x to two", {"k/a.py": "x = 2\\n"})
assert space.run("verify").code == 0
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from support.command import Prepare, Result, Running, call, nothing, start
from support.repo import Changes, Repo, repo
from vendorctl.git.oid import Oid
from vendorctl.series.dressing import undress


@dataclass(frozen=True)
class Workspace:
    """`root` with one upstream named ``up``, which lives beside it. Everything is in `folder`."""

    folder: Path
    upstream: Repo
    output: str | None = None

    @property
    def root(self) -> Path:
        """The workspace itself."""
        return self.folder / "workspace"

    @property
    def pristine(self) -> Path:
        """The folder of the pristine tree."""
        return self.root / "vendored/up"

    @property
    def patched(self) -> Path:
        """The folder of the patched tree."""
        return self.root / (self.output or ".vendorctl/patched/up")

    @property
    def patches(self) -> Path:
        """The folder of the series."""
        return self.root / "patches/up"

    @property
    def conflict(self) -> Path:
        """The folder with the files of a conflict."""
        return self.root / ".vendorctl/bump/up/files"

    def run(self, *words: str, prepare: Prepare = nothing) -> Result:
        """One command on this workspace."""
        return call("-C", str(self.root), *words, prepare=prepare)

    def start(self, *words: str, prepare: Prepare = nothing) -> Running:
        """One command on this workspace, in the background."""
        return start("-C", str(self.root), *words, prepare=prepare)

    def must(self, *words: str) -> Result:
        """One command that has to succeed."""
        result = self.run(*words)
        assert result.code == 0, result.text
        return result

    def describe(self, pin: Oid, **keys: str) -> None:
        """Write VENDOR.yaml: values are YAML as it will stand; an empty one leaves the key out."""
        rows = {"url": "../upstream", "pin": str(pin), "include": '["**"]', "output": self.output or ""} | keys
        body = "".join(f"    {key}: {value}\n" for key, value in rows.items() if value)
        (self.root / "VENDOR.yaml").write_text(f"version: 1\nupstreams:\n  up:\n{body}", encoding="utf-8")

    def sync(self) -> Result:
        """`vendorctl sync`, which has to succeed."""
        return self.must("sync")

    def edit(self, changes: Mapping[str, str | None]) -> None:
        """Set or remove files of the patched tree, as a person at work would."""
        for path, content in changes.items():
            place = self.patched / path
            if content is None:
                place.unlink()
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(content)

    def record(self, title: str, changes: Mapping[str, str | None]) -> Result:
        """Edit the patched tree and record that as the next patch."""
        self.edit(changes)
        return self.must("patch", "record", "up", "--title", title, "--reason", "ours")

    def text(self, path: str) -> str:
        """A file of the patched tree without its change notice."""
        return undress(path.encode(), (self.patched / path).read_bytes()).decode()

    def copy(self, folder: Path) -> Workspace:
        """The same workspace and upstream at another place, byte for byte and with the same times."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Workspace(folder, Repo(folder / "upstream", list(self.upstream.commits)), self.output)


def make_workspace(folder: Path, *commits: Changes, output: str | None = None, **keys: str) -> Workspace:
    """An upstream with these commits, tagged v1, v2, ..., and a workspace that pins the first; nothing synced yet.

    `keys` are further lines of VENDOR.yaml, as `Workspace.describe` takes them.
    """
    upstream = repo(folder / "upstream", *commits)
    upstream.tag_all({f"v{number}": commit for number, commit in enumerate(upstream.commits, start=1)})
    space = Workspace(folder, upstream, output)
    space.root.mkdir()
    space.describe(upstream.commits[0], **keys)
    return space


def every_fact(folder: Path) -> dict[str, tuple[object, ...]]:
    """All that a command could change below a folder: kind, mode, identity, time, and content or link target."""
    found: dict[str, tuple[object, ...]] = {}
    for base, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            path = Path(base) / name
            state = path.lstat()
            content: object = None
            if path.is_symlink():
                content = path.readlink()
            elif path.is_file():
                content = path.read_bytes()
            found[str(path.relative_to(folder))] = (state.st_mode, state.st_ino, state.st_mtime_ns, content)
    return found
