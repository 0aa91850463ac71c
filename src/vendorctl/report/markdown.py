# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reports as a Markdown comment: short on top, details folded, below the size limit, and inert.

Content never becomes markup: text is escaped, mentions and issue references are broken up, and a code fence is longer
than any run of backticks inside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vendorctl.model import Finding, Json, Report, Severity
from vendorctl.report.inert import code, fenced, markup
from vendorctl.report.markdown_diff import file_blocks, patch_tables
from vendorctl.report.text import escape
from vendorctl.rules import RULES

#: GitHub refuses comments of 65,536 characters; GitLab allows more.
MAX_COMMENT = 65_000

_ICONS = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.NOTE: "💡"}

#: The document whose differences are shown file by file.
_DIFFERENCES = "vendorctl/diff-upstream/1"
#: Room for the sentences that say what was left out.
_MARGIN = 300


def render_markdown(report: Report, *, limit: int = MAX_COMMENT) -> str:
    """The report in less than `limit` characters; what does not fit is counted where it is missing."""
    text = "".join(_head(report))
    text += _fitting(map(_note, report.notes), limit - len(text) - 3 * _MARGIN, "notes")
    text += _fitting(map(_finding, report.sorted_findings()), limit - len(text) - 2 * _MARGIN, "findings")
    room = limit - len(text) - _MARGIN
    upstreams = _upstreams(report)
    if upstreams:
        text += _fitting(patch_tables(upstreams), room, "lines about patches")
        return text + _fitting(file_blocks(upstreams), limit - len(text) - _MARGIN, "files")
    tail = _details("Everything", "\n".join(report.lines)) if report.lines else ""
    return text + (tail if len(tail) <= room else "\nThe full output does not fit into a comment; the log has it.\n")


def _upstreams(report: Report) -> Mapping[str, Mapping[str, Json]]:
    found = report.data.get("upstreams") if report.schema == _DIFFERENCES else None
    if not isinstance(found, Mapping):
        return {}
    return {name: facts for name, facts in found.items() if isinstance(facts, Mapping) and "patches" in facts}


def _head(report: Report) -> Iterator[str]:
    errors = sum(finding.severity is Severity.ERROR for finding in report.findings)
    verdict = "ok" if report.ok else f"{errors} error{'s' * (errors != 1)}"
    yield f"### vendorctl {markup(report.title)}: {verdict}\n\n"
    rows = [(name.replace("_", " "), value) for name, value in report.counts.items() if value]
    if rows:
        yield "| " + " | ".join(markup(name) for name, _ in rows) + " |\n"
        yield "|" + " ---: |" * len(rows) + "\n"
        yield "| " + " | ".join(f"{value:,}" for _, value in rows) + " |\n\n"


def _note(text: str) -> str:
    """One note; the sign keeps its text from the start of the line, where it could begin a list or a rule."""
    return f"> {_ICONS[Severity.NOTE]} {markup(text)}\n\n"


def _finding(finding: Finding) -> str:
    rule = RULES.get(finding.rule)
    name = f" {rule.name}" if rule else ""
    place = f" {code(str(finding.location))}" if finding.location else ""
    text = f"- {_ICONS[finding.severity]} **{finding.rule}{name}**{place}: {markup(finding.message)}"
    if finding.hint:
        text += f"<br>{markup(finding.hint)}"
    return text + "\n" + (_details("Details", finding.detail, indent="  ") if finding.detail else "")


def _details(title: str, body: str, *, indent: str = "") -> str:
    block = fenced(escape(body, keep="\n\t"), "diff")
    text = f"\n<details><summary>{title}</summary>\n\n{block}\n</details>\n\n"
    return "".join(f"{indent}{line}\n" if line else "\n" for line in text.splitlines())


def _fitting(blocks: Iterable[str], room: int, what: str) -> str:
    """As many blocks as fit into `room` characters, and a sentence that counts the others."""
    kept: list[str] = []
    left = 0
    for block in blocks:
        if len(block) > room:
            left += 1
            continue
        kept.append(block)
        room -= len(block)
    more = f"\n{left} more {what} do not fit into a comment; the log has them all.\n" if left else ""
    return "".join(kept) + more
