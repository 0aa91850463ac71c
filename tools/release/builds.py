# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The wheel and the sdist, built more than once in surroundings as unlike as can be, and compared byte by byte."""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from release.export import Commit, export
from vendorctl.errors import ExitCode, VendorError
from vendorctl.proc import run

#: Starts the build backend under a umask; the first argument, in octal.
_BACKEND = (
    "import os, runpy, sys; os.umask(int(sys.argv.pop(1), 8)); sys.argv[0] = 'hatchling'; "
    "runpy.run_module('hatchling', run_name='__main__', alter_sys=True)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What differs between two machines. `folder` is relative; `touched` is all files' time, in seconds since 1970."""

    folder: str
    umask: int
    locale: str
    timezone: str
    hash_seed: str
    touched: int
    backwards: bool

    def environment(self, commit: Commit) -> dict[str, str]:
        """The whole environment of a build: of the caller's, only where programs are."""
        return {
            "HOME": os.devnull,
            "LC_ALL": self.locale,
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": self.hash_seed,
            "SOURCE_DATE_EPOCH": str(commit.time),
            "TZ": self.timezone,
        }


#: Two builds in these must agree.
UNLIKE = (
    Surroundings(folder="a", umask=0o022, locale="C.UTF-8", timezone="UTC", hash_seed="0", touched=1_000_000_000,
                 backwards=False),
    Surroundings(folder="another/and much longer", umask=0o077, locale="C", timezone="Asia/Kathmandu", hash_seed="4711",
                 touched=2_000_000_000, backwards=True),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Archives:
    """What one build made."""

    wheel: Path
    sdist: Path


def build(commit: Commit, scratch: Path, around: Surroundings) -> Archives:
    """Both archives of a commit, below `scratch`. Raises VendorError when the backend fails or is not installed."""
    source, output = scratch / around.folder / "source", scratch / around.folder / "dist"
    export(commit, scratch / around.folder / "exported")
    _arrange(scratch / around.folder / "exported", source, around)
    _backend(source, output, around, commit)
    return Archives(_only(output, "*.whl"), _only(output, "*.tar.gz"))


def wheel_of(sdist: Path, commit: Commit, scratch: Path, around: Surroundings) -> Path:
    """The wheel that a user gets who has nothing but the sdist."""
    source = scratch / "unpacked"
    with tarfile.open(sdist) as archive:
        archive.extractall(source, filter="data")
    _backend(_only(source, "*"), scratch / "from-sdist", around, commit, "-t", "wheel")
    return _only(scratch / "from-sdist", "*.whl")


def differences(first: Path, second: Path) -> list[str]:
    """In what two archives differ, member by member where that shows it; nothing when their bytes are equal."""
    if first.read_bytes() == second.read_bytes():
        return []
    ours, theirs = members(first), members(second)
    found = [f"{first.name}: {name} is only in one of them" for name in sorted(ours.keys() ^ theirs.keys())]
    found += [
        f"{first.name}: {name} differs" for name in sorted(ours.keys() & theirs.keys()) if ours[name] != theirs[name]
    ]
    return found or [f"{first.name}: same members, yet other bytes (order, compression or padding)"]


def members(archive: Path) -> dict[str, tuple[object, bytes]]:
    """Facts (mode, time, owner) and content of every member of a wheel or sdist, by name."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {row.filename: ((row.external_attr, row.date_time), wheel.read(row)) for row in wheel.infolist()}
    with tarfile.open(archive) as sdist:
        return {
            row.name: ((row.mode, row.mtime, row.uid, row.gid, row.uname, row.gname, row.type), _read(sdist, row))
            for row in sdist.getmembers()
        }


def _read(sdist: tarfile.TarFile, row: tarfile.TarInfo) -> bytes:
    stream = sdist.extractfile(row)
    return b"" if stream is None else stream.read()


def _arrange(exported: Path, source: Path, around: Surroundings) -> None:
    """Write the files, without links, once more in the order and with the modes and times of the surroundings."""
    paths = sorted(path for path in exported.rglob("*") if path.is_file() and not path.is_symlink())
    for path in reversed(paths) if around.backwards else paths:
        place = source / path.relative_to(exported)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
        place.chmod((0o777 if path.stat().st_mode & 0o100 else 0o666) & ~around.umask)
        os.utime(place, (around.touched, around.touched))


def _backend(source: Path, output: Path, around: Surroundings, commit: Commit, *options: str) -> None:
    command = [sys.executable, "-I", "-c", _BACKEND, f"{around.umask:o}", "build", "-d", str(output), *options]
    done = run(command, cwd=source, env=around.environment(commit))
    if not done.ok:
        raise VendorError(f"the build failed: {done.error_text()}", code=ExitCode.BUILD_FAILED)


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise VendorError(f"expected one {pattern} in {folder}, found {len(found)}", code=ExitCode.BUILD_FAILED)
    return found[0]
