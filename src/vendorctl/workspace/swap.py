# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Making a journal true on disk. Every step may be repeated, so a swap that was interrupted is simply run again.

Nothing that a person wrote is lost: whatever stands at a path and is neither what the journal found there nor what it
puts there is moved to `.vendorctl/kept/`.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.tree import Entry, Mode
from vendorctl.paths import display
from vendorctl.workspace.durable import sync_paths
from vendorctl.workspace.folders import Blocked, Folders, Odd, Signature, ancestors, folders_of, look_in, read_file
from vendorctl.workspace.journal import Journal, Step, remove_journal
from vendorctl.workspace.root import STATE_FOLDER, TX_FOLDER

#: Told the name of each step before it is taken; tests stop the program there.
Steps = Callable[[str], None]


def staged_folder(token: str) -> str:
    """The folder that holds a transaction's new files, relative to the root."""
    return f"{TX_FOLDER}/{token}/new"


def finish(folders: Folders, journal: Journal, steps: Steps, seen: Mapping[bytes, Signature]) -> tuple[bytes, ...]:
    """Take every step that is not done yet, make the result durable, and remove the journal.

    `seen` are signatures of targets whose content was compared a moment ago: while they hold, it is not read again.
    Returns where edits were kept that the journal knew nothing of, relative to the root.
    """
    staged = folders.open(os.fsencode(staged_folder(journal.token)))
    # Without that folder, an earlier pass came as far as cleaning up: every file is in its place.
    if staged is not None:
        staged = os.dup(staged)
        try:
            _Swap(folders, journal, steps, seen, staged).run()
        finally:
            os.close(staged)
    steps("sync folders")
    touched = folders_of(step.path for step in journal.steps)
    sync_paths([folders.root, *(folders.root / os.fsdecode(folder) for folder in sorted(touched))])
    steps("clean up")
    folders.forget()
    discard(folders.root, journal.token)
    steps("end the journal")
    remove_journal(folders.root)
    return tuple(path for path, is_folder in folders.walk(_kept_folder(journal.token)) if not is_folder)


class _Swap:
    """One pass over a journal; `staged` is a descriptor of the folder with the new files."""

    def __init__(
        self, folders: Folders, journal: Journal, steps: Steps, seen: Mapping[bytes, Signature], staged: int
    ) -> None:
        self._folders = folders
        self._journal = journal
        self._steps = steps
        self._seen = seen
        self._staged = staged
        # Nobody else puts files there, and this pass takes each of them once.
        self._left = frozenset(os.listdir(staged))

    def run(self) -> None:
        for step in self._journal.steps:
            self._steps(f"{'swap in' if step.new else 'remove'} {display(step.path)}")
            if step.new is None:
                self._remove(step)
            else:
                self._install(step)
        self._prune()

    def _remove(self, step: Step) -> None:
        if not self._is_before(step):
            found = self._folders.look(step.path)
            # A folder here was made by a later step of the pass that was interrupted.
            if found is None or found is Odd.FOLDER:
                return
            if found != step.before:
                self._set_aside(step.path)
                return
        parent, name = self._parent(step.path)
        os.unlink(name, dir_fd=parent)

    def _install(self, step: Step) -> None:
        if step.staged not in self._left:
            return  # done by an earlier pass
        if not self._is_before(step):
            found = self._folders.look(step.path)
            if found is Odd.FOLDER:
                self._clear(step.path)
            elif found is not None and found not in (step.before, step.new):
                self._set_aside(step.path)
        self._move_in(step)

    def _is_before(self, step: Step) -> bool:
        signature = self._seen.get(step.path)
        return signature is not None and self._folders.signature(step.path) == signature

    def _parent(self, path: bytes) -> tuple[int, bytes]:
        """The folder of a path, made if need be; what stands in its way is set aside."""
        folder, _slash, name = path.rpartition(b"/")
        while True:
            try:
                parent = self._folders.open(folder, create=True)
            except Blocked as blocked:
                self._set_aside(blocked.path)
                continue
            assert parent is not None
            return parent, name

    def _move_in(self, step: Step) -> None:
        parent, name = self._parent(step.path)
        try:
            os.rename(step.staged, name, src_dir_fd=self._staged, dst_dir_fd=parent)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._copy_in(step, parent, name)

    def _copy_in(self, step: Step, parent: int, name: bytes) -> None:
        """Another file system: copy beside the target first, so that the target still changes in one rename."""
        aside = f".vendorctl-{self._journal.token}-{step.staged}"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(aside, dir_fd=parent)  # an earlier pass stopped in mid-copy
        assert step.new is not None
        if step.new.mode is Mode.SYMLINK:
            os.symlink(os.readlink(step.staged, dir_fd=self._staged), aside, dir_fd=parent)
        else:
            content = read_file(self._staged, os.fsencode(step.staged))
            write_new(parent, aside, content, step.new.mode, sync=True)
        os.rename(aside, name, src_dir_fd=parent, dst_dir_fd=parent)
        os.unlink(step.staged, dir_fd=self._staged)

    def _clear(self, folder: bytes) -> None:
        """Make way for a file: remove empty folders; when something is left in them, keep it aside."""
        for path, is_folder in self._folders.walk(folder):
            if is_folder:
                self._folders.remove_if_empty(path)
        if not self._folders.remove_if_empty(folder):
            self._set_aside(folder)

    def _set_aside(self, path: bytes) -> None:
        """Move what stands at a path to where nothing overwrites it, under the same relative path."""
        folder, _slash, name = path.rpartition(b"/")
        kept = next(
            candidate
            for number in itertools.count()
            if self._folders.lstat(candidate := b"%s/%d/%s" % (_kept_folder(self._journal.token), number, path)) is None
        )
        opened = self._folders.open(kept.rpartition(b"/")[0], create=True)
        assert opened is not None
        target = os.dup(opened)
        try:
            parent = self._folders.open(folder)
            os.rename(name, name, src_dir_fd=parent, dst_dir_fd=target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            shutil.move(self._folders.root / os.fsdecode(path), self._folders.root / os.fsdecode(kept))
        finally:
            os.close(target)
        self._folders.forget()

    def _prune(self) -> None:
        """Remove folders that the removals emptied, as git does, and empty ones below the folders named for it."""
        self._steps("remove empty folders")
        emptied = {step.path.rpartition(b"/")[0]: step.path for step in self._journal.steps if step.new is None}
        for path in emptied.values():
            for folder in ancestors(path):
                if not self._folders.remove_if_empty(folder):
                    break
        for folder in self._journal.prune:
            for path, is_folder in [*self._folders.walk(folder), (folder, True)]:
                if is_folder:
                    self._folders.remove_if_empty(path)


def _kept_folder(token: str) -> bytes:
    return f"{STATE_FOLDER}/kept/{token}".encode()


def write_new(folder: int, name: bytes | str, content: bytes, mode: Mode, *, sync: bool = False) -> None:
    """Create a file that does not exist yet, with the permissions that the user's umask leaves."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o777 if mode is Mode.EXECUTABLE else 0o666, dir_fd=folder)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def verify_staged(folders: Folders, journal: Journal) -> None:
    """Raise VendorError unless every staged file that is still there holds what the journal says."""
    staged = folders.open(os.fsencode(staged_folder(journal.token)))
    if staged is None:
        return
    for step in journal.steps:
        if step.new is not None:
            found = look_in(staged, os.fsencode(step.staged))
            if found is not None and found != step.new:
                raise damaged(step, found)


def damaged(step: Step, found: Entry | Odd) -> VendorError:
    """The error for a staged file that does not hold what was written to it."""
    what = f"{found.mode.value} {found.oid.short}" if isinstance(found, Entry) else found.value
    return VendorError(
        f"the staged copy of {display(step.path)} is damaged: it is {what}",
        hint=f"check the disk, remove {TX_FOLDER} and run the command again",
        code=ExitCode.INTERNAL,
    )


def owner_file(root: Path, token: str) -> Path:
    """A file that its transaction keeps locked while it lives; it holds the title."""
    return root / TX_FOLDER / f"{token}.owner"


def discard(root: Path, token: str) -> None:
    """Remove what a transaction staged, and last the file that says whose it is."""
    shutil.rmtree(root / TX_FOLDER / token, ignore_errors=True)
    with contextlib.suppress(OSError):
        owner_file(root, token).unlink()
