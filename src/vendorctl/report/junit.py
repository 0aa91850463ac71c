# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reports as JUnit XML: a case for each thing that was found sound or could not be looked at, and for each finding.

Source of the format: the de-facto schema of Jenkins' xunit plugin, which GitLab and others read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape as xml_escape
from xml.sax.saxutils import quoteattr

from vendorctl.model import Finding, Report, Severity
from vendorctl.report.text import escape

#: Rules that say that something was not there to be looked at: a skip, where it is no error.
_SKIPS = frozenset({"VC119", "VC416", "VC451", "VC510"})


def render_junit(report: Report) -> str:
    """One suite: what was looked at and is sound passes, errors fail, what was not looked at is skipped.

    Other warnings and notes are cases that pass and say so. A report that names nothing it looked at, and has no
    finding, is one case that passed, so that an empty file never looks like success.
    """
    findings = report.sorted_findings()
    failures = sum(finding.severity is Severity.ERROR for finding in findings)
    skipped = sum(_is_skip(finding) for finding in findings)
    cases = [_passed(report, subject.name) for subject in _subjects(report) if subject.is_sound(findings)]
    cases += [_case(report, finding) for finding in findings]
    cases = cases or [_passed(report, report.title)]
    suite = f'name={_attribute(report.title)} tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}"'
    counts = "".join(
        f'      <property name={_attribute(name)} value="{value}"/>\n' for name, value in report.counts.items()
    )
    properties = f"    <properties>\n{counts}    </properties>\n" if counts else ""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<testsuites>\n  <testsuite {suite}>\n{properties}{''.join(cases)}  </testsuite>\n</testsuites>\n"
    )


@dataclass(frozen=True, slots=True)
class _Subject:
    """One thing that a command looked at: an upstream, or, in `folder`, the objects of an operation for a target."""

    name: str
    folder: str = ""

    def is_sound(self, findings: Sequence[Finding]) -> bool:
        """Whether nothing is wrong with it, and nothing kept it from being looked at."""
        return not any(
            self._concerns(finding) for finding in findings if finding.severity is Severity.ERROR or _is_skip(finding)
        )

    def _concerns(self, finding: Finding) -> bool:
        if not self.folder:
            return finding.upstream in (self.name, None)
        path = finding.location.path if finding.location else ""
        # A finding about several targets stands at their operation and names them.
        together = self.folder.rpartition("/")[0] == path and self.folder.rpartition("/")[2] in finding.message
        return together or f"{path}/".startswith(f"{self.folder}/")


def _subjects(report: Report) -> Iterator[_Subject]:
    """What the data of a report names."""
    upstreams = report.data.get("upstreams")
    for each in upstreams if isinstance(upstreams, Sequence | Mapping) else ():
        yield _Subject(str(each["name"]) if isinstance(each, Mapping) else str(each))
    manifests = report.data.get("manifests")
    for row in manifests if isinstance(manifests, Sequence) else ():
        if isinstance(row, Mapping):
            yield _Subject(f"{row['operation']} {row['target']}", f"objects/{row['operation']}/{row['target']}")


def _is_skip(finding: Finding) -> bool:
    return finding.rule in _SKIPS and finding.severity is not Severity.ERROR


def _passed(report: Report, name: str) -> str:
    return f"    <testcase classname={_attribute(report.title)} name={_attribute(name)}/>\n"


def _case(report: Report, finding: Finding) -> str:
    place = str(finding.location) if finding.location else finding.upstream or report.title
    head = f"    <testcase classname={_attribute(f'{report.title}.{finding.rule}')} name={_attribute(place)}"
    text = "\n".join(part for part in (finding.message, finding.detail, finding.hint) if part)
    body = xml_escape(escape(text, keep="\n\t"))
    if finding.severity is Severity.ERROR:
        message = _attribute(finding.message)
        return f'{head}>\n      <failure type="{finding.rule}" message={message}>{body}</failure>\n    </testcase>\n'
    if _is_skip(finding):
        return f"{head}>\n      <skipped message={_attribute(finding.message)}/>\n    </testcase>\n"
    return f"{head}>\n      <system-out>{body}</system-out>\n    </testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(escape(text))
