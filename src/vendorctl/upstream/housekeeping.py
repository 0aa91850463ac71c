# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the user's cache holds, and the removal of what was not used for longest.

Everything in the cache can be had again, so that removing costs time and nothing else. An item goes as a whole: it is
moved out of the way in one step, and deleted there. What was used within the last hour stays in any case, because a
running command may be about to use it again; so does a repository that somebody is downloading into.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Json, Report

STATUS_SCHEMA = "vendorctl/cache-status/1"
CLEAN_SCHEMA = "vendorctl/cache-clean/1"
#: Seconds for which an item stays after it was used.
GRACE = 3600.0
#: Names that unfinished work has, in any part of the cache; who left it there was killed.
_UNFINISHED = re.compile(r"\.new-|new-|old-|refs-|\.flydsl-|\.gone-")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SPANS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_SIZE = re.compile(r"(\d{1,15})([KMGT]?)(?:i?B)?", re.IGNORECASE)
_SPAN = re.compile(r"(\d{1,9})([mhdw])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that is removed as a whole: `size` in bytes, `used` in seconds since 1970."""

    kind: str
    path: Path
    size: int
    used: float


def parse_size(text: str) -> int:
    """Bytes of ``2G``, ``500M`` or ``1000``; units are powers of 1024. Raises VendorError (exit code 2)."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise VendorError(f"{text!r} is not a size", hint="for example 500M or 2G", code=ExitCode.USAGE)
    return int(found[1]) * _UNITS[found[2].upper()]


def parse_span(text: str) -> float:
    """Seconds of ``30d``, ``12h``, ``90m`` or ``2w``. Raises VendorError (exit code 2)."""
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        raise VendorError(f"{text!r} is not a span of time", hint="for example 30d or 12h", code=ExitCode.USAGE)
    return float(int(found[1]) * _SPANS[found[2]])


def survey(folder: Path) -> list[Item]:
    """Everything in the cache at `folder` that can be removed, in no particular order."""
    items: list[Item] = []
    for kind in ("objects", "tests"):
        for path in _below(folder / kind, depth=2):
            items += _item("unfinished" if _UNFINISHED.match(path.name) else kind, path)
    for path in _below(folder / "repositories", depth=2):
        if path.name.endswith(".git"):
            items += _item("repositories", path)
        elif _UNFINISHED.match(path.name):
            items += _item("unfinished", path)
    for path in _below(folder / "environments", depth=1):
        items += _item("unfinished" if _UNFINISHED.match(path.name) else "environments", path)
    return items


def _below(folder: Path, *, depth: int) -> Iterator[Path]:
    """Entries exactly `depth` levels below `folder`; links are not followed."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if depth == 1:
            yield Path(entry.path)
        elif entry.is_dir(follow_symlinks=False):
            yield from _below(Path(entry.path), depth=depth - 1)


def _item(kind: str, path: Path) -> Iterator[Item]:
    """The item at `path`; none when it went away meanwhile."""
    with contextlib.suppress(OSError):
        # Whoever uses an item sets its time of modification; the time of access is not kept on every machine.
        used = path.lstat().st_mtime
        size = path.lstat().st_size
        if path.is_dir() and not path.is_symlink():
            size = 0
            for parent, _folders, files in os.walk(path):
                for name in files:
                    with contextlib.suppress(OSError):
                        size += (Path(parent) / name).lstat().st_size
        yield Item(kind=kind, path=path, size=size, used=used)


def choose(items: Iterable[Item], now: float, *, older_than: float | None, max_size: int | None) -> list[Item]:
    """What has to go, in the order in which it goes.

    That is what was not used for `older_than` seconds, and, least recently used first, as much as it takes until the
    rest fits into `max_size` bytes. Unfinished work goes, and what was used within `GRACE` seconds stays, in any case.
    """
    ordered = sorted(items, key=lambda item: (item.used, item.path))
    left = sum(item.size for item in ordered)
    gone = []
    for item in ordered:
        age = now - item.used
        old = older_than is not None and age > older_than
        over = max_size is not None and left > max_size
        if age > GRACE and (old or over or item.kind == "unfinished"):
            gone.append(item)
            left -= item.size
    return gone


def remove(item: Item, folder: Path) -> bool:
    """Remove an item from the cache at `folder`; False when it is in use or cannot be removed."""
    if item.kind != "repositories":
        return _unused_since(item) and _move_and_delete(item.path)
    import filelock

    lock = filelock.FileLock(folder / "locks" / f"{item.path.name.removesuffix('.git')}.lock")
    try:
        lock.acquire(timeout=0)
    except (filelock.Timeout, OSError):
        return False
    try:
        return _unused_since(item) and _move_and_delete(item.path)
    finally:
        lock.release()


def _unused_since(item: Item) -> bool:
    """True when nobody used an item after it was looked at."""
    try:
        return item.path.lstat().st_mtime == item.used
    except OSError:
        return False


def _move_and_delete(path: Path) -> bool:
    try:
        if not path.is_dir() or path.is_symlink():
            path.unlink()
            return True
        grave = Path(tempfile.mkdtemp(prefix=".gone-", dir=path.parent))
        path.rename(grave / path.name)
    except OSError:
        return False
    shutil.rmtree(grave, ignore_errors=True)
    return True


def status(folder: Path, now: float) -> Report:
    """What the cache holds, by kind, and when it was used."""
    items = survey(folder)
    kinds = {kind: [item for item in items if item.kind == kind] for kind in dict.fromkeys(i.kind for i in items)}
    rows: list[dict[str, Json]] = [
        {
            "kind": kind,
            "items": len(members),
            "bytes": sum(item.size for item in members),
            "oldest": max(0, round(now - min(item.used for item in members))),
            "newest": max(0, round(now - max(item.used for item in members))),
        }
        for kind, members in sorted(kinds.items())
    ]
    return Report(
        schema=STATUS_SCHEMA,
        title="cache status",
        lines=(str(folder), *_table(rows)),
        counts=_counts(items),
        data={"folder": str(folder), "kinds": rows},
    )


def _counts(items: Sequence[Item]) -> dict[str, int]:
    return {"items": len(items), "bytes": sum(item.size for item in items)}


def _table(rows: Sequence[dict[str, Json]]) -> Iterator[str]:
    if rows:
        yield f"{'kind':14} {'items':>8} {'size':>10}  last used"
    for row in rows:
        used = f"{_span(int(str(row['newest'])))} to {_span(int(str(row['oldest'])))} ago"
        yield f"{row['kind']:14} {int(str(row['items'])):8,} {_size(int(str(row['bytes']))):>10}  {used}"


def _size(number: int) -> str:
    for unit in ("B", "KiB", "MiB"):
        if number < 1024:
            return f"{number} {unit}"
        number //= 1024
    return f"{number} GiB"


def _span(seconds: int) -> str:
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def clean(
    folder: Path, now: float, *, older_than: float | None = None, max_size: int | None = None, dry_run: bool = False
) -> Report:
    """Remove what `choose` chooses, least recently used first; with `dry_run`, only say what.

    Raises VendorError (exit code 2) when no limit is given.
    """
    if older_than is None and max_size is None:
        raise VendorError("nothing says what may go", hint="give --older-than 30d or --max-size 2G, or both",
                          code=ExitCode.USAGE)  # fmt: skip
    items = survey(folder)
    chosen = choose(items, now, older_than=older_than, max_size=max_size)
    kept = [] if dry_run else [item for item in chosen if not remove(item, folder)]
    gone = [item for item in chosen if item not in kept]
    left = _counts([item for item in items if item not in gone])
    shown = [item.path.relative_to(folder).as_posix() for item in gone]
    verb = "would remove" if dry_run else "removed"
    notes = [f"{item.path.relative_to(folder)} is in use, or cannot be removed" for item in kept]
    if max_size is not None and left["bytes"] > max_size and not kept:
        notes.append("what is left was used within the last hour")
    return Report(
        schema=CLEAN_SCHEMA,
        title="cache clean",
        lines=(f"{verb} {len(gone):,} items, {_size(sum(item.size for item in gone))}",),
        counts={"removed": len(gone), "in use": len(kept), "left": left["items"], "bytes left": left["bytes"]},
        notes=tuple(notes),
        data={"folder": str(folder), "dry_run": dry_run, "removed": shown, "bytes": sum(item.size for item in gone)},
    )
