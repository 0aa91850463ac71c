# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Hashes, the one JSON spelling whose bytes may be hashed or committed, and the reading of JSON from anywhere."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

from vendorctl.model import Json


def sha256(data: bytes) -> str:
    """SHA-256 of `data` as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def of_sources(root: Path, *names: str) -> str:
    """One digest of all Python files of the package folder `root`, or of those below the folders and files `names`.

    It changes with the content and the name of each. Raises ValueError where a name stands for no file.
    """
    sources: dict[str, Json] = {}
    for place in [root / name for name in names] or [root]:
        files = [place] if place.is_file() else sorted(place.rglob("*.py"))
        if not files:
            raise ValueError(f"no Python source at {place}")
        sources |= {path.relative_to(root).as_posix(): sha256(path.read_bytes()) for path in files}
    return sha256(canonical_json(sources))


def parse_json(data: bytes | str) -> Any:
    """The value of a JSON text that may come from anywhere.

    Raises ValueError for everything that is none: bytes that are no UTF-8, halves of surrogate pairs, which nothing
    could write again, NaN and infinities (also ``1e999``), which no integer can be made of, and nesting beyond what the
    interpreter can follow.
    """
    text = data if isinstance(data, str) else data.decode()
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return value


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]} is too large")
    return value


def canonical_json(value: Json) -> bytes:
    """JSON with sorted keys, no spaces, UTF-8: equal values give equal bytes. For digests."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def pretty_json(value: Json) -> bytes:
    """JSON for committed files and for stdout: sorted keys, two spaces, final newline."""
    return (json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
