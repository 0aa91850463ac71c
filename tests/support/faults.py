# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Faults on demand: a process killed, or a disk that fails, at the n-th call that changes something on disk."""

from __future__ import annotations

import errno
import os
import signal
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

#: Calls that change a disk or make a change durable; `os.open` counts when it creates.
_CHANGING = ("rename", "replace", "unlink", "mkdir", "rmdir", "symlink", "link", "fsync", "write", "truncate", "open")

#: Those of them that need space.
SPACE_TAKING = ("mkdir", "symlink", "link", "fsync", "write", "open")

#: Everything at and below a folder: kind and permission bits, and content or link target.
Snapshot: TypeAlias = "dict[str, tuple[str, bytes]]"


class ChangingCalls:
    """Counts calls that change something; `act` is called before the call with the given number (from 0), and later."""

    def __init__(self, act: Callable[[], None], *, first: int | None = None, last: int | None = None) -> None:
        self.count = 0
        self._act = act
        self._first = first
        self._last = last

    def tick(self) -> None:
        """One more call is about to happen."""
        number = self.count
        self.count += 1
        if self._first is not None and number >= self._first and (self._last is None or number <= self._last):
            self._act()


@contextmanager
def watched(calls: ChangingCalls, names: Sequence[str] = _CHANGING) -> Iterator[ChangingCalls]:
    """Tell `calls` of every changing call that the body makes through the os module."""
    originals = {name: getattr(os, name) for name in names}

    def wrap(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            flags = args[1] if len(args) > 1 else kwargs.get("flags", 0)
            if name != "open" or (isinstance(flags, int) and flags & os.O_CREAT):
                calls.tick()
            return original(*args, **kwargs)

        return wrapper

    for name, original in originals.items():
        setattr(os, name, wrap(name, original))
    try:
        yield calls
    finally:
        for name, original in originals.items():
            setattr(os, name, original)


def kill_self() -> None:
    """End this process as the kernel or an impatient user would: no handler, no cleanup."""
    os.kill(os.getpid(), signal.SIGKILL)


def disk_full() -> None:
    """Fail as a write to a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def count_calls(body: Callable[[], object]) -> int:
    """How many changing calls `body` makes."""
    with watched(ChangingCalls(lambda: None)) as calls:
        body()
    return calls.count


def killed_at(number: int, body: Callable[[], object]) -> bool:
    """Run `body` in a child that is killed before its changing call `number`; False when it made fewer calls."""

    def doomed() -> None:
        with watched(ChangingCalls(kill_self, first=number)):
            body()

    return in_child(doomed) == -signal.SIGKILL


def in_child(body: Callable[[], object]) -> int:
    """Run `body` in a forked child. Returns 0 when it came to its end, 1 when it raised, or minus the signal."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            body()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def snapshot(folder: Path, *, without: str = ".vendorctl") -> Snapshot:
    """What is in a folder: per relative path its kind with permission bits, and its content or link target."""
    found: Snapshot = {}
    for base, folders, files in os.walk(folder):
        if Path(base) == folder and without in folders:
            folders.remove(without)
        for name in [*folders, *files]:
            path = Path(base) / name
            state = path.lstat()
            if stat.S_ISLNK(state.st_mode):
                entry = ("link", os.fsencode(path.readlink()))
            elif stat.S_ISDIR(state.st_mode):
                entry = ("folder", b"")
            elif not stat.S_ISREG(state.st_mode):
                entry = ("odd", b"")  # reading a pipe would wait for ever
            else:
                entry = (f"file {stat.S_IMODE(state.st_mode):o}", path.read_bytes())
            found[str(path.relative_to(folder))] = entry
    return found
