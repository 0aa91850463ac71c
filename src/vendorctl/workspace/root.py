# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where things are in a workspace. Paths are relative to its root, POSIX, as findings and transactions take them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.workspace.manifest import FILE_NAME, Upstream

#: State of operations; never committed, because it ignores itself.
STATE_FOLDER = ".vendorctl"

#: Transactions: their staged files, and the journal that says what one of them decided.
TX_FOLDER = f"{STATE_FOLDER}/tx"
JOURNAL = f"{TX_FOLDER}/journal"

VENDORED_FOLDER = "vendored"
PATCHES_FOLDER = "patches"
LICENSES_FOLDER = "licenses"


def find_root(start: Path) -> Path:
    """The nearest folder at or above `start` that holds a VENDOR.yaml, as an absolute path without symbolic links.

    A folder with the journal of an interrupted command counts as well: that may have decided to write the file.
    Raises VendorError (exit code 2) when there is none.
    """
    here = start.resolve()
    for folder in (here, *here.parents):
        if (folder / FILE_NAME).is_file() or (folder / JOURNAL).is_file():
            return folder
    raise VendorError(
        f"no {FILE_NAME} in {here} or any folder above it",
        hint="run `vendorctl init` to start a workspace here, or name one with `-C DIR`",
        code=ExitCode.USAGE,
    )


def vendored_dir(name: str) -> str:
    """The folder of an upstream's pristine tree."""
    return f"{VENDORED_FOLDER}/{name}"


def patches_dir(name: str) -> str:
    """The folder of an upstream's series."""
    return f"{PATCHES_FOLDER}/{name}"


def patched_dir(upstream: Upstream) -> str:
    """The folder of an upstream's patched tree: its `output:`, else below the state folder."""
    return upstream.output or f"{STATE_FOLDER}/patched/{upstream.name}"


def is_displaced(root: Path, folder: str) -> bool:
    """Whether a link, or something else that is no folder, stands at `folder` or on the way to it from `root`.

    Git stores a link itself and not what it leads to, so what is behind one is not in the workspace.
    """
    here = root
    for name in folder.split("/"):
        here /= name
        try:
            if not stat.S_ISDIR(here.lstat().st_mode):
                return True
        except FileNotFoundError:
            return False
    return False


def bump_dir(name: str) -> str:
    """The folder that keeps an interrupted bump."""
    return f"{STATE_FOLDER}/bump/{name}"


def rework_dir(name: str) -> str:
    """The folder that keeps a rework of a series which stopped at a conflict."""
    return f"{STATE_FOLDER}/rework/{name}"


def submission_dir(name: str) -> str:
    """The folder that keeps a submission to upstream which stopped at a conflict."""
    return f"{STATE_FOLDER}/submit/{name}"


def ensure_state_folder(root: Path) -> Path:
    """Make `.vendorctl` with a `.gitignore` that ignores all of it, and return its path.

    Raises VendorError when something that is not a folder has its place: a symbolic link there would redirect
    everything the tool stages.
    """
    folder = root / STATE_FOLDER
    ensure_real_folder(root, STATE_FOLDER)
    ignore = folder / ".gitignore"
    try:
        descriptor = os.open(ignore, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        return folder
    with os.fdopen(descriptor, "wb") as file:
        file.write(b"*\n")
    return folder


def ensure_real_folder(root: Path, name: str) -> None:
    """Make a folder of the machinery, whose parent exists. Raises VendorError when a file or link has its place."""
    try:
        (root / name).mkdir()
    except FileExistsError:
        if not stat.S_ISDIR((root / name).lstat().st_mode):
            raise VendorError(f"{name} is not a folder", hint=f"remove {name} and run the command again") from None
