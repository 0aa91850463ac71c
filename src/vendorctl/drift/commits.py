# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Upstream's commits since the pin that touch what we vendor, and those of them that we decided not to take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vendorctl.series.history import History, UpstreamCommit
from vendorctl.workspace.manifest import NotTaken


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """How far a pin is behind.

    `total` counts every commit since the pin, `ahead` those that the pin has and the other side has not (after a
    downgrade or a force push). `touching` are the commits that change vendored paths, oldest first, without those of
    the ledger, which are in `not_taken` with their reasons; `stale` are ledger entries that are not in this stretch.
    """

    total: int
    ahead: int
    touching: tuple[UpstreamCommit, ...]
    not_taken: tuple[tuple[UpstreamCommit, NotTaken], ...]
    stale: tuple[NotTaken, ...]


def commits_behind(history: History, paths: Iterable[bytes], ledger: Sequence[NotTaken]) -> Behind:
    """The commits from the pin to the other end of `history` that touch `paths`."""
    declined = {entry.commit: entry for entry in ledger}
    found = history.touching(paths)
    seen = {commit.oid for commit in found}
    return Behind(
        total=history.count(),
        ahead=History(history.git, history.read, history.new, history.old).count(),
        touching=tuple(commit for commit in found if commit.oid not in declined),
        not_taken=tuple((commit, declined[commit.oid]) for commit in found if commit.oid in declined),
        stale=tuple(entry for entry in ledger if entry.commit not in seen),
    )
