# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The reworks that can meet a conflict, as values: what a stopped one needs in order to be planned again."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from vendorctl.series.authoring import Rework, plan_refresh, plan_rework
from vendorctl.series.relay import Choices
from vendorctl.series.rework import drop_patch, move_patch
from vendorctl.series.workspace import Dresser
from vendorctl.workspace.lock import Lock
from vendorctl.workspace.manifest import Upstream


class OperationKind(StrEnum):
    """What is done to the patch."""

    DROP = "drop"
    MOVE = "move"
    REFRESH = "refresh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What is done to patch `number` (None: the one that a refresh chooses); `to` is the patch whose place it takes."""

    kind: OperationKind
    number: int | None
    to: int | None = None

    @property
    def words(self) -> str:
        """What is asked for: ``drop 1``, ``move 1 3``, ``refresh``."""
        return " ".join([self.kind.value, *(str(each) for each in (self.number, self.to) if each is not None)])

    def plan(self, root: Path, upstream: Upstream, lock: Lock | None, dresser: Dresser, choices: Choices) -> Rework:
        """Compute it; nothing is written. Raises StuckError where a later patch conflicts, and as `plan_rework`."""
        if self.kind is OperationKind.REFRESH:
            return plan_refresh(root, upstream, lock, dresser, self.number, choices)
        assert self.number is not None
        if self.kind is OperationKind.DROP:
            title, rework = f"dropped patch {self.number:04d}", partial(drop_patch, self.number, choices=choices)
        else:
            assert self.to is not None
            title = f"moved patch {self.number:04d} to {self.to:04d}"
            rework = partial(move_patch, self.number, self.to, choices=choices)
        return plan_rework(root, upstream, lock, dresser, title, rework)
