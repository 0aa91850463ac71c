# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Everything that notices, SBOM and audit are made from, read once from a workspace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import Location, VendorError
from vendorctl.git.tree import Tree
from vendorctl.licenses.component import Component, component_of
from vendorctl.licenses.notices import notices_for
from vendorctl.model import Finding, Severity
from vendorctl.series.workspace import Standing, load_standing, locked_upstream
from vendorctl.upstream.source import Source
from vendorctl.workspace.lock import Lock, LockedUpstream
from vendorctl.workspace.manifest import Manifest, Store, Upstream
from vendorctl.workspace.root import LICENSES_FOLDER, vendored_dir


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The components of a workspace by name order, how each stands on disk, and the texts in `licenses/` by SPDX id.

    `complete` is false when an upstream is left out: nothing generated would then be whole. `contents` is false when
    pristine files are not on this machine (`store: fetch`): what can be had from the lock alone is still there.
    `findings` give the reasons.
    """

    components: tuple[Component, ...]
    standings: Mapping[str, Standing]
    texts: Mapping[str, bytes]
    complete: bool
    contents: bool
    findings: tuple[Finding, ...]

    def require_complete(self) -> None:
        """Raise the first reason why an upstream is left out."""
        for finding in self.findings if not self.complete else ():
            raise VendorError(finding.message, location=finding.location, hint=finding.hint)


def gather(root: Path, manifest: Manifest, lock: Lock | None, *, require: bool = False) -> Gathered:
    """Read every upstream of the manifest. No network, no git process.

    What is not restored on this machine is a note, and an error when `require` is true.
    """
    standings: dict[str, Standing] = {}
    components: list[Component] = []
    findings: list[Finding] = []
    absent = {name for name, upstream in manifest.upstreams.items() if _is_absent(root, upstream)}
    severity = Severity.ERROR if require else Severity.NOTE
    for name in sorted(manifest.upstreams):
        upstream = manifest.upstreams[name]
        if name in absent:
            hint = f"run `vendorctl sync {name}`"
            message = f"the files of {name} are not restored here: judged by VENDOR.lock alone"
            findings.append(_incomplete(upstream, message, hint, severity))
        try:
            standing = load_standing(root, upstream, locked_upstream(lock, name), notices_for)
            components.append(component_of(standing, manifest.licenses))
            standings[name] = standing
        except VendorError as error:
            if name not in absent:
                findings.append(_incomplete(upstream, error.message, error.hint, place=error.location))
    return Gathered(
        components=tuple(components),
        standings=standings,
        texts=own_texts(root),
        complete=len(components) == len(manifest.upstreams),
        contents=not absent,
        findings=tuple(findings),
    )


def _is_absent(root: Path, upstream: Upstream) -> bool:
    return upstream.store is Store.FETCH and not (root / vendored_dir(upstream.name)).is_dir()


def _incomplete(
    upstream: Upstream,
    message: str,
    hint: str | None,
    severity: Severity = Severity.ERROR,
    place: Location | None = None,
) -> Finding:
    return Finding(
        rule="VC416",
        message=message,
        severity=severity,
        upstream=upstream.name,
        location=place or upstream.place(),
        hint=hint,
    )


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
