# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reading a repository: contents, trees and commits, whatever state it is in."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from support.repo import Repo, executable, gitlink, repo, symlink
from vendorctl.errors import VendorError
from vendorctl.git.blobs import StoredBlobs
from vendorctl.git.objects import (
    DamagedObjectError,
    batches,
    canonical_mode,
    object_info,
    read_blobs,
    read_commit,
    read_tree,
)
from vendorctl.git.oid import Oid, hash_blob, hash_object
from vendorctl.git.program import Git
from vendorctl.git.tree import Mode

ABSENT = Oid.parse("1" * 40)


@pytest.fixture
def made(tmp_path: Path) -> Repo:
    return repo(
        tmp_path / "up",
        {
            "a.py": "x = 1\n",
            "run.sh": executable("exit\n"),
            "d/link": symlink("../a.py"),
            "d/empty": "",
            "sub": gitlink(ABSENT),
            b"d/caf\xe9\n": b"\0\xff\r\n",
        },
        {"a.py": "x = 2\n"},
        messages=["First\n\nbody\n", "Second"],
    )


def loose(git_dir: Path, oid: Oid) -> Path:
    return git_dir / "objects" / str(oid)[:2] / str(oid)[2:]


def unpack(made: Repo) -> None:
    """Turn packed objects into single files, so that a test can damage one of them."""
    for pack in (made.git_dir / "objects" / "pack").glob("*.pack"):
        content = pack.read_bytes()
        for part in pack.parent.glob(f"{pack.stem}.*"):
            part.unlink()
        made.git("unpack-objects", "-q", stdin=content)


def write_object(made: Repo, kind: bytes, content: bytes) -> Oid:
    oid = hash_object(kind, content)
    path = loose(made.git_dir, oid)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(b"%s %d\0%s" % (kind, len(content), content)))
    return oid


def test_blobs_are_read_byte_for_byte_and_absent_ones_left_out(made: Repo) -> None:
    wanted = {content: hash_blob(content) for content in (b"x = 1\n", b"", b"\0\xff\r\n", b"../a.py")}
    found = read_blobs(Git(git_dir=made.git_dir), [*wanted.values(), ABSENT])
    assert found == {oid: content for content, oid in wanted.items()}
    assert read_blobs(Git(git_dir=made.git_dir), []) == {}


def test_a_commit_is_no_blob(made: Repo) -> None:
    with pytest.raises(DamagedObjectError, match="not a blob"):
        read_blobs(Git(git_dir=made.git_dir), [made.head])
    assert object_info(Git(git_dir=made.git_dir), [made.head, ABSENT]).keys() == {made.head}


def test_changed_bytes_of_an_object_are_noticed(made: Repo) -> None:
    unpack(made)
    oid = hash_blob(b"x = 1\n")
    path = loose(made.git_dir, oid)
    path.chmod(0o644)
    path.write_bytes(zlib.compress(b"blob 6\0x = 7\n"))
    with pytest.raises(DamagedObjectError, match=str(oid)):
        read_blobs(Git(git_dir=made.git_dir), [oid])


def test_a_partial_clone_answers_without_downloading(made: Repo, tmp_path: Path) -> None:
    made.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone.git"
    made.git("clone", "-q", "--bare", "--filter=blob:none", f"file://{made.path}", str(clone))
    git = Git(git_dir=clone)
    promised = hash_blob(b"x = 2\n")
    assert read_blobs(git, [promised, ABSENT]) == {}
    assert object_info(git, [promised, made.head]).keys() == {made.head}
    assert len(read_tree(git, made.tree_oid())) == 6
    made.git("-C", str(clone), "cat-file", "-p", str(promised))  # git itself downloads it when asked plainly
    assert read_blobs(git, [promised]) == {promised: b"x = 2\n"}


def test_the_tree_is_gits_own(made: Repo) -> None:
    tree = read_tree(Git(git_dir=made.git_dir), made.tree_oid())
    assert tree.oid == made.tree_oid()
    assert {path: entry.mode for path, entry in tree.items()} == {
        b"a.py": Mode.FILE,
        b"d/caf\xe9\n": Mode.FILE,
        b"d/empty": Mode.FILE,
        b"d/link": Mode.SYMLINK,
        b"run.sh": Mode.EXECUTABLE,
        b"sub": Mode.GITLINK,
    }


def test_a_tree_with_a_missing_folder_is_damage(made: Repo) -> None:
    unpack(made)
    loose(made.git_dir, made.resolve("HEAD:d")).unlink()
    with pytest.raises(DamagedObjectError):
        read_tree(Git(git_dir=made.git_dir), made.tree_oid())


def test_old_modes_and_empty_folders_are_read_as_git_reads_them(made: Repo) -> None:
    blob = hash_blob(b"x = 1\n")
    empty = write_object(made, b"tree", b"")
    rows = b"100664 a.py\0" + blob.raw + b"40000 void\0" + empty.raw
    root = write_object(made, b"tree", rows)
    tree = read_tree(Git(git_dir=made.git_dir), root)
    assert dict(tree) == {b"a.py": tree[b"a.py"]}
    assert tree[b"a.py"].mode is Mode.FILE


def test_folders_below_old_modes_are_verified_too(made: Repo) -> None:
    blob = hash_blob(b"x = 1\n")
    inner = write_object(made, b"tree", b"100664 b.py\0" + blob.raw)
    root = write_object(made, b"tree", b"40000 d\0" + inner.raw)
    assert list(read_tree(Git(git_dir=made.git_dir), root)) == [b"d/b.py"]
    loose(made.git_dir, inner).write_bytes(zlib.compress(b"tree 32\x00100664 c.py\0" + blob.raw))
    with pytest.raises(DamagedObjectError):
        read_tree(Git(git_dir=made.git_dir), root)


@pytest.mark.parametrize("name", [b"..", b"."])
def test_a_tree_that_climbs_out_is_refused(made: Repo, name: bytes) -> None:
    inner = write_object(made, b"tree", b"100644 x\0" + hash_blob(b"x = 1\n").raw)
    root = write_object(made, b"tree", b"40000 " + name + b"\0" + inner.raw)
    with pytest.raises(VendorError, match="not usable"):
        read_tree(Git(git_dir=made.git_dir), root)


def test_a_commit_has_its_parts(made: Repo) -> None:
    git = Git(git_dir=made.git_dir)
    second = read_commit(git, made.head)
    assert second is not None
    assert second.parents == (made.commits[0],)
    assert second.tree == made.tree_oid()
    assert second.subject == "Second"
    assert second.author == b"Upstream Author <author@example.org>"
    assert second.committer_time - second.author_time == 3600
    first = read_commit(git, made.commits[0])
    assert first is not None
    assert (first.parents, first.subject) == ((), "First")
    assert read_commit(git, ABSENT) is None


@pytest.mark.parametrize(
    ("bits", "mode"),
    [
        (0o100644, Mode.FILE),
        (0o100664, Mode.FILE),
        (0o100600, Mode.FILE),
        (0o100755, Mode.EXECUTABLE),
        (0o100700, Mode.EXECUTABLE),
        (0o120000, Mode.SYMLINK),
        (0o160000, Mode.GITLINK),
    ],
)
def test_modes(bits: int, mode: Mode) -> None:
    assert canonical_mode(bits) is mode


def test_batches_respect_the_limit_and_lose_nothing() -> None:
    oids = [hash_blob(b"%d" % number) for number in range(5)]
    sizes = dict(zip(oids, (4, 4, 4, 20, 1), strict=True))
    assert list(batches(oids, sizes, 10)) == [oids[:2], oids[2:3], oids[3:4], oids[4:]]
    assert list(batches([], {}, 10)) == []


def test_stored_blobs_come_in_batches_and_old_ones_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vendorctl.git.blobs.KEPT_BYTES", 50_000_000)
    contents = {hash_blob(b"%d" % number): bytes([number]) for number in range(6)}
    calls: list[int] = []

    def read(batch: list[Oid]) -> dict[Oid, bytes]:
        calls.append(len(batch))
        return {oid: contents[oid] for oid in batch}

    stored = StoredBlobs(dict.fromkeys(contents, 16_000_000), read)
    assert [stored[oid] for oid in contents] == list(contents.values())
    assert calls == [2, 2, 2]
    oids = list(contents)
    assert stored[oids[5]] == contents[oids[5]]
    assert len(calls) == 3
    assert stored[oids[0]] == contents[oids[0]]
    assert len(calls) == 4
    assert stored.size(oids[0]) == 16_000_000
    assert ABSENT not in stored
    with pytest.raises(KeyError):
        stored[ABSENT]
