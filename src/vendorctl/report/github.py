# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reports as GitHub workflow commands, which become annotations on a pull request.

Source of the format: GitHub Actions, "Workflow commands", and its toolkit's escaping rules.
"""

from __future__ import annotations

from collections import Counter

from vendorctl.digest import sha256
from vendorctl.model import Finding, Report, Severity
from vendorctl.report.text import escape, render

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}

#: A step shows at most so many annotations of one kind; the log has the rest.
SHOWN_PER_KIND = 10


def render_github(report: Report) -> str:
    """One command per finding up to the limit of each kind, and the whole report as text in a folded group."""
    findings = report.sorted_findings()
    counts = Counter(finding.severity for finding in findings)
    left = dict.fromkeys(_COMMANDS, SHOWN_PER_KIND)
    if any(count > SHOWN_PER_KIND for count in counts.values()):
        left[Severity.NOTE] -= 1  # for the notice that says what is not shown
    commands = []
    for finding in findings:
        if left[finding.severity]:
            left[finding.severity] -= 1
            commands.append(annotation(finding))
    hidden = len(findings) - len(commands)
    if hidden:
        commands.append(f"::notice title=vendorctl::{hidden} more findings are in the log")
    return "".join(f"{command}\n" for command in commands) + _inert(render(report))


def annotation(finding: Finding) -> str:
    """The workflow command for one finding."""
    properties = []
    if finding.location is not None:
        properties.append(f"file={_property(finding.location.path)}")
        if finding.location.line is not None:
            properties.append(f"line={finding.location.line}")
        if finding.location.column is not None:
            properties.append(f"col={finding.location.column}")
    properties.append(f"title={_property(finding.rule)}")
    text = escape(finding.message) + (f"\n{escape(finding.hint)}" if finding.hint else "")
    return f"::{_COMMANDS[finding.severity]} {','.join(properties)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(escape(text)).replace(":", "%3A").replace(",", "%2C")


def _inert(text: str) -> str:
    """The report for the log, where the runner looks for commands behind blanks and in the middle of lines.

    Commands are switched off up to a word that the text cannot hold: its own digest.
    """
    word = sha256(text.encode("utf-8", "backslashreplace"))
    return f"::group::vendorctl\n::stop-commands::{word}\n{text}::{word}::\n::endgroup::\n"
