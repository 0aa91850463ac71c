# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The two ways of calling git: exact ones see nothing of the caller, network ones only what a user may decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.hermetic import configure
from support.repo import repo
from vendorctl.errors import ExitCode
from vendorctl.git.oid import hash_blob
from vendorctl.git.program import (
    REPOSITORY_VARIABLES,
    Git,
    GitError,
    exact_environment,
    network_environment,
)


def test_exact_calls_do_not_see_the_user(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = repo(tmp_path / "up", {"a.txt": "1\r\n", "b.txt": "x\n"}, {"a.txt": "2\r\n", "c.txt": "x\n", "b.txt": None})
    plain = Git(git_dir=made.git_dir).exact("diff-tree", "-p", "-r", *map(str, made.commits)).stdout
    configure(
        home,
        "[diff]\n\tnoprefix = true\n\texternal = false\n\trenames = copies\n[core]\n\tautocrlf = true\n"
        "\tattributesFile = ~/attributes\n[color]\n\tui = always\n",
    )
    (home / "attributes").write_text("*.txt binary\n")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    monkeypatch.setenv("GIT_DIFF_OPTS", "-u0")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "diff.noprefix")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert Git(git_dir=made.git_dir).exact("diff-tree", "-p", "-r", *map(str, made.commits)).stdout == plain
    assert b"diff --git a/a.txt b/a.txt" in plain


def test_network_calls_see_the_users_addresses_but_no_repository(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = repo(tmp_path / "up", {"a": "1"})
    configure(home, f'[url "{made.path}"]\n\tinsteadOf = https://example.org/up\n')
    for name in REPOSITORY_VARIABLES:
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    listed = Git().network("ls-remote", "https://example.org/up", "HEAD").stdout
    assert listed.split()[0].decode() == str(made.commits[0])


@pytest.mark.parametrize("url", ["ext::true", "http://localhost:1/x", "git://localhost/x", "fd::0"])
def test_other_transports_are_closed_even_when_the_user_opens_them(url: str, home: Path) -> None:
    configure(home, "[protocol]\n\tallow = always\n")
    with pytest.raises(GitError, match="not allowed") as caught:
        Git().network("ls-remote", url)
    assert caught.value.code is ExitCode.UNREACHABLE


def test_failures_have_gits_words(tmp_path: Path) -> None:
    made = repo(tmp_path / "up", {"a": "1"})
    with pytest.raises(GitError, match="git cat-file failed: fatal: Not a valid object name nothing") as caught:
        Git(git_dir=made.git_dir).exact("cat-file", "-p", "nothing")
    assert caught.value.code is ExitCode.INTERNAL
    assert not Git(git_dir=made.git_dir).exact("cat-file", "-p", "nothing", check=False).ok


def test_objects_can_be_written_aside(tmp_path: Path) -> None:
    made = repo(tmp_path / 'up: "odd" \\ name', {"a": "1"})
    aside = tmp_path / "aside"
    aside.mkdir()
    git = Git(git_dir=made.git_dir, objects=aside, index=tmp_path / "index")
    before = sorted(made.git_dir.rglob("*"))
    git.exact("read-tree", str(made.head))
    new = git.exact("hash-object", "-w", "--stdin", stdin=b"new").stdout.decode().strip()
    assert new == str(hash_blob(b"new"))
    git.exact("update-index", "--add", "--cacheinfo", f"100644,{new},b")
    tree = git.exact("write-tree").stdout.decode().strip()
    assert git.exact("cat-file", "-t", tree).stdout == b"tree\n"
    assert sorted(made.git_dir.rglob("*")) == before
    assert not Git(git_dir=made.git_dir).exact("cat-file", "-e", tree, check=False).ok


def test_environments() -> None:
    base = {"PATH": "/bin", "GIT_DIR": "x", "GIT_TRACE": "1", "HTTPS_PROXY": "p", "GIT_SSH_COMMAND": "ssh -i key"}
    exact, network = exact_environment(base), network_environment(base)
    assert exact["PATH"] == network["PATH"] == "/bin"
    assert "GIT_DIR" not in exact.keys() | network.keys()
    assert "GIT_TRACE" not in exact
    assert (network["GIT_SSH_COMMAND"], network["HTTPS_PROXY"]) == ("ssh -i key", "p")
    assert network["GIT_TERMINAL_PROMPT"] == "0"
    assert network["SSH_ASKPASS_REQUIRE"] == "force"
    assert exact["GIT_ALLOW_PROTOCOL"] == "none"
