# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A workspace of one upstream as a completed sync leaves it, with real licence facts and change notices. No git."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from support.repo import Content
from support.small_workspace import lay_out
from support.trees import Contents, tree
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Tree
from vendorctl.licenses.declared import survey
from vendorctl.licenses.notices import notices_for
from vendorctl.model import Finding, Report
from vendorctl.series.dressing import dress
from vendorctl.series.patch import Patch, Trailers
from vendorctl.series.recording import locked_series
from vendorctl.series.stack import Applied, Series, apply_series
from vendorctl.series.store import dump_series_file
from vendorctl.series.write import write_patch
from vendorctl.vendor.facts import locked_files
from vendorctl.workspace.lock import Lock, LockedUpstream
from vendorctl.workspace.lockfile import dump_lock
from vendorctl.workspace.manifest import Manifest
from vendorctl.workspace.parse import load_manifest
from vendorctl.workspace.root import patched_dir, patches_dir, vendored_dir

#: Files by path.
Files: TypeAlias = "dict[str | bytes, Content]"

COMMIT = Oid(b"\x11" * 20)
OWNER = "Copyright (c) 2025 The up authors"
TRAILERS = Trailers(origin="vendor", forwarded="no", reason="a test")
TAG = "SPDX-License" + "-Identifier:"


def header(expression: str = "Apache-2.0", *notices: str) -> str:
    """Comment lines that state a licence and copyright notices."""
    return "".join(f"# {line}\n" for line in (f"{TAG} {expression}", *(notices or (OWNER,))))


@dataclass
class LicensedWorkspace:
    """Upstream ``up`` below `root`: its files, then the files after each patch. `licenses` is YAML below that key."""

    root: Path
    pristine: Files
    states: tuple[Files, ...] = ()
    licenses: str = "  allow: [Apache-2.0, MIT]\n"
    declared: str = "Apache-2.0"
    url: str = "https://github.com/Example/Up.git"
    store: str = "commit"
    titles: tuple[str, ...] = ()
    trailers: Trailers = TRAILERS
    contents: Contents = field(default_factory=dict)

    def __post_init__(self) -> None:
        trees = [tree(files, self.contents) for files in (self.pristine, *self.states)]
        patches = tuple(self._patch(number, trees[number - 1], trees[number]) for number in range(1, len(trees)))
        self.applied: Applied = apply_series(trees[0], Series("up", patches), self.contents)
        self.locked = self._lock(trees[0])

    def _patch(self, number: int, old: Tree, new: Tree) -> Patch:
        title = self.titles[number - 1] if self.titles else f"Change number {number}"
        return write_patch(
            old,
            new,
            self.contents,
            number=number,
            title=title,
            body="",
            author="A <a@example.org>",
            date=f"Mon, {number} Jan 2024 00:00:00 +0000",
            trailers=self.trailers,
        )

    def _lock(self, pristine: Tree) -> LockedUpstream:
        scan = survey(pristine, pristine, lambda paths: {path: self.contents[pristine[path].oid] for path in paths})
        return LockedUpstream(
            name="up",
            url=self.url,
            commit=COMMIT,
            root_tree=pristine.oid,
            ref=None,
            files=locked_files(pristine, self.contents, scan),
            series=locked_series(self.applied),
            include=("**",),
            exclude=(),
        )

    @property
    def lock(self) -> Lock:
        """The lock as on disk."""
        return Lock(upstreams={"up": self.locked})

    @property
    def manifest(self) -> Manifest:
        """The manifest as on disk."""
        return load_manifest(self.root)

    @property
    def output(self) -> Path:
        """The patched tree on disk."""
        return self.root / "out"

    def sha256(self, path: str) -> str:
        """The locked hash of a pristine file."""
        return next(file.sha256 for file in self.locked.files if file.path == path.encode())

    def write(self) -> LicensedWorkspace:
        """Put everything but generated documents on disk; called again, it replaces what sync would replace."""
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / "VENDOR.yaml").write_text(
            f"version: 1\nupstreams:\n  up:\n    url: {self.url}\n    pin: {COMMIT}\n    license: {self.declared}\n"
            f'    include: ["**"]\n    store: {self.store}\n    output: out\nlicenses:\n{self.licenses}',
            "utf-8",
        )
        (self.root / "VENDOR.lock").write_bytes(dump_lock(self.lock))
        upstream = self.manifest.upstreams["up"]
        for folder in (vendored_dir("up"), patched_dir(upstream), patches_dir("up")):
            shutil.rmtree(self.root / folder, ignore_errors=True)
        lay_out(self.root / vendored_dir("up"), self.applied.trees[0], self.contents)
        dressing = notices_for(upstream, self.locked, self.applied)
        dressed, made = dress(self.applied.patched, self.contents, dressing)
        lay_out(self.root / patched_dir(upstream), dressed, self.contents | made)
        patches = self.root / patches_dir("up")
        patches.mkdir(parents=True)
        for patch in self.applied.series.patches:
            (patches / patch.file_name).write_bytes(patch.raw)
        (patches / "series").write_bytes(dump_series_file(self.applied.series))
        return self

    def published(self) -> LicensedWorkspace:
        """Written, with generated notices and SBOM."""
        from vendorctl.licenses.bill import publish_bills
        from vendorctl.licenses.publish import publish_notices

        self.write()
        publish_notices(self.root)
        publish_bills(self.root)
        return self

    def audit(self, *, require: bool = False) -> Report:
        """The audit of what is on disk, without a second opinion."""
        from vendorctl.licenses.audit import audit
        from vendorctl.workspace.lockfile import load_lock

        return audit(self.root, self.manifest, load_lock(self.root), require=require)

    def at_commit(self, commit: Oid) -> LockedUpstream:
        """This state's locked upstream as if taken at another commit."""
        return replace(self.locked, commit=commit)


def rules(report: Report, *, errors_only: bool = True) -> list[str]:
    """The rule of each finding, in report order."""
    return [finding.rule for finding in report.sorted_findings() if not errors_only or is_error(finding)]


def is_error(finding: Finding) -> bool:
    """True for what makes a command fail."""
    return finding.severity.value == "error"
