# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Places where files are kept under a key: whole or not at all, never replaced unasked, and read up to a bound."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernels.conftest import Built
from support.s3 import BUCKET, S3, s3_server
from vendorctl.kernels.caching import entry
from vendorctl.kernels.caching.cache import ObjectCache, UnusableError
from vendorctl.kernels.caching.depot import FolderDepot, open_depot
from vendorctl.kernels.caching.entry import Wanted
from vendorctl.kernels.caching.shared import SharedCache
from vendorctl.kernels.object import manifest
from vendorctl.kernels.object.target import find


@pytest.fixture(scope="module")
def server() -> Iterator[S3]:
    pytest.importorskip("s3fs")
    with s3_server() as running:
        yield running


def test_a_folder_needs_no_driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    assert open_depot("shared", tmp_path) == FolderDepot(tmp_path / "shared")
    assert open_depot("file:///srv/my%20cache", tmp_path) == FolderDepot(Path("/srv/my cache"))
    depot = open_depot("shared", tmp_path)
    assert depot.read("ab/c", 9) is None
    assert depot.create("ab/c", b"one")
    assert not depot.create("ab/c", b"two")
    assert depot.read("ab/c", 9) == b"one"
    depot.replace("ab/c", b"three")
    assert depot.read("ab/c", 9) == b"three"
    assert [path.name for path in (tmp_path / "shared").rglob("*") if path.is_file()] == ["c"]


def test_a_folder_without_hard_links_will_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr("os.link", refuse)
    depot = FolderDepot(tmp_path)
    assert depot.create("ab/c", b"one")
    assert not depot.create("ab/c", b"two")
    assert depot.read("ab/c", 9) == b"one"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["c"]
    monkeypatch.setattr("os.link", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
    with pytest.raises(OSError, match="full"):
        depot.create("ab/d", b"one")
    assert depot.read("ab/d", 9) is None


@pytest.mark.parametrize("kind", ["folder", "memory", "s3"])
def test_no_more_is_taken_than_a_file_may_have(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if kind == "s3":
        request.getfixturevalue("server")
    pytest.importorskip("fsspec")
    place = {"folder": str(tmp_path / "shared"), "memory": f"memory://{tmp_path.name}", "s3": f"s3://{BUCKET}/bound"}
    depot = open_depot(place[kind], tmp_path)
    assert depot.create("ab/c", b"0123456789")
    assert depot.read("ab/c", 11) == b"0123456789"
    assert depot.read("ab/c", 10) == b"0123456789"
    with pytest.raises(UnusableError, match="larger than 9 bytes"):
        depot.read("ab/c", 9)
    assert depot.create("ab/empty", b"")
    assert depot.read("ab/empty", 9) == b""
    assert depot.read("ab/nothing", 9) is None


def test_what_is_no_regular_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "file").write_bytes(b"one")
    depot = FolderDepot(tmp_path)
    for name in ("pipe", "folder"):
        with pytest.raises(UnusableError, match="no regular file"):
            depot.read(name, 9)
    assert depot.read("link", 9) == b"one"  # whoever serves the folder may keep files elsewhere
    (tmp_path / "file").unlink()
    assert depot.read("link", 9) is None


def wanted(built: Built) -> Wanted:
    """One object of the built project."""
    path = min(built.project.root.rglob(manifest.FILE_NAME))
    unit = manifest.parse(path.read_bytes(), "m")
    record = unit.objects[0]
    return Wanted(key=record.input, instance=record.instance, target=find(unit.target))


def test_an_entry_that_is_too_large_is_damaged_and_not_read(built: Built, tmp_path: Path) -> None:
    one = wanted(built)
    own = built.cache / one.key[:2] / one.key
    sound = own.read_bytes()
    victim = tmp_path / "shared" / own.relative_to(built.cache)
    victim.parent.mkdir(parents=True)
    victim.write_bytes(sound)
    os.truncate(victim, 1 << 40)  # more than there is memory
    os.truncate(own, 1 << 40)
    cache = ObjectCache(built.cache, SharedCache(lambda: FolderDepot(tmp_path / "shared"), "here"))
    assert cache.get(one.key, one.instance, one.target) is None
    assert not own.exists()
    own.write_bytes(sound)
    result = cache.get(one.key, one.instance, one.target)
    assert result is not None
    cache.put(one.key, result)
    (told,) = cache.settle()
    assert (told.rule, "could not be used, and replaced" in told.message) == ("VC542", True)
    assert victim.read_bytes() == sound


@pytest.mark.parametrize(("spare", "rules"), [(0, []), (-1, ["VC542"])])
def test_the_largest_entry_there_may_be_is_taken(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spare: int, rules: list[str]
) -> None:
    one = wanted(built)
    own = built.cache / one.key[:2] / one.key
    monkeypatch.setattr(entry, "MAX_SIZE", own.stat().st_size + spare)
    cache = ObjectCache(tmp_path / "own", SharedCache(lambda: FolderDepot(built.cache), "here"))
    assert (cache.get(one.key, one.instance, one.target) is not None) is (not rules)
    assert [finding.rule for finding in cache.settle()] == rules


def test_every_object_that_is_sound_fits_into_an_entry() -> None:
    from vendorctl.kernels.object import elf

    assert entry.MAX_SIZE > elf.MAX_OBJECT
