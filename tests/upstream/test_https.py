# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The same over https, where git speaks through another program and servers keep no state."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.https import https_path, https_server
from support.repo import Repo, repo
from support.servers import GENEROUS
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.oid import Oid
from vendorctl.progress import Silent
from vendorctl.upstream.cache import Cache

MANNERS = {"generous": GENEROUS, "no parts": ("uploadpack.allowFilter=false",), "none": ()}


@pytest.fixture
def made(tmp_path: Path) -> Repo:
    made = repo(tmp_path / "srv" / "up", {"a": "1", "b": "1"}, {"a": "2"}, {"a": "3"})
    made.tag("v1", made.commits[1], message="One")
    return made


@pytest.mark.parametrize("manner", MANNERS)
def test_commits_files_and_history(manner: str, made: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with https_server(tmp_path / "srv", monkeypatch, settings=MANNERS[manner]) as base:
        url = base + https_path(made, tmp_path / "srv")
        source = Cache(tmp_path / "cache", progress=Silent()).open(url, tmp_path)
        for commit in (source.resolve("v1").commit, made.commits[0]):
            tree = source.tree(commit)
            assert tree.oid == made.tree_oid(str(commit))
            blobs = source.blobs([entry.oid for entry in tree.values()], str)
            assert [blobs[entry.oid] for entry in tree.values()] == [
                made.read(path.decode(), str(commit)) for path in tree
            ]
        assert source.fetch_history([made.head]) == {made.head}
        assert source.git.exact("rev-list", "--count", str(made.head)).stdout == b"3\n"
        with pytest.raises(VendorError, match="does not have commit"):
            source.fetch_commit(Oid.parse("1" * 40))


def test_a_server_of_plain_files_is_refused_with_the_way_out(
    made: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.git("update-server-info")
    with https_server(tmp_path / "srv", monkeypatch, smart=False) as base:
        url = base + https_path(made, tmp_path / "srv")
        source = Cache(tmp_path / "cache", progress=Silent()).open(url, tmp_path)
        found = source.resolve("v1").commit
        assert found == made.commits[1]
        for action in (lambda: source.fetch_commit(found), lambda: source.fetch_history([found])):
            with pytest.raises(VendorError, match="plain files") as caught:
                action()
            assert "git clone --mirror" in (caught.value.hint or "")


def test_refusals_are_told_in_gits_words_and_never_prompt(
    made: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path / "cache", progress=Silent())
    with https_server(tmp_path / "srv", monkeypatch) as base:
        with pytest.raises(VendorError, match="not found") as caught:
            cache.open(f"{base}/absent", tmp_path).refs()
        assert caught.value.code is ExitCode.UNREACHABLE
        monkeypatch.delenv("GIT_SSL_CAINFO")
        with pytest.raises(VendorError, match="certificate"):
            cache.open(base + https_path(made, tmp_path / "srv"), tmp_path).fetch_commit(made.head)
    with pytest.raises(VendorError, match="cannot fetch") as caught:
        cache.open(f"{base.replace('//', '//user:s3cret@')}/up", tmp_path).fetch_commit(made.head)
    assert "s3cret" not in str(caught.value)
