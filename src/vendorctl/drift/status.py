# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One screen for all upstreams: where each stands, how far upstream has moved, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from vendorctl.drift.health import PatchHealth
from vendorctl.drift.measure import Drift, measure_drift, tracked_ref
from vendorctl.drift.report import iso_time
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Finding, Json, Report, Severity
from vendorctl.progress import Progress
from vendorctl.series.content import ContentMerger
from vendorctl.series.pending import Pending
from vendorctl.series.workspace import Standing
from vendorctl.upstream.pins import check_pin
from vendorctl.upstream.source import Source
from vendorctl.workspace.manifest import Upstream

SCHEMA = "vendorctl/status/1"

_DAY = 86_400
_HEADER = ("upstream", "pin", "age", "behind", "files", "patches", "licences", "objects")
_UNKNOWN = "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One upstream. `drift` is None when it could not be measured; `trouble` then says why, `hint` what to do.

    `pins` says what is wrong with the pin or its ref. `licences` and `objects` are states in a word or two, as the
    layers above see them; empty: not looked at.
    """

    upstream: Upstream
    patches: int | None = None
    drift: Drift | None = None
    trouble: str = ""
    hint: str = ""
    pending: Pending | None = None
    pins: tuple[Finding, ...] = ()
    licences: str = ""
    objects: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class States:
    """What layers above know, per upstream name."""

    licences: Mapping[str, str] = field(default_factory=dict)
    objects: Mapping[str, str] = field(default_factory=dict)


def summed_up(report: Report, names: Iterable[str]) -> dict[str, str]:
    """A report's findings per upstream in a word: ``ok``, ``2 warnings`` or ``1 error``."""
    states = {}
    for name in names:
        counted = Counter(finding.severity for finding in report.findings if finding.upstream == name)
        worst = next((each for each in (Severity.ERROR, Severity.WARNING) if counted[each]), None)
        states[name] = "ok" if worst is None else f"{counted[worst]} {worst.value}{'s' * (counted[worst] != 1)}"
    return states


def measure_status(
    upstreams: Sequence[Upstream],
    load: Callable[[Upstream], Standing],
    opener: Callable[[Upstream], Source],
    pending: Callable[[str], Pending | None],
    progress: Progress,
    states: States,
) -> list[Row]:
    """One row per upstream, by name; `load` gives an upstream as it stands in the workspace.

    What cannot be measured (files not restored, an offline cache that lacks something) is said in the row and is no
    error.
    """
    rows = []
    with ContentMerger() as merger, progress.task("status", len(upstreams)) as task:
        for upstream in sorted(upstreams, key=lambda each: each.name):
            task.advance(note=upstream.name)
            bare = Row(
                upstream=upstream,
                licences=states.licences.get(upstream.name, ""),
                objects=states.objects.get(upstream.name, ""),
            )
            rows.append(_measure_row(bare, load, opener, pending, merger))
    return rows


def _measure_row(
    bare: Row,
    load: Callable[[Upstream], Standing],
    opener: Callable[[Upstream], Source],
    pending: Callable[[str], Pending | None],
    merger: ContentMerger,
) -> Row:
    row = bare
    try:
        row = replace(row, pending=pending(bare.upstream.name))
        standing = load(bare.upstream)
        row = replace(row, patches=len(standing.series.patches))
        source = opener(bare.upstream)
        tip = tracked_ref(source, bare.upstream)
        row = replace(row, pins=tuple(check_pin(source, standing.locked)))
        return replace(row, drift=measure_drift(standing, source, tip, None, merger))
    except VendorError as error:
        hint = "run `vendorctl status --fetch`" if error.code is ExitCode.UNREACHABLE else error.hint
        return replace(row, trouble=error.message, hint=hint or "")


def status_report(rows: Sequence[Row], now: float) -> Report:
    """The screen. `now` is seconds since 1970, for ages."""
    table = [_HEADER, *(_cells(row, now) for row in rows)]
    shown = [index for index, name in enumerate(_HEADER) if any(cells[index] for cells in table[1:]) or name == "pin"]
    widths = {index: max(len(cells[index]) for cells in table) for index in shown}
    lines = ["  ".join(cells[index].ljust(widths[index]) for index in shown).rstrip() for cells in table]
    lines += [f"next: {step}" for row in rows for step in next_steps(row)]
    return Report(
        schema=SCHEMA,
        title="status",
        findings=tuple(finding for row in rows for finding in row.pins),
        lines=tuple(lines) if rows else ("no upstreams yet: `vendorctl add NAME URL`",),
        notes=tuple(note for row in rows for note in _notes(row)),
        counts={"upstreams": len(rows), "unknown": sum(row.drift is None for row in rows)},
        data={"upstreams": {row.upstream.name: _row_data(row, now) for row in rows}},
    )


def _cells(row: Row, now: float) -> tuple[str, ...]:
    drift = row.drift
    pin = f"{row.upstream.ref or ''} {row.upstream.pin.short}".strip()
    if drift is None:
        patches = _UNKNOWN if row.patches is None else str(row.patches)
        return (row.upstream.name, pin, _UNKNOWN, _UNKNOWN, _UNKNOWN, patches, row.licences, row.objects)
    return (
        row.upstream.name,
        pin,
        age_words(now - drift.pin_time),
        _behind_words(drift),
        f"{len(drift.changes)} changed" if drift.changes else "same",
        _health_words(drift) or "none",
        row.licences,
        row.objects,
    )


def _behind_words(drift: Drift) -> str:
    if drift.behind is None:
        return "same" if drift.pin == drift.tip.commit else _UNKNOWN
    if not drift.behind.total:
        return "same" if not drift.behind.ahead else f"{drift.behind.ahead} ahead"
    return f"{drift.behind.total} ({len(drift.behind.touching)} on ours)"


def _health_words(drift: Drift) -> str:
    counted = Counter(each.health for each in drift.patches)
    return ", ".join(f"{counted[health]} {health.value}" for health in PatchHealth if counted[health])


def age_words(seconds: float) -> str:
    """A time span in its largest fitting unit."""
    if seconds < 3600:
        return f"{max(0, int(seconds // 60))}min"
    if seconds < 2 * _DAY:
        return f"{int(seconds // 3600)}h"
    return f"{int(seconds // _DAY)}d"


def next_steps(row: Row) -> list[str]:
    """The commands that bring an upstream forward, most urgent first; empty when there is nothing to do."""
    audit = [f"{row.upstream.name}: `vendorctl audit` ({row.licences})"] if "error" in row.licences else []
    return _upstream_steps(row) + audit


def _upstream_steps(row: Row) -> list[str]:
    name = row.upstream.name
    if row.pending is not None:
        where = f".vendorctl/bump/{name}/files"
        return [f"{name}: edit {where}, then `vendorctl sync {name} --continue` (or --skip, --abort)"]
    if row.drift is None:
        return [f"{name}: {row.hint}"] if row.hint else []
    drift = row.drift
    health = {each.health for each in drift.patches}
    move = f"`vendorctl sync --pin {name}={drift.tip.short_name}"
    if PatchHealth.CONFLICT in health:
        show = f"`vendorctl diff-upstream {name} --against {drift.tip.short_name}`"
        return [f"{name}: {show} shows the conflicts; {move}` begins to resolve them"]
    if drift.moved_out:
        count = len(drift.moved_out)
        show = f"`vendorctl diff-upstream {name} --against {drift.tip.short_name}`"
        return [f"{name}: upstream moved {count} file{'s' * (count != 1)} out of include:; {show} names them"]
    if PatchHealth.LANDED in health:
        return [f"{name}: {move} --drop-merged` (upstream has taken patches)"]
    if drift.changes:
        return [f"{name}: {move}`"]
    return []


def _notes(row: Row) -> list[str]:
    name = row.upstream.name
    if row.drift is None:
        return [f"{name}: {row.trouble}"]
    age = row.drift.knowledge_age
    known = "never looked at upstream" if age is None else f"last looked at upstream {age_words(age)} ago"
    declined = len(row.drift.behind.not_taken) if row.drift.behind is not None else 0
    return [f"{name}: {known}" + (f"; {declined} commits deliberately not taken" if declined else "")]


def _row_data(row: Row, now: float) -> Json:
    drift = row.drift
    steps: list[Json] = list(next_steps(row))
    base: dict[str, Json] = {
        "pin": str(row.upstream.pin),
        "ref": row.upstream.ref,
        "pending_bump": None if row.pending is None else str(row.pending.new),
        "licences": row.licences or None,
        "objects": row.objects or None,
        "next": steps,
        "known": drift is not None,
        "trouble": row.trouble or None,
    }
    if drift is None:
        return base
    health = Counter(each.health for each in drift.patches)
    return base | {
        "pin_date": iso_time(drift.pin_time),
        "age_days": int((now - drift.pin_time) // _DAY),
        "against": drift.tip.short_name,
        "tip": str(drift.tip.commit),
        "behind": None if drift.behind is None else drift.behind.total,
        "behind_on_vendored_files": None if drift.behind is None else len(drift.behind.touching),
        "not_taken": None if drift.behind is None else len(drift.behind.not_taken),
        "files_changed": len(drift.changes),
        "patches": {each.value: health[each] for each in PatchHealth},
        "knowledge_age_seconds": None if drift.knowledge_age is None else int(drift.knowledge_age),
    }
