# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""VENDOR.lock as parsed: facts, file by file. Sorted, one file per line, so that it reviews and merges well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vendorctl.git.oid import Oid
from vendorctl.git.tree import Entry, Mode, Tree

#: The file's name, at the root of a workspace.
FILE_NAME = "VENDOR.lock"


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenseFacts:
    """What one pristine file says about its licence, verbatim.

    `expressions` are SPDX expressions as tagged (more than one: they contradict or add up), `copyrights` the
    copyright lines without comment prefix, `source` where they came from: "header",
    "sidecar", "reuse-toml", "dep5", "".
    """

    expressions: tuple[str, ...] = ()
    copyrights: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedFile:
    """One pristine file. A gitlink has no content: `sha256` is empty and `size` is 0.

    `held_from` is the commit whose blob this is, when a `hold:` keeps it behind the pin.
    """

    path: bytes
    mode: Mode
    blob: Oid
    sha256: str
    size: int
    facts: LicenseFacts = LicenseFacts()
    held_from: Oid | None = None
    lfs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedPatch:
    """One patch of the series: its file name, the SHA-256 of its bytes, and the tree id after it."""

    file: str
    sha256: str
    tree: Oid


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedRef:
    """The ref that the pin came from, and the object it named then (a tag object, or a commit)."""

    name: str
    oid: Oid


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedUpstream:
    """What one upstream resolved to. `root_tree` is the whole upstream tree at the commit, `tree` the selected U."""

    name: str
    url: str
    commit: Oid
    root_tree: Oid
    ref: LockedRef | None
    files: tuple[LockedFile, ...]
    series: tuple[LockedPatch, ...]
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    # A holder, because a frozen dataclass with slots cannot keep a cached_property.
    _tree: list[Tree] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def tree(self) -> Tree:
        """The pristine tree U that the files make up; made once."""
        if not self._tree:
            self._tree.append(Tree({file.path: Entry(file.mode, file.blob) for file in self.files}))
        return self._tree[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedTrees:
    """The ids of U and of the patched tree that a lock file states beside the rows that imply them."""

    pristine: Oid
    patched: Oid


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """VENDOR.lock as a whole. `stated` is what the file says in so many words; empty for a lock made in memory."""

    upstreams: Mapping[str, LockedUpstream]
    stated: Mapping[str, StatedTrees] = field(default_factory=dict, repr=False, compare=False)
