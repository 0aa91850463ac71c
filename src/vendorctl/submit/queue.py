# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The patches that we carry, by what carrying them costs: age, churn of the code below them, refreshes so far."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.program import Git
from vendorctl.model import Json, Report
from vendorctl.paths import display_text
from vendorctl.proc import Runner, run
from vendorctl.series.parse import parse_file_name
from vendorctl.series.patch import Patch
from vendorctl.workspace.root import patches_dir

SCHEMA = "vendorctl/submit-queue/1"

_DAY = 86_400
_HEADER = ("upstream", "patch", "sent", "age", "churn", "refreshes", "title")
_UNKNOWN = "?"


class Order(StrEnum):
    """What the queue is sorted by, largest first."""

    AGE = "age"
    CHURN = "churn"
    COST = "cost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """One patch of the queue.

    `age` is in days, `churn` counts upstream commits on its files since the pin, `refreshes` how often its file changed
    in the workspace's git history. None: cannot be known here.
    """

    upstream: str
    patch: Patch
    age: int | None
    churn: int | None
    refreshes: int | None

    @property
    def sent(self) -> str:
        """Where it stands upstream, in a word or a URL."""
        trailers = self.patch.trailers
        return (
            f"landed: {trailers.applied_upstream}" if trailers.applied_upstream else trailers.forwarded or "not stated"
        )


def age_in_days(patch: Patch, now: float) -> int | None:
    """Days since the patch was made (`now` in seconds since 1970); None when it states no date."""
    try:
        made = parsedate_to_datetime(patch.date)
    except ValueError:
        return None
    return max(0, int((now - made.timestamp()) // _DAY))


def count_refreshes(root: Path, upstream: str, *, runner: Runner = run) -> Callable[[Patch], int | None]:
    """Says of a patch how often its file was changed since it was added, in the history of the workspace's git.

    Numbers change when a series is reordered, so files are recognised by their slug. None for every patch when the
    workspace is in no repository, and for one that was never committed.
    """
    git = Git(runner=runner)
    folder = patches_dir(upstream)
    options = ("log", "--format=%x00", "--name-only", "--no-renames", "--diff-filter=AM", "--relative")
    try:
        done = git.exact("-C", str(root), *options, "--", folder, check=False)
    except VendorError as error:
        if error.code is not ExitCode.TOOL_MISSING:
            raise
        return lambda _patch: None
    times: Counter[str] = Counter()
    for commit in done.stdout.decode("utf-8", "replace").split("\0") if done.ok else []:
        names = (parse_file_name(line.rpartition("/")[2]) for line in commit.split("\n") if line)
        times.update({name[1] for name in names if name is not None})
    return lambda patch: times[patch.slug] - 1 if patch.slug in times else None


def queue_report(rows: Sequence[Carried], order: Order) -> Report:
    """One row per patch that upstream has yet to take, the costliest first."""
    waiting = sorted((row for row in rows if not row.patch.trailers.applied_upstream), key=_sorting(order))
    table = [_HEADER, *(_cells(row) for row in waiting)]
    widths = [max(len(cells[index]) for cells in table) for index in range(len(_HEADER))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip() for cells in table
    ]
    unknown = sum(row.refreshes is None for row in waiting)
    return Report(
        schema=SCHEMA,
        title="queue",
        lines=tuple(lines) if waiting else ("no patch waits for upstream",),
        counts={"patches": len(waiting), "landed": len(rows) - len(waiting)},
        notes=(f"refreshes of {unknown} patches are unknown: their files are not in git",) if unknown else (),
        data={"order": order.value, "patches": [_row(each) for each in waiting]},
    )


def _sorting(order: Order) -> Callable[[Carried], tuple[int, str, int]]:
    def key(row: Carried) -> tuple[int, str, int]:
        value = {Order.AGE: row.age, Order.CHURN: row.churn, Order.COST: row.refreshes}[order]
        return (-(value if value is not None else -1), row.upstream, row.patch.number)

    return key


def _cells(row: Carried) -> tuple[str, ...]:
    age = _UNKNOWN if row.age is None else f"{row.age}d"
    numbers: Iterable[str] = (_UNKNOWN if each is None else str(each) for each in (row.churn, row.refreshes))
    sent = re.sub(r"^https?://", "", display_text(row.sent))
    return (row.upstream, f"{row.patch.number:04d}", sent, age, *numbers, display_text(row.patch.title))


def _row(row: Carried) -> Json:
    return {
        "upstream": row.upstream,
        "patch": row.patch.file_name,
        "title": row.patch.title,
        "sent": row.sent,
        "age_days": row.age,
        "churn": row.churn,
        "refreshes": row.refreshes,
    }
