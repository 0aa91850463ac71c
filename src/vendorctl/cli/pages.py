# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Gathers what the report page shows from the functions behind the other commands."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from vendorctl.cli.session import current
from vendorctl.errors import VendorError
from vendorctl.model import Json, Report
from vendorctl.paths import display
from vendorctl.report.page import PageData, overview_rows
from vendorctl.report.strings import starts

if TYPE_CHECKING:
    from vendorctl.drift.diff import UpstreamDifference
    from vendorctl.drift.explain import FileDifference
    from vendorctl.git.objects import Blobs
    from vendorctl.git.tree import Entry

_Part = TypeVar("_Part")

#: What stands for a part that could not be had.
_NOTHING = Report(schema="vendorctl/report/1", title="report")

#: Generated documents that the page names when they are there.
_DOCUMENTS = ("THIRD_PARTY_LICENSES.md", "NOTICE", "sbom")


def gather_page(root: Path, folder: Path, results: Path | None) -> PageData:
    """Everything for the page in `folder`; `results` are of kernel tests.

    A part that cannot be had (no objects, files that are not restored) is left out, with a note.
    """
    steps = ("verify", "diff-upstream", "status", "drift", "audit", "check")
    with current().progress().task("report", len(steps)) as task:

        def part(name: str, make: Callable[[], _Part], nothing: _Part) -> _Part:
            task.advance(note=name)
            return _attempt(name, make, nothing)

        verified = part("verify", lambda: _verify(root), _NOTHING)
        nothing: list[UpstreamDifference] = []
        compared = part("diff-upstream", lambda: _compare(root), nothing)
        status = part("status", _status, _NOTHING)
        drift = part("drift", lambda: _drift(status), _NOTHING)
        audited = part("audit", lambda: _audit(root), _NOTHING)
        checked = part("check", lambda: _check(root), _NOTHING)
    differences = _differences(root, compared)
    reports = (verified, differences, status, drift, audited, checked)
    findings = tuple({(f.rule, f.location, f.message): f for report in reports for f in report.findings}.values())
    tests = _tests(results)
    return PageData(
        title=f"Vendored code of {root.name}",
        findings=findings,
        overview=overview_rows(status.data, differences.data, findings),
        differences=differences.data,
        strings=_strings(compared),
        drift=drift.data,
        audit=audited.data,
        objects=list(_objects(root)),
        tests=tests,
        documents=[{"path": name, "href": os.path.relpath(root / name, folder)} for name in _documents(root)],
        dates=_dates(root),
    )


def _attempt(name: str, make: Callable[[], _Part], nothing: _Part) -> _Part:
    try:
        return make()
    except VendorError as error:
        current().say(f"note: {name} is left out: {error.message}")
        return nothing


def _verify(root: Path) -> Report:
    from vendorctl.licenses.notices import notices_for
    from vendorctl.series.proofs import verify_workspace

    return verify_workspace(root, (), notices_for, require=False)


def _compare(root: Path) -> list[UpstreamDifference]:
    from vendorctl.cli.surroundings import standings
    from vendorctl.drift.diff import compare_with_upstream

    return [compare_with_upstream(standing) for standing in standings(root, ())]


def _differences(root: Path, compared: Sequence[UpstreamDifference]) -> Report:
    from vendorctl.drift.diff import diff_report

    return diff_report(root, compared)


def _strings(compared: Sequence[UpstreamDifference]) -> dict[str, Json]:
    """For files of Python with hunks that begin inside a string: for each hunk, in which before and after."""
    found: dict[str, Json] = {}
    for each in compared:
        for file in each.differences:
            if file.hunks and file.name.endswith(b".py"):
                states = _hunk_strings(file, each.edits.blobs)
                if any(map(any, states)):
                    found[f"{each.standing.upstream.name}/{display(file.name)}"] = states
    return found


def _hunk_strings(file: FileDifference, blobs: Blobs) -> list[list[str]]:
    def states(entry: Entry | None, lines: list[int]) -> list[str]:
        text = blobs[entry.oid].decode("utf-8", "replace") if entry is not None and entry.mode.is_regular else ""
        return starts(text, lines)

    before = states(file.old, [hunk.old_start for hunk in file.hunks])
    after = states(file.new, [hunk.new_start for hunk in file.hunks])
    return [list(pair) for pair in zip(before, after, strict=True)]


def _status() -> Report:
    from vendorctl.cli.status import status_of

    return status_of((), fetch=False)


def _drift(status: Report) -> Report:
    """The drift of those upstreams that the cache knows."""
    from vendorctl.cli.diff_upstream import drift_of

    rows = status.data.get("upstreams")
    known = (
        [name for name, row in rows.items() if isinstance(row, Mapping) and row["known"]]
        if isinstance(rows, Mapping)
        else []
    )
    return drift_of(tuple(known), "track", offline=True) if known else _NOTHING


def _audit(root: Path) -> Report:
    from vendorctl.licenses.audit import audit
    from vendorctl.workspace.lockfile import load_lock
    from vendorctl.workspace.parse import load_manifest

    return audit(root, load_manifest(root), load_lock(root))


def _check(root: Path) -> Report:
    from vendorctl.kernels.building.project import load_project
    from vendorctl.kernels.check import check
    from vendorctl.workspace.parse import load_manifest

    return check(load_project(root)) if load_manifest(root).kernels.recipes else _NOTHING


def _objects(root: Path) -> Iterator[Sequence[Json]]:
    """One row per object of every manifest."""
    from vendorctl.kernels.object import manifest

    for path in sorted((root / manifest.FOLDER).glob("*/*/manifest.json")):
        found = manifest.parse(path.read_bytes(), str(path.relative_to(root)))
        for record in found.objects:
            used = record.resources
            name = record.file.removesuffix(manifest.SUFFIX)
            yield [found.operation, str(found.target), name, record.size, used.vgpr, used.lds, used.spills]


def _tests(results: Path | None) -> Mapping[str, Json]:
    if results is None:
        return {"summary": [], "bins": []}
    from vendorctl.kernels.testing.comparison import BINS
    from vendorctl.kernels.testing.report import read_report, summary

    _, found = read_report(results)
    return {"summary": [row.json() for row in summary(found)], "bins": list(BINS)}


def _dates(root: Path) -> dict[str, str]:
    """When each patch was recorded, as its file says."""
    from vendorctl.series.store import load_series
    from vendorctl.workspace.parse import load_manifest

    found: dict[str, str] = {}
    for name in load_manifest(root).upstreams:
        with suppress(VendorError):  # said already by the parts that need the series
            found |= {f"{name}/{patch.file_name}": patch.date for patch in load_series(root, name).patches}
    return found


def _documents(root: Path) -> Iterator[str]:
    for name in _DOCUMENTS:
        path = root / name
        if path.is_file():
            yield name
        elif path.is_dir():
            yield from sorted(str(each.relative_to(root)) for each in path.iterdir() if each.is_file())
