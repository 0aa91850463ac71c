# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The only way anything under a workspace changes: staged aside, verified, journalled, swapped in by renames.

    with Transaction(root, "sync") as tx:
        tx.write("vendored/up/a.py", content, expect=old_blob)
        tx.delete("vendored/up/b.py")
        tx.commit()

Nothing is visible before `commit`, which either makes every change or none. A process killed at any moment leaves the
old state, or a journal from which the next command (`recover`) makes the new one. docs/explanation covers the proof.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from vendorctl.errors import VendorError
from vendorctl.git.oid import hash_blob
from vendorctl.git.tree import Entry, Mode
from vendorctl.paths import display, reject_reason
from vendorctl.workspace.durable import sync_paths
from vendorctl.workspace.flocks import swap_lock, try_flock
from vendorctl.workspace.folders import Folders
from vendorctl.workspace.guard import COMMAND_WAIT, exclusive
from vendorctl.workspace.journal import Journal, write_journal
from vendorctl.workspace.plan import UNCHECKED, Change, Expected, Plan, make_plan, recheck
from vendorctl.workspace.recovery import Recovery, explained, recover, recover_locked
from vendorctl.workspace.root import JOURNAL, STATE_FOLDER, TX_FOLDER, ensure_real_folder, ensure_state_folder
from vendorctl.workspace.swap import discard, finish, owner_file, staged_folder, verify_staged, write_new

__all__ = ["UNCHECKED", "Committed", "Expected", "Recovery", "Transaction", "recover"]


#: Names in the state folder that belong to the machinery itself.
_OWN_NAMES = {b".gitignore", b"kept", b"lock", b"lock.holder", b"swap", b"tx"}


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit did: the paths that changed, and where edits were kept that appeared during the swap.

    `recovery` is what an earlier command had left to be finished or undone first.
    """

    changed: tuple[bytes, ...] = ()
    kept: tuple[bytes, ...] = ()
    recovery: Recovery | None = None


class Transaction:
    """Changes to the files below `root`, made together or not at all.

    `title` names the operation ("sync") in messages after an interruption. `steps` is called with a name before each
    step; tests use it to stop there. `wait` and `on_wait` are those of `guard.exclusive`.

    Later changes to the same path replace earlier ones. A file may take the place of a folder whose files are all
    deleted in the same transaction, and a folder that of a deleted file or link. Use as a context manager: leaving it
    without `commit` discards everything.
    """

    def __init__(
        self,
        root: Path,
        title: str,
        *,
        steps: Callable[[str], None] = lambda _name: None,
        wait: float = COMMAND_WAIT,
        on_wait: Callable[[str], None] = lambda _message: None,
    ) -> None:
        self.root = root.resolve()
        self.title = title
        self._steps = steps
        self._wait = wait
        self._on_wait = on_wait
        self._token = secrets.token_hex(8)
        self._changes: dict[bytes, Change] = {}
        self._prune: set[bytes] = set()
        self._owner: int | None = None
        self._staging: int | None = None
        self._count = 0
        self._over = False
        self._decided = False

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def empty(self) -> bool:
        """True while no change was asked for."""
        return not self._changes and not self._prune

    def write(self, path: bytes | str, content: bytes, mode: Mode = Mode.FILE, *, expect: Expected = UNCHECKED) -> None:
        """Set a file's bytes and mode; with `Mode.SYMLINK`, `content` is the link's target.

        Raises VendorError for a path that may not be written, or when the disk is full (nothing has changed then).
        """
        name = self._checked(path)
        if mode is Mode.GITLINK:
            raise ValueError("a gitlink has no content on disk")
        if mode is Mode.SYMLINK and (not content or b"\0" in content):
            raise VendorError(f"not a possible link target: {display(name)} -> {display(content)!r}")
        try:
            self._steps(f"stage {display(name)}")
            staged = self._stage(content, mode)
        except OSError:
            with explained(self.root, staging=True):
                raise
        self._changes[name] = Change(Entry(mode, hash_blob(content)), staged, expect)

    def symlink(self, path: bytes | str, target: bytes, *, expect: Expected = UNCHECKED) -> None:
        """Set a symbolic link."""
        self.write(path, target, Mode.SYMLINK, expect=expect)

    def delete(self, path: bytes | str, *, expect: Expected = UNCHECKED) -> None:
        """Remove a file or link, and the folders that this empties. An absent path is no error."""
        self._changes[self._checked(path)] = Change(None, "", expect)

    def remove_empty_folders(self, folder: bytes | str) -> None:
        """After everything else, remove `folder` and those below it as far as they hold nothing."""
        self._prune.add(self._checked(folder))

    def commit(self) -> Committed:
        """Make all changes. Paths that already are as wanted are left alone, so a repeated commit changes nothing.

        Raises VendorError, with nothing changed, when a target is not as expected, an unknown file or a link is in the
        way, another command does not finish in time, or the disk is full. When the disk fails after the commit point,
        the error says so, and the next command finishes the work.
        """
        if self._over:
            raise ValueError("the transaction is over")
        try:
            guard = exclusive(self.root, title=self.title, wait=self._wait, on_wait=self._on_wait)
            with explained(self.root), guard as recovery:
                return replace(self._commit_locked(), recovery=recovery)
        finally:
            self.close()

    def close(self) -> None:
        """Discard what was staged and not committed. Safe to call twice."""
        self._over = True
        if self._staging is not None:
            os.close(self._staging)
            self._staging = None
        if self._owner is not None:
            # After a failure past the commit point the journal still needs what is staged.
            if not (self._decided and (self.root / JOURNAL).exists()):
                discard(self.root, self._token)
            os.close(self._owner)
            self._owner = None

    def _commit_locked(self) -> Committed:
        with swap_lock(self.root), Folders(self.root) as folders:
            recover_locked(self.root, self._steps)
            self._steps("compare targets")
            plan = make_plan(folders, self._changes)
            if not plan.steps and not self._prune:
                return Committed()
            self._open_staging()
            journal = Journal(self._token, self.title, plan.steps, tuple(sorted(self._prune)))
            self._steps("sync staged files")
            self._sync_staged(plan)
            self._steps("verify staged files")
            verify_staged(folders, journal)
            recheck(folders, plan)
            self._steps("write the journal")
            self._decided = True
            write_journal(self.root, journal)
            self._steps("begin the swap")
            kept = finish(folders, journal, self._steps, plan.seen)
        return Committed(tuple(sorted(step.path for step in plan.steps)), kept)

    def _checked(self, path: bytes | str) -> bytes:
        name = path.encode("utf-8", "surrogateescape") if isinstance(path, str) else path
        if self._over:
            raise ValueError("the transaction is over")
        reason = reject_reason(name)
        if reason:
            raise VendorError(f"refusing to write {display(name)!r}: {reason}")
        state, _slash, below = name.partition(b"/")
        if state == STATE_FOLDER.encode() and below.split(b"/")[0] in {b"", *_OWN_NAMES}:
            raise ValueError(f"{display(name)} belongs to the transactions themselves")
        return name

    def _stage(self, content: bytes, mode: Mode) -> str:
        folder = self._open_staging()
        self._count += 1
        name = str(self._count)
        if mode is Mode.SYMLINK:
            os.symlink(content, name, dir_fd=folder)
        else:
            write_new(folder, name, content, mode)
        return name

    def _open_staging(self) -> int:
        """The folder for new files. Its owner file comes first and is locked, so that nobody discards what is alive."""
        if self._staging is not None:
            return self._staging
        ensure_state_folder(self.root)
        ensure_real_folder(self.root, TX_FOLDER)
        path = owner_file(self.root, self._token)
        while self._owner is None:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            owner = os.open(path, flags, 0o666)
            # Between our open and our lock, a recovery may have taken the file for an abandoned one.
            if try_flock(owner) and _is_at(path, owner):
                self._owner = owner
                os.write(owner, self.title.encode())
            else:
                os.close(owner)
        folder = self.root / staged_folder(self._token)
        folder.mkdir(parents=True, exist_ok=True)
        self._staging = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        return self._staging

    def _sync_staged(self, plan: Plan) -> None:
        """Make staged files durable before the journal that promises them."""
        folder = self.root / staged_folder(self._token)
        names = [step.staged for step in plan.steps if step.new is not None and step.new.mode is not Mode.SYMLINK]
        sync_paths(names, folder=self._open_staging())
        sync_paths([folder, folder.parent, folder.parent.parent])


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether an open file is still the one that its path names."""
    try:
        return path.stat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False
