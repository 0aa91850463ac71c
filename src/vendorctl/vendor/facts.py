# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What VENDOR.lock records of each selected file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from vendorctl.digest import sha256
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Entry, Tree
from vendorctl.workspace.lock import LicenseFacts, LockedFile

#: Git LFS, docs/spec.md: `version` first, then keys in order, at most 1024 bytes. The second host is the older one.
_LFS_POINTER = re.compile(
    rb"version https://(?:git-lfs\.github\.com/spec|hawser\.github\.com/spec)/v1\n"
    rb"(?:[a-z0-9.-]+ [^\n]*\n)*oid sha256:[0-9a-f]{64}\n(?:[a-z0-9.-]+ [^\n]*\n)*"
)
_LFS_LIMIT = 1024


def is_lfs_pointer(content: bytes) -> bool:
    """True when a file is only Git LFS's note of where the real content is."""
    return len(content) < _LFS_LIMIT and _LFS_POINTER.fullmatch(content) is not None


def locked_files(
    tree: Tree,
    blobs: Blobs,
    scan: Callable[[bytes, bytes], LicenseFacts],
    *,
    held_from: Mapping[bytes, Oid] | None = None,
) -> tuple[LockedFile, ...]:
    """The lock's rows for a pristine tree, in path order.

    `scan` reads the licence facts from a path and its content; `held_from` names the commit that a held path still
    comes from. Raises KeyError when `blobs` lacks a content.
    """
    held = held_from or {}
    return tuple(_locked_file(path, entry, blobs, scan, held.get(path)) for path, entry in tree.items())


def _locked_file(
    path: bytes, entry: Entry, blobs: Blobs, scan: Callable[[bytes, bytes], LicenseFacts], held_from: Oid | None
) -> LockedFile:
    if not entry.mode.is_blob:
        return LockedFile(path=path, mode=entry.mode, blob=entry.oid, sha256="", size=0, held_from=held_from)
    content = blobs[entry.oid]
    regular = entry.mode.is_regular
    return LockedFile(
        path=path,
        mode=entry.mode,
        blob=entry.oid,
        sha256=sha256(content),
        size=len(content),
        # A link's bytes are a path, not text that could carry a licence.
        facts=scan(path, content) if regular else LicenseFacts(),
        held_from=held_from,
        lfs=regular and is_lfs_pointer(content),
    )
