# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reports as SARIF 2.1.0, for code scanning.

Source of the format: OASIS "Static Analysis Results Interchange Format (SARIF) Version 2.1.0". The limits are those of
GitHub code scanning; what does not fit is left out and said.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import quote

from vendorctl import __version__
from vendorctl.errors import Location
from vendorctl.model import Finding, Json, Report, Severity
from vendorctl.report.identity import identities
from vendorctl.report.text import escape
from vendorctl.rules import RULES, Rule

#: Code scanning takes at most so many results of one run, and so many characters of one message.
MAX_RESULTS = 25_000
MAX_MESSAGE = 4_000
#: The upload limit is 10 MB after gzip; text like ours shrinks at least fourfold.
MAX_BYTES = 36_000_000

_RANKS = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render_sarif(report: Report) -> str:
    """The report as one SARIF run. Fingerprints do not depend on line numbers, so that they survive other edits."""
    findings = report.sorted_findings()
    rows = [_result(finding, *identity) for finding, identity in zip(findings, identities(findings), strict=True)]
    # What has to be left out is what matters least; the rest stays in order.
    ranks = sorted(range(len(rows)), key=lambda at: _RANKS[findings[at].severity])[:MAX_RESULTS]
    text = _document(report, [rows[at] for at in sorted(ranks)], len(findings))
    while len(text) > MAX_BYTES:
        ranks = ranks[: len(ranks) // 2]
        text = _document(report, [rows[at] for at in sorted(ranks)], len(findings))
    return text


def _document(report: Report, rows: Sequence[Json], total: int) -> str:
    dropped = total - len(rows)
    notes = [{"text": {"text": note}} for note in report.notes]
    if dropped:
        notes.append({"text": {"text": f"{dropped} of {total} findings left out: over the limit of code scanning"}})
    run: dict[str, Json] = {
        "tool": {"driver": _driver(report)},
        "automationDetails": {"id": f"vendorctl/{report.title}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"WORKSPACE": {"description": {"text": "The folder that holds VENDOR.yaml."}}},
        "invocations": [
            {
                "executionSuccessful": True,
                "exitCode": int(report.exit_code),
                "toolExecutionNotifications": [{"level": "note", "message": note["text"]} for note in notes],
            }
        ],
        "results": list(rows),
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, sort_keys=True) + "\n"


def _driver(report: Report) -> dict[str, Json]:
    used = sorted({finding.rule for finding in report.findings})
    return {
        "name": "vendorctl",
        "semanticVersion": __version__,
        "rules": [_rule(RULES[rule]) for rule in used if rule in RULES],
    }


def _rule(rule: Rule) -> Json:
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": f"{rule.summary} {rule.why}"},
        "help": {
            "text": f"Why: {rule.why}\n\nFix: {rule.fix}",
            "markdown": f"**Why:** {rule.why}\n\n**Fix:** {rule.fix}",
        },
        "properties": {"tags": ["vendoring"]},
    }


def _result(finding: Finding, digest: str, occurrence: int) -> Json:
    text = escape(finding.message)
    if finding.hint:
        text += f"\nHint: {escape(finding.hint)}"
    if finding.detail:
        text += "\n\n" + escape(finding.detail, keep="\n\t")
    result: dict[str, Json] = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"},
        "partialFingerprints": {"vendorctl/v1": f"{digest}:{occurrence}"},
        # Code scanning shows only results that have a place.
        "locations": [_location(finding.location or Location("VENDOR.yaml"))],
    }
    if finding.upstream:
        result["properties"] = {"upstream": finding.upstream}
    return result


def _location(location: Location) -> Json:
    place: dict[str, Json] = {
        "artifactLocation": {"uri": quote(location.path, safe="/", errors="surrogateescape"), "uriBaseId": "WORKSPACE"}
    }
    region: dict[str, Json] = {"startLine": location.line or 1}
    if location.column is not None:
        region["startColumn"] = location.column
    place["region"] = region
    return {"physicalLocation": place}
