# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The cache of compiled objects, addressed by input digest and verified on every read.

The user's own cache comes first; behind it there may be one that machines share. Entries appear whole or not at all, so
that any number of builds may share the folder; a damaged entry is deleted and counts as absent.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vendorctl import digest
from vendorctl.kernels.caching import entry
from vendorctl.kernels.caching.entry import Wanted
from vendorctl.kernels.compiler.compile import NOT_REPRODUCIBLE, Compiled, Outcome
from vendorctl.kernels.object.instance import Instance
from vendorctl.kernels.object.target import Target
from vendorctl.model import Finding

if TYPE_CHECKING:
    from vendorctl.kernels.caching.shared import SharedCache


@dataclass(frozen=True, slots=True)
class ObjectCache:
    """Objects below `folder` (`objects` in the user's cache), which is created when the first is stored.

    What is not there is looked for in `shared`, and kept here as well.
    """

    folder: Path
    shared: SharedCache | None = None

    def get(self, key: str, instance: Instance, target: Target, *, expected: str | None = None) -> Compiled | None:
        """The object stored under the input digest `key`, if it is there, whole, and stamped for `target`.

        With `expected`, the SHA-256 that a manifest records for the same inputs, an object of other bytes is none.
        """
        wanted = Wanted(key=key, instance=instance, target=target, expected=expected)
        found = self._local(wanted)
        if found is None and self.shared is not None:
            self.prefetch([wanted])
            found = self._local(wanted)
        return found

    def prefetch(self, wanted: Iterable[Wanted]) -> None:
        """Bring what a shared cache has of some objects here, many at a time, so that `get` finds it."""
        if self.shared is not None:
            lacking = [each for each in wanted if self._local(each) is None]
            self.shared.fetch(lacking, lambda each, data: self._keep(each.key, data))

    def put(self, key: str, result: Compiled) -> None:
        """Store an object. A cache that cannot be written is no reason to fail a build: it stays as it was."""
        self._keep(key, entry.dump(result))
        if self.shared is not None:
            self.shared.offer(key, result)

    def learn(self, key: str, outcome: Outcome) -> None:
        """Keep what came of the row with the input digest `key`: its object; none once it gave two different ones."""
        if isinstance(outcome, Compiled):
            self.put(key, outcome)
        elif outcome.rule == NOT_REPRODUCIBLE:
            with contextlib.suppress(OSError):
                self._path(key).unlink()

    def settle(self) -> list[Finding]:
        """Wait for what is still on its way to a shared cache; return the warnings about it since the last time."""
        return self.shared.settle() if self.shared is not None else []

    def _local(self, wanted: Wanted) -> Compiled | None:
        path = self._path(wanted.key)
        try:
            data = read_bounded(path, entry.MAX_SIZE)
        except UnusableError:
            data = b""
        except OSError:
            return None
        found = entry.load(data, wanted.instance, wanted.target)
        if found is None:
            with contextlib.suppress(OSError):
                path.unlink()
        elif wanted.expected is not None and digest.sha256(found.code) != wanted.expected:
            return None
        else:
            with contextlib.suppress(OSError):
                os.utime(path)  # the time of last use, by which `vendorctl cache clean` chooses
        return found

    def _keep(self, key: str, data: bytes) -> None:
        with contextlib.suppress(OSError):
            write_atomically(self._path(key), data)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key


class UnusableError(Exception):
    """What is there cannot be what is looked for: it is larger than that may be, or no regular file."""


def read_bounded(path: Path, most: int) -> bytes:
    """The bytes of a file that has no more than `most`. Raises UnusableError for any other, which is not read."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe would keep its reader waiting
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise UnusableError(f"{path} is no regular file")
        if state.st_size <= most:
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                data = file.read(state.st_size + 1)  # it may have grown meanwhile
            if len(data) <= most:
                return data
        raise UnusableError(f"{path} is larger than {most} bytes")
    finally:
        os.close(descriptor)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that readers see its old or its new content, also when this process is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).chmod(0o644)  # mkstemp makes private files
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
