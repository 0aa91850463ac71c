# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Making many files and folders durable at the price of a few."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

#: From this many on, several threads wait for the disk: a journalling file system writes together what is asked for
#: together, which makes hundreds of calls about as dear as ten.
_PARALLEL = 3
_THREADS = 16


def sync_paths(paths: Sequence[Path | str], *, folder: int | None = None) -> None:
    """Make files and folders durable; those that were removed or replaced need it no more.

    With `folder`, a descriptor, they are names in that open folder: for many files that is half the work. Raises
    OSError when the disk fails.
    """
    if len(paths) < _PARALLEL:
        _sync_each(paths, folder)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(lambda some: _sync_each(some, folder), [paths[start::_THREADS] for start in range(_THREADS)]))


def _sync_each(paths: Sequence[Path | str], folder: int | None) -> None:
    for path in paths:
        _sync(path, folder)


def _sync(path: Path | str, folder: int | None) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}:
            return
        raise
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
