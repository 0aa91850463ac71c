# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a bump and a drift report cost, side by side with `git rebase` and `git range-diff` on the same commits.

Makes an upstream of `--commits` commits over `--files` kernel modules, with a release at both ends, and a series of
`--patches` patches. Prints one JSON object. Times are seconds, the best of `--rounds`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.chains import Shelf
from support.hermetic import hermetic_environment
from support.repo import Changes, Repo, repo
from vendorctl.drift.measure import measure_drift, tracked_ref
from vendorctl.drift.report import drift_report
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Tree
from vendorctl.licenses.facts import scan
from vendorctl.progress import Silent
from vendorctl.series.bump import BumpPlan, BumpRequest, plan_bump
from vendorctl.series.content import ContentMerger
from vendorctl.series.dressing import Dressing
from vendorctl.series.stack import Applied
from vendorctl.series.workspace import Standing
from vendorctl.upstream.cache import Cache
from vendorctl.workspace.lock import LockedFile, LockedUpstream
from vendorctl.workspace.manifest import Store, Upstream

_Result = TypeVar("_Result")


def best(rounds: int, function: Callable[[], _Result]) -> tuple[float, _Result]:
    """The shortest time of several runs, and the last result."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return round(min(times), 3), result


def module(number: int, functions: int = 25) -> str:
    text = f'"""Kernel {number}."""\n\nimport math\n'
    for index in range(functions):
        text += f"\n\ndef build_{number}_{index}(rows, width={index + 1}):\n    lanes = width * {number + 2}\n"
        text += f"    for step in range(math.ceil(rows / lanes)):  # {number} {index}\n        yield step * {index}\n"
    return text


def make_upstream(folder: Path, files: int, commits: int, rng: random.Random) -> Repo:
    current = {f"kernels/k{number}.py": module(number) for number in range(files)}
    history: list[Changes] = [dict(current.items())]
    for number in range(commits):
        path = rng.choice(sorted(current))
        lines = current[path].splitlines(keepends=True)
        lines.insert(rng.randrange(4, len(lines)), f"# commit {number} touches this\n")
        current[path] = "".join(lines)
        history.append({path: current[path]})
    return repo(folder, *history)


def make_chain(shelf: Shelf, pristine: Tree, patches: int, rng: random.Random) -> Applied:
    files = shelf.files(pristine)
    states = []
    for number in range(1, patches + 1):
        path = rng.choice(sorted(files))
        lines = files[path].splitlines(keepends=True)
        lines.insert(rng.randrange(4, len(lines)), f"LOCAL_{number} = {number}\n")
        files = {**files, path: "".join(lines)}
        states.append(files)
    return shelf.chain(shelf.files(pristine), *states)


def bump(chain: Applied, new: Tree, shelf: Shelf) -> BumpPlan:
    with ContentMerger() as merger:
        request = BumpRequest(old=chain, new=new, blobs=shelf.blobs, halt=False)
        return plan_bump(request, merger)


def rebase(upstream: Repo, chain: Applied, rounds: int) -> tuple[float, float, int]:
    """Time of `git rebase` and of `git range-diff` over the same series, and how many commits it had to skip."""
    old, new = upstream.commits[0], upstream.commits[-1]
    upstream.git("checkout", "-q", "-f", "-B", "series", str(old))
    for patch in chain.series.patches:
        upstream.git("am", "-q", stdin=patch.raw)
    skipped = 0

    def run() -> None:
        nonlocal skipped
        skipped = 0
        upstream.git("checkout", "-q", "-f", "-B", "work", "series")
        upstream.git("rebase", "-q", "--onto", str(new), str(old), "work", check=False)
        while (upstream.git_dir / "rebase-merge").exists():
            skipped += 1
            upstream.git("rebase", "--skip", check=False)

    rebasing, _ = best(rounds, run)
    comparing, _ = best(rounds, lambda: upstream.git("range-diff", f"{old}..series", f"{new}..work"))
    return rebasing, comparing, skipped


def make_standing(upstream: Repo, chain: Applied, shelf: Shelf, folder: Path) -> Standing:
    manifest = Upstream(
        name="up",
        url=upstream.git_dir.as_uri(),
        pin=upstream.commits[0],
        ref=None,
        track="main",
        include=("kernels/**",),
        exclude=(),
        license=None,
        store=Store.FETCH,
        output=None,
    )
    pristine = chain.trees[0]
    locked = LockedUpstream(
        name="up",
        url=manifest.url,
        commit=manifest.pin,
        root_tree=pristine.oid,
        ref=None,
        files=tuple(
            LockedFile(path=path, mode=entry.mode, blob=entry.oid, sha256="", size=0)
            for path, entry in pristine.items()
        ),
        series=(),
        include=manifest.include,
        exclude=(),
    )
    return Standing(
        upstream=manifest,
        locked=locked,
        series=chain.series,
        applied=chain,
        dressing=Dressing({}, {}),
        output=chain.patched,
        folder=folder,
        blobs=shelf.blobs,
    )


def measure(commits: int, files: int, patches: int, rounds: int) -> dict[str, Any]:
    rng = random.Random(20)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ |= hermetic_environment(folder / "home", os.environ)
        upstream = make_upstream(folder / "up", files, commits, rng)
        cache = Cache(folder / "cache", progress=Silent())
        source = cache.open(upstream.git_dir.as_uri(), folder)
        shelf = Shelf()
        old, new = (load(source.tree(tip), upstream, tip, shelf) for tip in (upstream.commits[0], upstream.commits[-1]))
        chain = make_chain(shelf, old, patches, rng)
        bumping, plan = best(rounds, lambda: bump(chain, new, shelf))
        rebasing, comparing, skipped = rebase(upstream, chain, rounds)
        standing = make_standing(upstream, chain, shelf, folder / "out")
        source.fetch_history([upstream.commits[0], upstream.commits[-1]])

        def drift() -> int:
            with ContentMerger() as merger:
                tip = tracked_ref(source, standing.upstream)
                report = drift_report([measure_drift(standing, source, tip, scan, merger)])
            return report.counts["commits on vendored files"]

        drifting, touching = best(rounds, drift)
    return {
        "patches": patches,
        "upstream_commits": commits,
        "bump": bumping,
        "git_rebase": rebasing,
        "git_range_diff": comparing,
        "drift_with_bisection": drifting,
        "touching_commits": touching,
        "conflicts": len([outcome for outcome in plan.outcomes if outcome.new is None]),
        "git_rebase_conflicts": skipped,
    }


def load(tree: Tree, upstream: Repo, tip: Oid, shelf: Shelf) -> Tree:
    """The tree, with its contents put on the shelf."""
    for path, entry in tree.items():
        shelf.blobs.setdefault(entry.oid, upstream.read(path.decode(), str(tip)))
    return tree


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=500)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--patches", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(json.dumps(measure(options.commits, options.files, options.patches, options.rounds), indent=2))


if __name__ == "__main__":
    main()
