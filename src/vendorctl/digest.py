# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Hashes, and the one JSON spelling whose bytes may be hashed or committed."""

from __future__ import annotations

import hashlib
import json

from vendorctl.model import Json


def sha256(data: bytes) -> str:
    """SHA-256 of `data` as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def canonical_json(value: Json) -> bytes:
    """JSON with sorted keys, no spaces, UTF-8: equal values give equal bytes. For digests."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def pretty_json(value: Json) -> bytes:
    """JSON for committed files and for stdout: sorted keys, two spaces, final newline."""
    return (json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
