# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One bare repository of the cache: made whole or not at all, locked while it changes, replaced when damaged."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.upstream.url import folder_name

#: Changes with the layout; old layouts are left alone.
_LAYOUT = "1"

#: The name of a repository while it is out of the way.
_BURIED = "repository.git"

#: https://bford.info/cachedir/: backup programs leave folders with this file out.
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Upstream repositories of vendorctl; safe to delete.\n"


#: What git leaves in a repository when it dies: locks of its files, and packs under their first names.
_LEFT_BEHIND = ("*.lock", "refs/**/*.lock", "objects/pack/tmp_*", "objects/pack/*.lock", "objects/info/*.lock")


class CacheRepository:
    """The bare repository of one URL.

    Its configuration knows no promises (they are given to each download instead), so git never starts a download on
    its own when something is absent, and plain commands answer plainly.
    """

    def __init__(self, cache: Path, url: str) -> None:
        name = folder_name(url)
        self.url = url
        self.git_dir = cache / "repositories" / _LAYOUT / f"{name}.git"
        self._lock_file = cache / "locks" / f"{name}.lock"
        self._cache = cache

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes and threads from changing the repository; waits for them."""
        # filelock is imported where a download is about to happen; reading never locks.
        import filelock

        try:
            self._lock_file.parent.mkdir(parents=True, exist_ok=True)
            lock = filelock.FileLock(self._lock_file)
            lock.acquire()
        except OSError as error:
            raise self._unusable(error) from error
        try:
            yield
        finally:
            lock.release()

    @property
    def exists(self) -> bool:
        """True when the repository was made."""
        return (self.git_dir / "config").is_file()

    @property
    def generation(self) -> int:
        """Differs when the repository was replaced since; 0 when there is none."""
        try:
            return (self.git_dir / "config").stat().st_mtime_ns
        except OSError:
            return 0

    def ensure(self) -> None:
        """Make the repository unless it is there and configured as it must be. Needs the lock.

        What a git that was killed left in it goes: its locks would stop every later one.
        """
        if self._configured():
            self._sweep()
            return
        try:
            self._discard()
            self.git_dir.parent.mkdir(parents=True, exist_ok=True)
            tag = self._cache / "CACHEDIR.TAG"
            if not tag.exists():
                tag.write_text(_TAG)
            aside = Path(tempfile.mkdtemp(prefix="new-", dir=self.git_dir.parent))
            for name in ("objects/pack", "objects/info", "refs/heads", "info"):
                (aside / name).mkdir(parents=True)
            (aside / "HEAD").write_text("ref: refs/heads/none\n")
            (aside / "config").write_bytes(self._configuration())
            aside.rename(self.git_dir)
        except OSError as error:
            raise self._unusable(error) from error

    @contextmanager
    def renewed(self, generation: int) -> Iterator[None]:
        """Replace the repository by an empty one, unless somebody did since `generation`. Needs the lock.

        When the block fails, the old one comes back: damaged or not, it may be all there is.
        """
        grave = self._bury() if self.generation == generation else None
        try:
            self.ensure()
            yield
        except BaseException:
            if grave is not None:
                self._discard()
                (grave / _BURIED).rename(self.git_dir)
            raise
        finally:
            if grave is not None:
                shutil.rmtree(grave, ignore_errors=True)

    def _sweep(self) -> None:
        """Remove git's own locks and half-written packs: whoever holds our lock is alone, so nobody's work is lost."""
        for pattern in _LEFT_BEHIND:
            for path in self.git_dir.glob(pattern):
                with suppress(OSError):
                    path.unlink()

    def _configured(self) -> bool:
        try:
            as_written = (self.git_dir / "config").read_bytes() == self._configuration()
        except OSError:
            return False
        return as_written and (self.git_dir / "HEAD").is_file() and (self.git_dir / "objects").is_dir()

    def _configuration(self) -> bytes:
        quoted = self.url.replace("\\", "\\\\").replace('"', '\\"')
        text = f'[core]\n\trepositoryformatversion = 0\n\tbare = true\n[remote "origin"]\n\turl = "{quoted}"\n'
        return text.encode("utf-8", "surrogateescape")

    def _discard(self) -> None:
        grave = self._bury()
        if grave is not None:
            shutil.rmtree(grave, ignore_errors=True)

    def _bury(self) -> Path | None:
        """Move the repository out of the way in one step, so that no reader meets half of one; where it is then."""
        if not self.git_dir.exists():
            return None
        grave = Path(tempfile.mkdtemp(prefix="old-", dir=self.git_dir.parent))
        self.git_dir.rename(grave / _BURIED)
        return grave

    def _unusable(self, error: OSError) -> VendorError:
        return VendorError(
            f"the cache folder {self._cache} cannot be used: {error.strerror or error}",
            hint="set VENDORCTL_CACHE to a folder that you can write",
            code=ExitCode.INTERNAL if error.errno == errno.ENOSPC else ExitCode.TOOL_MISSING,
        )

    @property
    def refs_file(self) -> Path:
        """Where the last known refs of the upstream are kept: beside the repository, so that they outlive it."""
        return self.git_dir.with_suffix(".refs.json")

    def write_refs(self, data: bytes) -> None:
        """Replace the file of known refs in one step."""
        try:
            self.refs_file.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix="refs-", dir=self.refs_file.parent)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(self.refs_file)
        except OSError as error:
            raise self._unusable(error) from error
