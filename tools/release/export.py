# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The files of a commit in a folder of their own, so that nothing else of a checkout gets into a release."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import VendorError
from vendorctl.git.program import exact_environment
from vendorctl.proc import Completed, run

_LINK = b"120000"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of the repository at `root`: its full id and its committer's time in seconds since 1970."""

    root: Path
    id: str
    time: int


def read_commit(root: Path, name: str = "HEAD") -> Commit:
    """The commit that `name` means in the repository at `root`. Raises VendorError when there is none."""
    shown = _git(root, "show", "--no-patch", "--format=%H %ct", "--end-of-options", f"{name}^{{commit}}").stdout.split()
    return Commit(root=root, id=shown[0].decode("ascii"), time=int(shown[1]))


def files_of(commit: Commit) -> dict[str, bytes]:
    """Content of every regular file of the commit, by path. Links are left out: no archive for Python holds them."""
    found: dict[str, bytes] = {}
    for row in _git(commit.root, "ls-tree", "-r", "-z", commit.id).stdout.split(b"\0")[:-1]:
        facts, _, path = row.partition(b"\t")
        mode, kind, oid = facts.split(b" ")
        if kind == b"blob" and mode != _LINK:
            found[os.fsdecode(path)] = oid
    return dict(zip(found, _contents(commit.root, list(found.values())), strict=True))


def export(commit: Commit, folder: Path) -> None:
    """Write the commit's files below the new folder `folder`, byte for byte, with its execute bits."""
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        index = {"GIT_INDEX_FILE": str(Path(scratch, "index"))}
        _git(commit.root, "read-tree", commit.id, env=index)
        _git(commit.root, "checkout-index", "--all", f"--prefix={folder.absolute()}/", env=index)


def changed_files(root: Path) -> list[str]:
    """Paths whose content in the checkout is not that of HEAD; a release does not see them."""
    rows = _git(root, "status", "--porcelain", "-z", "--no-renames").stdout.split(b"\0")[:-1]
    return sorted(os.fsdecode(row[3:]) for row in rows)


def _contents(root: Path, oids: list[bytes]) -> list[bytes]:
    answer = _git(root, "cat-file", "--batch", stdin=b"".join(oid + b"\n" for oid in oids)).stdout
    contents, position = [], 0
    for _ in oids:
        end = answer.index(b"\n", position)
        size = int(answer[position:end].split(b" ")[2])
        contents.append(answer[end + 1 : end + 1 + size])
        position = end + size + 2
    return contents


def _git(root: Path, *words: str, env: Mapping[str, str] | None = None, stdin: bytes = b"") -> Completed:
    """One git command that sees no configuration of the user: no filter, no line-end conversion."""
    settings = ["-c", "core.autocrlf=false", "-c", f"core.attributesFile={os.devnull}"]
    environment = exact_environment(os.environ) | dict(env or {})
    done = run(["git", "-C", str(root), *settings, *words], env=environment, stdin=stdin)
    if not done.ok:
        raise VendorError(f"git {words[0]} failed in {root}: {done.error_text()}")
    return done
