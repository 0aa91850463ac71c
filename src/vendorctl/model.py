# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Everything that is shown to anyone: findings, and the report that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from vendorctl.errors import ExitCode, Location

#: What JSON can hold; the type of every machine-readable detail. Read-only views, so that typed rows fit in.
Json: TypeAlias = "None | bool | int | float | str | Sequence[Json] | Mapping[str, Json]"


class Severity(StrEnum):
    """How bad a finding is. Only `ERROR` makes a command exit with 1."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing wrong. `rule` is an id of `vendorctl.rules`; `hint` is the next command to run.

    `detail` is free text shown below the message (a hunk, a log tail); `data` is its machine-readable form.
    """

    rule: str
    message: str
    severity: Severity = Severity.ERROR
    upstream: str | None = None
    location: Location | None = None
    hint: str | None = None
    detail: str | None = None
    data: Mapping[str, Json] = field(default_factory=dict)

    def sort_key(self) -> tuple[str, str, int, int, str, str]:
        """Order by upstream, place, rule and message, so that reports are reproducible."""
        place = self.location or Location("")
        return (self.upstream or "", place.path, place.line or 0, place.column or 0, self.rule, self.message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of one command: what it looked at, what it found, and facts for the renderers.

    `schema` names the JSON document (`vendorctl/verify/1`). `counts` says what was checked and what was
    skipped: a skip is a state of its own, never a pass. `lines` say for people what was done; `data` holds the
    command's own facts.
    """

    schema: str
    title: str
    lines: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    data: Mapping[str, Json] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True when no finding is an error."""
        return not any(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def exit_code(self) -> ExitCode:
        """0 without errors, else 1."""
        return ExitCode.OK if self.ok else ExitCode.FINDINGS

    def sorted_findings(self) -> list[Finding]:
        """Findings in the one order in which every renderer shows them."""
        return sorted(self.findings, key=Finding.sort_key)


def merge(schema: str, title: str, parts: Iterable[Report]) -> Report:
    """Join reports: findings and notes are concatenated, counts added up, data united (later parts win)."""
    findings: list[Finding] = []
    notes: list[str] = []
    lines: list[str] = []
    counts: dict[str, int] = {}
    data: dict[str, Json] = {}
    for part in parts:
        findings += part.findings
        notes += part.notes
        lines += part.lines
        data |= part.data
        for name, value in part.counts.items():
            counts[name] = counts.get(name, 0) + value
    return Report(
        schema=schema,
        title=title,
        lines=tuple(lines),
        findings=tuple(findings),
        counts=counts,
        notes=tuple(notes),
        data=data,
    )
