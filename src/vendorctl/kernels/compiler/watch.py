# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where the kernel cannot confine compiler children: notice what they changed in the workspace."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import Location
from vendorctl.model import Finding

_IGNORED = frozenset({".git", ".venv", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Size, modification time and inode of every file below `root`."""

    root: Path
    files: Mapping[str, tuple[int, int, int]]

    @classmethod
    def take(cls, root: Path) -> Snapshot:
        """Look at every file below `root`, but for `.git` and environments."""
        found: dict[str, tuple[int, int, int]] = {}
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if name not in _IGNORED]
            for name in names:
                path = Path(folder, name)
                with contextlib.suppress(FileNotFoundError):  # others may be at work in the folder
                    facts = path.lstat()
                    found[path.relative_to(root).as_posix()] = (facts.st_size, facts.st_mtime_ns, facts.st_ino)
        return cls(root, found)

    def changes(self) -> list[Finding]:
        """A finding for every file that was added, changed or removed since."""
        now = Snapshot.take(self.root).files
        touched = sorted(name for name in {*self.files, *now} if self.files.get(name) != now.get(name))
        return [
            Finding(
                rule="VC506",
                location=Location(name),
                message="changed while recipes were running, by a recipe or by somebody else",
                hint="this kernel has no Landlock, so recipes cannot be kept from writing; see which one did",
            )
            for name in touched
        ]
