# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Proof 1: ``vendored/<name>`` on disk is the pristine tree, exactly. Offline, from the lock alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vendorctl.errors import Location
from vendorctl.git.tree import Entry
from vendorctl.model import Finding, Report, Severity
from vendorctl.paths import display
from vendorctl.upstream.refs import short_name
from vendorctl.upstream.source import Source
from vendorctl.vendor.differences import Difference, DifferenceKind, differences
from vendorctl.vendor.disk import DiskTree, scan
from vendorctl.workspace.lock import FILE_NAME as LOCK_NAME
from vendorctl.workspace.lock import LockedFile, LockedUpstream
from vendorctl.workspace.manifest import Store, Upstream
from vendorctl.workspace.root import is_displaced, vendored_dir

_RULES = {
    DifferenceKind.CONTENT: "VC101",
    DifferenceKind.MODE: "VC102",
    DifferenceKind.TYPE: "VC103",
    DifferenceKind.MISSING: "VC104",
    DifferenceKind.EXTRA: "VC105",
    DifferenceKind.MOVED: "VC106",
    DifferenceKind.CASE: "VC107",
    DifferenceKind.EMPTIED: "VC108",
    DifferenceKind.LINE_ENDINGS: "VC109",
    DifferenceKind.ODD: "VC117",
    DifferenceKind.EMPTY_FOLDER: "VC118",
}

#: Differences in which something of a person's may be lost when the tool's file takes its place again.
_EDITS = {DifferenceKind.CONTENT, DifferenceKind.EXTRA, DifferenceKind.TYPE, DifferenceKind.LINE_ENDINGS}


def verify_pristine(root: Path, upstream: Upstream, locked: LockedUpstream, *, require: bool) -> Report:
    """Compare an upstream's folder below the workspace `root` with the lock, and the lock with the manifest.

    With `store: fetch`, files that were never restored are a note, and an error when `require` is true.
    """
    findings = [*manifest_findings(upstream, locked)]
    folder = root / vendored_dir(upstream.name)
    counts = {"pristine_files": 0, "pristine_not_restored": 0}
    if is_displaced(root, vendored_dir(upstream.name)):
        findings.append(_folder_finding(upstream, "VC103", "is not a folder of this workspace", Severity.ERROR))
    elif (disk := scan(folder)).blank and len(locked.files):
        findings.append(_absent_finding(upstream, len(locked.files), require))
        counts["pristine_not_restored"] = len(locked.files)
    else:
        counts["pristine_files"] = len(locked.files)
        findings += _content_findings(upstream, locked, disk, folder)
    return Report(
        schema="vendorctl/verify/1",
        title=f"pristine tree of {upstream.name}",
        findings=tuple(findings),
        counts=counts,
    )


def manifest_findings(upstream: Upstream, locked: LockedUpstream) -> Iterator[Finding]:
    """What VENDOR.yaml says otherwise than when the lock was written."""
    ref = locked.ref.name if locked.ref is not None else None
    pairs: tuple[tuple[str, object, object], ...] = (
        ("url", upstream.url, locked.url),
        ("pin", str(upstream.pin), str(locked.commit)),
        ("ref", upstream.ref and short_name(upstream.ref), ref and short_name(ref)),
        ("include", tuple(upstream.include), tuple(locked.include)),
        ("exclude", tuple(upstream.exclude), tuple(locked.exclude)),
    )
    for key, stated, recorded in pairs:
        if stated != recorded:
            yield Finding(
                rule="VC120",
                message=f"{upstream.name}: {key} is {_shown(stated)}, but {LOCK_NAME} was made for {_shown(recorded)}",
                upstream=upstream.name,
                location=upstream.place(key),
                hint=f"run `vendorctl sync {upstream.name}`",
            )


def odd_findings(upstream: Upstream, disk: DiskTree) -> list[Finding]:
    """What lies below the pristine folder and is neither file nor link."""
    rows = (Difference(path, DifferenceKind.ODD, f"is {what}") for path, what in disk.odd.items())
    return [_difference_finding(upstream, row) for row in rows]


def verify_origin(source: Source, upstream: Upstream, locked: LockedUpstream) -> list[Finding]:
    """Compare the lock with upstream's own objects: root tree, and each file with the commit that it came from.

    Raises VendorError (exit code 4) when the objects cannot be had.
    """
    findings = []
    if source.root_tree(locked.commit) != locked.root_tree:
        text = f"{LOCK_NAME} has another root tree for commit {locked.commit.short} than upstream"
        findings.append(_lock_finding(upstream, text))
    commits = {file.held_from or locked.commit for file in locked.files}
    trees = {commit: source.tree(commit) for commit in commits}
    for file in locked.files:
        commit = file.held_from or locked.commit
        if trees[commit].get(file.path) != Entry(file.mode, file.blob):
            text = f"{display(file.path)} is not in upstream's commit {commit.short} as {LOCK_NAME} says"
            findings.append(_lock_finding(upstream, text))
    return findings


def _content_findings(upstream: Upstream, locked: LockedUpstream, disk: DiskTree, folder: Path) -> Iterator[Finding]:
    # All entries at once: to find each of them in the tree costs far more.
    entries = dict(disk.tree.items())
    doubtful = {file.path for file in locked.files if _contradicts(file, entries.get(file.path), disk)}
    for path in sorted(doubtful):
        text = f"{display(path)}: object id, SHA-256 and size in {LOCK_NAME} belong to different contents"
        yield _lock_finding(upstream, text)
    for difference in differences(locked.tree, disk, folder):
        # A wrong object id in the lock makes a good file look edited; the lock is what to repair.
        if not (difference.path in doubtful and difference.kind is DifferenceKind.CONTENT):
            yield _difference_finding(upstream, difference)


def _contradicts(file: LockedFile, found: Entry | None, disk: DiskTree) -> bool:
    """True when one recorded hash of a file matches what is on disk (`found`) and another one does not."""
    if found is None:
        return False
    same = found.oid == file.blob
    if same != (disk.sha256[file.path] == file.sha256):
        return True
    return same and disk.sizes[file.path] != file.size


def _difference_finding(upstream: Upstream, difference: Difference) -> Finding:
    name = upstream.name
    restore = f"`vendorctl sync {name}` restores it"
    if difference.kind is DifferenceKind.EMPTY_FOLDER:
        hint = "remove it: git cannot store empty folders"
    elif difference.kind is DifferenceKind.ODD:
        hint = "remove it; `vendorctl sync` does not touch what is neither file nor link"
    elif difference.kind in _EDITS:
        hint = f"delete it, and {restore}; to keep it, edit the patched tree and run `vendorctl patch record {name}`"
    else:
        hint = restore
    other = {} if difference.other is None else {"other": display(difference.other)}
    return Finding(
        rule=_RULES[difference.kind],
        message=f"{display(difference.path)} {difference.text}",
        severity=Severity.NOTE if difference.kind is DifferenceKind.EMPTY_FOLDER else Severity.ERROR,
        upstream=name,
        location=Location(f"{vendored_dir(name)}/{display(difference.path)}"),
        hint=hint,
        data={"kind": difference.kind.value, **other},
    )


def _absent_finding(upstream: Upstream, files: int, require: bool) -> Finding:
    restore = f"run `vendorctl sync {upstream.name}`"
    if upstream.store is Store.FETCH:
        severity = Severity.ERROR if require else Severity.NOTE
        text = f"is not restored: {files} files are fetched on demand"
        return _folder_finding(upstream, "VC119", text, severity, restore)
    return _folder_finding(upstream, "VC104", f"is missing, with all its {files} files", Severity.ERROR, restore)


def _folder_finding(
    upstream: Upstream, rule: str, text: str, severity: Severity, hint: str = "move it away, then run `vendorctl sync`"
) -> Finding:
    folder = vendored_dir(upstream.name)
    return Finding(
        rule=rule,
        message=f"{folder} {text}",
        severity=severity,
        upstream=upstream.name,
        location=Location(folder),
        hint=hint,
    )


def _lock_finding(upstream: Upstream, text: str) -> Finding:
    return Finding(
        rule="VC121",
        message=text,
        upstream=upstream.name,
        location=Location(LOCK_NAME),
        hint=f"take {LOCK_NAME} back to a reviewed version, or run `vendorctl sync {upstream.name}` to make it anew",
    )


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(str, value)) + "]"
    return "not set" if value is None else str(value)
