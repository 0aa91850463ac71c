# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Progress as an argument: the domain tells how far it is, the command line decides what that looks like."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Task(Protocol):
    """One running piece of long work."""

    def advance(self, steps: int = 1, *, note: str = "") -> None:
        """Count `steps` more units done; `note` names what is in hand."""

    def expect(self, total: int) -> None:
        """Set the total once it is known."""


class Progress(Protocol):
    """Opens tasks. `quiet` below is the silent one; the command line has the one with bars."""

    def task(self, title: str, total: int | None = None) -> AbstractContextManager[Task]:
        """Open a task of `total` units (None: not known yet); it closes with the context."""


class _SilentTask:
    def advance(self, steps: int = 1, *, note: str = "") -> None:
        return

    def expect(self, total: int) -> None:
        return


class Silent:
    """Progress that shows nothing: for tests, pipes and `--quiet`."""

    @contextmanager
    def task(self, title: str, total: int | None = None) -> Iterator[Task]:
        """Yield a task that ignores what it is told."""
        yield _SilentTask()
