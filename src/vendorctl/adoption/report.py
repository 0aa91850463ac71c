# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What `adopt` says: the base of each origin with its rivals, where each file came from, and what has no origin."""

from __future__ import annotations

from datetime import UTC, datetime

from vendorctl.adoption.base import Base, Choice, Match
from vendorctl.adoption.candidates import Copied
from vendorctl.adoption.fingerprint import FULL
from vendorctl.adoption.takeover import Adoption, Share
from vendorctl.model import Json, Report
from vendorctl.paths import display, percent_encode
from vendorctl.series.listing import describe

SCHEMA = "vendorctl/adopt/1"

#: A file that some other version fits this much better (of FULL) is worth a note.
_MUCH_BETTER = 50


def confidence(base: Base) -> str:
    """In a word, how sure the base is.

    ``certain``: every weighed line is explained. ``high``: nine lines in ten are, and no other state of upstream
    explains within five lines as many. ``fair``: half of the lines. ``low``: less.
    """
    if base.chosen.cost == 0:
        return "certain"
    if base.similarity >= 9 * FULL // 10 and base.margin >= 5:
        return "high"
    return "fair" if base.similarity >= FULL // 2 else "low"


def adoption_report(adoption: Adoption, *, dry_run: bool) -> Report:
    """The take-over as done, or as it would be done."""
    lines: list[str] = []
    for share in adoption.shares:
        lines += _share_lines(share, dry_run=dry_run)
    matched = [match for share in adoption.shares for match in share.base.matches]
    unmatched = [file for share in adoption.shares for file in share.base.unmatched]
    return Report(
        schema=SCHEMA,
        title="adopt",
        lines=tuple(lines),
        notes=tuple(_notes(adoption, unmatched)),
        counts={
            "files": len(adoption.copy),
            "matched": len(matched),
            "identical": sum(match.exact for match in matched),
            "without origin": len(unmatched),
            "patches": sum(len(share.applied.series.patches) for share in adoption.shares),
        },
        data={
            "dry_run": dry_run,
            "upstreams": [_share_data(share) for share in adoption.shares],
            "skipped": [percent_encode(path) for path in adoption.skipped],
        },
    )


def _share_lines(share: Share, *, dry_run: bool) -> list[str]:
    base, name = share.base, share.upstream.name
    lines = [
        f"{name}: {_percent(base.similarity)} of {base.weight} lines come from {share.found.source.display}"
        f" at {base.chosen.commit.short} ({_day(base.chosen.time)}); confidence {confidence(base)}"
    ]
    if base.equals > 1:
        lines.append(f"  {base.equals} commits through {base.through.short} fit as well: nothing copied differs")
    for rival in base.runners_up:
        worse = (rival.cost - base.chosen.cost + FULL - 1) // FULL
        lines.append(f"  next best: {rival.commit.short} ({_day(rival.time)}), {worse} lines worse")
    lines += [f"  {_match_line(match)}" for match in base.matches]
    lines += [f"  {display(file.path)}: no origin found" for file in base.unmatched]
    verb = "would write" if dry_run else "wrote"
    lines += [f"  {verb} {share.applied.series.folder}/{patch.file_name}" for patch in share.applied.series.patches]
    return lines


def _match_line(match: Match) -> str:
    how = "identical" if match.exact else _percent(match.similarity) if match.similarity else "by its name"
    rival = f"; next {display(match.second[0])} {_percent(match.second[1])}" if match.second else ""
    return f"{display(match.file.path)}: {how}, {display(match.path)}{rival}"


def _notes(adoption: Adoption, unmatched: list[Copied]) -> list[str]:
    notes = []
    if adoption.skipped:
        notes.append(f"left out: {', '.join(display(path) for path in adoption.skipped[:5])}")
    if unmatched:
        notes.append(f"{len(unmatched)} files have no origin here and are added by a patch; another --upstream may be")
    for share in adoption.shares:
        for match in share.base.matches:
            if match.best >= match.similarity + _MUCH_BETTER:
                commit = share.found.best_commit(match.file)
                where = f" as of {commit.short}" if commit is not None else ""
                notes.append(f"{display(match.file.path)} alone fits upstream{where} better: {_percent(match.best)}")
    if adoption.request.output is None:
        notes.append("the copy was not touched; --in-place makes it the output")
    return notes


def _share_data(share: Share) -> dict[str, Json]:
    base, name = share.base, share.upstream.name
    return {
        "name": name,
        "url": share.found.source.display,
        "commit": str(base.chosen.commit),
        "through": str(base.through),
        "equals": base.equals,
        "similarity": base.similarity / FULL,
        "confidence": confidence(base),
        "margin_lines": base.margin,
        "lines": base.weight,
        "runners_up": [_choice(rival, base) for rival in base.runners_up],
        "files": [_match_data(match) for match in base.matches],
        "unmatched": [percent_encode(file.path) for file in base.unmatched],
        "patches": [describe(name, patch) for patch in share.applied.series.patches],
    }


def _choice(rival: Choice, base: Base) -> dict[str, Json]:
    return {
        "commit": str(rival.commit),
        "date": _day(rival.time),
        "lines_worse": (rival.cost - base.chosen.cost) / FULL,
    }


def _match_data(match: Match) -> dict[str, Json]:
    second: Json = None
    if match.second is not None:
        second = {"path": percent_encode(match.second[0]), "similarity": match.second[1] / FULL}
    return {
        "path": percent_encode(match.file.path),
        "upstream_path": percent_encode(match.path),
        "identical": match.exact,
        "similarity": match.similarity / FULL,
        "best": match.best / FULL,
        "runner_up": second,
    }


def _percent(value: int) -> str:
    return f"{value / (FULL / 100):.1f} %"


def _day(time: int) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d")
