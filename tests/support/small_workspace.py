# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A workspace with one upstream, written to disk from plain mappings: no git, no cache, no sync."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from support.repo import Changes
from support.trees import Contents, tree
from vendorctl.digest import sha256
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Mode, Tree
from vendorctl.series.dressing import Dressing, dress, notice_block, notice_sidecar, sidecar_path
from vendorctl.series.patch import Patch, Trailers
from vendorctl.series.recording import locked_series
from vendorctl.series.stack import Applied, Series, apply_series
from vendorctl.series.store import dump_series_file
from vendorctl.series.write import write_patch
from vendorctl.vendor.select import on_disk
from vendorctl.workspace.lock import Lock, LockedFile, LockedUpstream
from vendorctl.workspace.lockfile import dump_lock
from vendorctl.workspace.manifest import Store, Upstream
from vendorctl.workspace.root import patched_dir, patches_dir, vendored_dir

COMMIT = Oid(b"\x11" * 20)


def notices(_upstream: Upstream, _locked: LockedUpstream, applied: Applied) -> Dressing:
    """A stand-in for the licences layer: every path that the series changes names its patches."""
    insertions, sidecars = {}, {}
    for path, (before, after) in applied.trees[0].difference(applied.patched).items():
        if before is None or after is None or not after.mode.is_regular or after.oid not in applied.blobs:
            continue
        said = [patch.title for patch in applied.series.patches if any(change.path == path for change in patch.changes)]
        block = notice_block(path, applied.blobs[after.oid], said)
        if block is not None:
            insertions[path] = block
        else:
            sidecars[sidecar_path(path)] = notice_sidecar(said)
    return Dressing(insertions, sidecars)


@dataclass
class SmallWorkspace:
    """One upstream named ``up`` at `root`. `states` are the trees after each patch of its series."""

    root: Path
    pristine: Changes
    states: tuple[Changes, ...] = ()
    output: str | None = "out"
    contents: Contents = field(default_factory=dict)

    def __post_init__(self) -> None:
        trees = [tree(files, self.contents) for files in (self.pristine, *self.states)]
        patches = tuple(
            self.patch(number, trees[number - 1], trees[number], f"Change number {number}")
            for number in range(1, len(trees))
        )
        self.applied = apply_series(trees[0], Series("up", patches), self.contents)
        self.locked = self._lock(trees[0])
        self.lock = Lock(upstreams={"up": self.locked})
        self.upstream = Upstream(
            name="up",
            url="../up",
            pin=COMMIT,
            ref=None,
            track=None,
            include=("**",),
            exclude=(),
            license=None,
            store=Store.COMMIT,
            output=self.output,
        )

    def patch(self, number: int, old: Tree, new: Tree, title: str) -> Patch:
        """A patch between two trees, with all facts."""
        return write_patch(
            old,
            new,
            self.contents,
            number=number,
            title=title,
            body="",
            author="A <a@example.org>",
            date="Mon, 1 Jan 2024 00:00:00 +0000",
            trailers=Trailers(origin="vendor", forwarded="no", reason="a test"),
        )

    def _lock(self, pristine: Tree) -> LockedUpstream:
        files = tuple(
            LockedFile(path=path, mode=entry.mode, blob=entry.oid, sha256=sha256(content), size=len(content))
            for path, entry in pristine.items()
            for content in [self.contents.get(entry.oid, b"")]
        )
        return LockedUpstream(
            name="up",
            url="../up",
            commit=COMMIT,
            root_tree=pristine.oid,
            ref=None,
            files=files,
            series=locked_series(self.applied),
            include=("**",),
            exclude=(),
        )

    @property
    def folder(self) -> Path:
        """The patched tree on disk."""
        return self.root / patched_dir(self.upstream)

    @property
    def patches(self) -> Path:
        """The folder of the series."""
        return self.root / patches_dir("up")

    @property
    def dressing(self) -> Dressing:
        """The change notices of the patched tree."""
        return notices(self.upstream, self.locked, self.applied)

    def write(self) -> SmallWorkspace:
        """Put everything on disk as a completed sync would."""
        output = f"    output: {self.output}\n" if self.output else ""
        (self.root / "VENDOR.yaml").write_text(
            f"version: 1\nupstreams:\n  up:\n    url: ../up\n    pin: {COMMIT}\n"
            f'    include: ["**"]\n    store: commit\n{output}'
        )
        (self.root / "VENDOR.lock").write_bytes(dump_lock(self.lock))
        lay_out(self.root / vendored_dir("up"), self.applied.trees[0], self.contents)
        dressed, made = dress(self.applied.patched, self.contents, self.dressing)
        lay_out(self.folder, dressed, self.contents | made)
        self.patches.mkdir(parents=True)
        for patch in self.applied.series.patches:
            (self.patches / patch.file_name).write_bytes(patch.raw)
        (self.patches / "series").write_bytes(dump_series_file(self.applied.series))
        return self


def lay_out(folder: Path, made: Tree, contents: Mapping[Oid, bytes]) -> None:
    """Write a tree as files below `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, entry in on_disk(made).items():
        place = Path(os.fsdecode(os.fsencode(folder) + b"/" + path))
        place.parent.mkdir(parents=True, exist_ok=True)
        if entry.mode is Mode.SYMLINK:
            place.symlink_to(os.fsdecode(contents[entry.oid]))
        else:
            place.write_bytes(contents[entry.oid])
            place.chmod(0o755 if entry.mode is Mode.EXECUTABLE else 0o644)


def relocked(locked: LockedUpstream, applied: Applied) -> LockedUpstream:
    """The lock's entry with the series of another chain."""
    return replace(locked, series=locked_series(applied))
