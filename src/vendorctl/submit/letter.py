# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The text that goes with a submission: what it does, why, and what shows that it works.

One text in two dresses: Markdown for a pull request, plain for a cover letter. What was not measured is said to be so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
        sections = [("What", self._what("`")), ("Why", self._why()), ("Evidence", self._evidence())]
        sections += [("Checks", self._checks())]
        body = "\n\n".join(f"## {name}\n\n" + "\n".join(rows) for name, rows in sections)
        return f"# {_escaped(self.title)}\n\n{body}\n"

    def plain(self) -> str:
        """The blurb of a cover letter; each line is safe for mail tools."""
        sections = [("Why", self._why()), ("Evidence", self._evidence()), ("Checks", self._checks())]
        blocks = ["\n".join([f"{name}:", *(_wrapped(row) for row in rows)]) for name, rows in sections]
        return "\n\n".join(blocks) + "\n"

    def _what(self, quote: str) -> list[str]:
        rows = []
        for piece in self.pieces:
            added, removed = line_counts(piece.patch.changes)
            names = sorted(path.decode("utf-8", "replace") for path in piece.before.difference(piece.after))
            files = ", ".join(f"{quote}{name}{quote}" for name in names)
            rows.append(f"- {_escaped(piece.wording.title)} ({files}, +{added} -{removed})")
        return rows

    def _why(self) -> list[str]:
        reasons = [as_sentence(piece.patch.trailers.reason) or piece.wording.title for piece in self.pieces]
        if len(reasons) == 1:
            return [_escaped(reasons[0])]
        named = zip(self.pieces, reasons, strict=True)
        return [_escaped(f"- {piece.wording.title}: {reason}") for piece, reason in named]

    def _evidence(self) -> list[str]:
        if self.proof.empty:
            return ["No test results are attached to this submission."]
        return [*_test_rows(self.proof), *_race_rows(self.proof), *_object_rows(self.proof)]

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


def _race_rows(proof: Proof) -> Iterator[str]:
    """Races found, before and after."""

    def said(numbers: TestNumbers | None) -> str:
        return "not measured" if numbers is None else str(numbers.races)

    if proof.before is None and proof.after is None:
        return
    yield f"- races found: {said(proof.before)} before, {said(proof.after)} after"
    for numbers in (proof.before, proof.after):
        if numbers is not None and numbers.race:
            yield f"  the first: {_escaped(numbers.race)}"


def _object_rows(proof: Proof) -> Iterator[str]:
    if proof.objects is None:
        return
    total = sum(proof.objects.values())
    yield f"- {proof.changed_objects} of {total} compiled objects change"
    for verdict, count in sorted(proof.objects.items()):
        yield f"  {count}: {_VERDICTS.get(verdict, verdict)}"


def _escaped(text: str) -> str:
    """One line in which nothing is taken for Markdown that would hide or link, and no one is notified."""
    line = " ".join(text.split())
    return re.sub(r"([<>\[\]`|\\])", r"\\\1", line).replace("@", "@\u200b")


def _wrapped(row: str) -> str:
    """A row cut into lines; continuation lines are indented, so none begins like a diff."""
    lines = [""]
    for word in row.replace("@\u200b", "@").split(" "):
        if len(lines[-1]) + len(word) >= _WIDTH and lines[-1].strip():
            lines.append("  ")
        lines[-1] += f"{' ' if lines[-1].strip() else ''}{word}"
    return "\n".join(f"  {line}" for line in lines)
