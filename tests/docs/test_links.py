# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Links in the documentation lead somewhere, and every page can be reached from the README."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2`*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_LINK = re.compile(
    r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)|<(?:img|source|a)\b[^>]*?\b(?:src|srcset|href)=\"([^\"]+)\""
)
_HEADING = re.compile(r"^#{1,6} +(.*?)#* *$", re.MULTILINE)


#: Folders below which Markdown is ours, and names of folders in them where it is not.
_FOLDERS = ("docs", "examples", "integration", "descriptors", "src", "tests")
_FOREIGN = {"vendored", "kernels", "trees", "edits", "build"}


def pages() -> list[Path]:
    """Every Markdown file that is ours and not generated from licences."""
    found = [*ROOT.glob("*.md"), *(page for folder in _FOLDERS for page in (ROOT / folder).rglob("*.md"))]
    ours = (page for page in found if not _FOREIGN & set(page.relative_to(ROOT).parts[1:-1]))
    hidden = (page for page in ours if not any(part.startswith(".") for part in page.relative_to(ROOT).parts))
    return sorted(page for page in hidden if page.name != "THIRD_PARTY_LICENSES.md")


def anchors(text: str) -> set[str]:
    """The fragments that a forge gives to the headings of a page."""
    found: set[str] = set()
    for heading in _HEADING.findall(_FENCE.sub("", _COMMENT.sub("", text))):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        repeats = sum(1 for known in found if re.fullmatch(re.escape(slug) + r"(-\d+)?", known))
        found.add(f"{slug}-{repeats}" if slug in found else slug)
    return found


def links(text: str) -> Iterator[str]:
    """The targets of all links and pictures that are not code."""
    for first, second in _LINK.findall(_CODE.sub("", _FENCE.sub("", _COMMENT.sub("", text)))):
        yield first or second


def dead(page: Path, text: str) -> list[str]:
    """The links in `text`, the content of `page`, that lead nowhere. Addresses on the web are not looked at."""
    found = []
    for link in links(text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, fragment = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or not target.is_relative_to(ROOT):
            found.append(f"{page.relative_to(ROOT)}: {link}: no such file")
        elif fragment and target.is_file() and fragment not in anchors(target.read_text("utf-8")):
            found.append(f"{page.relative_to(ROOT)}: {link}: no such heading")
    return found


def test_no_link_is_dead() -> None:
    assert [fault for page in pages() for fault in dead(page, page.read_text("utf-8"))] == []


def test_a_dead_link_is_noticed() -> None:
    page = ROOT / "docs" / "tutorial" / "index.md"
    text = '# Here\n[a](../gone.md) [b](#gone) ![c](../how-to/index.md#gone) <img src="no.svg">\n'
    assert len(dead(page, text)) == 4
    assert (
        dead(page, "`[a](gone.md)` and [b](../how-to/index.md) [c](https://example.org/gone)\n```\n[d](x)\n```\n") == []
    )


def test_every_page_is_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md" or not page.is_file():
            continue
        reached.add(page)
        inside = [link.partition("#")[0] for link in links(page.read_text("utf-8")) if not re.match(r"[a-z]+:", link)]
        waiting += [(page.parent / path).resolve() for path in inside if path]
    documentation = {page for page in pages() if page.is_relative_to(ROOT / "docs")}
    assert len(documentation) > 30
    assert sorted(str(page.relative_to(ROOT)) for page in documentation - reached) == []


def test_every_index_lists_its_folder() -> None:
    for index in sorted((ROOT / "docs").glob("*/index.md")):
        listed = {(index.parent / link.partition("#")[0]).name for link in links(index.read_text("utf-8"))}
        missing = {page.name for page in index.parent.glob("*.md")} - listed - {"index.md"}
        assert missing == set(), f"{index.relative_to(ROOT)} does not list them"
