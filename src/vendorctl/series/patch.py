# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A patch file as a value: message, trailers, and the change it declares for every path, down to the hunk lines.

Everything here is bytes, because patches are: names and contents may be in any encoding.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from vendorctl.git.oid import Oid
from vendorctl.git.tree import Mode


class ChangeKind(StrEnum):
    """What a patch does to one path."""

    MODIFY = "modify"
    ADD = "add"
    DELETE = "delete"
    RENAME = "rename"
    COPY = "copy"


class HunkLine(NamedTuple):
    """One line of a hunk: `sign` is b" ", b"-" or b"+"; `text` has its line ending, which a final line may lack.

    A tuple, because reading patches makes more of these than of everything else together.
    """

    sign: bytes
    text: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchHunk:
    """A text hunk. `old_start` and `new_start` count from 1, and are 0 for an empty side, as git writes them."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: bytes
    lines: tuple[HunkLine, ...]
    patch_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BinaryDelta:
    """One direction of a `GIT binary patch`: literal content or a delta against the other side, still compressed."""

    literal: bool
    size: int
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a patch declares for one path.

    `old_path` is the source for renames and copies (else equal to `path`; None for additions), `path` is None only for
    deletions of nothing else. Ids are None when the patch file does not carry them in full.
    """

    kind: ChangeKind
    old_path: bytes | None
    path: bytes
    old_mode: Mode | None
    new_mode: Mode | None
    old_oid: Oid | None
    new_oid: Oid | None
    hunks: tuple[PatchHunk, ...] = ()
    binary: tuple[BinaryDelta, BinaryDelta | None] | None = None
    patch_line: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Trailers:
    """The recorded facts of one modification, from the last paragraph of the message. Empty text: not stated."""

    origin: str = ""
    forwarded: str = ""
    applied_upstream: str = ""
    reason: str = ""
    signed_off_by: tuple[str, ...] = ()
    other: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """One file of a series: one recorded modification. `raw` is its exact bytes, `changes` what it declares."""

    number: int
    slug: str
    title: str
    body: str
    author: str
    date: str
    trailers: Trailers
    changes: tuple[Change, ...]
    raw: bytes

    @property
    def file_name(self) -> str:
        """``NNNN-slug.patch``."""
        return patch_file_name(self.number, self.slug)


def patch_file_name(number: int, slug: str) -> str:
    """``NNNN-slug.patch``."""
    return f"{number:04d}-{slug}.patch"


def slugify(title: str) -> str:
    """A short file name part made of a title: ASCII letters, digits and dashes, at most 52 of them, never empty."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain.replace("'", ""))
    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word[:52]
        if len(longer) > 52:
            break
        slug = longer
    return slug or "patch"
