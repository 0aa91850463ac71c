# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One self-contained page for reviewers, made from the reports of other commands.

Nothing is loaded from anywhere. The content-security policy allows exactly one style sheet and one script, by hash; all
content travels as JSON in which no ``<`` can occur, and reaches the document as text nodes only.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from urllib.parse import quote

from vendorctl import __version__
from vendorctl.model import Finding, Json, Severity
from vendorctl.report.identity import identities
from vendorctl.report.json import finding_value
from vendorctl.report.text import escape


@dataclass(frozen=True, slots=True, kw_only=True)
class PageData:
    """What the page shows. Documents are the JSON forms of reports; an empty one leaves its section out.

    `overview` has one row per upstream (name, pin, age, behind, differ, patches, errors, next step, and why its drift
    is not known), `objects` one per object: operation, target, instance, bytes, vector registers, LDS bytes, spills.
    `strings` says of hunks that begin inside a string of Python in which, by ``upstream/path``: three quotes, before
    and after. `tests` has the `summary` and the `bins`
    of a test report. `documents` has the path of every notice and bill of materials, and where that is from the
    page's folder. `dates` says when a patch was recorded, by ``upstream/file``.
    """

    title: str
    findings: tuple[Finding, ...]
    overview: Sequence[Mapping[str, Json]]
    differences: Mapping[str, Json]
    strings: Mapping[str, Json]
    drift: Mapping[str, Json]
    audit: Mapping[str, Json]
    objects: Sequence[Sequence[Json]]
    tests: Mapping[str, Json]
    documents: Sequence[Mapping[str, Json]]
    dates: Mapping[str, str]


def render_page(data: PageData) -> str:
    """The page as one HTML file. The same data gives the same bytes."""
    style = _asset("page.css")
    script = _asset("draw.js") + _asset("page.js")
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'; "
        f"style-src 'sha256-{_digest(style)}'; script-src 'sha256-{_digest(script)}'"
    )
    errors = sum(finding.severity is Severity.ERROR for finding in data.findings)
    verdict = _verdict(data.findings)
    return _PAGE.format(
        policy=html.escape(policy, quote=True),
        title=html.escape(escape(data.title)),
        verdict=verdict,
        kind="error" if errors else "good",
        version=__version__,
        style=style,
        script=script,
        data=_embedded(_visible(_document(data))),
    )


_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: {verdict}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#sections">Skip to the report</a>
<header><h1>{title}</h1><p class="{kind}"><strong>{verdict}</strong></p><div id="summary"></div></header>
<nav aria-label="Sections"><ul id="contents"></ul></nav>
<main id="sections"><noscript><p>This page draws itself with a script that it carries.</p></noscript></main>
<footer>Made by vendorctl {version}.</footer>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def _verdict(findings: Sequence[Finding]) -> str:
    """The result in words: ``2 errors, 1 warning``, ``no errors, 58 warnings``, ``nothing wrong``."""
    errors, warnings = (
        sum(finding.severity is severity for finding in findings) for severity in (Severity.ERROR, Severity.WARNING)
    )
    if not errors and not warnings:
        return "nothing wrong"
    parts = [f"{errors or 'no'} error{'s' * (errors != 1)}"]
    parts += [f"{warnings} warning{'s' * (warnings != 1)}"] if warnings else []
    return ", ".join(parts)


def _document(data: PageData) -> Json:
    return {
        "findings": list(_findings(data.findings)),
        "overview": list(data.overview),
        "differences": data.differences,
        "strings": data.strings,
        "drift": data.drift,
        "audit": data.audit,
        "objects": list(data.objects),
        "tests": data.tests,
        "documents": [{**row, "href": quote(str(row["href"]))} for row in data.documents],
        "dates": data.dates,
    }


def _findings(findings: Iterable[Finding]) -> Iterable[Json]:
    """Findings in report order, each with an anchor that other edits do not change."""
    ordered = sorted(findings, key=Finding.sort_key)
    for finding, (digest, occurrence) in zip(ordered, identities(ordered), strict=True):
        suffix = f"-{occurrence}" if occurrence > 1 else ""
        yield {**finding_value(finding), "id": f"{finding.rule}-{digest[:10]}{suffix}"}


def _visible(value: Json) -> Json:
    """The value with control and direction characters of every text as escapes: none may reorder what readers see."""
    if isinstance(value, str):
        return escape(value, keep="\r\n\t")
    if isinstance(value, Mapping):
        return {escape(key, keep="\r\n\t"): _visible(each) for key, each in value.items()}
    return [_visible(each) for each in value] if isinstance(value, Sequence) else value


def _embedded(value: Json) -> str:
    """JSON for a script element: no character in it can end the element or begin a comment."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _asset(name: str) -> str:
    return (files("vendorctl.report") / "assets" / name).read_text("utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def overview_rows(
    status: Mapping[str, Json], differences: Mapping[str, Json], findings: Iterable[Finding]
) -> list[dict[str, Json]]:
    """One row per upstream, from the documents of `status` and `diff-upstream`."""
    errors: dict[str, int] = {}
    for finding in findings:
        if finding.severity is Severity.ERROR and finding.upstream:
            errors[finding.upstream] = errors.get(finding.upstream, 0) + 1
    rows: list[dict[str, Json]] = []
    compared = differences.get("upstreams") or {}
    for name, facts in sorted(_mapping(status.get("upstreams")).items()):
        row, differ = _mapping(facts), _mapping(_mapping(compared).get(name))
        age = row.get("age_days")
        patches = differ.get("patches")
        rows.append(
            {
                "name": name,
                "pin": f"{row.get('ref') or ''} {str(row.get('pin'))[:12]}".strip(),
                "age": f"{age} days" if age is not None else "not known",
                "behind": row["behind"] if row.get("behind") is not None else "not known",
                "differ": differ.get("files_changed", "not restored"),
                "patches": len(patches) if isinstance(patches, list) else "",
                "errors": errors.get(name, 0),
                "next": _first_step(row.get("next"), name),
                "trouble": row.get("trouble"),
            }
        )
    return rows


def _first_step(steps: Json, name: str) -> str:
    """The most urgent of the commands that `status` names, without the upstream's name before it."""
    return str(steps[0]).removeprefix(f"{name}: ") if isinstance(steps, Sequence) and steps else ""


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}
