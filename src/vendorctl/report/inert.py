# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Text for Markdown comments that stays text: no markup, HTML, mention, reference, emoji or formula comes of it."""

from __future__ import annotations

import re
from html import escape as html_escape

from vendorctl.report.text import escape

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~$])")
_BACKTICKS = re.compile(r"`+")
#: What forges turn into links and pictures after Markdown is done, where a backslash no longer helps.
#: An underscore before them is no letter to a forge, which is why this says no ``\b``; an `@` may also make an address.
_REFERENCES = re.compile(
    r"@(?=\w)|#(?=\d)|(?<![^\W_])(?:GH-(?=\d)|https?:(?=//)|www(?=\.))|:(?=[\w+-]+:)", re.IGNORECASE
)
_ZERO_WIDTH = "\u200b"


def markup(text: str) -> str:
    """Text as Markdown that shows exactly that text, in the middle of a line or in a cell of a table."""
    text = _broken(escape(text)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", text)


def html(text: str) -> str:
    """Text for an HTML element inside Markdown, whose content some readers take as Markdown again."""
    return re.sub(r"([\\`*_\[\]#!|~$])", lambda found: f"&#{ord(found[0])};", html_escape(_broken(escape(text))))


def code(text: str) -> str:
    """Text as inline code, whatever backticks it holds; also in a cell of a table, where a bar would end the cell."""
    text = escape(text).replace("|", "\u2502")
    ticks = "`" * (max((len(run) for run in _BACKTICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fenced(body: str, language: str = "") -> str:
    """A code block that nothing in `body` can close."""
    fence = "`" * max(3, max((len(run) for run in _BACKTICKS.findall(body)), default=0) + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def _broken(text: str) -> str:
    return _REFERENCES.sub(lambda found: found[0] + _ZERO_WIDTH, text)
