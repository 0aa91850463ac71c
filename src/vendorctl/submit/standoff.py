# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A submission that disputes lines with upstream: what it leaves below ``.vendorctl/submit/<name>/``.

The folder is laid out as every conflict is (`vendorctl.series.conflict`). Decisions are kept where bumps keep theirs:
what is settled for a submission is settled for the bump that meets the same lines, and the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vendorctl.model import Json
from vendorctl.paths import display_text
from vendorctl.series.bump import Stuck
from vendorctl.series.conflict import describe_commit, explain_conflict
from vendorctl.series.evidence import Evidence
from vendorctl.series.patch import Patch
from vendorctl.series.stopped import StateFile, Stopped, open_conflicts, parse_common, series_digests
from vendorctl.submit.ground import Ground
from vendorctl.workspace.root import submission_dir


@dataclass(frozen=True, slots=True, kw_only=True)
class Standoff(Stopped):
    """A stopped submission: file names of the patches that were to go, in their order."""

    patches: tuple[str, ...]

    @property
    def words(self) -> str:
        """The submission."""
        return "the submission"


def _parse(state: Mapping[str, Any]) -> Standoff:
    return Standoff(patches=tuple(str(name) for name in state["patches"]), **parse_common(state))


def _dump(standoff: Standoff) -> dict[str, Json]:
    return {"patches": list(standoff.patches)}


#: The submissions that wait for a decision.
STANDOFFS = StateFile(
    schema="vendorctl/submit-conflict/2",
    folder=submission_dir,
    parse=_parse,
    dump=_dump,
    command="vendorctl submit",
    others="`--abort`",
    absent="no submission to {!r} waits for a decision",
    again="begin again",
    inputs="upstream's tip or the choice of patches",
)


def stopped_at(ground: Ground, chosen: Sequence[Patch], stuck: Stuck, decided: Sequence[str]) -> Standoff:
    """The state of a submission of the `chosen` patches that is stuck, after the decisions with these keys."""
    return Standoff(
        upstream=ground.name,
        patches=tuple(patch.file_name for patch in chosen),
        patch=stuck.patch.file_name,
        number=stuck.patch.number,
        series=series_digests(ground.standing.series),
        decided=tuple(decided),
        conflicts=open_conflicts(stuck),
    )


def summarize(ground: Ground, stuck: Stuck, evidence: Evidence | None) -> str:
    """What is in dispute, since which upstream commit, and what to do: one paragraph for people."""
    causes = "; ".join(explain_conflict(conflict) for conflict in stuck.conflicts)
    series = ground.standing.series.patches
    position = [patch.number for patch in series].index(stuck.patch.number) + 1
    culprit = evidence.broken_by(position) if evidence is not None else None
    since = f" It breaks with upstream commit {describe_commit(culprit)}." if culprit is not None else ""
    return (
        f"Patch {stuck.patch.file_name} ({display_text(stuck.patch.title)}) does not apply to "
        f"{display_text(ground.tip.short_name)} ({ground.tip.commit.short}) of {ground.name}: {causes}.{since} Nothing "
        f"in the workspace has changed. Edit the files in {submission_dir(ground.name)}/files until no markers remain, "
        f"then run the same command with `--continue`; `vendorctl submit {ground.name} --abort` gives up."
    )
