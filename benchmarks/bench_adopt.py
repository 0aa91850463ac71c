# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What finding the base of a hand-made copy costs, by the length of upstream's history.

Makes an upstream of `--commits` commits over `--files` modules, copies all of them from a commit in the middle with a
few edits each, and searches. Prints one JSON object. Times are seconds, cold cache.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=3000)
    parser.add_argument("--files", type=int, default=100)
    options = parser.parse_args()
    source = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        os.environ.update(hermetic_environment(base / "home", os.environ))
        changes, middle = history(source, options.commits, options.files)
        upstream = repo(base / "up", *changes)
        texts = {path.replace("/", "_"): edited(source, text).encode() for path, text in middle.items()}
        blobs = {hash_blob(text): text for text in texts.values()}
        copy = Tree({path.encode(): Entry(Mode.FILE, hash_blob(text)) for path, text in texts.items()})
        opened = Cache(base / "cache", progress=Silent()).open(f"file://{upstream.path}", base)
        start = time.perf_counter()
        found = search_history(Origin("up", opened.url), opened, read_copy(copy, blobs), Silent())
        (result,) = find_bases([found])
        seconds = time.perf_counter() - start
        right = result.chosen.commit == upstream.commits[options.commits // 2]
    rows = {"commits": options.commits, "files": options.files, "versions": 2 * options.commits + options.files}
    print(json.dumps(rows | {"seconds": round(seconds, 2), "right": right, "matched": len(result.matches)}))


if __name__ == "__main__":
    main()
