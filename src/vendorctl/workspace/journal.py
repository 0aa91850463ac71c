# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The journal of a transaction: what must be true once it is through. Its presence is the commit point.

`.vendorctl/tx/journal` exists exactly from the commit point until the last step is done. It is written beside, synced
and renamed into place, so it is never seen half. First line: SHA-256 of the rest; then a header; then one step a line.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vendorctl.digest import parse_json, sha256
from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Entry, Mode
from vendorctl.paths import percent_decode, percent_encode, reject_reason
from vendorctl.workspace.durable import sync_paths
from vendorctl.workspace.root import JOURNAL, TX_FOLDER


@dataclass(frozen=True, slots=True)
class Step:
    """One path: what stood there (`before`), what shall stand there (`new`; None: nothing), and its staged file."""

    path: bytes
    before: Entry | None
    new: Entry | None
    staged: str = ""


@dataclass(frozen=True, slots=True)
class Journal:
    """All steps in the order in which they are done: removals first. `prune` names folders to rid of empty ones."""

    token: str
    title: str
    steps: tuple[Step, ...]
    prune: tuple[bytes, ...] = ()


def write_journal(root: Path, journal: Journal) -> None:
    """Pass the commit point: make the journal appear, durably."""
    header = {"token": journal.token, "title": journal.title, "prune": [percent_encode(path) for path in journal.prune]}
    rows = [json.dumps(header), *(json.dumps(_row(step)) for step in journal.steps)]
    body = "".join(row + "\n" for row in rows).encode()
    aside = root / TX_FOLDER / journal.token / "journal"
    with aside.open("wb") as file:
        file.write(sha256(body).encode() + b"\n" + body)
        file.flush()
        os.fsync(file.fileno())
    aside.rename(root / JOURNAL)
    sync_paths([root / TX_FOLDER])


def read_journal(root: Path) -> Journal | None:
    """The journal of an interrupted transaction, or None.

    Raises VendorError when it is not one that this program wrote: its steps must not be trusted then.
    """
    try:
        data = (root / JOURNAL).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    digest, _newline, body = data.partition(b"\n")
    try:
        _require_digest(digest.decode(), body)
        header, *rows = [parse_json(line) for line in body.splitlines()]
        prune = tuple(_path(text) for text in header["prune"])
        return Journal(_name(header["token"]), str(header["title"]), tuple(map(_step, rows)), prune)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise VendorError(
            f"the journal of an interrupted operation is damaged ({error})",
            hint=f"look at the workspace with `git status`, then remove {TX_FOLDER} and run `vendorctl sync`",
            location=Location(JOURNAL),
            code=ExitCode.INVALID,
        ) from error


def remove_journal(root: Path) -> None:
    """End the transaction.

    A journal that comes back after a power failure is harmless: nothing is staged any more, so nothing is left to do.
    """
    (root / JOURNAL).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        sync_paths([root / TX_FOLDER])


def _require_digest(digest: str, body: bytes) -> None:
    if digest != sha256(body):
        raise ValueError("checksum mismatch")


def _row(step: Step) -> list[Any]:
    return [percent_encode(step.path), _entry_row(step.before), _entry_row(step.new), step.staged]


def _entry_row(entry: Entry | None) -> str | None:
    return f"{entry.mode.value} {entry.oid}" if entry else None


def _step(row: list[Any]) -> Step:
    path, before, new, staged = row
    return Step(_path(path), _entry(before), _entry(new), _name(staged) if new else "")


def _entry(text: str | None) -> Entry | None:
    if text is None:
        return None
    mode, oid = text.split(" ")
    return Entry(Mode(mode), Oid.parse(oid))


def _path(text: str) -> bytes:
    path = percent_decode(text)
    reason = reject_reason(path)
    if reason:
        raise ValueError(reason)
    return path


def _name(text: str) -> str:
    if not (isinstance(text, str) and text.isalnum()):
        raise ValueError("bad name")
    return text
