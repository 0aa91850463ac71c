# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reports about hostile content: in every form, text stays text."""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Sequence
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

from markdown_it import MarkdownIt

from fuzz.target import Target
from vendorctl.errors import Location, VendorError
from vendorctl.model import Finding, Report, Severity
from vendorctl.report.github import SHOWN_PER_KIND, render_github
from vendorctl.report.inert import code, fenced, html, markup
from vendorctl.report.json import render_json
from vendorctl.report.junit import render_junit
from vendorctl.report.markdown import MAX_COMMENT, render_markdown
from vendorctl.report.page import PageData, render_page
from vendorctl.report.sarif import render_sarif
from vendorctl.report.text import render, render_error

_HOSTILE = (
    b"</script><script>x</script><img src=x onerror=y>",
    b"::error file=x::owned\r\n::set-output name=a::b%0A##[error]owned",
    b"```\n</details>\n# owned\n```` @octocat #1 GH-2 https://evil.example :tada: $x$",
    b"[a](https://evil.example) ![b](x.png) <b>c</b> | d | `e`",
    "\x1b[31mred\x07 \u202egnp.exe]]>&amp; \u2028".encode() + b"\xff\xfe",
)
_OURS = {
    "h3", "h4", "p", "ul", "li", "strong", "code", "pre", "br", "details", "summary", "blockquote",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
#: What a forge turns into a link, an address or a picture; an underscore before it is no letter of its word.
_REFERENCE = re.compile(r"@\w|#\d|(?<![^\W_])(?:GH-\d|https?://|www\.)|:\w+:", re.IGNORECASE)
_FORGE = MarkdownIt("gfm-like", {"html": True, "linkify": False})
_ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_COMMAND = re.compile(r"::(?:error|warning|notice|group|stop-commands|endgroup|[0-9a-f]{64})\b")


def _texts(data: bytes) -> list[str]:
    """The pieces of an input between NULs, at least four of them; bytes that are no UTF-8 as paths carry them."""
    texts = [piece.decode("utf-8", "surrogateescape") for piece in data.split(b"\0")]
    return (texts * 4)[: max(4, len(texts))]


def report_of(data: bytes) -> Report:
    """A report all of whose texts come from `data`."""
    texts = _texts(data)
    findings = tuple(
        Finding(
            rule="VC101",
            message=text,
            severity=list(Severity)[at % 3],
            upstream=texts[at - 1],
            location=Location(texts[at - 2], at or None, at // 2 or None) if at % 4 else None,
            hint=texts[at - 3] if at % 2 else None,
            detail=text,
        )
        for at, text in enumerate(texts)
    )
    lines = tuple(texts)
    return Report(
        schema="vendorctl/verify/1", title="verify", findings=findings, lines=lines, notes=lines, counts={"files": 3}
    )


def _require_tame(text: str, kept: str) -> None:
    """Text that can be written anywhere and drives nothing: no character in it acts but those in `kept`."""
    text.encode()
    assert not [char for char in set(text) - set(kept) if unicodedata.category(char) in _ACTING]


def check_terminal(data: bytes) -> None:
    """Nothing in a report moves a cursor, hides text or turns its direction, with colours or without."""
    report = report_of(data)
    _require_tame(render(report, verbosity=1), "\n\t")
    colored = render(report, color=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render(report)
    text = _texts(data)[0]
    _require_tame(render_error(VendorError(text, hint=text, location=Location(text, 1))), "\n")


def check_github(data: bytes) -> None:
    """Only our own commands stand where a runner looks for them; the log's text is behind a stop that it cannot end."""
    report = report_of(data)
    text = render_github(report)
    _require_tame(text, "\n\t")
    head, _, log = text.partition("::stop-commands::")
    lines = head.splitlines()
    assert all(_COMMAND.match(line) for line in lines)
    assert not any("##[" in line.partition("::")[0] for line in lines)
    annotations = [line for line in lines if not line.startswith("::group")]
    assert len(annotations) <= 3 * SHOWN_PER_KIND + 1
    word = log.partition("\n")[0]
    assert log.count(f"::{word}::") == 1
    assert log.endswith(f"::{word}::\n::endgroup::\n")


class _Reader(HTMLParser):
    """The elements of a page, and its text outside of code."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: set[str] = set()
        self.prose = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.prose += "\n" if tag == "br" else ""
        self.open.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "code" not in self.open:
            self.prose += data


def _shown(text: str) -> _Reader:
    """The HTML that a forge makes of Markdown."""
    reader = _Reader()
    reader.feed(_FORGE.render(text))
    reader.close()
    return reader


def check_markdown(data: bytes) -> None:
    """A comment has our elements only, mentions nobody, refers to nothing, and keeps to its limit."""
    text = _texts(data)[0]
    for write in (markup, html):
        seen = _shown(f"before {write(text)} after")
        assert set(seen.tags) == {"p"}
        assert not _REFERENCE.search(seen.prose)
    assert not _shown(fenced(text)).prose.strip()
    assert set(_shown(f"x {code(text)} y").tags) == {"p", "code"} or not text
    report = report_of(data)
    comment = render_markdown(report)
    _require_tame(comment, "\n\t\u200b")
    assert len(comment) <= MAX_COMMENT
    assert len(render_markdown(report, limit=3000)) <= 3000
    seen = _shown(comment)
    assert set(seen.tags) <= _OURS
    assert not seen.attributes - {"class", "style"}
    assert not _REFERENCE.search(seen.prose)


def check_documents(data: bytes) -> None:
    """JSON, SARIF and JUnit are well-formed whatever they hold, with one entry for each finding."""
    report = report_of(data)
    count = len(report.findings)
    assert len(json.loads(render_json(report))["findings"]) == count
    render_json(report).encode()
    sarif = render_sarif(report)
    sarif.encode()
    assert len(json.loads(sarif)["runs"][0]["results"]) == count
    junit = render_junit(report)
    suites = ET.fromstring(junit.encode())
    assert len(list(suites.iter("testcase"))) == count
    assert {element.tag for element in suites.iter()} <= {
        "testsuites", "testsuite", "testcase", "failure", "skipped", "system-out", "properties", "property",
    }  # fmt: skip


def _page(texts: Sequence[str]) -> str:
    text = texts[0]
    return render_page(
        PageData(
            title=text,
            findings=report_of("\0".join(texts).encode("utf-8", "surrogateescape")).findings,
            overview=[{"name": text, "pin": text}],
            differences={text: text},
            drift={},
            audit={},
            objects=[[text, 1]],
            tests={},
            documents=[{"path": text, "href": "x"}],
            dates={text: text},
            strings={text: text},
        )
    )


@functools.cache
def _plain_page() -> _Reader:
    """A page with nothing in it that acts."""
    reader = _Reader()
    reader.feed(_page(["x"] * 4))
    return reader


def check_page(data: bytes) -> None:
    """The page has the same elements and attributes whatever it shows; all content travels as JSON."""
    page = _page(_texts(data))
    _require_tame(page, "\n")
    seen, plain = _Reader(), _plain_page()
    seen.feed(page)
    assert seen.tags == plain.tags
    assert seen.attributes == plain.attributes
    island = page.split('id="data">', 1)[1].split("</script>", 1)[0]
    assert not set(island) & set("<>&")
    json.loads(island)


TARGETS = tuple(
    Target(
        name=name,
        check=check,
        seeds=lambda: [b"\0".join(_HOSTILE), *_HOSTILE, b"plain"],
        tokens=(
            b"\0",
            b"<",
            b">",
            b"&",
            b"`",
            b"```",
            b"~~~",
            b"*",
            b"_",
            b"[",
            b"](",
            b"|",
            b"::",
            b"\r",
            b"\n",
            b"%0A",
            b"##[",
            b"\x1b[",
            b"\xe2\x80\xae",
            b"\xff",
            b"@a",
            b"#1",
            b"www.",
            b"://",
            b"\\",
            b"$",
            b"<!--",
            b"]]>",
            b"&#",
            b"    ",
            b"1. ",
            b"- ",
            b"> ",
            b"=\n",
            b"\xf3\xa0\x80\x81",
            b"\xc2\x85",
        ),
        longest=1024,
        seconds=4.0,
    )
    for name, check in (
        ("terminal", check_terminal),
        ("github", check_github),
        ("markdown", check_markdown),
        ("documents", check_documents),
        ("page", check_page),
    )
)
