# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reports and errors as JSON documents. Every document has a `schema` key."""

from __future__ import annotations

import json

from vendorctl.errors import Location, VendorError
from vendorctl.model import Finding, Json, Report


def render_json(report: Report) -> str:
    """The report as JSON: sorted keys, findings in report order, final newline."""
    document: dict[str, Json] = {
        "schema": report.schema,
        "title": report.title,
        "ok": report.ok,
        "counts": dict(report.counts),
        "notes": list(report.notes),
        "findings": [finding_value(finding) for finding in report.sorted_findings()],
        **report.data,
    }
    return _dump(document)


def finding_value(finding: Finding) -> dict[str, Json]:
    """One finding as a JSON object; absent facts are null."""
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "upstream": finding.upstream,
        "location": location_value(finding.location),
        "message": finding.message,
        "hint": finding.hint,
        "detail": finding.detail,
        "data": dict(finding.data),
    }


def location_value(location: Location | None) -> Json:
    """A place as an object with path, line and column."""
    if location is None:
        return None
    return {"path": location.path, "line": location.line, "column": location.column}


def error_document(error: VendorError) -> str:
    """An error as the document `vendorctl/error/1`."""
    document: dict[str, Json] = {
        "schema": "vendorctl/error/1",
        "ok": False,
        "code": int(error.code),
        "message": error.message,
        "hint": error.hint,
        "location": location_value(error.location),
    }
    return _dump(document)


def _dump(document: dict[str, Json]) -> str:
    """As `pretty_json` writes it; characters that UTF-8 cannot hold (names that are no UTF-8) stay JSON escapes."""
    text = json.dumps(document, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode() + "\n"
