# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Proof 3: the patched tree on disk is exactly P, plus the change notices that licences require."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import Location
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.model import Finding, Report, Severity
from vendorctl.paths import display
from vendorctl.series.dressing import SIDECAR_SUFFIX, Dressing, dress, undress_tree
from vendorctl.series.record import is_bytecode
from vendorctl.series.stack import Applied
from vendorctl.vendor.contents import ChainedBlobs, DiskBlobs
from vendorctl.vendor.disk import DiskTree, scan
from vendorctl.vendor.select import on_disk
from vendorctl.workspace.manifest import Upstream
from vendorctl.workspace.root import is_displaced, patched_dir, vendored_dir

SCHEMA = "vendorctl/verify/1"
_TITLE = "output"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where findings are, and how bad they are: `output:` is a promise, the tree that people edit is work."""

    upstream: Upstream
    severity: Severity

    def finding(self, rule: str, message: str, path: bytes, severity: Severity | None = None) -> Finding:
        """A finding about one path of the patched tree."""
        name = self.upstream.name
        return Finding(
            rule=rule,
            message=message,
            severity=severity or self.severity,
            upstream=name,
            location=Location(f"{patched_dir(self.upstream)}/{display(path)}"),
            hint=f"`vendorctl patch record {name}` records edits; `vendorctl sync {name} --discard` undoes them",
        )


def verify_output(root: Path, upstream: Upstream, applied: Applied, dressing: Dressing) -> Report:
    """Compare the patched tree on disk with P and its notices, path by path.

    In a folder named by `output:` every difference is an error. In the working folder that stands in when none is
    named, edits are somebody's work: warnings. A missing output is an error; a missing working folder is counted.
    """
    contents = ChainedBlobs(applied.blobs, DiskBlobs(root / vendored_dir(upstream.name), applied.trees[0]))
    try:
        expected = on_disk(dress(applied.patched, contents, dressing)[0])
    except KeyError:
        # The pristine files that rewritten imports are made of are not here; they are reported where they are missed.
        return Report(schema=SCHEMA, title=_TITLE, counts={"output files not checked": len(on_disk(applied.patched))})
    place = _place(upstream)
    folder = root / patched_dir(upstream)
    if is_displaced(root, patched_dir(upstream)):
        return _displaced(place)
    disk = scan(folder)
    if not disk.exists:
        return _absent(place, expected)
    plain, _made = undress_tree(disk.tree, applied.patched, DiskBlobs(folder, disk.tree), upstream.rewrite_imports)
    findings = list(_differences(place, disk.tree, expected, plain, applied.patched))
    findings += odd_findings(upstream, disk)
    counts = {"output files": len(expected)}
    return Report(schema=SCHEMA, title=_TITLE, findings=tuple(findings), counts=counts)


def odd_findings(upstream: Upstream, disk: DiskTree) -> list[Finding]:
    """What lies in the patched tree and is neither file nor link."""
    place = _place(upstream)
    return [place.finding("VC227", f"this is {what}", path) for path, what in disk.odd.items()]


def _place(upstream: Upstream) -> _Place:
    return _Place(upstream, Severity.ERROR if upstream.output else Severity.WARNING)


def _absent(place: _Place, expected: Tree) -> Report:
    if not place.upstream.output:
        return Report(schema=SCHEMA, title=_TITLE, counts={"output files not on disk": len(expected)})
    finding = Finding(
        rule="VC230",
        message="the patched tree is not on disk",
        upstream=place.upstream.name,
        location=Location(place.upstream.output),
        hint=f"`vendorctl sync {place.upstream.name}` writes it",
    )
    return Report(schema=SCHEMA, title=_TITLE, findings=(finding,))


def _displaced(place: _Place) -> Report:
    """Something else has the folder's place. A link is not followed: what it leads to is not in the workspace."""
    folder = patched_dir(place.upstream)
    finding = Finding(
        rule="VC228",
        message=f"{folder} is not a folder of this workspace",
        upstream=place.upstream.name,
        location=Location(folder),
        hint=f"move it away, then run `vendorctl sync {place.upstream.name}`",
    )
    return Report(schema=SCHEMA, title=_TITLE, findings=(finding,))


def _differences(place: _Place, disk: Tree, expected: Tree, plain: Tree, patched: Tree) -> Iterator[Finding]:
    """One finding per path. `plain` is the disk without notices, `patched` is P."""
    for path, (now, wanted) in disk.difference(expected).items():
        if wanted is None:
            yield _extra(place, path)
        elif now is None:
            yield place.finding("VC226", "missing", path)
        elif path.endswith(SIDECAR_SUFFIX) or plain.get(path) == patched.get(path):
            yield place.finding(
                "VC229", "the change notice is not the one that the series calls for", path, Severity.ERROR
            )
        else:
            yield _changed(place, path, now, wanted)


def _extra(place: _Place, path: bytes) -> Finding:
    if is_bytecode(path):
        return place.finding(
            "VC227", "byte code that Python wrote; it is not part of the patched tree", path, Severity.NOTE
        )
    if path.endswith(SIDECAR_SUFFIX):
        return place.finding("VC229", "a change notice for a file that no patch modifies", path)
    return place.finding("VC227", "neither upstream nor a patch put this file here", path)


def _changed(place: _Place, path: bytes, now: Entry, wanted: Entry) -> Finding:
    if now.mode is wanted.mode:
        return place.finding("VC225", "the content differs from pristine plus series", path)
    kinds = {Mode.FILE: "a plain file", Mode.EXECUTABLE: "an executable file", Mode.SYMLINK: "a symbolic link"}
    content = "" if now.oid == wanted.oid else ", and the content differs"
    message = f"should be {kinds[wanted.mode]}, but is {kinds[now.mode]}{content}"
    return place.finding("VC228", message, path)
