# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The user's cache: one bare repository per upstream URL, shared by all workspaces."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from vendorctl.proc import Runner, run
from vendorctl.progress import Progress
from vendorctl.upstream.repository import CacheRepository
from vendorctl.upstream.source import Source
from vendorctl.upstream.url import absolute_url


def default_folder(environment: Mapping[str, str]) -> Path:
    """``$VENDORCTL_CACHE``, else ``$XDG_CACHE_HOME/vendorctl``, else ``~/.cache/vendorctl``."""
    chosen = environment.get("VENDORCTL_CACHE")
    if chosen:
        return Path(chosen).absolute()
    base = environment.get("XDG_CACHE_HOME", "")
    # The XDG specification says that a relative path there is to be ignored.
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "vendorctl"


class Cache:
    """Opens upstreams. `offline` forbids every download; `clock` gives seconds since 1970."""

    def __init__(
        self,
        folder: Path,
        *,
        progress: Progress,
        runner: Runner = run,
        offline: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.folder = folder
        self.offline = offline
        self._progress = progress
        self._runner = runner
        self._clock = clock

    def open(self, url: str, base: Path) -> Source:
        """The upstream behind `url`; a relative one is a path from `base`, the workspace root.

        Nothing is downloaded yet. Raises VendorError (exit code 3) for a URL that is not allowed.
        """
        absolute = absolute_url(url, base)
        repository = CacheRepository(self.folder, absolute)
        with contextlib.suppress(OSError):
            os.utime(repository.git_dir)  # the time of last use, by which `vendorctl cache clean` chooses
        return Source(
            absolute,
            repository,
            runner=self._runner,
            progress=self._progress,
            offline=self.offline,
            clock=self._clock,
        )
