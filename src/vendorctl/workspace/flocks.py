# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Two locks below the commands' own one: readers against a swap, and a transaction's sign of life.

Both are flock(2) locks: the kernel drops them when their process ends, however it ends.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.workspace.root import STATE_FOLDER

#: Seconds that a command waits for another one's swap. A swap only renames, so this is ample.
SWAP_WAIT = 60.0

_POLL = 0.01


def try_flock(descriptor: int, *, shared: bool = False) -> bool:
    """Take the lock on an open file if nobody is in the way."""
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def swap_lock(
    root: Path,
    *,
    shared: bool = False,
    wait: float = SWAP_WAIT,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[bool]:
    """Keep swaps out (`shared`: a reader) or keep readers and swaps out (a writer); yields whether it was had.

    A reader of a workspace where nothing was ever swapped, or that it may not write to, needs no lock file.
    Raises VendorError when the lock is not had within `wait` seconds; with a `wait` of 0 the answer is False instead.
    """
    path = root / STATE_FOLDER / "swap"
    flags = os.O_RDONLY if shared else os.O_RDWR | os.O_CREAT
    try:
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    except FileNotFoundError:
        if not shared:
            raise
        yield True
        return
    try:
        waited = 0.0
        while not (had := try_flock(descriptor, shared=shared)) and waited < wait:
            sleep(_POLL)
            waited += _POLL
        if not had and wait > 0:
            raise VendorError(
                f"another vendorctl command has been changing this workspace for {wait:g} seconds",
                hint="wait until it is done, then run the command again",
                code=ExitCode.INTERNAL,
            )
        yield had
    finally:
        os.close(descriptor)
