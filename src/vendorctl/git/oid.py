# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

r"""Object ids, computed as git computes them, without git.

Source of the format: gitformat-pack(5) and git-hash-object(1); SHA-1 over ``<type> <size>\0<content>``.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_HEX = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True, order=True)
class Oid:
    """A git object id: 20 bytes, printed as 40 lower-case hex digits."""

    raw: bytes

    def __post_init__(self) -> None:
        if len(self.raw) != 20:
            raise ValueError(f"an object id has 20 bytes, not {len(self.raw)}")

    @classmethod
    def parse(cls, text: str) -> Oid:
        """Read exactly 40 lower-case hex digits. Raises ValueError otherwise."""
        if not _HEX.fullmatch(text):
            raise ValueError(f"not a full object id (40 lower-case hex digits): {text!r}")
        return cls(bytes.fromhex(text))

    def __str__(self) -> str:
        return self.raw.hex()

    def __repr__(self) -> str:
        return f"Oid({self.raw.hex()})"

    @property
    def short(self) -> str:
        """The first 12 hex digits, for people."""
        return self.raw.hex()[:12]


def hash_object(kind: bytes, content: bytes) -> Oid:
    """The id of an object of type `kind` (``b"blob"``, ``b"tree"``, ...) holding `content`."""
    # usedforsecurity=False: git's format fixes SHA-1; VENDOR.lock adds SHA-256 for every file.
    digest = hashlib.sha1(b"%s %d\0" % (kind, len(content)), usedforsecurity=False)
    digest.update(content)
    return Oid(digest.digest())


def hash_blob(content: bytes) -> Oid:
    """The id of a blob."""
    return hash_object(b"blob", content)
