# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The licence that counts for each pristine file: its own words, or a person's decision about these very bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from vendorctl.git.tree import Mode
from vendorctl.licenses.expressions import combine
from vendorctl.licenses.facts import is_notice_file
from vendorctl.paths import display
from vendorctl.workspace.lock import LockedFile, LockedUpstream
from vendorctl.workspace.manifest import Curation, LicensePolicy
from vendorctl.workspace.root import vendored_dir


class Basis(StrEnum):
    """Where a file's licence comes from, or why it needs none."""

    HEADER = "header"
    SIDECAR = "sidecar"
    REUSE_TOML = "reuse-toml"
    DEP5 = "dep5"
    CURATION = "curation"
    UNKNOWN = "unknown"
    TEXT = "licence text"
    EMPTY = "empty"
    LINK = "link"
    SUBMODULE = "submodule"

    @property
    def is_exempt(self) -> bool:
        """True for what needs no licence of its own."""
        return self in {Basis.TEXT, Basis.EMPTY, Basis.LINK, Basis.SUBMODULE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Licensed:
    """One pristine file with the licence that counts for it.

    `expression` is canonical, or empty when none is known. `copyrights` are verbatim. `curation` is the one for this
    path, which counts only when `basis` is `CURATION`: else its hash is another content's.
    """

    file: LockedFile
    expression: str
    basis: Basis
    copyrights: tuple[str, ...]
    curation: Curation | None = None


def workspace_path(upstream: str, path: bytes) -> str:
    """Where a pristine file lies, as findings and curations spell it."""
    return f"{vendored_dir(upstream)}/{display(path)}"


def curations_of(locked: LockedUpstream, policy: LicensePolicy) -> dict[bytes, Curation]:
    """The curations that name files of this upstream, by path.

    A curation's path starts at the workspace root (``vendored/NAME/...``) or at the upstream's root.
    """
    by_path = {curation.path: curation for curation in policy.curations}
    found = {}
    for file in locked.files:
        curation = by_path.get(workspace_path(locked.name, file.path)) or by_path.get(display(file.path))
        if curation is not None:
            found[file.path] = curation
    return found


def licence_of(locked: LockedUpstream, policy: LicensePolicy) -> Mapping[bytes, Licensed]:
    """Every locked file of an upstream with its licence, by path."""
    curations = curations_of(locked, policy)
    return {file.path: _decide(file, curations.get(file.path)) for file in locked.files}


def _decide(file: LockedFile, curation: Curation | None) -> Licensed:
    facts = file.facts
    if curation is not None and curation.sha256 == file.sha256:
        return Licensed(
            file=file,
            expression=combine([curation.expression]),
            basis=Basis.CURATION,
            copyrights=tuple(dict.fromkeys((*facts.copyrights, *curation.copyrights))),
            curation=curation,
        )
    basis = _exemption(file)
    if basis is None:
        basis = Basis(facts.source) if facts.expressions else Basis.UNKNOWN
    return Licensed(
        file=file,
        expression=combine(facts.expressions),
        basis=basis,
        copyrights=facts.copyrights,
        curation=curation,
    )


def _exemption(file: LockedFile) -> Basis | None:
    if file.mode is Mode.GITLINK:
        return Basis.SUBMODULE
    if file.mode is Mode.SYMLINK:
        return Basis.LINK
    if is_notice_file(file.path) and not file.facts.expressions:
        return Basis.TEXT
    return Basis.EMPTY if file.size == 0 else None
