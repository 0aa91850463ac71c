# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Is there something newer to pin? Answered from refs alone, so that update bots can ask often."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vendorctl.drift.measure import tracked_ref
from vendorctl.errors import Location
from vendorctl.model import Json, Report
from vendorctl.upstream.abreast import abreast
from vendorctl.upstream.refs import RefTable, ResolvedRef
from vendorctl.upstream.source import Source
from vendorctl.workspace.manifest import Upstream

SCHEMA = "vendorctl/outdated/1"

_TAGS = "refs/tags/"
_RELEASE = re.compile(r"(?P<prefix>(?:.*[^0-9.])?)(?P<version>\d+(?:\.\d+)*)")
#: How the part before the number of a release candidate ends.
_PRERELEASE = re.compile(r"(?:alpha|beta|dev|pre|rc)[-._]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What one upstream could be pinned to: the newest release for a pin that is one, else the tip of `track:`."""

    upstream: Upstream
    target: ResolvedRef
    looked_at: int

    @property
    def outdated(self) -> bool:
        """Whether that is another commit than the pin."""
        return self.target.commit != self.upstream.pin

    @property
    def command(self) -> str:
        """What moves the pin there."""
        return f"vendorctl sync --pin {self.upstream.name}={self.target.short_name}"


def find_candidates(upstreams: Sequence[Upstream], opener: Callable[[Upstream], Source]) -> list[Candidate]:
    """One candidate per upstream, by name. Raises VendorError (exit code 4) when an upstream cannot be asked."""

    def candidate(upstream: Upstream) -> Candidate:
        source = opener(upstream)
        table = source.refs()
        release = newest_release(table, upstream.ref) if upstream.ref else None
        target = release or tracked_ref(source, upstream)
        return Candidate(upstream=upstream, target=target, looked_at=table.time)

    return abreast(candidate, sorted(upstreams, key=lambda each: each.name))


def newest_release(table: RefTable, current: str) -> ResolvedRef | None:
    """The tag with the highest version among those written like the tag `current`; None when that is no release.

    ``v1.10`` is newer than ``v1.9``; ``v2.0-rc1`` is no release, and ``kernels-v3`` is another line of releases.
    """
    current = current.removeprefix(_TAGS)
    pattern = _RELEASE.fullmatch(current)
    if pattern is None or _TAGS + current not in table.refs or _PRERELEASE.search(pattern["prefix"]):
        return None
    versions: dict[tuple[int, ...], str] = {}
    for full in table.refs:
        found = _RELEASE.fullmatch(full.removeprefix(_TAGS)) if full.startswith(_TAGS) else None
        if found is not None and found["prefix"] == pattern["prefix"]:
            versions[_number(found["version"])] = full
    name = versions[max(versions)]
    if _number(pattern["version"]) == max(versions):
        name = _TAGS + current
    return ResolvedRef(name, table.refs[name], table.commit(name))


def _number(version: str) -> tuple[int, ...]:
    """The version for comparing: ``1.2.0`` equals ``1.2``."""
    parts = [int(part) for part in version.split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def outdated_report(candidates: Sequence[Candidate]) -> Report:
    """One line per upstream that could move; everything for machines. Being behind is no finding."""
    behind = [each for each in candidates if each.outdated]
    width = max((len(each.upstream.name) for each in behind), default=0)
    return Report(
        schema=SCHEMA,
        title="outdated",
        lines=tuple(f"{each.upstream.name:{width}}  {_move(each)}  {each.command}" for each in behind),
        counts={"upstreams": len(candidates), "outdated": len(behind)},
        data={"upstreams": [_value(each) for each in candidates]},
    )


def _move(candidate: Candidate) -> str:
    upstream, target = candidate.upstream, candidate.target
    return f"{upstream.ref or 'commit'} {upstream.pin.short} -> {target.short_name} {target.commit.short}"


def _value(candidate: Candidate) -> Json:
    """Where the pin stands and what could replace it: all that a bot needs to edit, or to call us."""
    upstream = candidate.upstream
    return {
        "name": upstream.name,
        "url": upstream.url,
        "outdated": candidate.outdated,
        "current": {"ref": upstream.ref, "commit": str(upstream.pin)},
        "latest": {
            "ref": candidate.target.short_name,
            "kind": candidate.target.kind,
            "commit": str(candidate.target.commit),
        },
        "places": {"pin": _place(upstream.place("pin")), "ref": _place(upstream.places.get("ref"))},
        "looked_at": candidate.looked_at,
        "command": candidate.command,
    }


def _place(location: Location | None) -> Json:
    return None if location is None else {"path": location.path, "line": location.line, "column": location.column}
