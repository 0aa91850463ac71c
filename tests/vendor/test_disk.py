# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A folder is hashed as git would hash it, whatever is in it and whatever git is configured to do."""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path

import pytest

from support.hermetic import configure
from support.repo import Changes, executable, repo, symlink
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.tree import Mode
from vendorctl.vendor import disk
from vendorctl.vendor.disk import scan


def test_the_tree_is_gits_tree(tmp_path: Path, home: Path) -> None:
    files: Changes = {
        "a.py": "x\n",
        "crlf.txt": "a\r\nb\r\n",
        "bin": bytes(range(256)),
        ".hidden/.gitignore": "*\n",
        ".hidden/ignored.log": "log\n",
        "empty": "",
        "run.sh": executable("exit\n"),
        "link": symlink("a.py"),
        "d/dangling": symlink("nowhere"),
        "d/loop": symlink("."),
        b"d/caf\xe9": "latin\n",
        "d/two words\n": "odd\n",
        "large": b"\0" * (disk._PIECE + 5),
        ".gitattributes": "* text eol=crlf export-ignore\n*.py filter=nosuch\n",
    }
    made = repo(tmp_path / "up", files)
    made.git("config", "core.symlinks", "true")
    made.git("read-tree", "HEAD")
    made.git("-c", "core.attributesFile=/dev/null", "checkout-index", "-a", "-f")
    (made.path / ".git/info/attributes").write_text("* -text -filter\n")
    made.git("checkout-index", "-a", "-f")
    (made.path / ".git").rename(tmp_path / "aside.git")
    configure(home, "[core]\n\tautocrlf = true\n\tfileMode = false\n")
    found = scan(made.path)
    assert found.tree.oid.raw.hex() == _root(tmp_path / "aside.git")
    assert found.odd == {}
    assert found.sizes[b"large"] == disk._PIECE + 5
    assert found.sha256[b"bin"] == hashlib.sha256(bytes(range(256))).hexdigest()
    assert found.sha256[b"link"] == hashlib.sha256(b"a.py").hexdigest()
    assert found.sha256.keys() == found.sizes.keys() == set(found.tree)


def _root(git_dir: Path) -> str:
    import subprocess

    command = ["git", f"--git-dir={git_dir}", "rev-parse", "HEAD^{tree}"]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


def test_threads_change_nothing(tmp_path: Path) -> None:
    for number in range(600):
        path = tmp_path / f"d{number % 7}" / f"f{number}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"%d" % number * number)
    assert scan(tmp_path, workers=1) == scan(tmp_path, workers=5)
    assert len(scan(tmp_path).tree) == 600


def test_the_owners_execute_bit_counts(tmp_path: Path) -> None:
    for name, bits in {"u": 0o744, "g": 0o654, "o": 0o645, "all": 0o755}.items():
        (tmp_path / name).write_text("x")
        (tmp_path / name).chmod(bits)
    modes = {path: entry.mode for path, entry in scan(tmp_path).tree.items()}
    assert modes == {b"u": Mode.EXECUTABLE, b"g": Mode.FILE, b"o": Mode.FILE, b"all": Mode.EXECUTABLE}


def test_what_git_cannot_store_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        (tmp_path / "void/inner").mkdir(parents=True)
        (tmp_path / "file").write_text("x")
        found = scan(tmp_path)
    assert found.odd == {b"pipe": "a named pipe", b"socket": "a socket"}
    assert found.empty_folders == (b"void/inner",)
    assert list(found.tree) == [b"file"]
    assert not found.blank


def test_links_to_folders_are_not_entered(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("x")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/ln").symlink_to("../outside")
    assert {path: entry.mode for path, entry in scan(tmp_path / "in").tree.items()} == {b"ln": Mode.SYMLINK}


def test_nothing_there(tmp_path: Path) -> None:
    assert scan(tmp_path / "absent").blank
    assert not scan(tmp_path / "absent").exists
    (tmp_path / "empty").mkdir()
    assert scan(tmp_path / "empty").blank
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("empty")
    for name in ("file", "link"):
        with pytest.raises(VendorError, match="is not a folder") as caught:
            scan(tmp_path / name)
        assert caught.value.code is ExitCode.USAGE


def test_a_file_that_vanishes_or_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gone", "secret", "kept"):
        (tmp_path / name).write_text(name)
    real = os.open

    def fails(path: bytes, flags: int) -> int:
        if path.endswith(b"gone"):
            (tmp_path / "gone").unlink()
        if path.endswith(b"secret"):
            raise PermissionError(path)
        return real(path, flags)

    monkeypatch.setattr(os, "open", fails)
    found = scan(tmp_path)
    assert list(found.tree) == [b"kept"]
    assert found.odd.keys() == {b"gone", b"secret"}


@pytest.mark.parametrize("size", [10, disk._PIECE + 10])
def test_a_file_that_grows_while_it_is_read_is_read_again(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * size)
    real = os.fstat
    grown: list[int] = []

    def grows(descriptor: int) -> os.stat_result:
        status = real(descriptor)
        if len(grown) < limit:
            grown.append(1)
            with path.open("ab") as file:
                file.write(b"y")
        return status

    limit = 1
    monkeypatch.setattr(os, "fstat", grows)
    assert scan(tmp_path).sizes[b"log"] == size + 1
    limit = 99
    with pytest.raises(VendorError, match="keeps changing"):
        scan(tmp_path)
