# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""diff-upstream at the pin: every difference of the patched tree from upstream, each line with its patch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vendorctl.drift.explain import UNRECORDED, FileDifference, explain
from vendorctl.drift.unified import difference_lines, difference_value, heading, hunk_text, statistics
from vendorctl.errors import Location
from vendorctl.model import Finding, Json, Report, merge
from vendorctl.paths import display
from vendorctl.series.parse import parse_patch
from vendorctl.series.patch import Change, Patch
from vendorctl.series.record import Edits, unrecorded
from vendorctl.series.workspace import Standing
from vendorctl.series.write import format_diff
from vendorctl.vendor.contents import ChainedBlobs, DiskBlobs
from vendorctl.vendor.disk import scan
from vendorctl.vendor.verify import verify_pristine

SCHEMA = "vendorctl/diff-upstream/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamDifference:
    """How one patched tree differs from upstream at the pin.

    `edits` are what no patch records; `present` is false when the tree is not on disk.
    """

    standing: Standing
    edits: Edits
    differences: tuple[FileDifference, ...]
    present: bool

    @property
    def patches(self) -> Sequence[Patch]:
        """The series that explains."""
        return self.standing.series.patches


def compare_with_upstream(standing: Standing) -> UpstreamDifference:
    """Explain the patched tree on disk, or where it was never materialised, the one that the series gives."""
    disk = scan(standing.folder)
    applied = standing.applied
    edits = Edits(applied.patched, applied.patched, standing.blobs)
    if not disk.blank:
        contents = ChainedBlobs(DiskBlobs(standing.folder, disk.tree), standing.blobs)
        edits = unrecorded(applied.patched, disk.tree, contents, standing.upstream.rewrite_imports)
    found = explain(applied.trees[0], edits.after, applied.series.patches, unrecorded_changes(edits), edits.blobs)
    return UpstreamDifference(standing=standing, edits=edits, differences=tuple(found), present=not disk.blank)


def difference_patch(compared: UpstreamDifference) -> bytes:
    """The whole difference as one git diff from the pristine tree to what is on disk; empty without any."""
    pristine, final = compared.standing.applied.trees[0], compared.edits.after
    return b"" if pristine == final else format_diff(pristine, final, compared.edits.blobs)


def unrecorded_changes(edits: Edits) -> tuple[Change, ...]:
    """Edits that no patch records, as git would write them."""
    if not edits.changes:
        return ()
    diff = format_diff(edits.before, edits.after, edits.blobs)
    return parse_patch("9999-unrecorded.patch", diff).changes


def diff_report(root: Path, compared: Sequence[UpstreamDifference]) -> Report:
    """The report: all differences for people and machines, and a finding per unexplained one."""
    parts = [_upstream_report(root, each) for each in compared]
    merged = merge(SCHEMA, "diff-upstream", parts)
    upstreams: dict[str, Json] = {each.standing.upstream.name: _upstream_value(each) for each in compared}
    return Report(
        schema=SCHEMA,
        title="diff-upstream",
        lines=merged.lines,
        findings=merged.findings,
        counts=merged.counts,
        notes=merged.notes,
        data={"against": "pin", "upstreams": upstreams},
    )


def _upstream_report(root: Path, compared: UpstreamDifference) -> Report:
    standing = compared.standing
    upstream = standing.upstream
    pristine = verify_pristine(root, upstream, standing.locked, require=False)
    unexplained = [each for each in compared.differences if each.unexplained]
    note = f"{upstream.name}: the patched tree is not on disk; shown is what the series gives"
    return Report(
        schema=SCHEMA,
        title="diff-upstream",
        lines=tuple(_lines(compared)),
        findings=(*pristine.findings, *(_finding(root, compared, each) for each in unexplained)),
        counts={
            "files differ": len(compared.differences),
            "patches": len(compared.patches),
            "unexplained": len(unexplained),
        },
        notes=() if compared.present else (note,),
    )


def _lines(compared: UpstreamDifference) -> Iterator[str]:
    standing = compared.standing
    count = statistics(compared.differences)
    pin = f"{standing.upstream.ref or 'commit'} {standing.locked.commit.short}"
    files = f"{count.files} file{'s' * (count.files != 1)}"
    yield f"{standing.upstream.name} against {pin}: {files}, +{count.added} -{count.removed}"
    for patch in compared.patches:
        reason = f" -- {patch.trailers.reason}" if patch.trailers.reason else ""
        yield f"  {patch.number:04d} {patch.title}{reason}"
    for difference in compared.differences:
        yield ""
        yield from difference_lines(difference)
    yield ""


def _finding(root: Path, compared: UpstreamDifference, difference: FileDifference) -> Finding:
    standing = compared.standing
    folder = standing.folder.relative_to(root).as_posix()
    hunks = [hunk for hunk in difference.hunks if UNRECORDED in hunk.owners]
    line = next((hunk.new_start for hunk in hunks), None)
    name = standing.upstream.name
    return Finding(
        rule="VC239",
        message=f"no patch explains this: {heading(difference)}",
        upstream=name,
        location=Location(f"{folder}/{display(difference.name)}", line or None),
        hint=f"vendorctl patch record {name} --title '...' --reason '...' --forwarded no",
        detail="\n".join(hunk_text(hunk) for hunk in hunks) or None,
    )


def _upstream_value(compared: UpstreamDifference) -> dict[str, Json]:
    standing = compared.standing
    count = statistics(compared.differences)
    titles = {patch.number: patch.title for patch in compared.patches}
    return {
        "commit": str(standing.locked.commit),
        "ref": standing.upstream.ref,
        "url": standing.upstream.url,
        "materialised": compared.present,
        "files_changed": count.files,
        "lines_added": count.added,
        "lines_removed": count.removed,
        "patches": [_patch_value(patch) for patch in compared.patches],
        "files": [difference_value(difference, titles) for difference in compared.differences],
    }


def _patch_value(patch: Patch) -> dict[str, Json]:
    facts = patch.trailers
    return {
        "number": patch.number,
        "file": patch.file_name,
        "title": patch.title,
        "reason": facts.reason,
        "origin": facts.origin,
        "forwarded": facts.forwarded,
        "applied_upstream": facts.applied_upstream,
    }
