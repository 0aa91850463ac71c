# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Gathers what the report page shows from the functions behind the other commands."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from vendorctl.cli.session import current
from vendorctl.errors import Location, VendorError
from vendorctl.model import Json, Report
from vendorctl.report.page import PageData, overview_rows

#: Generated documents that the page names when they are there.
_DOCUMENTS = ("THIRD_PARTY_LICENSES.md", "NOTICE", "sbom")


def gather_page(root: Path, folder: Path, results: Path | None) -> PageData:
    """Everything for the page in `folder`; `results` are of kernel tests.

    A part that cannot be had (no cache yet, no objects) is left out, with a note.
    """
    parts = {
        "verify": lambda: _verify(root),
        "diff-upstream": lambda: _differences(root),
        "status": _status,
        "drift": _drift,
        "audit": lambda: _audit(root),
        "check": lambda: _check(root),
    }
    with current().progress().task("report", len(parts)) as task:
        reports: dict[str, Report] = {}
        for name, make in parts.items():
            task.advance(note=name)
            reports[name] = _attempt(name, make)
    findings = tuple(finding for report in reports.values() for finding in report.findings)
    unique = tuple({(f.rule, f.location, f.message): f for f in findings}.values())
    tests = _tests(results)
    return PageData(
        title=f"Vendored code of {root.name}",
        findings=unique,
        overview=overview_rows(reports["status"].data, reports["diff-upstream"].data, unique),
        differences=reports["diff-upstream"].data,
        drift=reports["drift"].data,
        audit=reports["audit"].data,
        objects=list(_objects(root)),
        tests={key: tests.get(key, []) for key in ("summary", "bins")},
        documents=[{"path": name, "href": os.path.relpath(root / name, folder)} for name in _documents(root)],
        dates=_dates(root),
    )


def _attempt(name: str, make: Callable[[], Report]) -> Report:
    try:
        return make()
    except VendorError as error:
        current().say(f"note: {name} is left out: {error.message}")
        return Report(schema="vendorctl/report/1", title=name)


def _verify(root: Path) -> Report:
    from vendorctl.licenses.notices import notices_for
    from vendorctl.series.proofs import verify_workspace

    return verify_workspace(root, (), notices_for, require=False)


def _differences(root: Path) -> Report:
    from vendorctl.cli.surroundings import standings
    from vendorctl.drift.diff import compare_with_upstream, diff_report

    return diff_report(root, [compare_with_upstream(standing) for standing in standings(root, ())])


def _status() -> Report:
    from vendorctl.cli.status import status_of

    return status_of((), fetch=False)


def _drift() -> Report:
    from vendorctl.cli.diff_upstream import drift_of

    return drift_of((), "track", offline=True)


def _audit(root: Path) -> Report:
    from vendorctl.licenses.audit import audit
    from vendorctl.workspace.lockfile import load_lock
    from vendorctl.workspace.parse import load_manifest

    return audit(root, load_manifest(root), load_lock(root))


def _check(root: Path) -> Report:
    from vendorctl.kernels.check import check
    from vendorctl.kernels.project import load_project

    return check(load_project(root))


def _objects(root: Path) -> Iterator[Sequence[Json]]:
    """One row per object of every manifest."""
    from vendorctl.kernels import manifest

    for path in sorted((root / manifest.FOLDER).glob("*/*/manifest.json")):
        found = manifest.parse(path.read_bytes(), str(path.relative_to(root)))
        for record in found.objects:
            used = record.resources
            name = record.file.removesuffix(manifest.SUFFIX)
            yield [found.operation, str(found.target), name, record.size, used.vgpr, used.lds, used.spills]


def _tests(results: Path | None) -> Mapping[str, Any]:
    if results is None:
        return {}
    try:
        document = json.loads(results.read_bytes())
    except ValueError:
        document = None
    if not isinstance(document, dict) or document.get("schema") != "vendorctl/test/1":
        raise VendorError("not results of `vendorctl test --format json`", location=Location(str(results)))
    return document


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
