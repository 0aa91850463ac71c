# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a runner takes for a command is what we meant as one: read here by the rules of the runner."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from report.samples import HOSTILE, finding, hostile_report, report
from vendorctl.errors import Location
from vendorctl.model import Finding, Severity
from vendorctl.report.github import SHOWN_PER_KIND, annotation, render_github
from vendorctl.report.text import escape


@dataclass(frozen=True)
class Command:
    name: str
    properties: dict[str, str]
    data: str


def unescaped(text: str, *, inner: bool) -> str:
    for code, plain in (("%0D", "\r"), ("%0A", "\n"), *((("%3A", ":"), ("%2C", ",")) if inner else ())):
        text = text.replace(code, plain)
    return text.replace("%25", "%")


def commands(output: str) -> list[Command]:
    """The commands in a log, as a runner reads them: behind blanks, old ones also in the middle of a line."""
    found, stop = [], None
    for line in re.split(r"\r\n|\n|\r", output):
        new = re.fullmatch(r"\s*::([\w-]+)(?: ([^:]*))?::(.*)", line)
        if stop is not None:
            stop = None if line.strip() == f"::{stop}::" else stop
        elif new and new[1] == "stop-commands":
            stop = new[3]
        elif new and new[1]:
            pairs = [pair.split("=", 1) for pair in (new[2] or "").split(",") if pair]
            values = {key: unescaped(value, inner=True) for key, value in pairs}
            found.append(Command(new[1], values, unescaped(new[3], inner=False)))
        elif "##[" in line:
            found.append(Command("old", {}, line))
    return found


def test_a_finding_is_one_annotation_at_its_place() -> None:
    (command,) = commands(annotation(finding("100% wrong", location=Location("a,b:c.py", 3, 4), hint="try\nthis")))
    assert command == Command(
        "error", {"file": "a,b:c.py", "line": "3", "col": "4", "title": "VC101"}, "100% wrong\ntry\\x0athis"
    )


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_makes_one_annotation_with_that_text(text: str) -> None:
    (command,) = commands(annotation(finding(text, location=Location(text, 1), hint=text)))
    assert command.name == "error"
    assert command.properties == {"file": escape(text), "line": "1", "title": "VC101"}
    assert command.data == f"{escape(text)}\n{escape(text)}"


def test_nothing_in_the_log_is_a_command() -> None:
    made = hostile_report()
    seen = commands(render_github(made))
    assert [each.name for each in seen if each.name not in {"group", "endgroup"}] == [
        {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}[each.severity]
        for each in made.sorted_findings()
    ]


def test_the_reader_would_notice_a_command_in_the_log() -> None:
    assert [each.name for each in commands("x\n  ::error::owned\nsee ##[error]x\n")] == ["error", "old"]
    assert commands("::stop-commands::w\n::error::x\n") == []


def test_a_text_cannot_end_the_part_without_commands() -> None:
    first = render_github(report(finding("x")))
    words = re.findall(r"::stop-commands::(\w+)", first)
    second = render_github(report(finding("x", detail=f"::{words[0]}::\n::error::owned")))
    assert [each.name for each in commands(second)] == ["error", "group", "endgroup"]


def test_what_a_step_would_not_show_is_said() -> None:
    many: list[Finding] = [finding(f"number {at}") for at in range(SHOWN_PER_KIND + 4)]
    seen = commands(render_github(report(*many, finding("careful", severity=Severity.WARNING))))
    assert sum(each.name == "error" for each in seen) == SHOWN_PER_KIND
    assert [each.data for each in seen if each.name == "notice"] == ["4 more findings are in the log"]
    assert sum(each.name == "warning" for each in seen) == 1


@pytest.mark.parametrize("severity", list(Severity))
@pytest.mark.parametrize("count", [9, 10, 11, 30])
def test_no_kind_has_more_than_a_step_shows(severity: Severity, count: int) -> None:
    found = [finding(f"number {at}", severity=severity) for at in range(count)]
    found += [finding(f"note {at}", severity=Severity.NOTE) for at in range(10)]
    seen = commands(render_github(report(*found)))
    kinds = [each.name for each in seen if each.name in {"error", "warning", "notice"}]
    assert max(kinds.count(kind) for kind in kinds) <= SHOWN_PER_KIND
    told = [each.data for each in seen if each.data.endswith("more findings are in the log")]
    missing = len(found) - len(kinds) + len(told)
    assert told == ([f"{missing} more findings are in the log"] if missing else [])
