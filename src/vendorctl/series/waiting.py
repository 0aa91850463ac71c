# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A rework that stopped at a conflict: what it leaves below ``.vendorctl/rework/<name>/``.

The folder is laid out as every conflict is (`vendorctl.series.conflict`); ``ours`` is the series as it becomes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vendorctl.model import Json
from vendorctl.paths import display_text
from vendorctl.series.bump import Stuck
from vendorctl.series.conflict import stage_stop
from vendorctl.series.operation import Operation, OperationKind
from vendorctl.series.relay import StuckError, explain_rework_conflict
from vendorctl.series.stopped import StateFile, Stopped, parse_common
from vendorctl.workspace.root import rework_dir
from vendorctl.workspace.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(Stopped):
    """A stopped rework: what was asked for."""

    operation: Operation

    @property
    def words(self) -> str:
        """The command, in backticks."""
        return f"`patch {self.operation.words}`"


def _parse(state: Mapping[str, Any]) -> Waiting:
    return Waiting(operation=_parse_operation(state), **parse_common(state))


def _parse_operation(state: Mapping[str, Any]) -> Operation:
    numbers = [None if state[key] is None else int(state[key]) for key in ("operand", "to")]
    operation = Operation(kind=OperationKind(state["operation"]), number=numbers[0], to=numbers[1])
    if operation.kind is not OperationKind.REFRESH and operation.number is None:
        raise ValueError("it does not say which patch")
    if operation.kind is OperationKind.MOVE and operation.to is None:
        raise ValueError("it does not say where to")
    return operation


def _dump(waiting: Waiting) -> dict[str, Json]:
    operation = waiting.operation
    return {"operation": operation.kind.value, "operand": operation.number, "to": operation.to}


#: The reworks that wait for a decision.
REWORKS = StateFile(
    schema="vendorctl/rework/1",
    folder=rework_dir,
    parse=_parse,
    dump=_dump,
    command="vendorctl patch resume",
    others="`--skip`, `--abort`",
    absent="no rework of {!r} waits for a decision",
    again="begin again",
    inputs="the edits or the series",
)


def stage_waiting(tx: Transaction, waiting: Waiting, error: StuckError) -> str:
    """Write the folder of a conflict, in place of an earlier one, and return its summary."""
    summary = _summary(waiting, error.stuck)
    stage_stop(tx, REWORKS, waiting, error.stuck, error.blobs, summary)
    return summary


def _summary(waiting: Waiting, stuck: Stuck) -> str:
    name, folder = waiting.upstream, rework_dir(waiting.upstream)
    causes = "; ".join(explain_rework_conflict(conflict) for conflict in stuck.conflicts)
    return (
        f"Patch {stuck.patch.file_name} ({display_text(stuck.patch.title)}) of {name} does not fit any more with "
        f"{waiting.words}: {causes}. Nothing in the workspace has changed. Edit the files in "
        f"{folder}/files until no markers remain, then run `vendorctl patch resume {name} --continue`; `--skip` leaves "
        "this patch out of the series, `--abort` gives the rework up."
    )
