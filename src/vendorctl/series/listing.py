# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What `patch list`, `patch show` and `patch lint` say about series on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vendorctl.digest import sha256
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Finding, Json, Report, merge
from vendorctl.paths import percent_encode
from vendorctl.series.lint import SCHEMA as LINT_SCHEMA
from vendorctl.series.lint import lint_series
from vendorctl.series.patch import Change, Patch
from vendorctl.series.stack import Series
from vendorctl.series.store import survey_series
from vendorctl.workspace.nodes import nearest

LIST_SCHEMA = "vendorctl/patch-list/1"
SHOW_SCHEMA = "vendorctl/patch-show/1"


def list_patches(root: Path, names: Sequence[str]) -> Report:
    """The patches of the named upstreams in order, with their facts; what is wrong with a folder is a finding."""
    rows: list[Json] = []
    findings: list[Finding] = []
    for name in names:
        series, found = survey_series(root, name)
        findings += found
        rows += [describe(name, patch) for patch in series.patches]
    return Report(
        schema=LIST_SCHEMA,
        title="patch list",
        findings=tuple(findings),
        counts={"patches": len(rows)},
        data={"patches": rows},
    )


def line_counts(changes: Sequence[Change]) -> tuple[int, int]:
    """Lines added and removed by the text hunks of some changes."""
    signs = [line.sign for change in changes for hunk in change.hunks for line in hunk.lines]
    return signs.count(b"+"), signs.count(b"-")


def describe(upstream: str, patch: Patch) -> dict[str, Json]:
    """One patch as JSON, without its content."""
    added, removed = line_counts(patch.changes)
    trailers = patch.trailers
    return {
        "upstream": upstream,
        "number": patch.number,
        "file": patch.file_name,
        "sha256": sha256(patch.raw),
        "title": patch.title,
        "author": patch.author,
        "date": patch.date,
        "reason": trailers.reason,
        "origin": trailers.origin,
        "forwarded": trailers.forwarded,
        "applied_upstream": trailers.applied_upstream,
        "added": added,
        "removed": removed,
        "changes": [_describe_change(change) for change in patch.changes],
    }


def _describe_change(change: Change) -> dict[str, Json]:
    old = None if change.old_path is None else percent_encode(change.old_path)
    return {"kind": change.kind.value, "path": percent_encode(change.path), "old_path": old}


def find_patch(series: Series, name: str) -> Patch:
    """The patch that a number (``3``, ``0003``), file name or slug names. Raises VendorError (exit code 2) for none."""
    for patch in series.patches:
        if name in {patch.file_name, patch.slug, str(patch.number), f"{patch.number:04d}"}:
            return patch
    near = nearest(name, [word for patch in series.patches for word in (patch.slug, patch.file_name)])
    known = ", ".join(f"{patch.number:04d}" for patch in series.patches) or "none"
    hint = f"did you mean {near!r}?" if near else f"it has: {known}"
    raise VendorError(f"upstream {series.upstream!r} has no patch {name!r}", hint=hint, code=ExitCode.USAGE)


def show_patch(upstream: str, patch: Patch) -> Report:
    """One patch with its content; bytes that are not UTF-8 appear as escapes in `text`."""
    data = describe(upstream, patch) | {"text": patch.raw.decode("utf-8", "backslashreplace")}
    return Report(schema=SHOW_SCHEMA, title="patch show", data=data)


def lint_patches(root: Path, names: Sequence[str]) -> Report:
    """Findings about the folders of the named upstreams and about every patch in them."""
    parts: list[Report] = []
    for name in names:
        series, found = survey_series(root, name)
        parts += [Report(schema=LINT_SCHEMA, title="patch lint", findings=found), lint_series(series)]
    return merge(LINT_SCHEMA, "patch lint", parts)
