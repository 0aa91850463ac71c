# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Progress bars on stderr, with rate and time left, drawn by rich."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from vendorctl.progress import Task


@dataclass(frozen=True, slots=True)
class _Bar:
    progress: Progress
    identity: TaskID

    def advance(self, steps: int = 1, *, note: str = "") -> None:
        self.progress.update(self.identity, advance=steps, note=note)

    def expect(self, total: int) -> None:
        self.progress.update(self.identity, total=total)


@dataclass(frozen=True, slots=True)
class Bars:
    """Progress as one bar per task; bars vanish when their task ends, so that results stand alone."""

    color: bool

    @contextmanager
    def task(self, title: str, total: int | None = None) -> Iterator[Task]:
        """Show a bar for as long as the context lasts."""
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(show_speed=True),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False),
        )
        console = Console(stderr=True, no_color=not self.color)
        with Progress(*columns, console=console, transient=True) as progress:
            yield _Bar(progress, progress.add_task(title, total=total, note=""))
