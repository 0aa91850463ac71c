# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The identity of this emulator: a digest of its sources, so that cached results die with the code they came from."""

from __future__ import annotations

import functools
from pathlib import Path

from vendorctl.digest import canonical_json, sha256
from vendorctl.emulator.isa import TINYGRAD
from vendorctl.model import Json


@functools.cache
def emulator_version() -> str:
    """64 hex digits that change with any source file of this package and with the pinned instruction tables."""
    folder = Path(__file__).parent
    sources: Json = {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes()) for path in sorted(folder.rglob("*.py"))
    }
    return sha256(canonical_json({"sources": sources, "tinygrad": TINYGRAD}))


def __getattr__(name: str) -> str:
    if name == "EMULATOR_VERSION":
        return emulator_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
