# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""JUnit files are well formed whatever the content, and look like success only after success."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from report.samples import finding, hostile_report, report
from support.command import call
from support.licensed_workspace import LicensedWorkspace, header
from vendorctl.model import Report, Severity
from vendorctl.report.junit import render_junit


def suites(made: Report) -> ET.Element:
    return ET.fromstring(render_junit(made).encode())


def test_errors_fail_and_the_rest_is_said() -> None:
    root = suites(
        report(finding("bad", hint="mend it"), finding("meh", severity=Severity.WARNING), counts={"files": 7})
    )
    (suite,) = root
    assert {key: suite.get(key) for key in ("tests", "failures", "errors")} == {
        "tests": "2",
        "failures": "1",
        "errors": "0",
    }
    assert [case.find("failure") is not None for case in suite.iter("testcase")] == [True, False]
    (failure,) = suite.iter("failure")
    assert (failure.get("type"), failure.get("message")) == ("VC101", "bad")
    assert "mend it" in (failure.text or "")
    assert [(each.get("name"), each.get("value")) for each in suite.iter("property")] == [("files", "7")]


def test_a_report_without_findings_is_a_case_that_passed() -> None:
    (case,) = suites(report()).iter("testcase")
    assert case.get("name") == "verify"
    assert len(case) == 0


def test_hostile_text_stays_text() -> None:
    made = hostile_report()
    root = suites(made)
    assert len(list(root.iter("failure"))) == sum(each.severity is Severity.ERROR for each in made.findings)
    assert {element.tag for element in root.iter()} <= {
        "testsuites", "testsuite", "testcase", "failure", "system-out", "properties", "property",
    }  # fmt: skip


def test_malformed_xml_would_be_noticed() -> None:
    with pytest.raises(ET.ParseError):
        ET.fromstring(render_junit(report(finding("x"))).replace("</failure>", ""))


@pytest.mark.parametrize("command", ["verify", "audit"])
def test_commands_write_it(command: str, tmp_path: Path) -> None:
    space = LicensedWorkspace(tmp_path / "w", {"a.py": header() + "x = 1\n"}, licenses="  deny: [Apache-2.0]\n")
    space.write()
    result = call("-C", str(space.root), command, "--format", "junit")
    root = ET.fromstring(result.out.encode())
    assert bool(list(root.iter("failure"))) == (result.code != 0)
