# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Generated files on disk: compared with what generating them again gives, written, exported."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.model import Finding
from vendorctl.workspace.transaction import Committed, Transaction

#: Lines of a difference that a finding shows.
_SHOWN = 12


def read_generated(root: Path, paths: Mapping[str, bytes]) -> dict[str, bytes]:
    """What is on disk for these workspace paths; missing files are left out."""
    found = {}
    for path in paths:
        try:
            found[path] = (root / path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            continue
    return found


def check_generated(
    expected: Mapping[str, bytes], present: Mapping[str, bytes], *, command: str, missing: str, edited: str
) -> Iterator[Finding]:
    """A finding for every file that is missing (rule `missing`) or not as generated (rule `edited`).

    `command` is what writes them again, for the hint.
    """
    for path, content in sorted(expected.items()):
        place, hint = Location(path), f"run `{command}`"
        if path not in present:
            yield Finding(rule=missing, message="this generated file is missing", location=place, hint=hint)
        elif present[path] != content:
            line, detail = _difference(present[path], content)
            message = "this is not what generating it again gives: it was edited, or something it describes changed"
            yield Finding(rule=edited, message=message, location=Location(path, line), hint=hint, detail=detail)


def write_generated(root: Path, expected: Mapping[str, bytes], title: str) -> Committed:
    """Write what differs from disk, all or nothing. Raises VendorError when the workspace is busy or the disk full."""
    present = read_generated(root, expected)
    with Transaction(root, title) as transaction:
        for path, content in sorted(expected.items()):
            if present.get(path) != content:
                transaction.write(path, content)
        return Committed() if transaction.empty else transaction.commit()


def export(expected: Mapping[str, bytes], folder: Path) -> list[Path]:
    """Copy generated files into a folder outside the workspace, such as share/doc/PRODUCT of an installation.

    Returns the files written. Raises VendorError (exit code 2) when the folder cannot be written.
    """
    written = []
    try:
        for path, content in sorted(expected.items()):
            target = folder / PurePosixPath(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            written.append(target)
    except OSError as error:
        raise VendorError(f"cannot write {folder}: {error.strerror}", code=ExitCode.USAGE) from error
    return written


def _difference(present: bytes, expected: bytes) -> tuple[int, str]:
    """The first line on disk that differs, and the beginning of the difference."""
    old, new = (text.decode("utf-8", "replace").split("\n") for text in (present, expected))
    same = next(
        (at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), min(len(old), len(new))
    )
    # From the first difference on: difflib over whole documents takes minutes when many lines are alike.
    rows = difflib.unified_diff(old[same : same + 40], new[same : same + 40], "on disk", "generated", n=0, lineterm="")
    shown = [row for row in rows if not row.startswith(("---", "+++", "@@"))][:_SHOWN]
    return same + 1, "\n".join(shown)
