# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The text that goes with a submission: what it does, why, and what shows that it works.

One text in two dresses: Markdown for a pull request, plain for a cover letter. What was not measured is said to be so.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from vendorctl.paths import display, display_text
from vendorctl.series.listing import line_counts
from vendorctl.submit.commits import Piece
from vendorctl.submit.formatters import Verdict
from vendorctl.submit.proof import Proof, TestNumbers
from vendorctl.submit.wording import as_sentence

_WIDTH = 76
#: Objects are named "unchanged" by either word: same bytes, or same instructions with other metadata.
_VERDICTS = {
    "same": "byte for byte the same",
    "metadata": "other metadata, same instructions",
    "registers": "same instructions on other registers",
    "code": "other instructions",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """What the text is made of. `branch` and `base` name what the commits build on, `base` as 40 hex digits."""

    pieces: Sequence[Piece]
    branch: str
    base: str
    proof: Proof
    style: Sequence[Verdict]

    @property
    def title(self) -> str:
        """The title of the whole: that of its only patch, or of its first with a count of the others."""
        first, more = self.pieces[0].wording.title, len(self.pieces) - 1
        return first if not more else f"{first}, and {more} more {'patches' if more > 1 else 'patch'}"

    def markdown(self) -> str:
        """The text of a pull request."""
        sections = [("What", self._what()), *self._common(_escaped, _code)]
        body = "\n\n".join(f"## {name}\n\n" + "\n".join(rows) for name, rows in sections)
        return f"# {_escaped(self.title)}\n\n{body}\n"

    def plain(self) -> str:
        """The blurb of a cover letter; each line is safe for mail tools."""
        blocks = ["\n".join([f"{name}:", *map(_wrapped, rows)]) for name, rows in self._common(_one_line, _one_line)]
        return "\n\n".join(blocks) + "\n"

    def _common(self, say: Callable[[str], str], quote: Callable[[str], str]) -> list[tuple[str, list[str]]]:
        """The sections of both dresses; `say` makes what people wrote safe to show, `quote` what programs wrote."""
        return [("Why", self._why(say)), ("Evidence", self._evidence(quote)), ("Checks", self._checks())]

    def _what(self) -> list[str]:
        """One row per patch. A cover letter has git's own list instead."""
        rows = []
        for piece in self.pieces:
            added, removed = line_counts(piece.patch.changes)
            files = ", ".join(_code(display(path)) for path in piece.before.difference(piece.after))
            rows.append(f"- {_escaped(piece.wording.title)} ({files}, +{added} -{removed})")
        return rows

    def _why(self, say: Callable[[str], str]) -> list[str]:
        reasons = [as_sentence(piece.patch.trailers.reason) or piece.wording.title for piece in self.pieces]
        if len(reasons) == 1:
            return [say(reasons[0])]
        named = zip(self.pieces, reasons, strict=True)
        return [f"- {say(piece.wording.title)}: {say(reason)}" for piece, reason in named]

    def _evidence(self, quote: Callable[[str], str]) -> list[str]:
        if self.proof.empty:
            return ["No test results are attached to this submission."]
        return [*_test_rows(self.proof), *_race_rows(self.proof, quote), *_object_rows(self.proof)]

    def _checks(self) -> list[str]:
        rows = [f"- applies with `git am` on {self.branch} at {self.base}"]
        for verdict in self.style:
            if verdict.skipped:
                rows.append(f"- {verdict.tool}: not run ({verdict.skipped})")
            else:
                state = f"{len(verdict.faults)} new faults" if verdict.faults else "clean"
                rows.append(f"- {verdict.tool}: {state} ({verdict.version})")
        if not self.style:
            rows.append("- pyproject.toml configures no formatter or linter")
        return rows


def _test_rows(proof: Proof) -> Iterator[str]:
    """Passed objects and worst error by operation, before and after."""
    for name, numbers in (("before", proof.before), ("after", proof.after)):
        if numbers is None:
            continue
        for each in numbers.operations:
            nearest = ""
            if each.worst is not None and each.tolerance is not None:
                nearest = f", worst error {each.worst:.2e} of {each.tolerance:.2e} allowed"
            yield (
                f"- {name} ({numbers.backend}): {each.operation} passes {each.passed} of {each.objects} objects"
                f"{nearest}"
            )


def _race_rows(proof: Proof, quote: Callable[[str], str]) -> Iterator[str]:
    """Races found, before and after."""

    def said(numbers: TestNumbers | None) -> str:
        return "not measured" if numbers is None else str(numbers.races)

    if proof.before is None and proof.after is None:
        return
    yield f"- races found: {said(proof.before)} before, {said(proof.after)} after"
    for numbers in (proof.before, proof.after):
        if numbers is not None and numbers.race:
            yield f"  - the first: {quote(numbers.race)}"


def _object_rows(proof: Proof) -> Iterator[str]:
    if proof.objects is None:
        return
    total = sum(proof.objects.values())
    yield f"- {proof.changed_objects} of {total} compiled objects change"
    for verdict, count in sorted(proof.objects.items()):
        yield f"  - {count}: {_VERDICTS.get(verdict, verdict)}"


def _one_line(text: str) -> str:
    """Text on one line, with control characters spelled out."""
    return display_text(" ".join(text.split()))


def _escaped(text: str) -> str:
    """One line in which nothing is taken for Markdown that would hide or link, and no one is notified."""
    return re.sub(r"([<>\[\]`|\\*_#])", r"\\\1", _one_line(text)).replace("@", "@\u200b")


def _code(text: str) -> str:
    """One line as a code span of Markdown: the fence is longer than any run of backticks inside."""
    line = _one_line(text)
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    return f"{fence}{line}{fence}" if len(fence) == 1 else f"{fence} {line} {fence}"


def _wrapped(row: str) -> str:
    """A row cut into lines. All are indented, continuation lines more, so that none begins like a diff."""
    text = row.lstrip(" ")
    indent = "  " + " " * (len(row) - len(text))
    more = indent + ("  " if text.startswith("- ") else "")
    return textwrap.fill(
        text, _WIDTH, initial_indent=indent, subsequent_indent=more, break_long_words=False, break_on_hyphens=False
    )
