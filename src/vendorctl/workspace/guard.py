# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Commands that change a workspace come one after another; commands that read it never see it half changed."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vendorctl.digest import parse_json
from vendorctl.errors import ExitCode, VendorError
from vendorctl.paths import display_text
from vendorctl.workspace.flocks import SWAP_WAIT, swap_lock
from vendorctl.workspace.recovery import Recovery, explained, recover
from vendorctl.workspace.root import JOURNAL, STATE_FOLDER, ensure_state_folder

#: Seconds that a second command waits for the first one.
COMMAND_WAIT = 60.0


def _ignore(_message: str) -> None:
    return


@contextmanager
def exclusive(
    root: Path,
    *,
    title: str = "command",
    wait: float = COMMAND_WAIT,
    on_wait: Callable[[str], None] = _ignore,
) -> Iterator[Recovery | None]:
    """Be the only command that changes the workspace at `root`; may be nested within one thread.

    Yields what was recovered from an interrupted command, if anything. When another command is at work, `on_wait`
    gets one message that names it. Raises VendorError when that one is not done within `wait` seconds.
    """
    # Imported here: it loads asyncio, which commands that only read have no use for.
    from filelock import FileLock, Timeout

    with explained(root):
        state = ensure_state_folder(root)
    lock = FileLock(state / "lock", is_singleton=True)
    nested = lock.is_locked
    try:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            on_wait(f"waiting for {_holder(root)} to finish")
            lock.acquire(timeout=wait, poll_interval=0.05)
    except Timeout:
        raise VendorError(
            f"{_holder(root)} is changing this workspace",
            hint="wait until it is done, then run the command again",
            code=ExitCode.INTERNAL,
        ) from None
    except OSError:  # a timeout is one too, so this comes second
        with explained(root):
            raise
    holder = state / "lock.holder"
    try:
        if nested:
            yield None
        else:
            with contextlib.suppress(OSError):  # only others' messages are poorer without it
                holder.write_text(json.dumps({"pid": os.getpid(), "title": title}))
            yield recover(root)
    finally:
        if not nested:
            with contextlib.suppress(OSError):
                holder.unlink()
        lock.release()


def settle(root: Path, *, wait: float = SWAP_WAIT) -> Recovery | None:
    """Before reading: finish or discard what an interrupted command left, or wait for a swap that is under way.

    Costs one look at a folder when there is nothing to do, and then writes nothing. Raises VendorError when a swap by
    another command is not over within `wait` seconds.
    """
    return recover(root, wait=wait)


@contextmanager
def reading(root: Path, *, wait: float = SWAP_WAIT) -> Iterator[Recovery | None]:
    """`settle`, and keep swaps out while the body reads, so that it sees one state. Not for use around a commit."""
    recovery: Recovery | None = None
    while True:
        recovery = settle(root, wait=wait) or recovery
        with swap_lock(root, shared=True, wait=wait):
            if (root / JOURNAL).exists():
                continue  # a command died between our two looks
            yield recovery
            return


def _holder(root: Path) -> str:
    """Who holds the commands' lock, as far as can be told."""
    try:
        facts = parse_json((root / STATE_FOLDER / "lock.holder").read_text())
        return f"`vendorctl {display_text(str(facts['title']))}` (process {int(facts['pid'])})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another vendorctl command"
