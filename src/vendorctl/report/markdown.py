# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reports as a Markdown comment: short on top, details folded, below the size limit, and inert.

Content never becomes markup: text is escaped, mentions and issue references are broken up, and a code fence is longer
than any run of backticks inside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vendorctl.model import Finding, Report, Severity
from vendorctl.report.text import escape
from vendorctl.rules import RULES

#: GitHub refuses comments of 65,536 characters; GitLab allows more.
MAX_COMMENT = 65_000

_ICONS = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.NOTE: "💡"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~])")
_FENCE = re.compile(r"`+")
_ZERO_WIDTH = "\u200b"


def render_markdown(report: Report, *, limit: int = MAX_COMMENT) -> str:
    """The report; findings that do not fit are counted at the end."""
    head = "".join(_head(report))
    blocks = [_finding(finding) for finding in report.sorted_findings()]
    tail = _details("Everything", "\n".join(report.lines)) if report.lines else ""
    return _fit(head, blocks, tail, limit)


def _head(report: Report) -> Iterator[str]:
    errors = sum(finding.severity is Severity.ERROR for finding in report.findings)
    verdict = "ok" if report.ok else f"{errors} error{'s' * (errors != 1)}"
    yield f"### vendorctl {markup(report.title)}: {verdict}\n\n"
    rows = [(name.replace("_", " "), value) for name, value in report.counts.items() if value]
    if rows:
        yield "| " + " | ".join(markup(name) for name, _ in rows) + " |\n"
        yield "|" + " ---: |" * len(rows) + "\n"
        yield "| " + " | ".join(f"{value:,}" for _, value in rows) + " |\n\n"
    for note in report.notes:
        yield f"> {markup(note)}\n\n"


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


def _fit(head: str, blocks: list[str], tail: str, limit: int) -> str:
    """Head and as many findings as fit; then the tail, when it fits whole."""
    room = limit - len(head) - 200
    kept: list[str] = []
    for block in blocks:
        if len(block) > room:
            break
        kept.append(block)
        room -= len(block)
    left = len(blocks) - len(kept)
    more = f"\n{left} more findings do not fit into a comment; the log has them all.\n" if left else ""
    if tail and len(tail) > room:
        tail = "\nThe full differences do not fit into a comment; the log has them.\n"
    return head + "".join(kept) + more + tail


def markup(text: str) -> str:
    """Text as Markdown that shows exactly that text: no markup, HTML, mention or reference."""
    text = escape(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _SPECIAL.sub(r"\\\1", text)
    return re.sub(r"(?<!\w)(@|GH-|https?:)", lambda found: found[0] + _ZERO_WIDTH, text)


def code(text: str) -> str:
    """Text as inline code, whatever backticks it holds."""
    text = escape(text)
    ticks = "`" * (max((len(run) for run in _FENCE.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fenced(body: str, language: str = "") -> str:
    """A code block that nothing in `body` can close."""
    fence = "`" * max(3, max((len(run) for run in _FENCE.findall(body)), default=0) + 1)
    return f"{fence}{language}\n{body}\n{fence}"
