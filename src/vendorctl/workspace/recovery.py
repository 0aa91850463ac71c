# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""After a kill, a crash or a full disk: finish what passed its commit point, discard what did not, and say which."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.paths import display, display_text
from vendorctl.workspace.flocks import SWAP_WAIT, swap_lock, try_flock
from vendorctl.workspace.folders import Folders
from vendorctl.workspace.journal import read_journal
from vendorctl.workspace.root import JOURNAL, TX_FOLDER
from vendorctl.workspace.swap import Steps, discard, finish, verify_staged

_FULL = {errno.ENOSPC, errno.EDQUOT}


@dataclass(frozen=True, slots=True)
class Recovery:
    """What became of an interrupted operation: finished, or undone (it had changed nothing yet).

    `kept` are copies of edits made after the interruption, where the operation had to write something else.
    """

    title: str
    finished: bool
    kept: tuple[bytes, ...] = ()

    @property
    def message(self) -> str:
        """One sentence for the user."""
        title = display_text(self.title)
        if not self.finished:
            return f"discarded an interrupted {title}: it had changed nothing yet"
        kept = ", ".join(display(path) for path in self.kept)
        return f"finished an interrupted {title}" + (f"; your newer edits are in {kept}" if kept else "")


def recover(root: Path, *, wait: float = SWAP_WAIT, steps: Steps = lambda _name: None) -> Recovery | None:
    """Bring a workspace to its old or its new state after an interruption; None when there was none.

    Waits for a swap that another process is making. May be interrupted and run again at any point. Raises VendorError
    when the journal is damaged or the disk does not let it finish.
    """
    if not _has_leftovers(root):
        return None
    pending = (root / JOURNAL).exists()
    with explained(root, staging=not pending):
        try:
            # Leftovers before a commit point harm nobody: they can wait until no reader is in the way.
            with swap_lock(root, wait=wait if pending else 0) as had:
                return recover_locked(root, steps) if had else None
        except PermissionError:
            if pending:
                raise
            return None


def recover_locked(root: Path, steps: Steps) -> Recovery | None:
    """`recover` for a caller that holds the swap lock."""
    result: Recovery | None = None
    journal = read_journal(root)
    if journal is not None:
        with Folders(root) as folders:
            verify_staged(folders, journal)
            result = Recovery(journal.title, True, finish(folders, journal, steps, {}))
    undone = _discard_abandoned(root)
    return result or undone


def _has_leftovers(root: Path) -> bool:
    # Not through links: what a cloned repository redirects elsewhere is not ours to clean up.
    folder = root / TX_FOLDER
    try:
        real = all(stat.S_ISDIR(path.lstat().st_mode) for path in (folder.parent, folder))
        return real and any(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return False


def _discard_abandoned(root: Path) -> Recovery | None:
    """Remove what dead processes staged. The owner file of a live transaction is locked, and made before its folder."""
    folder = root / TX_FOLDER
    result: Recovery | None = None
    for owner in sorted(folder.glob("*.owner")):
        descriptor = os.open(owner, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if try_flock(descriptor):
                title = os.read(descriptor, 4096).decode("utf-8", "replace")
                discard(root, owner.stem)
                result = Recovery(title, False) if title else result
        finally:
            os.close(descriptor)
    for entry in sorted(folder.iterdir()):
        if entry.suffix != ".owner" and not entry.with_suffix(".owner").exists() and entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
    return result


@contextmanager
def explained(root: Path, *, staging: bool = False) -> Iterator[None]:
    """Turn errors of the operating system into what they mean for the workspace, by which side of the commit point.

    While `staging`, a journal belongs to someone else.
    """
    try:
        yield
    except OSError as error:
        full = error.errno in _FULL
        problem = "the disk is full" if full else f"the workspace cannot be written: {_describe(error)}"
        remedy = "free some space" if full else "remove the cause"
        if not staging and (root / JOURNAL).exists():
            raise VendorError(
                f"{problem}; the change is decided but not finished",
                hint=f"{remedy}, then run `vendorctl status`: the next command finishes it",
                code=ExitCode.INTERNAL,
            ) from error
        raise VendorError(
            f"{problem}; nothing was changed", hint=f"{remedy}, then run the command again", code=ExitCode.INTERNAL
        ) from error


def _describe(error: OSError) -> str:
    names = [display_text(os.fsdecode(name)) for name in (error.filename, error.filename2) if name]
    return f"{error.strerror or error}" + (f" ({' -> '.join(names)})" if names else "")
