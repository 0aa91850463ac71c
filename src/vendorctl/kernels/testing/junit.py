# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Test results as JUnit XML: one suite per operation and target, one case per object.

Source of the format: the de-facto schema of Jenkins' xunit plugin, which GitLab and others read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from vendorctl.kernels.testing.report import findings_of
from vendorctl.kernels.testing.results import ObjectResult, Verdict

#: What XML 1.0 cannot hold, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(results: Sequence[ObjectResult]) -> str:
    """All results. Untested objects count as errors: what did not run has not passed."""
    root = Element("testsuites")
    suites: dict[tuple[str, str], list[ObjectResult]] = {}
    for result in results:
        suites.setdefault((result.operation, result.target), []).append(result)
    for (operation, target), members in suites.items():
        failures = sum(member.verdict is Verdict.FAILED for member in members)
        errors = sum(member.verdict is Verdict.UNTESTED for member in members)
        suite = SubElement(root, "testsuite", name=f"{operation} {target}", tests=str(len(members)),
                           failures=str(failures), errors=str(errors), skipped="0")  # fmt: skip
        for member in members:
            _case(suite, member)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _case(suite: Element, result: ObjectResult) -> None:
    case = SubElement(suite, "testcase", classname=f"{result.operation}.{result.target}", name=result.instance)
    properties = SubElement(case, "properties")
    for name, value in _facts(result).items():
        SubElement(properties, "property", name=name, value=_clean(value))
    if result.verdict is Verdict.UNTESTED:
        SubElement(case, "error", type="VC535", message=_clean(result.reason or "no test case ran"))
    elif result.verdict is Verdict.FAILED:
        found = list(findings_of(result))
        failure = SubElement(case, "failure", type=found[0].rule, message=_clean(found[0].message))
        failure.text = _clean("\n".join(f"{finding.rule}: {finding.message}" for finding in found))


def _facts(result: ObjectResult) -> dict[str, str]:
    facts = {"sha256": result.sha256, "schedules": " ".join(result.schedules), "instructions": str(result.instructions)}
    if result.worst is not None:
        facts |= {"worst-error": f"{result.worst.worst:.6g}", "tolerance": f"{result.worst.tolerance:.6g}"}
    if result.histogram:
        facts["error-histogram"] = " ".join(map(str, result.histogram))
    if result.coverage is not None:
        facts["covered"] = f"{result.coverage.executed}/{result.coverage.total}"
    return facts


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
