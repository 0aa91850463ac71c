# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Progress on a terminal: one line on stderr for the task opened last, with rate and time left, gone when it ends."""

from __future__ import annotations

import os
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock
from typing import TextIO

from vendorctl.paths import display_text
from vendorctl.progress import Task

#: Seconds between two drawings: often enough to look alive, seldom enough to cost nothing.
_INTERVAL = 0.1
_BAR = 24
_ERASE = "\r\x1b[2K"
#: Full and empty cells, for terminals that show them and for those that do not.
_CELLS = ("━", "─"), ("#", "-")


@dataclass
class _Running:
    """A task as it stands; `bars` draws it."""

    bars: Bars
    title: str
    total: int | None
    began: float
    done: int = 0
    note: str = ""

    def advance(self, steps: int = 1, *, note: str = "") -> None:
        """Count `steps` more units done; `note` names what is in hand."""
        with self.bars.lock:
            self.done += steps
            self.note = note
            self.bars.draw()

    def expect(self, total: int) -> None:
        """Set the total once it is known."""
        with self.bars.lock:
            self.total = total
            self.bars.draw()


@dataclass
class Bars:
    """Progress as one line of `stream`, a terminal. Tasks may be opened and advanced from any thread."""

    stream: TextIO
    color: bool
    clock: Callable[[], float] = time.monotonic
    lock: RLock = field(default_factory=RLock, repr=False)
    _open: list[_Running] = field(default_factory=list)
    _drawn: float | None = None

    @contextmanager
    def task(self, title: str, total: int | None = None) -> Iterator[Task]:
        """Show a line for as long as the context lasts, while no task is opened after it."""
        running = _Running(self, title, total, self.clock())
        with self.lock:
            self._open.append(running)
            self.draw(now=True)
        try:
            yield running
        finally:
            with self.lock:
                self._open.remove(running)
                if self._open:
                    self.draw(now=True)
                else:
                    self._write(_ERASE)
                    self._drawn = None

    def draw(self, *, now: bool = False) -> None:
        """Write the line again unless that was done a moment ago. Needs the lock."""
        moment = self.clock()
        if not self._open or (not now and self._drawn is not None and moment - self._drawn < _INTERVAL):
            return
        self._drawn = moment
        self._write(_ERASE + self._line(self._open[-1], moment))

    def _line(self, task: _Running, moment: float) -> str:
        full, empty = _CELLS[not (self.stream.encoding or "").lower().startswith("utf")]
        share = min(1.0, task.done / task.total) if task.total else 0.0
        filled = int(share * _BAR)
        before, after = f"{task.title} ", f" {_figures(task, moment)}"
        line = _shortened(before + full * filled + empty * (_BAR - filled) + after, _width(self.stream))
        if self.color and filled and len(line) > len(before) + filled:
            cells = slice(len(before), len(before) + filled)
            return f"{line[: cells.start]}\x1b[32m{line[cells]}\x1b[0m{line[cells.stop :]}"
        return line

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


def _figures(task: _Running, moment: float) -> str:
    """``412/1048 39% 12.3/s 0:51 left``, as far as it is known, and the note."""
    words = [f"{task.done}/{task.total}" if task.total else str(task.done)]
    passed = moment - task.began
    if task.total:
        words.append(f"{min(100, 100 * task.done // task.total)}%")
    if task.done and passed > 0:
        words.append(f"{task.done / passed:.1f}/s")
        if task.total and task.done < task.total:
            minutes, seconds = divmod(round((task.total - task.done) * passed / task.done), 60)
            words.append(f"{minutes}:{seconds:02} left")
    return " ".join([*words, display_text(task.note)]).rstrip()


def _width(stream: TextIO) -> int:
    """Columns that a line may take; the last one stays free, since some terminals wrap there."""
    try:
        return max(20, os.get_terminal_size(stream.fileno()).columns - 1)
    except (OSError, ValueError):
        return 79


def _shortened(text: str, width: int) -> str:
    """The start of `text` that takes at most `width` columns of a terminal."""
    taken = 0
    for index, char in enumerate(text):
        taken += 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if taken > width:
            return text[:index]
    return text
