# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Drift as a report: lines for people, findings for what needs a decision, data for machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from vendorctl.drift.changes import FileChange, FileChangeKind, LicenceChange
from vendorctl.drift.health import PatchHealth, Prognosis
from vendorctl.drift.measure import Drift
from vendorctl.drift.symbols import SymbolChange
from vendorctl.errors import Location
from vendorctl.model import Finding, Json, Report, Severity
from vendorctl.paths import display
from vendorctl.series.history import UpstreamCommit
from vendorctl.series.interdiff import interdiff
from vendorctl.workspace.lock import LicenseFacts
from vendorctl.workspace.root import patches_dir

SCHEMA = "vendorctl/drift/1"

#: Commits shown for people per upstream; machines get all.
_SHOWN_COMMITS = 20
_SHOWN_SYMBOLS = 6


def drift_report(drifts: Sequence[Drift]) -> Report:
    """The drift of several upstreams. Findings are warnings and notes: being behind is no error."""
    lines: list[str] = []
    for drift in drifts:
        lines += drift_lines(drift)
    findings = [finding for drift in drifts for finding in drift_findings(drift)]
    counts = {
        "upstreams": len(drifts),
        "commits behind": sum(drift.behind.total for drift in drifts if drift.behind is not None),
        "commits on vendored files": sum(len(drift.behind.touching) for drift in drifts if drift.behind is not None),
        "files changed": sum(len(drift.changes) for drift in drifts),
        "patches": sum(len(drift.patches) for drift in drifts),
    }
    return Report(
        schema=SCHEMA,
        title="drift",
        lines=tuple(lines),
        findings=tuple(findings),
        counts=counts,
        data={"upstreams": {drift.upstream.name: drift_data(drift) for drift in drifts}},
    )


def drift_lines(drift: Drift) -> Iterator[str]:
    """One upstream for people."""
    upstream = drift.upstream
    where = f"{upstream.ref or 'pin'} {drift.pin.short} -> {drift.tip.short_name} {drift.tip.commit.short}"
    yield f"{upstream.name}: {where}: {distance_words(drift)}"
    if drift.behind is not None and drift.behind.touching:
        yield "  commits"
        newest = list(reversed(drift.behind.touching))
        yield from (f"    {commit_words(commit)}" for commit in newest[:_SHOWN_COMMITS])
        if len(newest) > _SHOWN_COMMITS:
            yield f"    ... and {len(newest) - _SHOWN_COMMITS} more (--format json has all)"
    if drift.behind is not None and drift.behind.not_taken:
        yield "  not taken"
        yield from (f"    {commit_words(commit)} [{entry.reason}]" for commit, entry in drift.behind.not_taken)
    if drift.changes or drift.held:
        yield "  files"
        moved_out = {move.old: move.new for move in drift.moved_out}
        yield from (f"    {_change_words(change, moved_out.get(change.path))}" for change in drift.changes)
        yield from (f"    {display(path)}: held" for path in drift.held)
    if drift.patches:
        yield "  patches"
        yield from (f"    {prognosis_words(each)}" for each in drift.patches)


def distance_words(drift: Drift) -> str:
    """How far the pin is behind, in words."""
    behind = drift.behind
    if behind is None:
        return f"history not at hand; {_count(len(drift.changes), 'vendored file')} differ"
    if not behind.total and not behind.ahead:
        return "up to date"
    ahead = f", {_count(behind.ahead, 'commit')} ahead" if behind.ahead else ""
    declined = f", {len(behind.not_taken)} deliberately not taken" if behind.not_taken else ""
    touching = f"{len(behind.touching)} on vendored files" if behind.touching else "none on vendored files"
    return f"{_count(behind.total, 'commit')} behind ({touching}{declined}){ahead}"


def commit_words(commit: UpstreamCommit) -> str:
    """One commit in one line: short id, date, pull request, subject."""
    number = f" #{commit.pull_request}" if commit.pull_request is not None else ""
    return f"{commit.oid.short} {commit.date[:10]}{number} {commit.subject}"


def prognosis_words(prognosis: Prognosis) -> str:
    """One patch in one line."""
    words = {
        PatchHealth.CLEAN: "clean",
        PatchHealth.MOVED: "clean after a refresh",
        PatchHealth.PARTLY_LANDED: "partly upstream already",
        PatchHealth.LANDED: "already upstream",
        PatchHealth.CONFLICT: "conflict",
    }[prognosis.health]
    verb = "with" if prognosis.health is PatchHealth.LANDED else "first with"
    commit = f", {verb} {commit_words(prognosis.commit)}" if prognosis.commit is not None else ""
    return f"{prognosis.patch.file_name}: {words}{commit}"


def _change_words(change: FileChange, moved_out: bytes | None) -> str:
    name = display(change.path)
    if change.kind is FileChangeKind.MOVED and change.new_path is not None:
        name += f" -> {display(change.new_path)}"
    size = "binary" if change.added is None else f"+{change.added} -{change.removed}"
    if change.kind is FileChangeKind.REMOVED:
        return f"{name}: " + (f"moved to {display(moved_out)}, not included" if moved_out else "removed")
    if change.kind is FileChangeKind.MODE:
        return f"{name}: mode"
    kind = "" if change.kind is FileChangeKind.MODIFIED else f"{change.kind.value}, "
    return f"{name}: {kind}{size}{_symbol_words(change)}"


def _symbol_words(change: FileChange) -> str:
    if not change.symbols:
        return ""
    if not change.semantic:
        return ", cosmetic only"
    marks = {SymbolChange.ADDED: "+", SymbolChange.REMOVED: "-", SymbolChange.SEMANTIC: "", SymbolChange.COSMETIC: "~"}
    named = [f"{marks[delta.change]}{delta.name}" for delta in change.symbols if delta.change.value != "cosmetic"]
    more = f" and {len(named) - _SHOWN_SYMBOLS} more" if len(named) > _SHOWN_SYMBOLS else ""
    return f": {', '.join(named[:_SHOWN_SYMBOLS])}{more}"


def drift_findings(drift: Drift) -> Iterator[Finding]:
    """What of the drift needs a decision."""
    name, place = drift.upstream.name, drift.upstream.place()
    target = f"`vendorctl sync --pin {name}={drift.tip.short_name}"
    if drift.behind is None:
        message = f"the history between {drift.pin.short} and {drift.tip.short_name} is not in the cache"
        yield Finding(rule="VC325", message=message, severity=Severity.NOTE, upstream=name, location=place)
    for each in drift.patches:
        yield from _patch_findings(name, each, target)
    moved = {move.old: move.new for move in drift.moved_out}
    for change in drift.changes:
        if change.kind is FileChangeKind.REMOVED:
            yield _removal_finding(drift, change, moved.get(change.path))
    for licence in drift.licences:
        yield _warning("VC322", f"{display(licence.path)}: {licence_words(licence)}", name, place)
    for each_import in drift.imports:
        message = (
            f"{display(each_import.path)} imports {each_import.module.lstrip('/')}, "
            f"which is {display(each_import.target)} and not vendored"
        )
        yield _warning("VC323", message, name, place, hint=f"add {display(each_import.target)} to include:")
    for entry in drift.behind.stale if drift.behind is not None else ():
        message = f"{entry.commit.short} ({entry.reason}) is not among the commits since the pin"
        yield Finding(rule="VC324", message=message, severity=Severity.NOTE, upstream=name, location=entry.location)


def _patch_findings(name: str, each: Prognosis, target: str) -> Iterator[Finding]:
    place = Location(f"{patches_dir(name)}/{each.patch.file_name}")
    commit = f": {commit_words(each.commit)}" if each.commit is not None else ""
    if each.health is PatchHealth.CONFLICT:
        yield _warning("VC240", f"conflicts with upstream{commit}", name, place, hint=f"resolve it early: {target}`")
    elif each.health is PatchHealth.LANDED:
        by = f" (recognised by {', '.join(each.outcome.by)})" if each.outcome.by else ""
        yield _warning("VC241", f"upstream has all of it{by}{commit}", name, place, hint=f"{target} --drop-merged`")
    elif each.health is PatchHealth.PARTLY_LANDED:
        paths = ", ".join(map(display, each.outcome.landed))
        yield _warning("VC242", f"upstream has a part of it, in {paths}", name, place)


def _removal_finding(drift: Drift, change: FileChange, went: bytes | None) -> Finding:
    name, place = drift.upstream.name, drift.upstream.place("include")
    path = display(change.path)
    if went is None:
        return _warning("VC321", f"upstream removed {path}", name, place)
    message = f"upstream moved {path} to {display(went)}, which is not included"
    return _warning("VC320", message, name, place, hint=f"add {display(went)} to include:")


def licence_words(change: LicenceChange) -> str:
    """What changed in licence facts."""
    if change.legal_file:
        return "this licence or notice file changed"
    assert change.old is not None
    assert change.new is not None
    if change.old.expressions != change.new.expressions:
        return f"licence {_expression(change.old)} -> {_expression(change.new)}"
    gone = sorted(set(change.old.copyrights) - set(change.new.copyrights))
    came = sorted(set(change.new.copyrights) - set(change.old.copyrights))
    return (
        "copyright lines" + "".join(f"; removed: {line}" for line in gone) + "".join(f"; new: {line}" for line in came)
    )


def _expression(facts: LicenseFacts) -> str:
    return " and ".join(facts.expressions) or "(none)"


def _warning(rule: str, message: str, name: str, place: Location, hint: str | None = None) -> Finding:
    return Finding(rule=rule, message=message, severity=Severity.WARNING, upstream=name, location=place, hint=hint)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def iso_time(seconds: int) -> str:
    """Seconds since 1970 as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def drift_data(drift: Drift) -> Json:
    """One upstream for machines. No clock: two runs over the same cache give the same bytes."""
    behind = drift.behind
    return {
        "pin": str(drift.pin),
        "pin_date": iso_time(drift.pin_time),
        "ref": drift.upstream.ref,
        "against": drift.tip.short_name,
        "tip": str(drift.tip.commit),
        "tip_date": iso_time(drift.tip_time),
        "behind": None if behind is None else behind.total,
        "ahead": None if behind is None else behind.ahead,
        "commits": None if behind is None else [_commit_data(commit) for commit in behind.touching],
        "not_taken": None
        if behind is None
        else [{**_commit_data(commit), "reason": entry.reason} for commit, entry in behind.not_taken],
        "files": [_change_data(change) for change in drift.changes],
        "moves": [
            {"old": display(move.old), "new": display(move.new), "similarity": move.similarity} for move in drift.moves
        ],
        "held": [display(path) for path in drift.held],
        "licences": [
            {
                "path": display(each.path),
                "legal_file": each.legal_file,
                "old": None if each.old is None else list(each.old.expressions),
                "new": None if each.new is None else list(each.new.expressions),
                "change": licence_words(each),
            }
            for each in drift.licences
        ],
        "imports": [
            {"path": display(each.path), "line": each.line, "module": each.module, "target": display(each.target)}
            for each in drift.imports
        ],
        "patches": [_prognosis_data(each) for each in drift.patches],
    }


def _commit_data(commit: UpstreamCommit) -> dict[str, Json]:
    return {
        "commit": str(commit.oid),
        "date": commit.date,
        "author": commit.author,
        "subject": commit.subject,
        "pull_request": commit.pull_request,
        "paths": [display(path) for path in commit.paths],
    }


def _change_data(change: FileChange) -> Json:
    return {
        "kind": change.kind.value,
        "path": display(change.path),
        "new_path": None if change.new_path is None else display(change.new_path),
        "added": change.added,
        "removed": change.removed,
        "semantic": change.semantic,
        "symbols": None
        if change.symbols is None
        else [
            {"name": delta.name, "kind": delta.kind, "change": delta.change.value, "line": delta.line}
            for delta in change.symbols
        ],
    }


def _prognosis_data(each: Prognosis) -> Json:
    return {
        "file": each.patch.file_name,
        "title": each.patch.title,
        "health": each.health.value,
        "commit": None if each.commit is None else _commit_data(each.commit),
        "landed": [display(path) for path in each.outcome.landed],
        "recognised_by": list(each.outcome.by),
        "interdiff": interdiff(each.outcome).to_json(),
    }
