# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a sync does or would do, as a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from vendorctl.git.tree import Tree
from vendorctl.model import Json, Report, merge
from vendorctl.paths import display
from vendorctl.series.bump import Outcome, OutcomeKind
from vendorctl.series.history import UpstreamCommit
from vendorctl.series.interdiff import interdiff, review_lines
from vendorctl.series.sync.plan import SyncPlan, UpstreamPlan
from vendorctl.workspace.root import patched_dir, vendored_dir

SCHEMA = "vendorctl/sync/1"

#: Lines of a patch's interdiff that people are shown.
_SHOWN_LINES = 40

#: Upstream commits that took a patch, by upstream name and patch file name.
Landings = dict[tuple[str, str], UpstreamCommit]


def sync_report(plan: SyncPlan, *, dry_run: bool, landings: Landings) -> Report:
    """The report of a sync that was made, or with `dry_run`, of one that would be."""
    lines: list[str] = []
    data: dict[str, Json] = {}
    for upstream in plan.upstreams:
        lines += upstream_lines(upstream, landings, dry_run=dry_run)
        data[upstream.upstream.name] = _upstream_data(upstream, landings)
    lines += [f"{gone.name}: no longer in VENDOR.yaml; its files were removed, its patches stay" for gone in plan.gone]
    counts = {
        "upstreams": len(plan.upstreams),
        "files": sum(len(up.standing.locked.files) for up in plan.upstreams),
        "patches": sum(len(up.standing.series.patches) for up in plan.upstreams),
    }
    return Report(
        schema=SCHEMA,
        title="sync (dry run)" if dry_run else "sync",
        lines=tuple(lines),
        findings=plan.findings,
        counts=counts,
        data={"dry_run": dry_run, "changed": plan.changes, "upstreams": data},
    )


def join_reports(parts: Sequence[Report]) -> Report:
    """One report of several syncs that came one after another."""
    upstreams: dict[str, Json] = {}
    for part in parts:
        found = part.data["upstreams"]
        assert isinstance(found, dict)
        upstreams |= found
    changed = any(part.data["changed"] for part in parts)
    joined = merge(SCHEMA, "sync", parts)
    return replace(joined, data={**joined.data, "changed": changed, "upstreams": upstreams})


def upstream_lines(plan: UpstreamPlan, landings: Landings, *, dry_run: bool) -> Iterator[str]:
    """What happens to one upstream, for people."""
    name = plan.upstream.name
    changes = [
        _tree_words(vendored_dir(name), plan.disk.pristine, plan.pristine_wanted),
        _tree_words(patched_dir(plan.upstream), plan.disk.output, plan.output_wanted),
    ]
    told = [words for words in changes if words]
    if plan.placed.folder not in {"", patched_dir(plan.upstream)}:
        told.append(f"moved out of {plan.placed.folder}")
    pin = f"{plan.upstream.ref or 'commit'} {plan.upstream.pin.short}"
    if plan.before is not None and plan.before.commit != plan.upstream.pin:
        pin = f"{plan.before.commit.short} -> {pin}"
    state = "; ".join(told) if told else "up to date"
    yield f"{name}: {pin}: {'would write ' if dry_run and told else ''}{state}"
    if plan.bump is not None:
        for outcome in plan.bump.outcomes:
            yield f"  {outcome_words(outcome, landings.get((name, outcome.patch.file_name)))}"
            yield from (f"      {line}" for line in review_lines(outcome, _SHOWN_LINES))
    for file in plan.standing.locked.files:
        if file.held_from is not None:
            reasons = [hold.reason for hold in plan.upstream.hold if hold.reason]
            because = f": {reasons[0]}" if len(reasons) == 1 else ""
            yield f"  held at {file.held_from.short}: {display(file.path)}{because}"


def outcome_words(outcome: Outcome, commit: UpstreamCommit | None) -> str:
    """One patch after a bump, in one line."""
    landed = ", ".join(display(path) for path in outcome.landed)
    where = f" by {commit.oid.short} ({commit.subject})" if commit is not None else ""
    words = {
        OutcomeKind.UNCHANGED: "unchanged",
        OutcomeKind.REFRESHED: "refreshed",
        OutcomeKind.PARTLY_MERGED: f"keeps its remainder; upstream has the rest: {landed}{where}",
        OutcomeKind.MERGED_UPSTREAM: f"already upstream{where}",
        OutcomeKind.SKIPPED: "left out (--skip)",
        OutcomeKind.CONFLICT: "conflict",
    }[outcome.kind]
    seen = f" (recognised by {', '.join(outcome.by)})" if outcome.by else ""
    reused = f" (recorded resolution: {', '.join(map(display, outcome.reused))})" if outcome.reused else ""
    return f"{outcome.patch.file_name}: {words}{seen}{reused}"


def _tree_words(folder: str, now: Tree, wanted: Tree) -> str:
    written, removed = _counts(now, wanted)
    parts = [f"{written} file{'s' * (written != 1)} in {folder}" if written else ""]
    parts += [f"{removed} removed from {folder}" if removed else ""]
    return ", ".join(part for part in parts if part)


def _counts(now: Tree, wanted: Tree) -> tuple[int, int]:
    pairs = now.difference(wanted).values()
    removed = sum(new is None for _, new in pairs)
    return len(pairs) - removed, removed


def _upstream_data(plan: UpstreamPlan, landings: Landings) -> Json:
    name = plan.upstream.name
    written, removed = _counts(plan.disk.pristine, plan.pristine_wanted)
    output_written, output_removed = _counts(plan.disk.output, plan.output_wanted)
    return {
        "commit": str(plan.upstream.pin),
        "previous": str(plan.before.commit) if plan.before is not None else None,
        "ref": plan.upstream.ref,
        "fetched": plan.fetched,
        "pristine": {"folder": vendored_dir(name), "written": written, "removed": removed},
        "output": {"folder": patched_dir(plan.upstream), "written": output_written, "removed": output_removed},
        "held": [display(file.path) for file in plan.standing.locked.files if file.held_from is not None],
        "patches": [_outcome_data(name, each, landings) for each in (plan.bump.outcomes if plan.bump else ())],
    }


def _outcome_data(name: str, outcome: Outcome, landings: Landings) -> Json:
    commit = landings.get((name, outcome.patch.file_name))
    return {
        "file": outcome.patch.file_name,
        "title": outcome.patch.title,
        "outcome": outcome.kind.value,
        "landed": [display(path) for path in outcome.landed],
        "recognised_by": list(outcome.by),
        "upstream_commit": str(commit.oid) if commit is not None else None,
        "reused_resolutions": [display(path) for path in outcome.reused],
        "interdiff": interdiff(outcome).to_json(),
    }
