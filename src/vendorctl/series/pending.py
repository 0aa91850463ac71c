# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A bump that stopped at a conflict: what it leaves below ``.vendorctl/bump/<name>/``.

The folder is laid out as every conflict is (`vendorctl.series.conflict`); beside the rest, ``upstream.log`` has
upstream's commits that changed the files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid
from vendorctl.model import Json
from vendorctl.paths import display_text
from vendorctl.series.bump import Stuck
from vendorctl.series.conflict import describe_commit, explain_conflict, stage_stop
from vendorctl.series.history import UpstreamCommit
from vendorctl.series.stopped import StateFile, Stopped, parse_common
from vendorctl.workspace.root import bump_dir
from vendorctl.workspace.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending(Stopped):
    """An interrupted bump: from which commit to which, the ref of the new one, and what the command consented to."""

    old: Oid
    new: Oid
    ref: str | None
    drop_merged: bool = False
    follow: bool = False

    @property
    def words(self) -> str:
        """The bump."""
        return "the bump"


def _parse(state: Mapping[str, Any]) -> Pending:
    return Pending(
        old=Oid.parse(state["old"]),
        new=Oid.parse(state["new"]),
        ref=None if state["ref"] is None else str(state["ref"]),
        **parse_common(state),
        drop_merged=bool(state["drop_merged"]),
        follow=bool(state["follow"]),
    )


def _dump(pending: Pending) -> dict[str, Json]:
    return {
        "old": str(pending.old),
        "new": str(pending.new),
        "ref": pending.ref,
        "drop_merged": pending.drop_merged,
        "follow": pending.follow,
    }


#: The bumps that wait for a decision.
BUMPS = StateFile(
    schema="vendorctl/bump/1",
    folder=bump_dir,
    parse=_parse,
    dump=_dump,
    command="vendorctl sync",
    others="`--skip`, `--abort`",
    absent="no bump of {!r} is waiting for a decision",
    again="begin the bump again",
    inputs="VENDOR.yaml or the cache",
)


def load_pending(root: Path, name: str) -> Pending | None:
    """The interrupted bump of an upstream, or None. Raises VendorError when its state cannot be read."""
    return BUMPS.load(root, name)


def stage_stuck(
    tx: Transaction,
    pending: Pending,
    stuck: Stuck,
    blobs: Blobs,
    commits: Sequence[UpstreamCommit],
    culprit: UpstreamCommit | None,
) -> None:
    """Write the folder of a bump's conflict, with the upstream commits that changed its files."""
    stage_stop(tx, BUMPS, pending, stuck, blobs, summarize(pending, stuck, culprit))
    log = "".join(f"{describe_commit(commit)}\n" for commit in commits).encode()
    tx.write(f"{bump_dir(pending.upstream)}/upstream.log", log)


def summarize(pending: Pending, stuck: Stuck, culprit: UpstreamCommit | None) -> str:
    """One paragraph for people."""
    causes = "; ".join(explain_conflict(conflict) for conflict in stuck.conflicts)
    cause = f" It breaks with upstream commit {describe_commit(culprit)}." if culprit is not None else ""
    name, folder = pending.upstream, bump_dir(pending.upstream)
    patch = f"{stuck.patch.file_name} ({display_text(stuck.patch.title)})"
    return (
        f"Patch {patch} does not carry over from {pending.old.short} to {pending.new.short} of {name}: {causes}."
        f"{cause} Nothing in the workspace has changed. Edit the files in {folder}/files until no markers remain, then "
        f"run `vendorctl sync {name} --continue`; `--skip` leaves this patch out, `--abort` gives the bump up."
    )
