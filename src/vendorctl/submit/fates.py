# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl submit --check`: what became of our patches, as findings, and as facts for the patches themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from vendorctl.errors import Location
from vendorctl.model import Finding, Json, Report, Severity
from vendorctl.paths import display_text
from vendorctl.series.conflict import describe_commit
from vendorctl.submit.facts import APPLIED
from vendorctl.submit.ground import Ground
from vendorctl.submit.tracking import Fate, Track
from vendorctl.workspace.root import patches_dir

SCHEMA = "vendorctl/submit-check/1"

_RULES = {
    Fate.LANDED: "VC290",
    Fate.REWRITTEN: "VC291",
    Fate.PARTLY: "VC242",
    Fate.SUPERSEDED: "VC292",
    Fate.REVERTED: "VC294",
    Fate.CONFLICT: "VC240",
}
_SAID = {
    Fate.LANDED: "has landed",
    Fate.REWRITTEN: "seems to have landed in another form",
    Fate.PARTLY: "has landed in part",
    Fate.SUPERSEDED: "is superseded",
    Fate.REVERTED: "had landed",
    Fate.CONFLICT: "would conflict today",
}
_GONE = (Fate.LANDED, Fate.REWRITTEN)


@dataclass(frozen=True, slots=True)
class Checked:
    """One upstream's patches with their fates; `recorded` are numbers of patches that from now on say they landed."""

    ground: Ground
    tracks: Sequence[Track]
    recorded: frozenset[int] = frozenset()


def fates_report(checked: Sequence[Checked]) -> Report:
    """The fate of each patch of each upstream at its tip."""
    counts = Counter(track.fate for each in checked for track in each.tracks)
    unknown = [each.ground.name for each in checked if each.ground.history is None]
    return Report(
        schema=SCHEMA,
        title="submit --check",
        lines=tuple(line for each in checked for line in _lines(each)),
        findings=tuple(found for each in checked for track in each.tracks for found in _findings(each, track)),
        counts={"patches": counts.total(), **{fate.value: counts[fate] for fate in Fate if counts[fate]}},
        notes=tuple(f"{name}: upstream's history cannot be had, so commits are not named" for name in unknown),
        data={"upstreams": {each.ground.name: _upstream_data(each) for each in checked}},
    )


def landed_facts(tracks: Iterable[Track]) -> dict[int, dict[str, str]]:
    """What patches that have certainly landed should state, by patch number, where they do not state it yet."""
    return {
        track.patch.number: {APPLIED: str(track.commit.oid)}
        for track in tracks
        if track.fate is Fate.LANDED and track.commit is not None and not track.patch.trailers.applied_upstream
    }


def _lines(checked: Checked) -> Iterator[str]:
    tip = checked.ground.tip
    yield f"{checked.ground.name}: against {tip.short_name} {tip.commit.short}"
    yield from map(_line, checked.tracks)


def _line(track: Track) -> str:
    where = f"  {describe_commit(track.commit)}" if track.commit is not None else ""
    return f"  {track.patch.number:04d}  {track.fate.value:13}  {display_text(track.patch.title)}{where}"


def _findings(checked: Checked, track: Track) -> Iterator[Finding]:
    ground, recorded = checked.ground, track.patch.number in checked.recorded
    stated = track.patch.trailers.applied_upstream
    if stated and track.fate not in (*_GONE, Fate.PARTLY):
        message = f"says `Applied-Upstream: {display_text(stated)}`, but {ground.tip.short_name} does not have it"
        hint = "it may be on another branch (--onto REF), reverted since, or the line is wrong"
        yield _finding(ground, track, "VC293", message, hint)
    if track.fate not in _RULES or (track.fate in _GONE and (stated or recorded)):
        return
    with_commit = f" with {describe_commit(track.commit)}" if track.commit is not None else ""
    if track.fate in (Fate.CONFLICT, Fate.SUPERSEDED) and track.commit is not None:
        with_commit = f" since {describe_commit(track.commit)}"
    grounds = f": {'; '.join(track.grounds)}" if track.grounds else ""
    if track.since is not None:
        grounds += f" ({describe_commit(track.since)})"
    yield _finding(
        ground, track, _RULES[track.fate], f"{_SAID[track.fate]}{with_commit}{grounds}", _hint(ground, track)
    )


def _hint(ground: Ground, track: Track) -> str:
    name, number = ground.name, track.patch.number
    bump = f"`vendorctl sync --pin {name}={ground.tip.short_name}"
    match track.fate:
        case Fate.LANDED:
            drop = f"`vendorctl patch drop {name} {number}`" if track.since is not None else f"{bump} --drop-merged`"
            return f"`vendorctl submit {name} --check --record` notes it in the patch; {drop} drops it"
        case Fate.REWRITTEN:
            return (
                f"compare; then `vendorctl submit {name} {number} --landed COMMIT`, and drop the patch at the next bump"
            )
        case Fate.REVERTED:
            return "upstream's log says why; send it again, or keep carrying it"
        case Fate.SUPERSEDED:
            return f"`vendorctl patch drop {name} {number}` at the next bump, unless its purpose remains"
        case Fate.CONFLICT:
            return f"{bump}` begins to resolve it; later commits on these lines only add to it"
        case _:
            return f"{bump}` keeps the rest of it"


def _finding(ground: Ground, track: Track, rule: str, message: str, hint: str) -> Finding:
    return Finding(
        rule=rule,
        message=message,
        severity=Severity.WARNING,
        upstream=ground.name,
        location=Location(f"{patches_dir(ground.name)}/{track.patch.file_name}"),
        hint=hint,
        data={"fate": track.fate.value, "commit": None if track.commit is None else str(track.commit.oid)},
    )


def _upstream_data(checked: Checked) -> Json:
    tip = checked.ground.tip
    rows: list[Json] = [_row(track) for track in checked.tracks]
    return {"against": tip.short_name, "tip": str(tip.commit), "patches": rows}


def _row(track: Track) -> Json:
    trailers = track.patch.trailers
    return {
        "patch": track.patch.file_name,
        "title": track.patch.title,
        "fate": track.fate.value,
        "commit": None if track.commit is None else str(track.commit.oid),
        "subject": None if track.commit is None else track.commit.subject,
        "grounds": list(track.grounds),
        "forwarded": trailers.forwarded or None,
        "applied_upstream": trailers.applied_upstream or None,
    }
