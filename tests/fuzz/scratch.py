# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What readers are given instead of a workspace and a git program."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from vendorctl.git.program import Git
from vendorctl.proc import Completed

_MEMORY = Path("/dev/shm")


@lru_cache(maxsize=1)
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None, prefix="vendorctl-fuzz-")


def root_with(files: Mapping[str, bytes]) -> Path:
    """A folder in memory, of this process alone, that holds these files; others of earlier calls may be there too."""
    root = Path(_folder().name)
    for path, content in files.items():
        place = root / path
        try:
            place.write_bytes(content)
        except FileNotFoundError:
            place.parent.mkdir(parents=True)
            place.write_bytes(content)
    return root


def git_that_says(answer: Callable[[Sequence[str | bytes], bytes], bytes]) -> Git:
    """A git program whose output, for its arguments and input, is whatever `answer` returns."""

    def runner(
        args: Sequence[str | bytes],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        limit: int | None = None,
    ) -> Completed:
        return Completed(tuple(os.fsdecode(arg) for arg in args), 0, answer(args, stdin), b"")

    return Git(git_dir=Path("/nowhere"), runner=runner)
