# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reading upstreams through the cache: from generous, strict, incomplete, broken and absent servers."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.hermetic import configure
from support.reading import EXPECTED, read_all
from support.repo import Repo, gitlink, repo
from support.servers import GENEROUS, serve
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.progress import Silent
from vendorctl.upstream.cache import Cache

ABSENT = Oid.parse("1" * 40)

#: Servers by what they allow: (settings, protocol version).
MANNERS = {
    "generous": (GENEROUS, 2),
    "no parts": (("uploadpack.allowFilter=false", "uploadpack.allowAnySHA1InWant=true"), 2),
    "no ids": (("uploadpack.allowFilter=true",), 0),
    "nothing": (("uploadpack.allowFilter=false", "uploadpack.allowTipSHA1InWant=false"), 0),
}


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("which", [1, 0], ids=["tagged commit", "inner commit"])
def test_every_server_gives_every_commit(
    manner: str, which: int, made: Repo, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, protocol = MANNERS[manner]
    server = serve(tmp_path / "server", monkeypatch, settings=settings, protocol=protocol)
    source = cache.open(server.url(made), tmp_path)
    commit = made.commits[which]
    assert source.fetch_commit(commit).tree == source.root_tree(commit) == made.tree_oid(str(commit))
    assert read_all(source, commit) == EXPECTED | ({} if which else {b"a.py": b"a1\n"})


def test_a_second_reader_asks_nobody(made: Repo, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(tmp_path / "server", monkeypatch)
    read_all(cache.open(server.url(made), tmp_path), made.commits[1])
    asked = server.requests
    assert asked == 2, "one request for the commit, one for all blobs"
    server.stop()
    assert read_all(cache.open(server.url(made), tmp_path / "other"), made.commits[1]) == EXPECTED
    assert server.requests == asked
    with pytest.raises(VendorError, match="connection refused") as caught:
        cache.open(server.url(made), tmp_path).fetch_commit(made.commits[3])
    assert caught.value.code is ExitCode.UNREACHABLE


def test_only_what_is_needed_is_taken(made: Repo, cache: Cache, tmp_path: Path) -> None:
    source = cache.open(str(made.path), tmp_path)
    source.tree(made.commits[2])
    wanted = source.tree(made.commits[2])[b"a.py"].oid
    source.blobs([wanted], str)
    listed = source.git.exact("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").stdout
    kinds = dict(row.split(" ") for row in listed.decode().splitlines())
    assert {oid for oid, kind in kinds.items() if kind == "commit"} == {str(made.commits[2])}
    assert {oid for oid, kind in kinds.items() if kind == "blob"} == {str(wanted)}


@pytest.mark.parametrize("form", ["path", "file", "relative", "insteadOf", "bare"])
def test_local_repositories_need_no_permission_and_are_left_alone(
    form: str, made: Repo, cache: Cache, tmp_path: Path, home: Path
) -> None:
    urls = {"path": str(made.path), "file": f"file://{made.path}", "relative": "../up", "bare": str(made.git_dir)}
    urls["insteadOf"] = "https://example.org/up.git"
    configure(home, f'[url "{made.path}"]\n\tinsteadOf = https://example.org/up.git\n')
    before = sorted((path, path.stat().st_mtime_ns) for path in made.git_dir.rglob("*"))
    (tmp_path / "ws").mkdir()
    assert read_all(cache.open(urls[form], tmp_path / "ws"), made.commits[1]) == EXPECTED
    assert sorted((path, path.stat().st_mtime_ns) for path in made.git_dir.rglob("*")) == before


def test_alternates_of_a_local_repository_serve(made: Repo, cache: Cache, tmp_path: Path) -> None:
    made.git("clone", "-q", "--shared", "--bare", str(made.path), str(tmp_path / "shared.git"))
    assert read_all(cache.open("shared.git", tmp_path), made.commits[1]) == EXPECTED


def test_a_mirror_without_some_blobs_serves_the_others(made: Repo, cache: Cache, tmp_path: Path) -> None:
    big = hash_blob(b"x" * 100_000)
    mirror = _without(made, tmp_path / "mirror.git", big)
    source = cache.open(str(mirror), tmp_path)
    tree = source.tree(made.commits[2])
    present = [entry.oid for path, entry in tree.items() if path != b"big"]
    assert source.blobs(present, str)[hash_blob(b"a3\n")] == b"a3\n"
    with pytest.raises(VendorError, match="the big file") as caught:
        source.blobs([big, *present, hash_blob(b"a4\n")], {big: "the big file"}.get)  # type: ignore[arg-type]
    assert caught.value.code is ExitCode.UNREACHABLE
    assert source.blobs([hash_blob(b"a4\n")], str)[hash_blob(b"a4\n")] == b"a4\n", "the rest of the batch was taken"


def _without(made: Repo, mirror: Path, oid: Oid) -> Path:
    """A bare copy of a repository, as loose objects, that lacks one."""
    made.git("clone", "-q", "--bare", f"file://{made.path}", str(mirror))
    for pack in list((mirror / "objects" / "pack").glob("*.pack")):
        content = pack.read_bytes()
        for part in pack.parent.glob(f"{pack.stem}.*"):
            part.unlink()
        made.git(f"--git-dir={mirror}", "unpack-objects", "-q", stdin=content)
    (mirror / "objects" / str(oid)[:2] / str(oid)[2:]).unlink()
    return mirror


def test_a_partial_local_clone_is_not_made_to_download(made: Repo, cache: Cache, tmp_path: Path) -> None:
    made.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial.git"
    made.git("clone", "-q", "--bare", "--filter=blob:none", f"file://{made.path}", str(partial))
    source = cache.open(str(partial), tmp_path)
    tree = source.tree(made.commits[1])
    packs = sorted((partial / "objects" / "pack").iterdir())
    with pytest.raises(VendorError, match=r"a\.py"):
        source.blobs([tree[b"a.py"].oid], lambda _oid: "a.py")
    assert sorted((partial / "objects" / "pack").iterdir()) == packs


def test_unknown_commits_and_ids_of_other_things(made: Repo, cache: Cache, tmp_path: Path) -> None:
    source = cache.open(str(made.path), tmp_path)
    with pytest.raises(VendorError, match=str(ABSENT)) as caught:
        source.fetch_commit(ABSENT)
    assert caught.value.code is ExitCode.UNREACHABLE
    tag = made.resolve("refs/tags/v1")
    with pytest.raises(VendorError, match="is a tag, not a commit") as caught:
        source.fetch_commit(tag)
    assert caught.value.code is ExitCode.INVALID
    with pytest.raises(VendorError, match="is a blob"):
        source.fetch_commit(hash_blob(b"a1\n"))
    with pytest.raises(VendorError, match="cannot fetch from"):
        cache.open(str(tmp_path / "nowhere"), tmp_path).fetch_commit(ABSENT)


def test_resolve(made: Repo, cache: Cache, tmp_path: Path) -> None:
    source = cache.open(str(made.path), tmp_path)
    tag = made.resolve("refs/tags/v1")
    assert source.resolve("v1").commit == made.commits[1]
    assert source.resolve("v1").oid == tag
    assert source.resolve(str(tag)).commit == made.commits[1]
    assert source.resolve(str(made.commits[0])).commit == made.commits[0]
    assert source.resolve(str(made.commits[0])[:8]).commit == made.commits[0]
    assert source.resolve("HEAD").commit == source.head().commit == made.head
    assert source.head().name == "refs/heads/main"
    with pytest.raises(VendorError, match="no branch or tag 'v2'") as caught:
        source.resolve("v2")
    assert caught.value.hint == "did you mean v1?"
    with pytest.raises(VendorError, match="no commit abcdef0"):
        source.resolve("abcdef0")


def test_offline(made: Repo, tmp_path: Path) -> None:
    now = [1_700_000_000.0]
    folder = tmp_path / "cache"
    online = Cache(folder, progress=Silent(), clock=lambda: now[0])
    offline = Cache(folder, progress=Silent(), offline=True, clock=lambda: now[0])
    source = offline.open(str(made.path), tmp_path)
    assert source.knowledge_age is None
    for action in (source.refs, lambda: source.fetch_commit(made.head), lambda: source.fetch_history([made.head])):
        with pytest.raises(VendorError, match="offline") as caught:
            action()
        assert caught.value.code is ExitCode.UNREACHABLE
    assert not folder.exists(), "looking changes nothing"

    first = online.open(str(made.path), tmp_path)
    read_all(first, first.resolve("v1").commit)
    first.fetch_history([made.commits[1]])
    shutil.rmtree(made.path)
    now[0] += 3 * 86_400
    source = offline.open(str(made.path), tmp_path)
    assert source.resolve("v1").commit == made.commits[1]
    assert read_all(source, made.commits[1]) == EXPECTED
    assert source.fetch_history([made.commits[1]]) == {made.commits[1]}
    assert source.knowledge_age == 3 * 86_400
    with pytest.raises(VendorError, match=r"last looked at 3\.0 days ago"):
        source.fetch_commit(made.commits[3])


def test_history_is_complete_and_grows(
    made: Repo, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(tmp_path / "server", monkeypatch)
    source = cache.open(server.url(made), tmp_path)
    source.fetch_commit(made.commits[2])
    assert source.fetch_history([made.commits[2]]) == {made.commits[2]}
    count = ("rev-list", "--count")
    assert source.git.exact(*count, str(made.commits[2])).stdout == b"3\n"
    asked = server.requests
    source.fetch_history([made.commits[2]])
    assert server.requests == asked, "known history is not asked for again"
    later = made.add_commits([{"a.py": f"a{number}\n"} for number in range(10, 20)])
    source = cache.open(server.url(made), tmp_path)
    source.fetch_commit(later[-1])
    assert source.fetch_history([later[-1], ABSENT]) == {later[-1]}
    assert source.git.exact(*count, str(later[-1])).stdout == b"14\n"
    assert source.leads_to(made.commits[0], [later[-1]])
    assert not source.leads_to(later[-1], [made.commits[0]])
    assert source.git.exact("cat-file", "-e", str(hash_blob(b"a1\n")), check=False).status != 0, "no files"


@pytest.mark.parametrize("manner", MANNERS)
def test_history_from_every_server(
    manner: str, made: Repo, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, protocol = MANNERS[manner]
    server = serve(tmp_path / "server", monkeypatch, settings=settings, protocol=protocol)
    source = cache.open(server.url(made), tmp_path)
    tips = frozenset({made.commits[2], made.head, made.commits[0]})
    source.fetch_commit(made.commits[1])
    assert source.fetch_history(sorted(tips)) == tips
    assert source.git.exact("rev-list", "--count", str(made.head)).stdout == b"4\n"


# -- surroundings --------------------------------------------------------------------------------------------------


def test_variables_of_a_hook_do_not_matter(
    made: Repo, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repo(tmp_path / "other", {"x": "x"})
    for name in ("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE"):
        monkeypatch.setenv(name, str(other.git_dir))
    for name in ("GIT_NAMESPACE", "GIT_PREFIX", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE"):
        monkeypatch.setenv(name, "stray")
    before = sorted(other.git_dir.rglob("*"))
    assert read_all(cache.open(str(made.path), tmp_path), made.commits[1]) == EXPECTED
    assert sorted(other.git_dir.rglob("*")) == before


def test_user_configuration_that_would_download_more(made: Repo, cache: Cache, tmp_path: Path, home: Path) -> None:
    ran = tmp_path / "ran"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("reference-transaction", "post-checkout", "fsmonitor-watchman"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (hooks / name).chmod(0o755)
    configure(
        home,
        f"[core]\n\thooksPath = {hooks}\n"
        "[fetch]\n\trecurseSubmodules = true\n\tprune = true\n\twriteCommitGraph = true\n"
        "[protocol]\n\tallow = always\n\tversion = 0\n[remote]\n\tpushDefault = x\n[transfer]\n\tfsckObjects = true\n",
    )
    source = cache.open(str(made.path), tmp_path)
    assert read_all(source, made.commits[1]) == EXPECTED
    source.fetch_history([made.head])
    assert not ran.exists()


def test_submodules_are_not_fetched(made: Repo, cache: Cache, tmp_path: Path) -> None:
    commit = made.commit({"sub": gitlink(ABSENT), ".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = /nowhere\n'})
    tree = cache.open(str(made.path), tmp_path).tree(commit)
    assert tree[b"sub"].oid == ABSENT


def test_many_at_once_share_one_download(made: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(tmp_path / "server", monkeypatch)
    results: list[dict[bytes, bytes]] = []

    def work() -> None:
        cache = Cache(tmp_path / "cache", progress=Silent())
        results.append(read_all(cache.open(server.url(made), tmp_path), made.commits[1]))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [EXPECTED] * 6
    assert server.requests <= 1 + 6, "the commit was fetched once"


def test_a_cache_that_cannot_be_written_is_an_error_with_a_way_out(made: Repo, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file", progress=Silent())
    with pytest.raises(VendorError) as caught:
        cache.open(str(made.path), tmp_path).fetch_commit(made.head)
    assert "VENDORCTL_CACHE" in (caught.value.hint or "")


def test_progress_counts_received_objects(made: Repo, tmp_path: Path) -> None:
    seen: list[tuple[str, int]] = []

    class Recorder:
        @contextmanager
        def task(self, title: str, total: int | None = None) -> Iterator[Recorder]:
            self.title, self.count = title, 0
            yield self
            seen.append((self.title, self.count))

        def advance(self, steps: int = 1, *, note: str = "") -> None:
            self.count += steps

        def expect(self, total: int) -> None:
            self.total = total

    cache = Cache(tmp_path / "cache", progress=Recorder())
    cache.open(str(made.path), tmp_path).fetch_commit(made.commits[1])
    assert seen == [(f"fetch {made.path}", 3)]
