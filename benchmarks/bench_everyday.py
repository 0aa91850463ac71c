# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What is run many times a day: start-up, verify, a sync with nothing to do; in workspaces of three sizes.

`sha256sum --check` and `git status` stand beside verify: what a team without a tool would run over the same files.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import Result, Row, Table
from benchmarks.suite import PYTHON, cold_sync, fresh_copy, in_place, run
from benchmarks.timing import Subject, in_turn
from benchmarks.workspaces import VENDORCTL, Made, Size, call, make

_USUAL = {"vendorctl --help": 0.15, "vendorctl verify": 0.3, "vendorctl sync, nothing to do": 0.3}
_LARGE = {"vendorctl verify": 2.0}

#: Seconds that every connection to the far servers takes to come about.
_DELAY = 0.2


def measure(scratch: Path, *, quick: bool) -> Result:
    usual = make(scratch / "usual", Size(files=20, patches=2) if quick else Size(files=500, patches=20))
    large = make(scratch / "large", Size(files=60, patches=4) if quick else Size(files=10_000, patches=500))
    many = make(scratch / "many", Size(upstreams=3, files=5, patches=1) if quick else
                Size(upstreams=50, files=200, patches=10))  # fmt: skip
    rounds, often, warm = (1, 1, False) if quick else (3, 7, True)
    count = many.size.upstreams
    return Result(
        size={"files": usual.size.files, "patches": usual.size.patches, "files, large": large.size.files,
              "patches, large": large.size.patches, "upstreams, many": many.size.upstreams,
              "files of each, many": many.size.files, "patches of each, many": many.size.patches},
        tables={
            "usual": _table([bare_python(usual), *commands(usual), *peers(usual)], _USUAL, often, warm=warm),
            "large": _table([*commands(large)[1:], *peers(large)], _LARGE, rounds, warm=warm),
            "many": _table(commands(many)[1:], {}, rounds, warm=warm),
            "fresh": _table([cold_sync("vendorctl sync, one upstream", large),
                             cold_sync(f"vendorctl sync, {count} upstreams", many)], {}, 1, warm=False),
            "far": _table([far(many, scratch, 1), far(many, scratch, count)], {}, rounds, warm=False),
        },
    )  # fmt: skip


def _table(subjects: list[Subject], targets: dict[str, float], rounds: int, *, warm: bool) -> Table:
    rows: list[Row] = in_turn(subjects, rounds, warm=warm)
    return Table(rows=tuple(replace(row, target=targets.get(row.name)) for row in rows))


def bare_python(made: Made) -> Subject:
    """What no Python program can be faster than."""
    command = [PYTHON, "-c", "pass"]
    return Subject(name="python -c pass", command=command, prepare=lambda: made.root, environment=made.env)


def commands(made: Made) -> list[Subject]:
    return [
        in_place("vendorctl --help", made, "--help"),
        in_place("vendorctl verify", made, "verify"),
        in_place("vendorctl sync, nothing to do", made, "sync"),
        in_place("vendorctl diff-upstream", made, "-q", "diff-upstream"),
        in_place("vendorctl status", made, "-q", "status"),
    ]


def peers(made: Made) -> list[Subject]:
    """Both trees hashed against a list, and git's look at a work tree that it knows."""
    folder = made.base / "peers"
    folder.mkdir()
    (folder / "vendored").symlink_to(made.root / "vendored")
    (folder / "patched").symlink_to(made.root / ".vendorctl/patched")
    sums = call("sh", "-c", "find -L . -type f | sort | xargs sha256sum", cwd=folder, env=made.env)
    (folder / "sums").write_bytes(sums)
    work = made.base / "work-tree"
    shutil.copytree(made.root / "vendored", work / "vendored")
    shutil.copytree(made.root / ".vendorctl/patched", work / "patched")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"], ["status"]):
        call("git", *words, cwd=work, env=made.env)
    check = ["sha256sum", "--check", "--quiet", "sums"]
    return [
        Subject(name="sha256sum --check", command=check, prepare=lambda: folder, environment=made.env),
        Subject(name="git status", command=["git", "status"], prepare=lambda: work, environment=made.env),
    ]


def far(made: Made, scratch: Path, count: int) -> Subject:
    """A sync with an empty cache from `count` upstreams on servers whose connections take a while to come about."""
    connection = scratch / f"connection{count}"
    connection.write_text(f'#!/bin/sh\nsleep {_DELAY}\nfor last; do :; done\nexec sh -c "$last"\n')
    connection.chmod(0o755)
    copy = fresh_copy(made, "patches")
    document = (made.root / "VENDOR.yaml").read_text()
    text = document.replace("url: ../", f"url: ssh://far.example{made.base}/")
    cache = tempfile.mkdtemp(dir=scratch)

    def prepare() -> Path:
        shutil.rmtree(cache, ignore_errors=True)
        folder = copy()
        (folder / "VENDOR.yaml").write_text(text)
        return folder

    names = made.names[:count]
    return Subject(
        name=f"vendorctl sync, {count} {'upstream' if count == 1 else 'upstreams'}",
        command=[*VENDORCTL, "sync", *names],
        prepare=prepare,
        environment=made.env | {"VENDORCTL_CACHE": cache, "GIT_SSH_COMMAND": str(connection), "GIT_SSH_VARIANT": "ssh"},
    )


if __name__ == "__main__":
    run(measure, __doc__)
