# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Stopping whole commands at a chosen step: of their transactions, or of the programs that they start.

Each function makes a `prepare` for `support.command.call`: it works in the command's own process and leaves no trace
in the test's.
"""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from support.command import Prepare
from support.faults import SPACE_TAKING, ChangingCalls, disk_full, kill_self, watched
from vendorctl.cli import surroundings
from vendorctl.workspace.transaction import Transaction


def watching_steps(watch: Callable[[str], None]) -> Prepare:
    """`watch` is called with the name of every step of every transaction, before it is taken."""
    return lambda: setattr(surroundings, "Transaction", partial(Transaction, steps=watch))


def noting_steps(file: Path) -> Prepare:
    """Writes the names of all steps into `file`, one a line."""

    def note(name: str) -> None:
        with file.open("a") as out:
            out.write(f"{name}\n")

    return watching_steps(note)


def killed_at_step(number: int) -> Prepare:
    """The process dies before the step with this number (from 0)."""
    return watching_steps(_at(number, kill_self))


def killed_before(name: str, *, time: int) -> Prepare:
    """The process dies before it takes a step of this name for the `time`-th time (from 1)."""
    tick = _at(time - 1, kill_self)

    def watch(step: str) -> None:
        if step == name:
            tick(step)

    return watching_steps(watch)


def held_at_step(name: str, *, until: int, told: int) -> Prepare:
    """Before the first step whose name begins with `name`: writes to `told`, then waits for a byte on `until`."""
    waited: list[str] = []

    def hold(step: str) -> None:
        if step.startswith(name) and not waited:
            waited.append(step)
            os.write(told, b"x")
            # Not for ever: a test that failed lets nobody go.
            select.select([until], [], [], 60)

    return watching_steps(hold)


def killed_at_program(number: int, *, running: bool) -> Prepare:
    """The process dies before it starts its program with this number, or right after, while that is running."""

    def prepare() -> None:
        tick = _at(number, kill_self)
        original = subprocess.Popen.__init__

        def begin(self: Any, *args: Any, **kwargs: Any) -> None:
            if not running:
                tick("")
            original(self, *args, **kwargs)
            if running:
                tick("")

        setattr(subprocess.Popen, "__init__", begin)  # noqa: B010 - mypy lets nobody assign a method

    return prepare


def full_at_call(number: int) -> Prepare:
    """The disk is full from the call with this number on that needs space."""
    fault = watched(ChangingCalls(disk_full, first=number), SPACE_TAKING)
    return fault.__enter__  # which keeps `fault` alive, and so the fault in force


def _at(number: int, act: Callable[[], None]) -> Callable[[str], None]:
    seen: list[str] = []

    def tick(name: str) -> None:
        if len(seen) == number:
            act()
        seen.append(name)

    return tick
