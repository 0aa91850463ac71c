# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Progress bars on a terminal, with rate and time left, drawn by rich: one per running task, gone when it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

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
from rich.table import Column

from vendorctl.paths import display_text
from vendorctl.progress import Task


@dataclass(frozen=True, slots=True)
class _Bar:
    progress: Progress
    identity: TaskID

    def advance(self, steps: int = 1, *, note: str = "") -> None:
        """Count `steps` more units done; `note` names what is in hand."""
        self.progress.update(self.identity, advance=steps, note=display_text(note))

    def expect(self, total: int) -> None:
        """Set the total once it is known."""
        self.progress.update(self.identity, total=total)


class Bars:
    """Progress as one bar per task on `console`, a terminal. Tasks may be opened and advanced from any thread."""

    def __init__(self, console: Console) -> None:
        # Notes give way first: a bar takes one line of the terminal, however narrow that is.
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TaskProgressColumn(show_speed=True),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis")),
            console=console,
            transient=True,
        )
        self._lock = Lock()
        self._open = 0

    @classmethod
    def on_stderr(cls, *, color: bool) -> Bars:
        """Bars on stderr, so that results stand alone on stdout."""
        return cls(Console(stderr=True, no_color=not color))

    def refresh(self) -> None:
        """Draw everything now; rich draws ten times a second by itself."""
        self._progress.refresh()

    @contextmanager
    def task(self, title: str, total: int | None = None) -> Iterator[Task]:
        """Show a bar for as long as the context lasts."""
        with self._lock:  # bars of several threads share one display, which the first starts and the last ends
            self._open += 1
            if self._open == 1:
                self._progress.start()
        identity = self._progress.add_task(display_text(title), total=total, note="")
        try:
            yield _Bar(self._progress, identity)
        finally:
            self._progress.remove_task(identity)
            with self._lock:
                self._open -= 1
                if self._open == 0:
                    self._progress.stop()
