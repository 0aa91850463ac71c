# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What an archive holds, against what the commit holds: nothing more, nothing less, the same bytes."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

#: Where the package lies in the commit, and in the wheel.
_SOURCE, _PACKAGE = "src/", "vendorctl/"

#: Patterns of what a wheel cannot do without: an exclusion by mistake takes them out of commit and archive alike.
REQUIRED = (
    "vendorctl/py.typed",
    "vendorctl/cli/__init__.py",
    "vendorctl/licenses/LICENSES/Apache-2.0.txt",
    "vendorctl/report/assets/*.css",
    "vendorctl/report/assets/*.js",
    "vendorctl/report/schemas/verify-*.json",
    "vendorctl/sample/trees/*",
    "vendorctl/sample/edits/*",
    "vendorctl-*.dist-info/licenses/licenses/Apache-2.0.txt",
    "vendorctl-*.dist-info/licenses/NOTICE",
    "vendorctl-*.dist-info/entry_points.txt",
)

#: What the backend adds to a wheel, in the folder *.dist-info.
_GENERATED = ("METADATA", "RECORD", "WHEEL", "entry_points.txt")


def wheel_faults(wheel: Path, files: Mapping[str, bytes]) -> list[str]:
    """What is wrong with a wheel of the commit that holds `files`; nothing when it is right."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
        twice = len(archive.namelist()) - len(held)
    information = "-".join(wheel.name.split("-")[:2]) + ".dist-info/"
    wanted = {
        path.removeprefix(_SOURCE): content for path, content in files.items() if path.startswith(_SOURCE + _PACKAGE)
    }
    wanted |= {
        f"{information}licenses/{path}": files[path] for path in ("NOTICE", "licenses/Apache-2.0.txt") if path in files
    }
    generated = {information + name for name in _GENERATED}
    found = [f"{wheel.name}: {twice} names occur more than once"] * bool(twice)
    found += _compared(wheel.name, held, wanted, generated)
    found += [f"{wheel.name}: nothing matches {want}" for want in REQUIRED if not _any_matches(held, want)]
    return found + list(_record_faults(wheel.name, held, information + "RECORD"))


def sdist_faults(sdist: Path, files: Mapping[str, bytes]) -> list[str]:
    """What is wrong with an sdist of the commit that holds `files`; nothing when it is right."""
    top = sdist.name.removesuffix(".tar.gz") + "/"
    with tarfile.open(sdist) as archive:
        rows = archive.getmembers()
        held = {row.name.removeprefix(top): _content(archive, row) for row in rows if row.isfile()}
        found = [f"{sdist.name}: {row.name} is no regular file" for row in rows if not row.isfile()]
        found += [f"{sdist.name}: {row.name} lies outside {top}" for row in rows if not row.name.startswith(top)]
        found += [f"{sdist.name}: {row.name} belongs to somebody" for row in rows if row.uid or row.gid or row.uname]
    return found + _compared(sdist.name, held, files, {"PKG-INFO"})


def _compared(archive: str, held: Mapping[str, bytes], wanted: Mapping[str, bytes], generated: set[str]) -> list[str]:
    missing = sorted((wanted.keys() | generated) - held.keys())
    extra = sorted(held.keys() - wanted.keys() - generated)
    other = sorted(name for name in wanted.keys() & held.keys() if wanted[name] != held[name])
    return [
        *(f"{archive}: {name} is missing" for name in missing),
        *(f"{archive}: {name} is not in the commit" for name in extra),
        *(f"{archive}: {name} has other bytes than in the commit" for name in other),
    ]


def _record_faults(archive: str, held: Mapping[str, bytes], record: str) -> Iterator[str]:
    """Members that RECORD does not list with their right hash; installers trust it."""
    rows = {row[0]: row[1] for row in csv.reader(io.StringIO(held.get(record, b"").decode("utf-8"))) if row}
    for name, content in held.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode("ascii")
        if name != record and rows.get(name) != f"sha256={digest}":
            yield f"{archive}: RECORD does not have the hash of {name}"


def _any_matches(names: Mapping[str, bytes], pattern: str) -> bool:
    return any(fnmatchcase(name, pattern) for name in names)


def _content(archive: tarfile.TarFile, row: tarfile.TarInfo) -> bytes:
    stream = archive.extractfile(row)
    return b"" if stream is None else stream.read()
