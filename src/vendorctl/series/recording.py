# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`patch record` in a workspace: patch file, `series`, lock and change notices, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vendorctl.digest import sha256
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.model import Finding, Report
from vendorctl.paths import display
from vendorctl.proc import Runner, run
from vendorctl.series.dressing import SIDECAR_SUFFIX
from vendorctl.series.listing import describe
from vendorctl.series.patch import Patch
from vendorctl.series.record import Edits, Statement, plan_record, record, unrecorded
from vendorctl.series.stack import Applied
from vendorctl.series.store import SERIES_FILE, dump_series_file
from vendorctl.series.verify import verify_series
from vendorctl.series.workspace import Dresser, Standing, load_standing, locked_upstream, stand
from vendorctl.vendor.contents import ChainedBlobs, DiskBlobs
from vendorctl.vendor.disk import scan
from vendorctl.vendor.placed import dump_placed, load_placed, record_path
from vendorctl.vendor.select import on_disk
from vendorctl.workspace.lock import FILE_NAME as LOCK_NAME
from vendorctl.workspace.lock import Lock, LockedPatch
from vendorctl.workspace.lockfile import dump_lock
from vendorctl.workspace.manifest import Upstream
from vendorctl.workspace.root import patched_dir, patches_dir
from vendorctl.workspace.transaction import Transaction

RECORD_SCHEMA = "vendorctl/patch-record/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A planned `patch record`: the new patch, the state of the upstream with it, and edits that stay unrecorded.

    `disk` is the patched tree as it is, `plain` the same without notices.
    """

    patch: Patch
    before: Standing
    after: Standing
    lock: Lock
    disk: Tree
    plain: Tree
    left: tuple[bytes, ...]


def plan_recording(
    root: Path,
    upstream: Upstream,
    lock: Lock | None,
    dresser: Dresser,
    statement: Statement,
    paths: Sequence[str] = (),
    *,
    runner: Runner = run,
) -> Recording:
    """Compute everything that recording the edits of one upstream changes; nothing is written.

    `paths` are relative to the upstream's tree, or to the workspace when they start with the patched tree's folder.
    Raises VendorError when the series and the lock disagree already, when the patched tree is not on disk, and for
    whatever `plan_record` and `record` refuse.
    """
    before = load_standing(root, upstream, locked_upstream(lock, upstream.name), dresser)
    refuse_unlocked(before)
    disk = scan(before.folder)
    if not disk.exists:
        raise VendorError(
            f"the patched tree of {upstream.name!r} is not on disk: {patched_dir(upstream)}",
            hint=f"run `vendorctl sync {upstream.name}`, then edit it",
            code=ExitCode.FINDINGS,
        )
    blobs = ChainedBlobs(DiskBlobs(before.folder, disk.tree), before.blobs)
    chosen = [_in_tree(upstream, path) for path in paths]
    edits = plan_record(before.applied.patched, disk.tree, blobs, chosen, upstream.rewrite_imports)
    everything = unrecorded(before.applied.patched, disk.tree, blobs, upstream.rewrite_imports)
    patch, applied = record(edits, before.applied, statement, runner=runner)
    after, longer = with_chain(root, before, applied, everything.blobs, lock, dresser)
    return Recording(
        patch=patch,
        before=before,
        after=after,
        lock=longer,
        disk=disk.tree,
        plain=everything.after,
        left=tuple(Edits(applied.patched, everything.after, everything.blobs).changes),
    )


def locked_series(applied: Applied) -> tuple[LockedPatch, ...]:
    """What the lock says about a chain: per patch its file, SHA-256 and the tree after it."""
    pairs = zip(applied.series.patches, applied.trees[1:], strict=True)
    return tuple(LockedPatch(file=patch.file_name, sha256=sha256(patch.raw), tree=tree.oid) for patch, tree in pairs)


def with_chain(
    root: Path, before: Standing, chain: Applied, blobs: Blobs, lock: Lock | None, dresser: Dresser
) -> tuple[Standing, Lock]:
    """The standing of an upstream whose series became `chain`, and the lock that says so; `blobs` reads U."""
    locked = replace(before.locked, series=locked_series(chain))
    others = lock.upstreams if lock is not None else {}
    after = stand(root, before.upstream, locked, chain, dresser, blobs)
    return after, Lock(upstreams={**others, before.upstream.name: locked})


def refuse_unlocked(standing: Standing) -> None:
    """Recording writes the lock; a series that differs from it already must be settled first."""
    found = sorted(verify_series(standing.locked, standing.series, standing.applied).findings, key=Finding.sort_key)
    if found:
        hint = f"`vendorctl sync {standing.upstream.name}` takes the series as it is into the lock"
        raise VendorError(found[0].message, location=found[0].location, hint=hint, code=ExitCode.FINDINGS)


def _in_tree(upstream: Upstream, path: str) -> bytes:
    """A path as given by the user, relative to the upstream's tree."""
    folder = patched_dir(upstream)
    inner = path.removeprefix("./")
    if inner == folder or inner.startswith(f"{folder}/"):
        inner = inner[len(folder) + 1 :]
    return inner.encode("utf-8", "surrogateescape")


def stage_recording(tx: Transaction, recording: Recording) -> None:
    """Stage the new patch, the list of patches, the lock, and the change notices that now say something else.

    Files with edits that stay unrecorded are not touched.
    """
    name = recording.before.upstream.name
    folder = patches_dir(name)
    tx.write(f"{folder}/{recording.patch.file_name}", recording.patch.raw, expect=None)
    tx.write(f"{folder}/{SERIES_FILE}", dump_series_file(recording.after.series))
    tx.write(LOCK_NAME, dump_lock(recording.lock))
    _stage_notices(tx, recording)
    placed = load_placed(tx.root, name)
    tx.write(record_path(name), dump_placed(replace(placed, output=on_disk(recording.after.output))))


def _stage_notices(tx: Transaction, recording: Recording) -> None:
    after = recording.after
    prefix = patched_dir(after.upstream).encode() + b"/"
    for path, (now, wanted) in recording.disk.difference(on_disk(after.output)).items():
        if wanted is None:
            if path.endswith(SIDECAR_SUFFIX):
                tx.delete(prefix + path, expect=now)
            continue
        is_sidecar = path in after.dressing.sidecars
        if is_sidecar or recording.plain.get(path) == after.applied.patched.get(path):
            tx.write(prefix + path, after.blobs[wanted.oid], wanted.mode, expect=now)


def recording_report(recording: Recording, *, dry_run: bool) -> Report:
    """What was recorded (or would be), and which edits are left."""
    patch = recording.patch
    name = recording.before.upstream.name
    verb = "would record" if dry_run else "recorded"
    shown = ", ".join(display(change.path) for change in patch.changes)
    left = [display(path) for path in recording.left]
    return Report(
        schema=RECORD_SCHEMA,
        title="patch record",
        lines=(f"{verb} {patches_dir(name)}/{patch.file_name}: {shown}",),
        notes=(f"still unrecorded: {', '.join(left)}",) if left else (),
        counts={"changes": len(patch.changes)},
        data=describe(name, patch) | {"left": list(left), "dry_run": dry_run},
    )
