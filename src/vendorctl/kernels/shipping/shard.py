# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A shard: every object that one device architecture needs, in one file that can be mapped into memory.

Layout, little-endian:

    offset 0    8 bytes   "VCSHARD1"
    offset 8    u64       length of the index in bytes
    offset 16   index     canonical JSON (below)
    then, for each distinct object, its bytes at the next multiple of 256

    {"schema": "vendorctl/shard/1", "architecture": "gfx942",
     "entries": [{"operation": …, "instance": [[COLUMN, VALUE], …], "target": …, "offset": …, "size": …, "sha256": …,
                  "launch": …}, …]}

Entries are sorted by operation and instance name; offsets count from the start of the file. Objects with equal bytes
are stored once. The same objects give the same file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from vendorctl import digest
from vendorctl.errors import VendorError
from vendorctl.kernels.object import launch
from vendorctl.kernels.object.instance import Instance, make
from vendorctl.kernels.object.launch import LaunchPlan
from vendorctl.model import Json

SCHEMA = "vendorctl/shard/1"
SUFFIX = ".shard"
_MAGIC = b"VCSHARD1"
_HEADER = 16
_ALIGNMENT = 256
_MAX_INDEX = 256 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One object of a shard, with the target it was built for (the architecture, or a family it belongs to)."""

    operation: str
    instance: Instance
    target: str
    launch: LaunchPlan
    code: bytes

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What a census compares: operation, instance name, target, and the SHA-256 of the object."""
        return (self.operation, self.instance.name, self.target, digest.sha256(self.code))


def dump(architecture: str, entries: Iterable[Entry]) -> bytes:
    """The bytes of a shard."""
    ordered = sorted(entries, key=lambda entry: (entry.operation, entry.instance.name))
    distinct: dict[str, bytes] = {}
    for entry in ordered:
        distinct.setdefault(digest.sha256(entry.code), entry.code)
    # Offsets have as many digits as they happen to have, so the index is laid out until its length stays the same.
    start = _HEADER
    while True:
        places, end = _place(distinct, start)
        index = _index(architecture, ordered, places)
        if _HEADER + len(index) <= start:
            break
        start = _HEADER + len(index)
    result = bytearray(_MAGIC + len(index).to_bytes(8, "little") + index)
    for sha256, code in distinct.items():
        result += bytes(places[sha256] - len(result)) + code
    assert len(result) == end or not distinct
    return bytes(result)


def _place(distinct: dict[str, bytes], start: int) -> tuple[dict[str, int], int]:
    places = {}
    for sha256, code in distinct.items():
        places[sha256] = -(-start // _ALIGNMENT) * _ALIGNMENT
        start = places[sha256] + len(code)
    return places, start


def _index(architecture: str, entries: Iterable[Entry], places: dict[str, int]) -> bytes:
    rows: list[Json] = []
    for entry in entries:
        sha256 = digest.sha256(entry.code)
        rows.append(
            {
                "operation": entry.operation,
                "instance": [list(pair) for pair in entry.instance.values],
                "target": entry.target,
                "offset": places[sha256],
                "size": len(entry.code),
                "sha256": sha256,
                "launch": entry.launch.json(),
            }
        )
    return digest.canonical_json({"schema": SCHEMA, "architecture": architecture, "entries": rows})


def parse(data: bytes) -> tuple[str, tuple[Entry, ...]]:
    """The architecture of a shard and its entries. Raises VendorError when any part of it is damaged."""
    try:
        index = _read_index(data)
        return str(index["architecture"]), tuple(_entry(row, data) for row in index["entries"])
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise VendorError(f"not a sound shard: {error}") from error


def _read_index(data: bytes) -> Any:
    if data[:8] != _MAGIC:
        raise ValueError("it does not start like a shard")
    length = int.from_bytes(data[8:_HEADER], "little")
    if length > _MAX_INDEX or _HEADER + length > len(data):
        raise ValueError("it was cut short")
    index = digest.parse_json(data[_HEADER : _HEADER + length])
    if index["schema"] != SCHEMA:
        raise ValueError(f"unknown schema {index['schema']!r}")
    return index


def _entry(row: Any, data: bytes) -> Entry:
    offset, size = int(row["offset"]), int(row["size"])
    if offset < _HEADER or size <= 0 or offset + size > len(data):
        raise ValueError("an object lies outside of it")
    code = data[offset : offset + size]
    if digest.sha256(code) != row["sha256"]:
        raise ValueError(f"the object of {row['operation']} at {offset} is damaged")
    return Entry(
        operation=str(row["operation"]),
        instance=make(dict(row["instance"])),
        target=str(row["target"]),
        launch=launch.parse(row["launch"]),
        code=code,
    )
