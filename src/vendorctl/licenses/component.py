# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One upstream as notices, SBOM and audit see it: every file of P with its licence, origin and modifications."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from vendorctl.digest import sha256
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Mode, Tree
from vendorctl.licenses.expressions import combine, is_valid, parse
from vendorctl.licenses.facts import is_notice_file, scan
from vendorctl.licenses.licensed import Basis, licence_of, workspace_path
from vendorctl.licenses.lineage import Descent, Lineage, lineage
from vendorctl.licenses.purl import package_url
from vendorctl.series.patch import Patch
from vendorctl.series.workspace import Standing
from vendorctl.workspace.lock import LockedUpstream
from vendorctl.workspace.manifest import LicensePolicy, Upstream


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedFile:
    """One file of the patched tree.

    `sha256` is of the content as it is passed on, change notice included; empty for a submodule. `expression` is that
    of its origin, or of its own header when a patch added it. `patches` are those that touched it; `modified`: its
    content is not its origin's.
    """

    path: bytes
    mode: Mode
    sha256: str
    expression: str
    basis: Basis
    copyrights: tuple[str, ...]
    origin: bytes | None
    patches: tuple[Patch, ...]
    modified: bool


@dataclass(frozen=True, kw_only=True)
class Component:
    """An upstream with its patched files. `texts` are the upstream's licence and notice files, verbatim, by path.

    `tree` is P, `output` is P with change notices; `blobs` reads the contents of both.
    """

    upstream: Upstream
    locked: LockedUpstream
    tree: Tree
    output: Tree
    blobs: Blobs
    patches: tuple[Patch, ...]
    files: tuple[ShippedFile, ...]
    lineage: Lineage
    texts: Mapping[bytes, bytes]

    @property
    def name(self) -> str:
        """The upstream's name in VENDOR.yaml."""
        return self.upstream.name

    def content(self, path: bytes) -> bytes:
        """The content of a path as it is passed on. Raises VendorError (exit code 1) when it is not on disk."""
        return _content(self.name, self.output, self.blobs, path)

    @property
    def purl(self) -> str:
        """The package URL of the upstream at the pin."""
        return package_url(self.upstream, str(self.locked.commit))

    @property
    def version(self) -> str:
        """The upstream's commit where nothing was changed, else the tree id of P, which names these very contents."""
        return str(self.tree.oid if self.patches else self.locked.commit)

    @property
    def own_purl(self) -> str:
        """The package URL of what is shipped: the upstream's own where nothing was changed."""
        return f"pkg:generic/{self.name}@{self.version}" if self.patches else self.purl

    @cached_property
    def expression(self) -> str:
        """The licences of all files together; empty when none is known."""
        return combine(sorted({file.expression for file in self.files if is_valid(file.expression)}))

    @cached_property
    def copyrights(self) -> tuple[str, ...]:
        """Every copyright line of files and licence texts, verbatim, each once, sorted."""
        return tuple(sorted({line for file in self.files for line in file.copyrights}))

    @property
    def notices(self) -> Mapping[bytes, bytes]:
        """The upstream's NOTICE files (Apache-2.0 section 4(d)), by path."""
        return {path: text for path, text in self.texts.items() if is_notice_name(path)}

    @property
    def modified(self) -> tuple[ShippedFile, ...]:
        """Files whose content patches changed."""
        return tuple(file for file in self.files if file.modified)

    @property
    def added(self) -> tuple[ShippedFile, ...]:
        """Files that patches added: not upstream's."""
        return tuple(file for file in self.files if file.origin is None)


def is_notice_name(path: bytes) -> bool:
    """True for NOTICE, NOTICE.txt and the like."""
    return path.rpartition(b"/")[2].lower().partition(b".")[0] == b"notice"


def licence_ids(components: tuple[Component, ...]) -> tuple[str, ...]:
    """Every licence and exception id in use, sorted: each needs its text."""
    expressions = {file.expression for component in components for file in component.files}
    return tuple(sorted({part for text in expressions if is_valid(text) for part in parse(text).ids}))


def component_of(standing: Standing, policy: LicensePolicy) -> Component:
    """Gather a component. Raises VendorError (exit code 1) when a content that it needs is not on disk.

    It needs what patches change and the NOTICE files; the lock has the facts of all others.
    """
    found = lineage(standing.applied)
    builder = _Builder(standing, policy, found)
    files = tuple(builder.file(path) for path in standing.applied.patched)
    texts = {file.path: text for file in files if (text := builder.text(file)) is not None}
    return Component(
        upstream=standing.upstream,
        locked=standing.locked,
        tree=standing.applied.patched,
        output=standing.output,
        blobs=standing.blobs,
        patches=standing.series.patches,
        files=files,
        lineage=found,
        texts=texts,
    )


def _content(upstream: str, tree: Tree, blobs: Blobs, path: bytes) -> bytes:
    try:
        return blobs[tree[path].oid]
    except KeyError as error:
        hint = f"run `vendorctl sync {upstream}`"
        message = f"{workspace_path(upstream, path)} is missing or edited"
        raise VendorError(message, hint=hint, code=ExitCode.FINDINGS) from error


class _Builder:
    """Builds the files of one component."""

    def __init__(self, standing: Standing, policy: LicensePolicy, found: Lineage) -> None:
        self.standing = standing
        self.lineage = found
        self.licences = licence_of(standing.locked, policy)

    def text(self, file: ShippedFile) -> bytes | None:
        """The content of a licence or notice file; nothing for a licence that is not on disk."""
        if file.basis is not Basis.TEXT:
            return None
        if is_notice_name(file.path):
            return self.content(file.path)
        try:
            return self.standing.blobs[self.standing.applied.patched[file.path].oid]
        except KeyError:
            return None

    def content(self, path: bytes) -> bytes:
        """The content of a path of P."""
        return _content(self.standing.upstream.name, self.standing.applied.patched, self.standing.blobs, path)

    def file(self, path: bytes) -> ShippedFile:
        """One path of P; only what patches touched is read and hashed, the lock has the rest."""
        entry = self.standing.applied.patched[path]
        descent = self.lineage.touched.get(path, Descent(path, ()))
        modified = path in self.lineage.modified
        content = self.content(path) if entry.mode.is_blob and (modified or descent.origin is None) else None
        if descent.origin is None:
            facts = scan(path, content or b"")
            basis = Basis.TEXT if is_notice_file(path) else Basis.HEADER if facts.expressions else Basis.UNKNOWN
            expression, copyrights, digest = combine(facts.expressions), facts.copyrights, sha256(content or b"")
        else:
            licensed = self.licences[descent.origin]
            basis, expression, copyrights = licensed.basis, licensed.expression, licensed.copyrights
            digest = licensed.file.sha256 if content is None else sha256(self._passed_on(path))
            if content is not None and entry.mode.is_regular:
                copyrights = tuple(dict.fromkeys((*copyrights, *scan(path, content).copyrights)))
        return ShippedFile(
            path=path,
            mode=entry.mode,
            sha256=digest,
            expression=expression,
            basis=basis,
            copyrights=copyrights,
            origin=descent.origin,
            patches=descent.patches,
            modified=modified,
        )

    def _passed_on(self, path: bytes) -> bytes:
        """The content of a path with its change notice."""
        return self.standing.blobs[self.standing.output[path].oid]
