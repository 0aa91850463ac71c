# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The modes of `vendorctl submit`: where its domain meets cache, clock, git identity and programs."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current
from vendorctl.cli.surroundings import begin, open_cache, standings
from vendorctl.drift.measure import tracked_ref
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Report
from vendorctl.series.content import ContentMerger
from vendorctl.series.evidence import Evidence
from vendorctl.series.listing import find_patch
from vendorctl.series.store import load_series
from vendorctl.series.workspace import Standing
from vendorctl.submit.choice import Wish, read_wish
from vendorctl.submit.facts import APPLIED, FORWARDED, state_facts
from vendorctl.submit.ground import Ground, survey_ground
from vendorctl.workspace.parse import load_manifest

if TYPE_CHECKING:
    from vendorctl.submit.plan import Manner


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of the command, as they were given."""

    onto: str | None
    output: Path | None
    branch: str | None
    clone: Path | None
    signoff: bool
    needed: bool
    style: bool
    tests_before: Path | None
    tests_after: Path | None
    objects: Path | None
    resume: bool
    abort: bool
    check: bool
    record: bool
    queue: str | None
    sent: str | None
    landed: str | None
    offline: bool


def run(words: tuple[str, ...], options: Options, mode: str) -> int:
    """Do what `mode` says and return the exit code."""
    root = current().root()
    if mode == "check":
        return emit(_check(root, words, options))
    if mode == "queue":
        return emit(_queue(root, words, options))
    wish = read_wish(load_manifest(root), words)
    if mode == "abort":
        from vendorctl.submit.command import give_up

        return emit(give_up(root, wish.upstream, partial(begin, root, "submit")))
    if mode in ("sent", "landed"):
        return emit(_state(root, wish, options))
    return _submit(root, wish, options)


def _submit(root: Path, wish: Wish, options: Options) -> int:
    from vendorctl.submit.command import SubmitRequest, prepare, release
    from vendorctl.submit.report import submission_report

    request = SubmitRequest(patches=wish.patches, needed=options.needed, resume=options.resume)
    (standing,) = standings(root, (wish.upstream,))
    ground = _ground(root, standing, options)
    with ContentMerger() as merger:
        submission = prepare(ground, request, _manner(root, options), merger, partial(begin, root, "submit"))
    written, branch = release(submission, options.output, options.clone, options.branch)
    report = submission_report(submission, written, branch)
    if current().format != "markdown":
        return emit(report)
    click.echo(submission.text.encode(), nl=False)
    return report.exit_code


def _manner(root: Path, options: Options) -> Manner:
    from vendorctl.series.authorship import git_author
    from vendorctl.submit.plan import Manner
    from vendorctl.submit.proof import read_proof

    return Manner(
        root=root,
        find=_find_program,
        signer=git_author(root, os.environ) if options.signoff else None,
        proof=read_proof(options.tests_before, options.tests_after, options.objects),
        style=options.style,
    )


def _find_program(name: str) -> str | None:
    """A program beside our own interpreter, else on PATH."""
    folders = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return shutil.which(name, path=folders)


def _ground(root: Path, standing: Standing, options: Options) -> Ground:
    cache = open_cache(current(), offline=options.offline)
    source = cache.open(standing.upstream.url, root)
    return survey_ground(standing, source, tracked_ref(source, standing.upstream, options.onto))


def _carrying(root: Path, words: tuple[str, ...]) -> tuple[list[Standing], list[str]]:
    """The upstream asked for, or all, as far as they have patches; and names of those whose files are not restored."""
    manifest = load_manifest(root)
    names = (read_wish(manifest, words).upstream,) if words else ()
    found = standings(root, names)
    seen = {standing.upstream.name for standing in found}
    absent = [name for name in sorted(manifest.upstreams) if not names and name not in seen]
    return [each for each in found if each.series.patches], [name for name in absent if load_series(root, name).patches]


def _with_absent(report: Report, names: Sequence[str]) -> Report:
    """The report with a note about each upstream that could not be looked at."""
    notes = [f"{name}: not looked at, because its files are not here: `vendorctl sync {name}`" for name in names]
    counts = {**report.counts, "not looked at": len(names)} if names else report.counts
    return replace(report, notes=(*report.notes, *notes), counts=counts)


def _check(root: Path, words: tuple[str, ...], options: Options) -> Report:
    from vendorctl.submit.fates import Checked, fates_report, landed_facts
    from vendorctl.submit.tracking import track_series

    checked = []
    carrying, absent = _carrying(root, words)
    with ContentMerger() as merger:
        for standing in carrying:
            ground = _ground(root, standing, options)
            tracks = track_series(ground, merger)
            facts = landed_facts(tracks) if options.record else {}
            if facts:
                _write_facts(root, ground.name, "noted what has landed", facts)
            checked.append(Checked(ground, tracks, frozenset(facts)))
    return _with_absent(fates_report(checked), absent)


def _queue(root: Path, words: tuple[str, ...], options: Options) -> Report:
    from vendorctl.submit.queue import Carried, Order, age_in_days, count_refreshes, queue_report

    now, rows = time.time(), []
    carrying, absent = _carrying(root, words)
    with ContentMerger() as merger:
        for standing in carrying:
            churn = _churn(_ground(root, standing, options), merger)
            refreshes = count_refreshes(root, standing.upstream.name)
            rows += [
                Carried(
                    upstream=standing.upstream.name,
                    patch=patch,
                    age=age_in_days(patch, now),
                    churn=churn(position),
                    refreshes=refreshes(patch),
                )
                for position, patch in enumerate(standing.series.patches, start=1)
            ]
    return _with_absent(queue_report(rows, Order(options.queue or Order.AGE)), absent)


def _churn(ground: Ground, merger: ContentMerger) -> Callable[[int], int | None]:
    """How many upstream commits changed the files of a patch (by position from 1) since the pin."""
    if ground.history is None:
        return lambda _position: None
    evidence = Evidence(ground.history, ground.standing.applied, ground.moves, merger)
    return lambda position: len(evidence.touching(position))


def _state(root: Path, wish: Wish, options: Options) -> Report:
    """Set `Forwarded` or `Applied-Upstream` in the named patches."""
    if not wish.patches:
        raise VendorError("which patches? name them by number", code=ExitCode.USAGE)
    name, value = (FORWARDED, options.sent) if options.sent else (APPLIED, options.landed)
    series = load_series(root, wish.upstream)
    facts = {find_patch(series, word).number: {name: value or ""} for word in wish.patches}
    return _write_facts(root, wish.upstream, f"{name}: {value}", facts)


def _write_facts(root: Path, name: str, title: str, facts: Mapping[int, Mapping[str, str]]) -> Report:
    from vendorctl.licenses.notices import notices_for
    from vendorctl.series.authoring import plan_rework, rework_report, stage_rework
    from vendorctl.series.workspace import chosen_upstreams
    from vendorctl.workspace.lockfile import load_lock

    (upstream,) = chosen_upstreams(load_manifest(root), (name,))
    lock = load_lock(root)
    rework = plan_rework(
        root, upstream, lock, notices_for, title, lambda chain, _blobs, _merger: state_facts(chain, facts)
    )
    with begin(root, "submit") as tx:
        stage_rework(tx, rework)
        tx.commit()
    return rework_report(rework)
