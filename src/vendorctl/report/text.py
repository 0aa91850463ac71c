# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reports as text for a terminal or a log. Pure: the same report gives the same text."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from vendorctl.errors import VendorError
from vendorctl.model import Finding, Report, Severity
from vendorctl.rules import RULES

#: Characters to look at twice, and the categories of those that act instead of showing.
_UNUSUAL = re.compile(r"[^\x20-\x7e]")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})

TAB, LF = "\t", "\n"

#: Documents whose text is differences.
DIFFERENCES = frozenset({"vendorctl/diff-upstream/1", "vendorctl/drift/1", "vendorctl/object-drift/1"})
_COLORS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def escape(text: str, *, keep: str = "") -> str:
    """`text` with control, format and bidi characters shown as escapes, so that content cannot drive a terminal."""

    def shown(found: re.Match[str]) -> str:
        char = found[0]
        return char if char in keep or unicodedata.category(char) not in _UNSEEN else _code(char)

    return text if text.isascii() and text.isprintable() else _UNUSUAL.sub(shown, text)


def _code(char: str) -> str:
    number = ord(char)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else f"\\U{number:08x}"


def render(report: Report, *, color: bool = False, verbosity: int = 0) -> str:
    """What was done, the findings, one block each, then one line that says what was looked at and how it ended."""
    paint = color_difference if color and report.schema in DIFFERENCES else str
    done = [f"{paint(escape(line, keep=TAB))}\n" for line in report.lines]
    blocks = [render_finding(finding, color=color) for finding in report.sorted_findings()]
    lines = [f"note: {escape(note)}\n" for note in report.notes] if verbosity >= 0 else []
    return "".join(done + blocks + lines) + _summary(report, color=color)


#: A line of a difference: the gutter that names its patch, if there is one, then the sign.
_DIFFERENCE = re.compile(r"(?P<gutter>(?:[0-9]{4}|[?]{4}|    ) )?(?P<sign>[-+]|@@)")


def color_difference(line: str) -> str:
    """A line of a difference, with or without gutter, in the colours that git gives it; other lines as they are."""
    found = _DIFFERENCE.match(line)
    if found is None:
        return line
    fg = {"-": "red", "+": "green"}.get(found["sign"], "cyan")
    gutter = found["gutter"] or ""
    return gutter + _styled(line[len(gutter) :], fg, bold=False)


def render_finding(finding: Finding, *, color: bool = False) -> str:
    """One finding: severity, rule, place and message, then detail and hint, indented."""
    paint = _Painter(color)
    rule = RULES.get(finding.rule)
    head = paint(finding.severity.value, fg=_COLORS[finding.severity], bold=True)
    name = f" {rule.name}" if rule else ""
    place = f" {escape(str(finding.location))}:" if finding.location else ""
    text = f"{head} {finding.rule}{name}:{place} {escape(finding.message)}\n"
    if finding.detail:
        text += "".join(f"    {escape(line, keep=TAB)}\n" for line in finding.detail.splitlines())
    if finding.hint:
        text += f"  {paint('hint:', bold=True)} {escape(finding.hint)}\n"
    return text


def render_error(error: VendorError, *, color: bool = False) -> str:
    """An error that stops a command: what, where, and the next step."""
    paint = _Painter(color)
    place = f"{escape(str(error.location))}: " if error.location else ""
    text = f"{paint('error:', fg='red', bold=True)} {place}{escape(error.message, keep=LF)}\n"
    if error.hint:
        text += f"  {paint('hint:', bold=True)} {escape(error.hint, keep=LF)}\n"
    return text


def _summary(report: Report, *, color: bool) -> str:
    """The verdict; nothing for a command that only did something, and said so."""
    if not report.counts and not report.findings:
        return ""
    paint = _Painter(color)
    counts = ", ".join(_counted(value, name) for name, value in report.counts.items() if value)
    errors = sum(finding.severity is Severity.ERROR for finding in report.findings)
    warnings = sum(finding.severity is Severity.WARNING for finding in report.findings)
    verdict = "ok" if report.ok else "FAILED"
    tail = [f"{errors} error{'s' * (errors != 1)}"] if errors else []
    tail += [f"{warnings} warning{'s' * (warnings != 1)}"] if warnings else []
    state = paint(verdict, fg="green" if report.ok else "red", bold=True)
    return f"{report.title}: {state}" + "".join(f"; {part}" for part in [counts, *tail] if part) + "\n"


def _counted(value: int, name: str) -> str:
    """``1 pristine file``, ``6 pristine files``: names of counts are plurals."""
    words = name.replace("_", " ").split(" ")
    if value == 1:
        words = [_PLURALS.get(word, word) for word in words]
    return f"{value:,} {' '.join(words)}"


#: The nouns that are counted.
_PLURALS = {
    "changes": "change",
    "commits": "commit",
    "differ": "differs",
    "files": "file",
    "findings": "finding",
    "instances": "instance",
    "manifests": "manifest",
    "modules": "module",
    "names": "name",
    "items": "item",
    "objects": "object",
    "pointers": "pointer",
    "patches": "patch",
    "tests": "test",
    "upstreams": "upstream",
}


@dataclass(frozen=True, slots=True)
class _Painter:
    """Styles text, or leaves it alone when colour is off."""

    color: bool

    def __call__(self, text: str, *, fg: str | None = None, bold: bool = False) -> str:
        return _styled(text, fg, bold) if self.color else text


#: SGR parameters of ECMA-48 for the colours that reports use.
_SGR = {"red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def _styled(text: str, fg: str | None, bold: bool) -> str:
    codes = ["1"] if bold else []
    codes += [_SGR[fg]] if fg else []
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes else text
