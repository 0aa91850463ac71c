# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Progress on a terminal: what is drawn, and that nothing of it stays."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from rich.console import Console

from support.small_workspace import SmallWorkspace
from vendorctl.cli.bars import Bars

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
#: The line is erased, and the cursor, hidden meanwhile, is shown again.
_LAST = re.compile(r"\x1b\[2K(\x1b\[\?25h|\r|\n)*\Z")


def terminal(width: int = 100) -> tuple[Console, io.StringIO]:
    """A terminal of `width` columns, and what was written to it."""
    stream = io.StringIO()
    return Console(file=stream, force_terminal=True, color_system="standard", width=width), stream


def lines(stream: io.StringIO) -> list[str]:
    """Every line that was drawn, without escape sequences."""
    return [line for line in re.split(r"[\r\n]+", _ESCAPE.sub("", stream.getvalue())) if line.strip()]


def test_a_bar_shows_share_and_note_and_is_gone_at_the_end() -> None:
    console, stream = terminal()
    bars = Bars(console)
    with bars.task("compile", 40) as task:
        task.advance(10, note="softmax")
        bars.refresh()
    assert re.search(r"compile .*25% +10/40 .*softmax", "\n".join(lines(stream)))
    assert _LAST.search(stream.getvalue())


def test_a_total_may_come_later() -> None:
    console, stream = terminal()
    bars = Bars(console)
    with bars.task("fetch") as task:
        task.advance(3)
        task.expect(4)
        bars.refresh()
    assert any("75%" in line and "3/4" in line for line in lines(stream))


def test_tasks_of_several_threads_share_one_display() -> None:
    console, stream = terminal()
    bars = Bars(console)
    meet = Barrier(3)

    def work(name: str) -> None:
        with bars.task(name, 2) as task:
            task.advance()
            meet.wait(20)
            meet.wait(20)

    with ThreadPoolExecutor(2) as threads:
        running = [threads.submit(work, name) for name in ("one", "two")]
        meet.wait(20)
        with bars.task("inside", 2):
            bars.refresh()
        meet.wait(20)
        for future in running:
            future.result()
    drawn = lines(stream)
    assert all(any(line.startswith(name) for line in drawn) for name in ("one", "two", "inside"))


def test_a_bar_never_wraps_and_nothing_in_a_note_reaches_the_terminal_raw() -> None:
    console, stream = terminal(width=70)
    bars = Bars(console)
    with bars.task("fetch", 9) as task:
        task.advance(note="[b]\x1b]0;owned\x07" + "long name " * 20)
        bars.refresh()
    assert "[b]" in stream.getvalue()
    assert "\x1b]0;" not in stream.getvalue() and "\x07" not in stream.getvalue()
    assert max(len(line) for line in lines(stream)) <= 70


def test_no_colour_where_none_is_wanted() -> None:
    stream = io.StringIO()
    bars = Bars(Console(file=stream, force_terminal=True, no_color=True, width=80))
    with bars.task("test", 2) as task:
        task.advance()
        bars.refresh()
    assert "1/2" in stream.getvalue()
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", stream.getvalue())


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
