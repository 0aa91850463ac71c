# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What finding the base of a hand-made copy costs, by the length of upstream's history.

An upstream of many commits over some modules, all of which were copied from a commit in the middle with a few edits
each. The search starts with an empty cache, so it fetches too.
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from benchmarks.results import Result, Row, Table
from benchmarks.suite import run
from support.hermetic import hermetic_environment
from support.repo import Changes, repo
from vendorctl.adoption.candidates import read_copy
from vendorctl.adoption.search import Origin, find_bases, search_history
from vendorctl.git.oid import hash_blob
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.progress import Silent
from vendorctl.upstream.cache import Cache

#: Lines of one module, and how many of them a commit or a person changes.
LINES, EDITS = 300, 6


def lines(source: random.Random, count: int) -> list[str]:
    return [f"    value_{source.randrange(10**6)} = tile[{source.randrange(64)}]\n" for _ in range(count)]


def edited(source: random.Random, text: str) -> str:
    rows = text.splitlines(keepends=True)
    for row in lines(source, EDITS):
        rows[source.randrange(len(rows))] = row
    return "".join(rows)


def history(source: random.Random, commits: int, files: int) -> tuple[list[Changes], dict[str, str]]:
    """The commits, and the state in the middle."""
    state = {f"kernels/k{number % 7}/m{number}.py": "".join(lines(source, LINES)) for number in range(files)}
    changes: list[Changes] = [dict(state.items())]
    middle = dict(state)
    for number in range(1, commits):
        touched = source.sample(sorted(state), 2)
        state |= {path: edited(source, state[path]) for path in touched}
        changes.append({path: state[path] for path in touched})
        if number == commits // 2:
            middle = dict(state)
    return changes, middle


def measure(scratch: Path, *, quick: bool) -> Result:
    """One search; it must find the right commit."""
    commits, files = (20, 8) if quick else (3000, 100)
    source = random.Random(1)
    os.environ.update(hermetic_environment(scratch / "home", os.environ))
    changes, middle = history(source, commits, files)
    upstream = repo(scratch / "up", *changes)
    texts = {path.replace("/", "_"): edited(source, text).encode() for path, text in middle.items()}
    blobs = {hash_blob(text): text for text in texts.values()}
    copy = Tree({path.encode(): Entry(Mode.FILE, hash_blob(text)) for path, text in texts.items()})
    opened = Cache(scratch / "cache", progress=Silent()).open(f"file://{upstream.path}", scratch)
    start = time.perf_counter()
    found = search_history(Origin("up", opened.url), opened, read_copy(copy, blobs), Silent())
    (result,) = find_bases([found])
    seconds = time.perf_counter() - start
    if result.chosen.commit != upstream.commits[commits // 2]:
        raise RuntimeError(f"the search found {result.chosen.commit}, which is not where the copy is from")
    return Result(
        size={"commits": commits, "files": files, "versions of files": 2 * commits + files},
        tables={"adopt": Table(rows=(Row(name="find the commit that a copy came from", wall=seconds),))},
    )


if __name__ == "__main__":
    run(measure, __doc__)
