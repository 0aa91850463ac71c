# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Everything that notices, SBOM and audit are made from, read once from a workspace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import VendorError
from vendorctl.git.tree import Tree
from vendorctl.licenses.component import Component, component_of
from vendorctl.licenses.notices import notices_for
from vendorctl.model import Finding
from vendorctl.series.workspace import Standing, load_standing, locked_upstream
from vendorctl.upstream.source import Source
from vendorctl.workspace.lock import Lock, LockedUpstream
from vendorctl.workspace.manifest import Manifest
from vendorctl.workspace.root import LICENSES_FOLDER


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The components of a workspace by name order, how each stands on disk, and the texts in `licenses/` by SPDX id.

    `findings` name the upstreams that could not be gathered: without them nothing generated would be complete.
    """

    components: tuple[Component, ...]
    standings: Mapping[str, Standing]
    texts: Mapping[str, bytes]
    findings: tuple[Finding, ...]

    def require_complete(self) -> None:
        """Raise the first reason why an upstream is left out."""
        for finding in self.findings:
            raise VendorError(finding.message, location=finding.location, hint=finding.hint)


def gather(root: Path, manifest: Manifest, lock: Lock | None) -> Gathered:
    """Read every upstream of the manifest. No network, no git process."""
    standings: dict[str, Standing] = {}
    components: list[Component] = []
    findings: list[Finding] = []
    for name in sorted(manifest.upstreams):
        upstream = manifest.upstreams[name]
        try:
            standing = load_standing(root, upstream, locked_upstream(lock, name), notices_for)
            components.append(component_of(standing, manifest.licenses))
            standings[name] = standing
        except VendorError as error:
            location = error.location or upstream.place()
            findings.append(
                Finding(rule="VC416", message=error.message, upstream=name, location=location, hint=error.hint)
            )
    return Gathered(components=tuple(components), standings=standings, texts=own_texts(root), findings=tuple(findings))


def own_texts(root: Path) -> dict[str, bytes]:
    """The texts in `licenses/`, by SPDX id, as REUSE names the files."""
    folder = root / LICENSES_FOLDER
    if not folder.is_dir():
        return {}
    return {file.stem: file.read_bytes() for file in sorted(folder.glob("*.txt")) if file.is_file()}


def known_trees(lock: Lock | None, opener: Callable[[LockedUpstream], Source]) -> dict[str, Tree]:
    """Whole upstream trees at their pins, for the upstreams that an offline cache has; the others are left out."""
    found = {}
    for name, locked in (lock.upstreams if lock is not None else {}).items():
        try:
            found[name] = opener(locked).tree(locked.commit)
        except VendorError:
            continue
    return found
