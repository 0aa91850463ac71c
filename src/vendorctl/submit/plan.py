# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A submission, computed and checked before anything of it is written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.model import Finding, Severity
from vendorctl.paths import display_text
from vendorctl.proc import Runner, run
from vendorctl.series.bump import BumpPlan, Outcome, OutcomeKind
from vendorctl.series.patch import Patch
from vendorctl.submit.carrying import Carrier
from vendorctl.submit.checks import Privacy, check_needs, check_pieces
from vendorctl.submit.commits import Piece, built, format_mails, write_branch
from vendorctl.submit.formatters import Finder, Verdict, judge_style
from vendorctl.submit.ground import Ground
from vendorctl.submit.letter import Letter
from vendorctl.submit.proof import Proof
from vendorctl.submit.rehearsal import rehearse
from vendorctl.submit.wording import word_patch
from vendorctl.vendor.contents import ChainedBlobs
from vendorctl.workspace.root import patches_dir

#: The pull-request text, beside the mails.
TEXT_NAME = "pull-request.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How to submit. `signer` signs off (None: nobody does), `find` finds programs, `style` runs upstream's tools."""

    root: Path
    find: Finder
    signer: str | None = None
    proof: Proof = field(default_factory=Proof)
    style: bool = True
    runner: Runner = run


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A checked submission: `mails` by file name, cover letter first; `text` is the pull request's.

    `carried` says for each piece what carrying it did to its patch; `landed` are chosen patches that upstream has
    already, which are left out.
    """

    ground: Ground
    pieces: tuple[Piece, ...]
    landed: tuple[Outcome, ...]
    carried: tuple[Outcome, ...]
    mails: dict[str, bytes]
    title: str
    text: str
    findings: tuple[Finding, ...]
    style: tuple[Verdict, ...]
    blobs: Blobs

    @property
    def ok(self) -> bool:
        """Whether it may leave the house."""
        return not any(finding.severity is Severity.ERROR for finding in self.findings)


def with_needed(carrier: Carrier, chosen: Sequence[Patch]) -> tuple[Patch, ...]:
    """The chosen patches and everything that they need, in series order."""
    found = {patch.number: patch for patch in chosen}
    while True:
        needs = carrier.needs(sorted(found.values(), key=lambda patch: patch.number))
        more = {need.needed.number: need.needed for need in needs} - found.keys()
        if not more:
            return tuple(found[number] for number in sorted(found))
        found |= {need.needed.number: need.needed for need in needs}


def plan_submission(carrier: Carrier, chosen: Sequence[Patch], plan: BumpPlan, manner: Manner) -> Submission:
    """Make and check the submission that `plan`, the chosen patches carried to the tip, stands for.

    Raises VendorError (exit code 1) when upstream already has all of it.
    """
    ground = carrier.ground
    assert plan.applied is not None
    kept = [outcome for outcome in plan.outcomes if outcome.kind.keeps]
    if not kept:
        raise VendorError(
            f"{ground.name} already has all of this at {ground.tip.short_name} ({ground.tip.commit.short})",
            hint=f"`vendorctl submit {ground.name} --check` names the commits",
            code=ExitCode.FINDINGS,
        )
    trees = plan.applied.trees
    pieces = tuple(
        Piece(outcome.new or outcome.patch, before, after, word_patch(outcome.patch, manner.signer))
        for outcome, (before, after) in zip(kept, pairwise(trees), strict=True)
    )
    blobs = ChainedBlobs(plan.applied.blobs, plan.blobs, ground.blobs)
    style = judge_style(trees[0], trees[-1], blobs, manner.find, runner=manner.runner) if manner.style else ()
    letter = Letter(
        pieces=pieces, branch=ground.tip.short_name, base=str(ground.tip.commit), proof=manner.proof, style=style
    )
    mails = _mails(ground, pieces, blobs, letter, manner)
    findings = [
        *check_needs(ground.name, carrier.needs(chosen)),
        *check_pieces(ground.name, pieces, Privacy(ground.standing.upstream, str(manner.root)), blobs),
        *_style_findings(ground.name, pieces, style),
        *_rehearsal(ground, pieces, mails, manner),
    ]
    return Submission(
        ground=ground,
        pieces=pieces,
        landed=plan.of_kind(OutcomeKind.MERGED_UPSTREAM, OutcomeKind.SKIPPED),
        carried=tuple(kept),
        mails=mails,
        title=letter.title,
        text=letter.markdown(),
        findings=tuple(findings),
        style=style,
        blobs=blobs,
    )


def push_branch(submission: Submission, clone: Path, branch: str, *, runner: Runner = run) -> None:
    """Make `branch` in a local clone of the upstream; see `write_branch` for what it refuses."""
    ground = submission.ground
    with built(ground.source.git, ground.tip.commit, submission.pieces, submission.blobs, runner=runner) as made:
        write_branch(made, clone, branch, runner=runner)


def _mails(ground: Ground, pieces: Sequence[Piece], blobs: Blobs, letter: Letter, manner: Manner) -> dict[str, bytes]:
    with built(ground.source.git, ground.tip.commit, pieces, blobs, runner=manner.runner) as made:
        return format_mails(made, letter.plain(), letter.title)


def _rehearsal(ground: Ground, pieces: Sequence[Piece], mails: dict[str, bytes], manner: Manner) -> list[Finding]:
    before, after = pieces[0].before, pieces[-1].after
    trouble = rehearse(ground.source.git, ground.tip.commit, before, after, mails, runner=manner.runner)
    if not trouble:
        return []
    message = f"`git am` on a clean clone at {ground.tip.commit.short} fails: {display_text(trouble)}"
    place = Location(patches_dir(ground.name))
    return [Finding(rule="VC288", message=message, upstream=ground.name, location=place)]


def _style_findings(name: str, pieces: Sequence[Piece], verdicts: Sequence[Verdict]) -> list[Finding]:
    found = []
    for verdict in verdicts:
        if verdict.skipped:
            message = f"upstream configures {verdict.tool}, which was not run: {display_text(verdict.skipped)}"
            found.append(Finding(rule="VC287", message=message, severity=Severity.NOTE, upstream=name))
        rule = "VC285" if verdict.purpose == "formatter" else "VC286"
        for path, message in verdict.faults:
            said = f"{display_text(path)}: {display_text(message)} ({verdict.tool})"
            hint = f"fix it with `vendorctl patch edit {name} NUMBER`, then `vendorctl patch refresh {name}`"
            found.append(
                Finding(rule=rule, message=said, upstream=name, location=_blame(name, pieces, path), hint=hint)
            )
    return found


def _blame(name: str, pieces: Sequence[Piece], path: str) -> Location:
    """The last patch that changes a file: the tools judge what the whole submission makes of it."""
    changing = [piece for piece in pieces if os.fsencode(path) in piece.before.difference(piece.after)]
    folder = patches_dir(name)
    return Location(f"{folder}/{changing[-1].patch.file_name}" if changing else folder)
