# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Places where files can be kept under a key: a folder, or whatever fsspec has a driver for.

A depot knows nothing of what it keeps. Files appear whole or not at all, and `create` never replaces one: of two
writers at once, one is told that it was second. Drivers find credentials as they always do, in the environment or the
user's own files; none are given to them.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.caching.cache import UnusableError, read_bounded, write_atomically

INSTALL_HINT = "install it with `pip install 'vendorctl[cache]'`, or the fsspec driver of its scheme"
#: What no single attempt of a driver may exceed, in seconds, where the driver can be told.
_CONNECT, _READ = 5, 10


class Depot(Protocol):
    """A place for files. Every method may raise whatever its driver raises."""

    def read(self, key: str, most: int) -> bytes | None:
        """The bytes under `key`; None when there are none. Raises UnusableError when there are more than `most`."""

    def create(self, key: str, data: bytes) -> bool:
        """Keep bytes under `key`; False, with nothing changed, when it has some already."""

    def replace(self, key: str, data: bytes) -> None:
        """Keep bytes under `key`, whatever was there."""


@dataclass(frozen=True, slots=True)
class FolderDepot:
    """Files below a folder that several machines may share."""

    folder: Path

    def read(self, key: str, most: int) -> bytes | None:
        """See `Depot`. Nothing is taken of a file that is too large, or that is no regular file."""
        try:
            return read_bounded(self.folder / key, most)
        except FileNotFoundError:
            return None

    def create(self, key: str, data: bytes) -> bool:
        """See `Depot`."""
        path = self.folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            Path(name).chmod(0o644)  # mkstemp makes private files
            return _appear(Path(name), path)
        finally:
            with contextlib.suppress(OSError):
                Path(name).unlink()

    def replace(self, key: str, data: bytes) -> None:
        """See `Depot`."""
        write_atomically(self.folder / key, data)


def _appear(staged: Path, path: Path) -> bool:
    """Give a file its name; False when there is one of that name."""
    try:
        os.link(staged, path)  # unlike a rename, fails where there is a file
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS):
            raise
        # Some network file systems have no hard links. Of two writers at the very same moment, the second then wins.
        if path.exists():
            return False
        staged.rename(path)
    return True


@dataclass(frozen=True, slots=True)
class FsspecDepot:
    """Files below a URL that fsspec can open. Object stores write each file with one request."""

    filesystem: Any
    base: str

    def read(self, key: str, most: int) -> bytes | None:
        """See `Depot`. A range is asked for, in one request, so that servers send no more than one byte too many."""
        path = f"{self.base}/{key}"
        try:
            data = bytes(self.filesystem.cat_file(path, start=0, end=most + 1))
        except FileNotFoundError:
            return None
        except OSError as error:
            # Of an empty file, S3 has no range.
            if error.errno == errno.EINVAL and self.filesystem.size(path) == 0:
                return b""
            raise
        if len(data) > most:
            raise UnusableError(f"{path} is larger than {most} bytes")
        return data

    def create(self, key: str, data: bytes) -> bool:
        """See `Depot`."""
        try:
            self.filesystem.pipe_file(f"{self.base}/{key}", data, mode="create")
        except FileExistsError:
            return False
        return True

    def replace(self, key: str, data: bytes) -> None:
        """See `Depot`."""
        self.filesystem.pipe_file(f"{self.base}/{key}", data)


def open_depot(place: str, root: Path) -> Depot:
    """The depot at a URL, or in a folder relative to `root`. Nothing is read yet.

    Raises VendorError (exit code 7) when there is no driver for the URL's scheme.
    """
    scheme, separator, _ = place.partition("://")
    if not separator:
        return FolderDepot(root / place)
    if scheme == "file":
        return FolderDepot(Path(unquote(urlsplit(place).path)))
    try:
        import fsspec

        options: dict[str, Any] = {"skip_instance_cache": True, "use_listings_cache": False}
        if scheme in ("s3", "s3a"):
            limits = {"connect_timeout": _CONNECT, "read_timeout": _READ, "retries": {"max_attempts": 2}}
            options["config_kwargs"] = limits
        filesystem, base = fsspec.core.url_to_fs(place, **options)
    except (ImportError, ValueError) as error:  # fsspec raises ValueError for a scheme that it does not know
        raise VendorError(f"the shared cache {place} cannot be used: {error}", hint=INSTALL_HINT,
                          code=ExitCode.TOOL_MISSING) from error  # fmt: skip
    return FsspecDepot(filesystem, base.rstrip("/"))
