# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Progress on a terminal: what is drawn, how often, and that nothing of it stays."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from itertools import count
from pathlib import Path

from support.small_workspace import SmallWorkspace
from vendorctl.cli.bars import Bars


class Clock:
    """Time as the test sets it, in seconds."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    """A stream with an encoding and no size of its own: lines take up to 79 columns."""

    encoding = "utf-8"

    def drawings(self) -> list[str]:
        return self.getvalue().split("\r\x1b[2K")[1:]


def test_a_line_shows_share_rate_and_time_left() -> None:
    terminal, clock = Terminal(), Clock()
    with Bars(terminal, color=False, clock=clock).task("compile", 40) as task:
        clock.now = 2.0
        task.advance(10, note="softmax")
    first, second, last = terminal.drawings()
    assert first == f"compile {'─' * 24} 0/40 0%"
    assert second == f"compile {'━' * 6}{'─' * 18} 10/40 25% 5.0/s 0:06 left softmax"
    assert last == ""


def test_drawings_are_bounded_by_time_not_by_steps() -> None:
    terminal, clock = Terminal(), Clock()
    with Bars(terminal, color=False, clock=clock).task("hash") as task:
        for step in range(1000):
            clock.now = step / 1000
            task.advance()
    assert 8 <= len(terminal.drawings()) <= 13


def test_the_task_opened_last_is_the_one_shown() -> None:
    terminal, ticks = Terminal(), count()
    bars = Bars(terminal, color=False, clock=lambda: float(next(ticks)))
    with bars.task("outer", 2):
        with bars.task("inner", 2) as inner:
            inner.advance()
        assert terminal.drawings()[-1].startswith("outer")
    assert [line.split(" ")[0] for line in terminal.drawings()] == ["outer", "inner", "inner", "outer", ""]


def test_a_line_never_wraps_and_nothing_in_a_note_reaches_the_terminal_raw() -> None:
    terminal, clock = Terminal(), Clock()
    with Bars(terminal, color=False, clock=clock).task("fetch") as task:
        clock.now = 1.0
        task.advance(note="\x1b]0;owned\x07" + "漢" * 100)
    line = terminal.drawings()[1]
    assert "\x1b" not in line and "\x07" not in line
    assert sum(2 if char == "漢" else 1 for char in line) <= 79


def test_colour_takes_no_room_and_ascii_will_do() -> None:
    plain, colored = Terminal(), Terminal()
    plain.encoding = colored.encoding = "ascii"
    for terminal, color in ((plain, False), (colored, True)):
        clock = Clock()
        with Bars(terminal, color=color, clock=clock).task("test", 2) as task:
            clock.now = 1.0
            task.advance()
    assert "\x1b[32m############\x1b[0m------------" in colored.getvalue()
    assert re.sub(r"\x1b\[\d+m", "", colored.getvalue()) == plain.getvalue()
    plain.getvalue().encode("ascii")


def test_on_a_terminal_a_command_shows_bars_on_stderr_only(workspace: Path) -> None:
    SmallWorkspace(workspace, {"a.py": "x = 1\n"}).write()
    assert "status" in _stderr_on_a_terminal(workspace)
    assert _stderr_on_a_terminal(workspace, "--quiet") == ""


def _stderr_on_a_terminal(root: Path, *words: str) -> str:
    """What `vendorctl status` writes to stderr when that is a terminal; stdout must hold the result alone."""
    ours, theirs = pty.openpty()
    try:
        command = [sys.executable, "-m", "vendorctl", "-C", str(root), "status", "--format", "json", *words]
        done = subprocess.run(command, stderr=theirs, stdout=subprocess.PIPE, check=False)
        os.close(theirs)
        assert done.stdout.startswith(b"{")
        assert b"\x1b" not in done.stdout
        return _drained(ours).decode()
    finally:
        os.close(ours)


def _drained(terminal: int) -> bytes:
    """Everything that was written; the kernel reports the other side's end as an error."""
    text = b""
    try:
        while piece := os.read(terminal, 4096):
            text += piece
    except OSError:
        pass
    return text
