# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Obtaining a pristine tree: from the workspace where the lock is current, else from upstream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from vendorctl.errors import VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Entry, Tree
from vendorctl.model import Finding, Severity
from vendorctl.paths import display
from vendorctl.upstream.refs import short_name
from vendorctl.upstream.source import Source
from vendorctl.vendor.contents import ChainedBlobs, DiskBlobs
from vendorctl.vendor.facts import locked_files
from vendorctl.vendor.globs import compile_union
from vendorctl.vendor.select import content_findings, on_disk, select, selection_findings
from vendorctl.workspace.lock import LicenseFacts, LockedFile, LockedRef, LockedUpstream
from vendorctl.workspace.manifest import Upstream

#: Reads the licence facts of one file from its path and content.
Scanner: TypeAlias = Callable[[bytes, bytes], LicenseFacts]

#: Makes the scanner for one upstream from its whole tree, the selected one, and a way to read files of the whole:
#: an upstream may say in one place what holds for many files. The licences layer has the real one.
Surveyor: TypeAlias = Callable[[Tree, Tree, Callable[[Sequence[bytes]], Mapping[bytes, bytes]]], Scanner]


@dataclass(frozen=True, slots=True, kw_only=True)
class Obtained:
    """A pristine tree with its locked facts (the series left empty) and contents, and what is wrong with it.

    `unmatched` are globs of `include:` that match nothing, where the caller said that this is no error.
    """

    locked: LockedUpstream
    blobs: Blobs
    fetched: bool
    findings: tuple[Finding, ...] = ()
    unmatched: tuple[str, ...] = ()


class LateBlobs:
    """Contents that are fetched, all in one batch, when the first of them is asked for."""

    def __init__(self, fetch: Callable[[], Blobs]) -> None:
        self._fetch = fetch
        self._blobs: Blobs | None = None

    def __getitem__(self, oid: Oid) -> bytes:
        if self._blobs is None:
            self._blobs = self._fetch()
        return self._blobs[oid]


def is_current(upstream: Upstream, locked: LockedUpstream) -> bool:
    """True when the lock was made for what the manifest says now."""
    same = (
        upstream.url == locked.url
        and upstream.pin == locked.commit
        and (upstream.ref is None) == (locked.ref is None)
        and (locked.ref is None or short_name(upstream.ref or "") == short_name(locked.ref.name))
        and upstream.include == locked.include
        and upstream.exclude == locked.exclude
    )
    holds = compile_union([hold.path for hold in upstream.hold])
    return same and all(file.held_from is None or holds.matches(file.path) for file in locked.files)


def obtain(
    upstream: Upstream,
    locked: LockedUpstream | None,
    disk: Tree,
    folder: Path,
    opener: Callable[[Upstream], Source],
    surveyor: Surveyor,
    *,
    strict: bool = True,
) -> Obtained:
    """The pristine tree that the manifest asks for.

    With a current lock nothing is fetched until a content is asked for that `folder` (whose tree is `disk`) lacks.
    Otherwise the pin is fetched and selected; the contents of the locked tree stay readable, so that a series can be
    carried over. Raises VendorError (exit code 4) when upstream cannot give it, and (exit code 3) when what the globs
    select must not be written, or, if `strict`, when one of `include:` selects nothing.
    """
    present = DiskBlobs(folder, disk)
    if locked is None:
        return _take(upstream, None, disk, opener(upstream), surveyor, ChainedBlobs(present), strict=True)
    before = ChainedBlobs(present, LateBlobs(lambda: _fetch(opener(upstream), locked, disk)))
    if is_current(upstream, locked):
        return Obtained(locked=replace(locked, series=()), blobs=before, fetched=False)
    return _take(upstream, locked, disk, opener(upstream), surveyor, before, strict=strict)


def _fetch(source: Source, locked: LockedUpstream, disk: Tree) -> Blobs:
    """The contents of a locked tree that are not on disk."""
    for commit in {file.held_from or locked.commit for file in locked.files}:
        source.fetch_commit(commit)
    return source.blobs(_absent(locked.tree, disk), _namer(locked.tree))


def _read(source: Source, whole: Tree, paths: Sequence[bytes]) -> dict[bytes, bytes]:
    """Contents of a few files of the whole upstream tree, in one batch."""
    blobs = source.blobs([whole[path].oid for path in paths], _namer(whole))
    return {path: blobs[whole[path].oid] for path in paths}


def _absent(tree: Tree, disk: Tree) -> list[Oid]:
    present = {entry.oid for entry in disk.values()}
    return [entry.oid for entry in on_disk(tree).values() if entry.oid not in present]


def _namer(tree: Tree) -> Callable[[Oid], str]:
    names = {entry.oid: display(path) for path, entry in tree.items()}
    return lambda oid: names.get(oid, str(oid))


def _held(upstream: Upstream, locked: LockedUpstream | None) -> dict[bytes, LockedFile]:
    """Files that a `hold:` keeps as the lock has them, marked with the commit that they come from."""
    if locked is None or not upstream.hold:
        return {}
    holds = compile_union([hold.path for hold in upstream.hold])
    files = (file for file in locked.files if holds.matches(file.path))
    return {file.path: replace(file, held_from=file.held_from or locked.commit) for file in files}


def _take(
    upstream: Upstream,
    locked: LockedUpstream | None,
    disk: Tree,
    source: Source,
    surveyor: Surveyor,
    before: Blobs,
    *,
    strict: bool,
) -> Obtained:
    commit = source.fetch_commit(upstream.pin)
    whole = source.tree(upstream.pin)
    selection = select(whole, upstream.include, upstream.exclude)
    findings = selection_findings(upstream, selection)
    if locked is not None:
        findings = [_may_have_moved(finding) if finding.rule == "VC110" else finding for finding in findings]
    if not strict:
        findings = [finding for finding in findings if finding.rule != "VC110"]
    _refuse(findings)
    behind = {
        path: file
        for path, file in _held(upstream, locked).items()
        if selection.tree.get(path) != Entry(file.mode, file.blob)
    }
    tree = selection.tree.replace({path: Entry(file.mode, file.blob) for path, file in behind.items()})
    blobs = ChainedBlobs(source.blobs(_absent(selection.tree, disk), _namer(selection.tree)), before)
    sources = {path: file.held_from for path, file in behind.items() if file.held_from is not None}
    scan = surveyor(whole, tree, lambda paths: _read(source, whole, paths))
    files = locked_files(tree, blobs, scan, held_from=sources)
    findings += content_findings(upstream, tree, blobs, [file.path for file in files if file.lfs])
    _refuse(findings)
    ref, doubts = _ref(upstream, locked, source)
    findings += doubts
    taken = LockedUpstream(
        name=upstream.name,
        url=upstream.url,
        commit=upstream.pin,
        root_tree=commit.tree,
        ref=ref,
        files=files,
        series=(),
        include=upstream.include,
        exclude=upstream.exclude,
    )
    unmatched = () if strict else selection.unmatched_include
    return Obtained(locked=taken, blobs=blobs, fetched=True, findings=tuple(findings), unmatched=unmatched)


def _may_have_moved(finding: Finding) -> Finding:
    """A glob that matches nothing any more: upstream removed the files, or moved them."""
    hint = f"{finding.hint}; where upstream moved the files, `sync --follow-moves` lets include: follow them"
    return replace(finding, hint=hint)


def _ref(upstream: Upstream, locked: LockedUpstream | None, source: Source) -> tuple[LockedRef | None, list[Finding]]:
    """What to record of the ref that the pin came from, and a finding when it no longer leads there.

    For an unchanged pin the record of the first time stays: a tag that was moved since must not be taken silently.
    """
    if upstream.ref is None:
        return None, []
    known = locked.ref if locked is not None and locked.commit == upstream.pin else None
    if known is not None and short_name(known.name) == short_name(upstream.ref):
        return LockedRef(name=upstream.ref, oid=known.oid), []
    found = source.resolve(upstream.ref)
    record = LockedRef(name=upstream.ref, oid=found.oid)
    if found.kind != "tag" or found.commit == upstream.pin:
        return record, []
    finding = Finding(
        rule="VC301",
        message=f"tag {upstream.ref!r} names commit {found.commit.short}, but the pin is {upstream.pin.short}",
        upstream=upstream.name,
        location=upstream.place("ref"),
        hint=f"`vendorctl sync --pin {upstream.name}={upstream.ref}` takes what the tag names now",
    )
    return record, [finding]


def _refuse(findings: Iterable[Finding]) -> None:
    """Raise the first error among findings: what the globs select is not to be written."""
    errors = sorted((each for each in findings if each.severity is Severity.ERROR), key=Finding.sort_key)
    if errors:
        first = errors[0]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise VendorError(f"{first.rule}: {first.message}{more}", hint=first.hint, location=first.location)
