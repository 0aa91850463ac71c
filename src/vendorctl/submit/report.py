# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a submission looks like on a screen."""

from __future__ import annotations

from vendorctl.model import Json, Report
from vendorctl.series.bump import Outcome, OutcomeKind
from vendorctl.series.interdiff import interdiff
from vendorctl.submit.commits import Piece
from vendorctl.submit.plan import Submission

SCHEMA = "vendorctl/submit/1"


def submission_report(submission: Submission, written: tuple[str, ...], branch: str | None) -> Report:
    """The commits, what was written where, and every finding. Nothing written: a preview, or errors forbid it."""
    ground = submission.ground
    lines = [f"{ground.name}: {submission.title}", f"  onto {ground.tip.short_name} {ground.tip.commit}"]
    total = len(submission.pieces)
    for number, (piece, outcome) in enumerate(zip(submission.pieces, submission.carried, strict=True), start=1):
        how = "as it is" if outcome.kind is OutcomeKind.UNCHANGED else "carried over"
        lines.append(f"  {number}/{total} {piece.patch.file_name} ({how}): {piece.wording.title}")
        lines += [f"    {line}" for line in _changes(outcome)]
    lines += [f"  left out: {each.patch.file_name}, upstream already has what it does" for each in submission.landed]
    lines += [f"  wrote {place}" for place in written]
    if branch:
        lines.append(f"  made branch {branch}")
    return Report(
        schema=SCHEMA,
        title="submit",
        lines=tuple(lines),
        findings=submission.findings,
        counts={"commits": len(submission.pieces), "left out": len(submission.landed)} | _style_counts(submission),
        notes=_notes(submission, bool(written or branch)),
        data=_data(submission, written, branch),
    )


def _style_counts(submission: Submission) -> dict[str, int]:
    skipped = sum(bool(verdict.skipped) for verdict in submission.style)
    return {"style tools": len(submission.style) - skipped, "skipped tools": skipped}


def _notes(submission: Submission, released: bool) -> tuple[str, ...]:
    if released:
        numbers = " ".join(str(piece.patch.number) for piece in submission.pieces)
        return (f"once it is sent: `vendorctl submit {submission.ground.name} {numbers} --sent URL`",)
    if submission.ok:
        return ("nothing was written: --output DIR writes mails, --branch NAME --clone DIR makes a branch",)
    return ("nothing was written: the errors come first",)


def _changes(outcome: Outcome) -> tuple[str, ...]:
    """How the diff of a patch changed on its way; nothing where only line numbers did."""
    return interdiff(outcome).lines if outcome.kind is not OutcomeKind.UNCHANGED else ()


def _data(submission: Submission, written: tuple[str, ...], branch: str | None) -> dict[str, Json]:
    commits = zip(submission.pieces, submission.carried, strict=True)
    return {
        "upstream": submission.ground.name,
        "onto": submission.ground.tip.short_name,
        "base": str(submission.ground.tip.commit),
        "title": submission.title,
        "text": submission.text,
        "commits": [_commit_data(piece, outcome) for piece, outcome in commits],
        "left_out": [outcome.patch.file_name for outcome in submission.landed],
        "written": list(written),
        "branch": branch,
    }


def _commit_data(piece: Piece, outcome: Outcome) -> Json:
    return {
        "patch": piece.patch.file_name,
        "title": piece.wording.title,
        "refreshed": outcome.kind is not OutcomeKind.UNCHANGED,
        "interdiff": list(_changes(outcome)),
        "tree": str(piece.after.oid),
    }
