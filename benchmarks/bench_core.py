# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The main job with an empty cache, side by side with what a user would pick instead.

A large upstream, one folder of which is vendored with a series of patches. dfetch does the same job; the others do the
part of it that they are used for: git submodule and git subtree take the whole upstream and know no patches; `git am`,
quilt and StGit patch files that are there already.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import peers
from benchmarks.results import Result, Row, Table
from benchmarks.suite import cold_sync, fresh_copy, run
from benchmarks.timing import Subject, in_turn
from benchmarks.workspaces import Made, Size, call, make

OURS = "vendorctl sync"
_TARGET = 1.0


def measure(scratch: Path, *, quick: bool) -> Result:
    size = Size(files=40, patches=4, bulk=2) if quick else Size(files=470, patches=20, bulk=200)
    made = make(scratch / "ws", size)
    makers = {"dfetch": dfetch_update, "quilt": quilt_push, "stg": stg_import}
    subjects = [
        cold_sync(OURS, made),
        *(maker(made, found) for name, maker in makers.items() if (found := peers.find(name))),
    ]
    subjects += [git_am(made), git_submodule(made)]
    subjects += [git_subtree(made)] if peers.has_subtree() else []
    rows = in_turn(subjects, 1 if quick else 3, warm=not quick)
    return Result(
        size={"files": size.files, "patches": size.patches, "MiB of upstream": size.bulk},
        tables={"cold": Table(rows=tuple(map(_aimed, rows)), base=OURS)},
        not_measured=peers.missing(*makers) + (() if peers.has_subtree() else ("git has no subtree command",)),
    )


def _aimed(row: Row) -> Row:
    return replace(row, target=_TARGET) if row.name == OURS else row


def dfetch_update(made: Made, program: str) -> Subject:
    """The same folder and the same patches through dfetch."""
    names = _patches(made)
    revision = call("git", "rev-parse", "v1^{commit}", cwd=made.upstream("up0"), env=made.env).decode().strip()
    manifest = (
        "manifest:\n  version: '0.0'\n  remotes:\n    - name: local\n"
        f"      url-base: file://{made.base}\n  projects:\n    - name: up0\n      dst: vendored/up0\n"
        f"      src: kernels\n      repo-path: up0.git\n      revision: {revision}\n      patch:\n"
        + "".join(f"        - patches/up0/{name}\n" for name in names)
    )
    copy = fresh_copy(made, "patches")

    def prepare() -> Path:
        folder = copy()
        for name in names:  # dfetch applies patches from inside the fetched folder
            file = folder / "patches/up0" / name
            file.write_bytes(file.read_bytes().replace(b" a/kernels/", b" a/").replace(b" b/kernels/", b" b/"))
        (folder / "dfetch.yaml").write_text(manifest)
        return folder

    return Subject(name="dfetch update", command=[program, "update"], prepare=prepare, environment=made.env)


def git_am(made: Made) -> Subject:
    files = [str(made.root / "patches/up0" / name) for name in _patches(made)]
    command = ["git", "am", "-q", *files]
    return Subject(name="git am", command=command, prepare=_checkout(made), environment=made.env)


def stg_import(made: Made, program: str) -> Subject:
    command = [program, "import", "--series", str(made.root / "patches/up0/series")]
    prepare = _checkout(made, [program, "init"])
    return Subject(name="stg import --series", command=command, prepare=prepare, environment=made.env)


def quilt_push(made: Made, program: str) -> Subject:
    def prepare() -> Path:
        folder = Path(tempfile.mkdtemp(dir=made.base)) / "quilt"
        shutil.copytree(made.root / "vendored/up0", folder)
        shutil.copytree(made.root / "patches/up0", folder / "patches")
        return folder

    command = [program, "push", "-q", "-a"]
    return Subject(name="quilt push -a", command=command, prepare=prepare, environment=made.env)


def git_submodule(made: Made) -> Subject:
    """The whole upstream at one commit, without its history."""
    url = made.upstream("up0").as_uri()
    command = ["git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--depth=1", url, "vendored"]
    return Subject(
        name="git submodule add",
        command=command,
        prepare=_empty_repository(made),
        environment=made.env,
    )


def git_subtree(made: Made) -> Subject:
    """The whole upstream at one commit, as a commit of ours."""
    command = ["git", "subtree", "add", "-q", "--prefix=vendored", "--squash", made.upstream("up0").as_uri(), "v1"]
    return Subject(
        name="git subtree add --squash",
        command=command,
        prepare=_empty_repository(made),
        environment=made.env,
    )


def _patches(made: Made) -> list[str]:
    return (made.root / "patches/up0/series").read_text().split()


def _checkout(made: Made, *then: list[str]) -> Callable[[], Path]:
    """Copies of a git repository that holds the pristine files, which somebody has made already."""
    base = Path(tempfile.mkdtemp(dir=made.base)) / "base"
    shutil.copytree(made.root / "vendored/up0", base)
    words = (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "base"])
    for command in (*(["git", *each] for each in words), *then):
        call(*command, cwd=base, env=made.env)

    def prepare() -> Path:
        folder = Path(tempfile.mkdtemp(dir=made.base)) / "checkout"
        shutil.copytree(base, folder)
        return folder

    return prepare


def _empty_repository(made: Made) -> Callable[[], Path]:
    def prepare() -> Path:
        folder = Path(tempfile.mkdtemp(dir=made.base)) / "repository"
        folder.mkdir()
        for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "base"]):
            subprocess.run(["git", *words], cwd=folder, env=made.env, check=True)
        return folder

    return prepare


if __name__ == "__main__":
    run(measure, __doc__)
