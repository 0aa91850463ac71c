# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""requirements/*.lock as values: what is locked, with which hashes, and what asked for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from vendorctl.errors import Location, VendorError

#: The lock of vendorctl without extras, and the one that developers install and test with.
CORE, DEVELOPMENT = "core", "dev"
#: Locks of tools that vendorctl does not run with: their versions are their own.
TOOLS = {"bench", "fuzz"}
#: Locks that are for no user; every other one is that of an extra.
DEVELOPERS = {DEVELOPMENT, "example", *TOOLS}
#: How a lock names vendorctl itself as the one that asked.
ROOT = "vendorctl"

_FILE = re.compile(r"requirements/([^/]+)\.lock")
_PIN = re.compile(r"(?P<name>[a-z0-9][a-z0-9-]*)==(?P<version>[^\s;\\]+)(?: ; (?P<marker>[^\\]+?))?(?P<more> \\)?")
_HASH = re.compile(r"    --hash=sha256:(?P<digest>[0-9a-f]{64})(?P<more> \\)?")
_ASKED = re.compile(r"    # (?:via ?|  )(?P<name>\S.*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """One pinned package. `hashes` are SHA-256 of every file that may be installed; `asked_by` names packages."""

    name: str
    version: str
    marker: str = ""
    hashes: tuple[str, ...] = ()
    asked_by: tuple[str, ...] = ()


def parse_locks(files: Mapping[str, bytes]) -> dict[str, tuple[Locked, ...]]:
    """Every lock among `files` (path to content) by its name, such as `core`. Raises VendorError as `parse_lock`."""
    found = {path: _FILE.fullmatch(path) for path in sorted(files)}
    return {match[1]: parse_lock(files[path].decode("utf-8"), path) for path, match in found.items() if match}


def parse_lock(text: str, path: str) -> tuple[Locked, ...]:
    """The packages of one lock, in its order.

    Strict: options such as an index, URLs, and packages without a hash are errors that name `path` and line, since
    pip would take any of them as a way around the hashes.
    """
    found: list[Locked] = []
    lines = [*enumerate(text.splitlines(), 1)]
    position = 0
    while position < len(lines):
        number, line = lines[position]
        position += 1
        if not line or line.startswith("#"):
            continue
        pin = _PIN.fullmatch(line)
        if pin is None:
            raise _fault(path, number, f"not a pinned package: {line}")
        hashes: list[str] = []
        more = bool(pin["more"])
        while more:
            hashed = _HASH.fullmatch(lines[position][1]) if position < len(lines) else None
            if hashed is None:
                raise _fault(path, number + len(hashes) + 1, f"{pin['name']} goes on with no hash")
            hashes.append(hashed["digest"])
            more = bool(hashed["more"])
            position += 1
        if not hashes:
            raise _fault(path, number, f"{pin['name']} has no hash")
        asked: list[str] = []
        while position < len(lines) and (comment := _ASKED.fullmatch(lines[position][1])):
            asked += [_asker(comment["name"])] if comment["name"] and not comment["name"].startswith("-c ") else []
            position += 1
        found.append(Locked(name=pin["name"], version=pin["version"], marker=(pin["marker"] or "").strip(),
                            hashes=tuple(hashes), asked_by=tuple(asked)))  # fmt: skip
    return tuple(found)


def drift(locks: Mapping[str, tuple[Locked, ...]]) -> Iterator[str]:
    """Where a lock pins something that the developers' lock does not: what is got from it would be untested."""
    known = {(row.name, row.version): row.hashes for row in locks[DEVELOPMENT]}
    for title in sorted({*locks} - {DEVELOPMENT, *TOOLS}):
        for row in locks[title]:
            if known.get((row.name, row.version)) != row.hashes:
                yield f"{title}.lock pins {row.name} {row.version}, {DEVELOPMENT}.lock does not, or with other hashes"


def user_locks(titles: Iterable[str]) -> list[str]:
    """The locks that are for users of vendorctl, `core` first."""
    return sorted({*titles} - DEVELOPERS, key=lambda title: (title != CORE, title))


def _asker(words: str) -> str:
    """`vendorctl (pyproject.toml:dev)` is vendorctl."""
    return words.partition(" ")[0]


def _fault(path: str, line: int, message: str) -> VendorError:
    return VendorError(message, hint="run `make lock`", location=Location(path, line))
