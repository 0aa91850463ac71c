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
from vendorctl.errors import Location
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


def cases(made: Report) -> dict[str, str]:
    """Each case by its name, and how it ended."""
    (suite,) = suites(made)
    told = {case.get("name", ""): case[0].tag if len(case) else "passed" for case in suite.iter("testcase")}
    tags = list(told.values())
    assert [suite.get(key) for key in ("failures", "skipped")] == [
        str(tags.count(tag)) for tag in ("failure", "skipped")
    ]
    return told


def test_each_upstream_that_is_sound_is_a_case_that_passed() -> None:
    absent = finding(
        "not restored", rule="VC119", severity=Severity.NOTE, upstream="c", location=Location("vendored/c")
    )
    wrong = finding("bad", upstream="b", location=Location("vendored/b/x.py"))
    made = report(wrong, absent, data={"upstreams": ["a", "b", "c"]})
    assert cases(made) == {"a": "passed", "vendored/b/x.py": "failure", "vendored/c": "skipped"}
    rows = [{"name": name} for name in ("a", "b", "c")]
    assert cases(report(wrong, absent, data={"upstreams": rows})) == cases(made)
    assert cases(report(wrong, absent, data={"upstreams": {name: {} for name in "abc"}})) == cases(made)


def test_a_fault_that_is_of_no_upstream_leaves_none_that_passed() -> None:
    wrong = finding("bad", upstream=None, location=Location("VENDOR.lock"))
    assert cases(report(wrong, data={"upstreams": ["a"]})) == {"VENDOR.lock": "failure"}


def test_each_manifest_that_is_sound_is_a_case_that_passed() -> None:
    manifests = [{"operation": "softmax", "target": target, "objects": 2} for target in ("gfx90a", "gfx942", "gfx950")]
    stale = finding("gfx90a, gfx942: 2 of 2 objects are stale", rule="VC512", location=Location("objects/softmax"))
    assert cases(report(stale, data={"manifests": manifests})) == {
        "objects/softmax": "failure",
        "softmax gfx950": "passed",
    }
    damaged = finding("bad", rule="VC511", location=Location("objects/softmax/gfx942/f16.hsaco"))
    missing = finding("2 of 2", rule="VC510", severity=Severity.WARNING, location=Location("objects/softmax/gfx950"))
    assert cases(report(damaged, missing, data={"manifests": manifests})) == {
        "softmax gfx90a": "passed",
        "objects/softmax/gfx942/f16.hsaco": "failure",
        "objects/softmax/gfx950": "skipped",
    }


def test_hostile_text_stays_text() -> None:
    made = hostile_report()
    root = suites(made)
    assert len(list(root.iter("failure"))) == sum(each.severity is Severity.ERROR for each in made.findings)
    assert {element.tag for element in root.iter()} <= {
        "testsuites", "testsuite", "testcase", "failure", "skipped", "system-out", "properties", "property",
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
    passed = [case.get("name") for case in root.iter("testcase") if not len(case)]
    assert ("up" in passed) == (result.code == 0)
