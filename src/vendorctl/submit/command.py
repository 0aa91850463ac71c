# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl submit`: carry, check, and only then write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Report
from vendorctl.series.bump import BumpPlan
from vendorctl.series.conflict import read_decisions, stage_abort, stage_decisions, stage_end, stage_stop
from vendorctl.series.content import ContentMerger
from vendorctl.series.evidence import Evidence
from vendorctl.series.patch import Patch
from vendorctl.series.resolutions import Resolution, Resolutions
from vendorctl.submit.carrying import Carrier, Need
from vendorctl.submit.choice import choose
from vendorctl.submit.ground import Ground
from vendorctl.submit.plan import TEXT_NAME, Manner, Submission, plan_submission, push_branch, with_needed
from vendorctl.submit.report import SCHEMA
from vendorctl.submit.standoff import STANDOFFS, Standoff, stopped_at, summarize
from vendorctl.workspace.transaction import Transaction

_MAIL_NAME = re.compile(r"\d{4}-[^/]*\.patch")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitRequest:
    """What to submit: patches by name, in order. `needed` takes along what they need; `resume` goes on after edits."""

    patches: tuple[str, ...]
    needed: bool = False
    resume: bool = False


def prepare(
    ground: Ground,
    request: SubmitRequest,
    manner: Manner,
    merger: ContentMerger,
    transaction: Callable[[], Transaction],
) -> Submission:
    """The submission that was asked for, checked; nothing of it is written.

    On a conflict with upstream its files are laid out below ``.vendorctl/submit/`` and VendorError (exit code 5) says
    how to go on; decisions that were read are recorded.
    """
    name = ground.name
    waiting = _waiting(manner.root, ground) if request.resume else None
    if waiting is None:
        STANDOFFS.refuse(manner.root, name)
    carrier = Carrier(ground, merger, Resolutions(manner.root, merger).settle)
    chosen = choose(ground.standing.series, request.patches or (waiting.patches if waiting is not None else ()))
    if request.needed:
        chosen = with_needed(carrier, chosen)
    plan = carrier.plan(chosen)
    decisions: Mapping[str, Resolution] = {}
    if waiting is not None and plan.stuck is not None:
        decisions = read_decisions(manner.root, STANDOFFS, waiting, plan.stuck)
        carrier = Carrier(ground, merger, Resolutions(manner.root, merger, decisions).settle)
        plan = carrier.plan(chosen)
    if plan.stuck is not None:
        decided = waiting.decide(decisions).decided if waiting is not None else ()
        raise _stop(carrier, chosen, plan, decided, decisions, transaction)
    submission = plan_submission(carrier, chosen, plan, manner)
    if waiting is not None:
        _settle(name, decisions, transaction)
    return submission


def _waiting(root: Path, ground: Ground) -> Standoff:
    standoff = STANDOFFS.require(root, ground.name)
    STANDOFFS.check_series(standoff, ground.standing.series)
    return standoff


def _settle(name: str, decisions: Mapping[str, Resolution], transaction: Callable[[], Transaction]) -> None:
    """Record what was decided; nothing waits any more."""
    with transaction() as tx:
        stage_decisions(tx, decisions)
        stage_end(tx, STANDOFFS, name)
        tx.commit()


def _stop(
    carrier: Carrier,
    chosen: Sequence[Patch],
    plan: BumpPlan,
    decided: Sequence[str],
    decisions: Mapping[str, Resolution],
    transaction: Callable[[], Transaction],
) -> VendorError:
    """The error for a patch that does not fit: for lack of another patch, or because of upstream.

    `decided` are the keys of all decisions so far, `decisions` those of them that are not recorded yet.
    """
    stuck, ground = plan.stuck, carrier.ground
    assert stuck is not None
    missing = [need for need in carrier.needs(chosen) if need.certain and need.patch.number == stuck.patch.number]
    if missing:
        if decided:
            _settle(ground.name, decisions, transaction)
        return _incomplete(ground.name, chosen, missing)
    history = ground.history
    chain = ground.standing.applied
    evidence = None if history is None else Evidence(history, chain, ground.moves, carrier.merger)
    summary = summarize(ground, stuck, evidence)
    with transaction() as tx:
        stage_decisions(tx, decisions)
        stage_stop(tx, STANDOFFS, stopped_at(ground, chosen, stuck, decided), stuck, plan.blobs, summary)
        tx.commit()
    return VendorError(summary, code=ExitCode.CONFLICT)


def _incomplete(name: str, chosen: Iterable[Patch], missing: Sequence[Need]) -> VendorError:
    reasons = "; ".join(f"{need.needed.file_name} ({need.because})" for need in missing)
    numbers = sorted({*(patch.number for patch in chosen), *(need.needed.number for need in missing)})
    return VendorError(
        f"{missing[0].patch.file_name} does not fit upstream without {reasons}",
        hint=f"vendorctl submit {name} {' '.join(map(str, numbers))}, or --with-needed",
        code=ExitCode.FINDINGS,
    )


def give_up(root: Path, name: str, transaction: Callable[[], Transaction]) -> Report:
    """Remove the files of a conflict, and what was decided on the way. Raises VendorError (exit code 2) for none."""
    unreadable = STANDOFFS.is_unreadable(root, name)
    with transaction() as tx:
        if unreadable:
            stage_end(tx, STANDOFFS, name)
            line = f"{name}: removed the unreadable state of a submission; nothing else had changed"
        else:
            stage_abort(tx, STANDOFFS, STANDOFFS.require(root, name))
            line = f"{name}: gave the submission up; nothing had changed"
        tx.commit()
    return Report(schema=SCHEMA, title="submit", lines=(line,))


def release(
    submission: Submission, output: Path | None, clone: Path | None, branch: str | None
) -> tuple[tuple[str, ...], str | None]:
    """Write a submission that passed its checks: mails and text below `output`, a branch in `clone`.

    Returns the files written and the branch made; a submission with errors is not let go. Raises VendorError
    (exit code 2) when `output` holds anything but an earlier submission.
    """
    if not submission.ok:
        return (), None
    written: tuple[str, ...] = ()
    if output is not None:
        written = _write_mails(submission, output)
    if branch is not None and clone is not None:
        push_branch(submission, clone, branch)
    return written, branch


def _write_mails(submission: Submission, folder: Path) -> tuple[str, ...]:
    files = {**submission.mails, TEXT_NAME: submission.text.encode()}
    present = [file.name for file in folder.iterdir()] if folder.is_dir() else []
    foreign = sorted(name for name in present if name != TEXT_NAME and not _MAIL_NAME.fullmatch(name))
    if foreign or (folder.exists() and not folder.is_dir()):
        raise VendorError(
            f"{folder} holds something else than a submission: {(foreign or ['it is a file'])[0]}",
            hint="name a new or empty folder",
            code=ExitCode.USAGE,
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name in present:
        if name not in files:
            (folder / name).unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return tuple(f"{folder}/{name}" for name in sorted(files))
