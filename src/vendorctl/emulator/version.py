# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The identity of this emulator: a digest of its sources, so that cached results die with the code they came from."""

from __future__ import annotations

import functools
from pathlib import Path

from vendorctl.digest import canonical_json, of_sources, sha256
from vendorctl.emulator.isa import TINYGRAD


@functools.cache
def emulator_version() -> str:
    """64 hex digits that change with any source file of this package and with the pinned instruction tables."""
    return sha256(canonical_json({"sources": of_sources(Path(__file__).parent), "tinygrad": TINYGRAD}))


def __getattr__(name: str) -> str:
    if name == "EMULATOR_VERSION":
        return emulator_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
