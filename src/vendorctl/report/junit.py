# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reports as JUnit XML: one suite per upstream or operation, one case per thing checked or found wrong.

Source of the format: the de-facto schema of Jenkins' xunit plugin, which GitLab and others read.
"""

from __future__ import annotations

from xml.sax.saxutils import escape as xml_escape
from xml.sax.saxutils import quoteattr

from vendorctl.model import Finding, Report, Severity
from vendorctl.report.text import escape


def render_junit(report: Report) -> str:
    """Findings as cases: errors fail, warnings and notes are said in the output.

    A report without findings is one passing case, so that an empty file never looks like success.
    """
    findings = report.sorted_findings()
    failures = sum(finding.severity is Severity.ERROR for finding in findings)
    cases = [_case(report, finding) for finding in findings]
    if not findings:
        cases = [f"    <testcase classname={_attribute(report.title)} name={_attribute(report.title)}/>\n"]
    suite = f'name={_attribute(report.title)} tests="{len(cases)}" failures="{failures}" errors="0" skipped="0"'
    counts = "".join(
        f'      <property name={_attribute(name)} value="{value}"/>\n' for name, value in report.counts.items()
    )
    properties = f"    <properties>\n{counts}    </properties>\n" if counts else ""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<testsuites>\n  <testsuite {suite}>\n{properties}{''.join(cases)}  </testsuite>\n</testsuites>\n"
    )


def _case(report: Report, finding: Finding) -> str:
    place = str(finding.location) if finding.location else finding.upstream or report.title
    head = f"    <testcase classname={_attribute(f'{report.title}.{finding.rule}')} name={_attribute(place)}"
    text = "\n".join(part for part in (finding.message, finding.detail, finding.hint) if part)
    body = xml_escape(escape(text, keep="\n\t"))
    if finding.severity is Severity.ERROR:
        message = _attribute(finding.message)
        return f'{head}>\n      <failure type="{finding.rule}" message={message}>{body}</failure>\n    </testcase>\n'
    return f"{head}>\n      <system-out>{body}</system-out>\n    </testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(escape(text))
