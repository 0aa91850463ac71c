# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""verify: proofs 1 to 3 for every upstream, offline, without a git process.

1. `vendored/<name>` on disk is the pristine tree of the lock. 2. The series on disk is the locked one and gives exactly
the locked trees. 3. The patched tree on disk holds exactly P, plus the change notices that licences require.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from vendorctl.errors import Location
from vendorctl.model import Finding, Report, Severity, merge
from vendorctl.series.output import verify_output
from vendorctl.series.verify import prove_series
from vendorctl.series.workspace import Dresser, chosen_upstreams
from vendorctl.upstream.pins import check_pin
from vendorctl.upstream.source import Source
from vendorctl.vendor.contents import DiskBlobs
from vendorctl.vendor.verify import verify_origin, verify_pristine
from vendorctl.workspace.lock import FILE_NAME as LOCK_NAME
from vendorctl.workspace.lock import Lock
from vendorctl.workspace.lockcheck import lock_contradictions
from vendorctl.workspace.lockfile import load_lock
from vendorctl.workspace.manifest import FILE_NAME, Manifest, Upstream
from vendorctl.workspace.parse import load_manifest
from vendorctl.workspace.root import PATCHES_FOLDER, VENDORED_FOLDER, vendored_dir

SCHEMA = "vendorctl/verify/1"


def verify_workspace(
    root: Path, names: tuple[str, ...], dresser: Dresser, *, require: bool, more: Iterable[Report] = ()
) -> Report:
    """Prove the named upstreams (or all). `more` are reports of further proofs to join in.

    Raises VendorError for a manifest or lock that cannot be read; everything else is a finding.
    """
    manifest = load_manifest(root)
    lock = load_lock(root) or Lock(upstreams={})
    chosen = chosen_upstreams(manifest, names)
    parts = [verify_upstream(root, upstream, lock, dresser, require=require) for upstream in chosen]
    if not names:
        parts.append(_strays(root, manifest, lock))
    merged = merge(SCHEMA, "verify", [*parts, *more])
    return Report(
        schema=SCHEMA,
        title="verify",
        findings=merged.findings,
        counts={"upstreams": len(chosen), **merged.counts},
        notes=merged.notes,
        data={"upstreams": [upstream.name for upstream in chosen]},
    )


def verify_upstream(root: Path, upstream: Upstream, lock: Lock, dresser: Dresser, *, require: bool) -> Report:
    """Proofs 1 to 3 of one upstream."""
    locked = lock.upstreams.get(upstream.name)
    if locked is None:
        finding = Finding(
            rule="VC120",
            message=f"{upstream.name} has not been synced yet: {LOCK_NAME} does not know it",
            upstream=upstream.name,
            location=upstream.place(),
            hint=f"run `vendorctl sync {upstream.name}`",
        )
        return Report(schema=SCHEMA, title="verify", findings=(finding,))
    pristine = verify_pristine(root, upstream, locked, require=require)
    proof = prove_series(root, locked, DiskBlobs(root / vendored_dir(upstream.name), locked.tree))
    stated = Report(schema=SCHEMA, title="verify", findings=tuple(lock_contradictions(lock, upstream.name)))
    reports = [stated, pristine, proof.report]
    if proof.applied is not None:
        dressing = dresser(upstream, locked, proof.applied)
        reports.append(verify_output(root, upstream, proof.applied, dressing))
    return merge(SCHEMA, "verify", reports)


def compare_origins(root: Path, names: tuple[str, ...], opener: Callable[[Upstream], Source]) -> Report:
    """Compare the lock with upstream's own objects, and each pin with the ref that it came from.

    Raises VendorError (exit code 4) when an upstream cannot be had.
    """
    lock = load_lock(root) or Lock(upstreams={})
    chosen = [up for up in chosen_upstreams(load_manifest(root), names) if up.name in lock.upstreams]
    findings: list[Finding] = []
    for upstream in chosen:
        source, locked = opener(upstream), lock.upstreams[upstream.name]
        findings += [*verify_origin(source, upstream, locked), *check_pin(source, locked)]
    return Report(schema=SCHEMA, title="verify", findings=tuple(findings), counts={"origins": len(chosen)})


def _strays(root: Path, manifest: Manifest, lock: Lock) -> Report:
    """Folders and lock entries of upstreams that VENDOR.yaml does not have."""
    findings = [_stray(LOCK_NAME, f"{LOCK_NAME} has upstream {name!r}, {FILE_NAME} has not") for name in lock.upstreams
                if name not in manifest.upstreams]  # fmt: skip
    for folder, severity in ((VENDORED_FOLDER, Severity.ERROR), (PATCHES_FOLDER, Severity.WARNING)):
        for entry in sorted((root / folder).iterdir()) if (root / folder).is_dir() else ():
            if entry.name not in manifest.upstreams and not entry.name.startswith(".git"):
                text = f"{folder}/{entry.name} belongs to no upstream of {FILE_NAME}"
                findings.append(_stray(f"{folder}/{entry.name}", text, severity))
    return Report(schema=SCHEMA, title="verify", findings=tuple(findings))


def _stray(path: str, text: str, severity: Severity = Severity.ERROR) -> Finding:
    return Finding(
        rule="VC122",
        message=text,
        severity=severity,
        location=Location(path),
        hint=f"remove it, or add the upstream to {FILE_NAME}; `vendorctl sync` cleans up what it wrote itself",
    )
