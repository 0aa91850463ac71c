# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A comment shows what it was given: within the limit, with nothing that a forge takes for markup of ours."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from report.samples import HOSTILE, diff_report, difference, finding, hostile_report, patch, report
from vendorctl.model import Report
from vendorctl.report.inert import code, fenced, html, markup
from vendorctl.report.markdown import MAX_COMMENT, render_markdown


class Reader(HTMLParser):
    """Collects elements, attributes, and text outside code, which is where forges look for references."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.prose = ""
        self.code = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "code" in self.open:
            self.code += data
        else:
            self.prose += data


def read(text: str) -> Reader:
    """The HTML that a forge makes of a comment, read again."""
    reader = Reader()
    reader.feed(MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text))
    return reader


OURS = {
    "h3", "h4", "p", "ul", "li", "strong", "code", "pre", "br", "details", "summary", "blockquote",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
REFERENCE = re.compile(r"(?<!\w)@\w|#\d|GH-\d|https?://|www\.|:\w+:", re.IGNORECASE)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("write", [markup, html], ids=["markup", "html"])
def test_text_stays_text(write: object, text: str) -> None:
    assert callable(write)
    seen = read(f"before {write(text)} after")
    assert seen.tags == {"p"}
    assert not REFERENCE.search(seen.prose)


@pytest.mark.parametrize("text", ["`", "``a`", " ` ", "a|b", "plain", "\n```\n"])
def test_code_stays_code(text: str) -> None:
    assert read(f"x {code(text)} y").prose.strip() == "x  y"
    assert read(fenced(text)).prose.strip() == ""


def test_the_reader_would_notice_markup() -> None:
    assert "img" in read("x ![a](b.png)").tags
    assert REFERENCE.search(read("x @octocat").prose)


def hostile_differences() -> Report:
    files = [difference(text, title=text, text=text) for text in HOSTILE]
    return diff_report(files, [patch(1, text, text) for text in HOSTILE])


@pytest.mark.parametrize("made", [hostile_report(), hostile_differences()], ids=["findings", "differences"])
def test_hostile_reports_have_our_elements_only(made: Report) -> None:
    seen = read(render_markdown(made))
    assert seen.tags <= OURS
    assert seen.attributes <= {"class", "style"}
    assert not REFERENCE.search(seen.prose)


def test_each_file_is_folded_and_each_run_of_lines_names_its_patch() -> None:
    text = render_markdown(diff_report([difference("k/a.py", title="First")], [patch(1, "First"), patch(2, "Second")]))
    assert "<details><summary><code>k/a.py</code>: modify, up, by 0001, 0002</summary>" in text
    block = text.split("```diff\n")[1].split("\n```")[0].splitlines()
    assert block == [
        "@@ -1,2 +1,3 @@ 0001 First; 0002 Second",
        " before",
        "# 0001 First",
        "-old",
        "+new",
        "# 0002 Second",
        "+end",
        "\\ No newline at end of file",
    ]
    assert "| 0001 | First | a reason | `no` |" in text


def test_what_no_patch_explains_comes_first_and_open() -> None:
    text = render_markdown(diff_report([difference("a.py"), difference("b.py", number=None)], [patch(1, "First")]))
    assert text.index("b.py") < text.index("a.py")
    assert "<details open><summary><code>b.py</code>" in text
    assert "????" in text


def huge() -> list[Report]:
    findings = report(*(finding(f"number {at}", detail="x" * 500) for at in range(3000)), lines=("y" * 90_000,))
    files = [difference(f"k/{at}.py", text="z" * 100) for at in range(2000)]
    return [findings, diff_report(files, [patch(at, f"Patch {at}") for at in range(1, 501)])]


@pytest.mark.parametrize("made", huge(), ids=["findings", "differences"])
def test_a_comment_stays_below_the_limit_and_counts_what_is_missing(made: Report) -> None:
    text = render_markdown(made)
    assert len(text) <= MAX_COMMENT
    assert re.search(r"\d+ more (findings|files) do not fit into a comment", text)
    assert text.count("<details") == text.count("</details>")


def test_one_huge_file_leaves_room_for_the_others() -> None:
    made = diff_report([difference("big.py", text="x" * 70_000), difference("small.py")], [patch(1, "First")])
    text = render_markdown(made)
    assert "small.py" in text
    assert "1 more files do not fit" in text
