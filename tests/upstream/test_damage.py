# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A damaged cache costs a download, and never reaches the reader."""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from support.reading import EXPECTED, read_all
from support.repo import Repo
from support.servers import serve
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import read_commit
from vendorctl.git.oid import hash_blob
from vendorctl.progress import Silent
from vendorctl.upstream.cache import Cache


def _filled(cache: Cache, made: Repo, tmp_path: Path) -> Path:
    source = cache.open(str(made.path), tmp_path)
    assert read_all(source, made.commits[1]) == EXPECTED
    git_dir = source.git.git_dir
    assert git_dir is not None
    return git_dir


def _truncate_packs(git_dir: Path) -> None:
    for pack in (git_dir / "objects" / "pack").glob("*.pack"):
        pack.chmod(0o644)
        os.truncate(pack, pack.stat().st_size // 2)


def _flip_packs(git_dir: Path) -> None:
    for pack in (git_dir / "objects" / "pack").glob("*.pack"):
        pack.chmod(0o644)
        content = bytearray(pack.read_bytes())
        content[len(content) // 2] ^= 0x40
        pack.write_bytes(content)


def _drop_packs(git_dir: Path) -> None:
    for pack in (git_dir / "objects" / "pack").glob("*.pack"):
        pack.unlink()


def _drop_indexes(git_dir: Path) -> None:
    for index in (git_dir / "objects" / "pack").glob("*.idx"):
        index.unlink()


def _break_shallow(git_dir: Path) -> None:
    (git_dir / "shallow").write_text("nonsense\n")


def _break_config(git_dir: Path) -> None:
    (git_dir / "config").write_text("[core\n")


def _other_url(git_dir: Path) -> None:
    text = (git_dir / "config").read_text()
    (git_dir / "config").write_text(text.replace("/up", "/elsewhere"))


def _drop_head(git_dir: Path) -> None:
    (git_dir / "HEAD").unlink()


def _poison(git_dir: Path) -> None:
    """A loose object, found before packed ones, whose content is not what its name says."""
    oid = str(hash_blob(b"b1\n"))
    _drop_packs(git_dir)
    path = git_dir / "objects" / oid[:2] / oid[2:]
    path.parent.mkdir()
    path.write_bytes(zlib.compress(b"blob 3\0b7\n"))


@pytest.mark.parametrize(
    "damage",
    [
        _truncate_packs,
        _flip_packs,
        _drop_packs,
        _drop_indexes,
        _break_shallow,
        _break_config,
        _other_url,
        _drop_head,
        _poison,
        shutil.rmtree,
    ],
)
def test_damage_is_repaired_and_never_seen(
    damage: Callable[[Path], None], made: Repo, cache: Cache, tmp_path: Path
) -> None:
    damage(_filled(cache, made, tmp_path))
    source = cache.open(str(made.path), tmp_path)
    assert read_all(source, made.commits[1]) == EXPECTED
    assert read_all(source, made.commits[3]) == EXPECTED | {b"a.py": b"a4\n", b"big": b"x" * 100_000}


def test_damage_between_choosing_and_reading_is_repaired(made: Repo, cache: Cache, tmp_path: Path) -> None:
    source = cache.open(str(made.path), tmp_path)
    tree = source.tree(made.commits[1])
    blobs = source.blobs([entry.oid for entry in tree.values()], str)
    assert source.git.git_dir is not None
    _flip_packs(source.git.git_dir)
    assert {path: blobs[entry.oid] for path, entry in tree.items()} == EXPECTED


def test_damage_offline_is_an_error_that_says_so(made: Repo, cache: Cache, tmp_path: Path) -> None:
    git_dir = _filled(cache, made, tmp_path)
    _flip_packs(git_dir)
    offline = Cache(cache.folder, progress=Silent(), offline=True).open(str(made.path), tmp_path)
    with pytest.raises(VendorError) as caught:
        read_all(offline, made.commits[1])
    assert caught.value.code is ExitCode.UNREACHABLE
    assert "--offline" in (caught.value.hint or "")


def test_a_damaged_cache_is_kept_when_the_server_is_down(
    made: Repo, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(tmp_path / "server", monkeypatch)
    source = cache.open(server.url(made), tmp_path)
    source.fetch_commit(made.commits[1])
    server.stop()
    with pytest.raises(VendorError, match="connection refused"):
        source.fetch_commit(made.commits[0])
    assert read_commit(source.git, made.commits[1]) is not None


@pytest.mark.parametrize("left", ["shallow.lock", "packed-refs.lock", "config.lock", "objects/pack/tmp_pack_x"])
def test_what_a_killed_git_left_behind_goes(left: str, made: Repo, cache: Cache, tmp_path: Path) -> None:
    git_dir = _filled(cache, made, tmp_path)
    (git_dir / left).write_bytes(b"half")
    again = cache.open(str(made.path), tmp_path)
    assert b"big" in again.tree(made.commits[2])
    assert again.fetch_history([made.commits[3]]) == {made.commits[3]}
    assert not (git_dir / left).exists()
