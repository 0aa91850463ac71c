# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Six patches over a living upstream, bumped through every release and back: trees equal those of `git rebase`."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from support.chains import Shelf
from support.repo import Content, Repo, repo
from vendorctl.series.patch import Patch
from vendorctl.series.stack import Applied

PATCHES = 6
RELEASES = 6


def kernel(name: str, functions: int) -> str:
    """A Python module in the shape of a kernel builder, every line of its own."""
    text = f'"""{name}: rows reduced in waves."""\n\nimport math\n\n'
    for number in range(functions):
        text += f"\ndef build_{name}_{number}(rows, width={number + 1}):\n"
        text += f"    lanes = width * {number + 2}  # {name} {number}\n"
        text += f"    steps = math.ceil(rows / (lanes + {number}))\n"
        text += f"    for step in range(steps):  # {name} {number}\n"
        text += f"        yield step * lanes + {number}, '{name}'\n\n"
    return text


def releases(seed: int) -> list[dict[str, str]]:
    """Upstream's releases: each edits, one adds a file, one moves the norm folder."""
    rng = random.Random(seed)
    files = {f"norm/{name}.py": kernel(name, 8) for name in ("rms", "layer")} | {
        "attention/flash.py": kernel("flash", 12),
        "common.py": kernel("common", 5),
    }
    history = [files]
    for release in range(1, RELEASES):
        files = {path: upstream_edit(text, release, rng) for path, text in files.items()}
        if release == 2:
            files["attention/decode.py"] = kernel("decode", 4)
        if release == 4:
            files = {path.replace("norm/", "kernels/norm/"): text for path, text in files.items()}
        history.append(files)
    return history


def upstream_edit(text: str, release: int, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    for number in range(3):
        at = rng.randrange(4, len(lines))
        if rng.random() < 0.5 and lines[at].startswith("    lanes"):
            lines[at] = lines[at].replace("width *", f"width + {release} *")
        else:
            lines.insert(at, f"# release {release} says {number} {rng.random()}\n")
    return "".join(lines)


def local_states(files: dict[str, str], seed: int) -> list[dict[str, str]]:
    """The downstream states: each patch inserts and changes a line in some file."""
    rng = random.Random(-seed)
    states = []
    for number in range(1, PATCHES + 1):
        path = rng.choice(sorted(path for path in files if path != "common.py"))
        lines = files[path].splitlines(keepends=True)
        changed = rng.choice([index for index, line in enumerate(lines) if line.startswith("    for step")])
        lines[changed] = lines[changed].replace("range(steps)", f"range({number}, steps)")
        lines.insert(rng.randrange(4, len(lines)), f"LOCAL_{number} = {number}\n")
        files = {**files, path: "".join(lines)}
        states.append(files)
    return states


class Rebaser:
    """The same series as commits, moved by `git rebase` with the user's defaults."""

    def __init__(self, folder: Path, history: list[dict[str, str]]) -> None:
        self.repo: Repo = repo(folder)
        for number, files in enumerate(history):
            before = history[number - 1] if number else {}
            changes: dict[str | bytes, Content] = {path: None for path in before if path not in files}
            changes.update(files.items())
            self.repo.commit(changes)
        self.repo.git("config", "user.name", "a")
        self.repo.git("config", "user.email", "a@example.org")
        self.tips = list(self.repo.commits)

    def start(self, chain: Applied, release: int) -> None:
        self.repo.git("checkout", "-q", "-f", "-B", "work", str(self.tips[release]))
        for patch in chain.series.patches:
            self.repo.git("am", "-q", "--keep-non-patch", stdin=patch.raw)

    def move(self, old: int, new: int) -> list[str]:
        """Rebase, leaving out what conflicts; returns the subjects left out."""
        left_out: list[str] = []
        self.repo.git("rebase", "-q", "--onto", str(self.tips[new]), str(self.tips[old]), "work", check=False)
        while (self.repo.git_dir / "rebase-merge").exists():
            left_out.append(self.repo.git("log", "-1", "--format=%s", "REBASE_HEAD").decode().strip())
            assert len(left_out) <= PATCHES
            self.repo.git("rebase", "--skip", check=False)
        return left_out

    def trees(self, release: int) -> list[str]:
        listed = self.repo.git("log", "--reverse", "--format=%T", f"{self.tips[release]}..work")
        return listed.decode().split()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_every_release_and_back_equals_git_rebase(tmp_path: Path, seed: int) -> None:
    history = releases(seed)
    shelf = Shelf()
    chain = shelf.chain(history[0], *local_states(history[0], seed))
    first = chain
    rebaser = Rebaser(tmp_path / "rebase", history)
    route = [*range(RELEASES), *range(RELEASES - 2, -1, -1)]
    for old, new in pairwise(route):
        rebaser.start(chain, old)
        left_out = rebaser.move(old, new)
        numbers = frozenset(int(re.findall(r"\d+", subject)[-1]) for subject in left_out)
        plan = shelf.bump(chain, history[new], skip=numbers)
        assert plan.applied is not None, plan.stuck
        assert [str(tree.oid) for tree in plan.applied.trees[1:]] == rebaser.trees(new)
        if numbers:
            assert shelf.bump(chain, history[new], skip=frozenset(sorted(numbers)[1:])).stuck is not None
        chain = plan.applied
    originals = {patch.file_name: patch for patch in first.series.patches}
    assert chain.series.patches
    for patch in chain.series.patches:
        assert changed_lines(patch) == changed_lines(originals[patch.file_name])
    if len(chain.series.patches) == PATCHES:
        assert [patch.raw for patch in chain.series.patches] == [patch.raw for patch in first.series.patches]


def changed_lines(patch: Patch) -> list[tuple[bytes, bytes]]:
    hunks = (hunk for change in patch.changes for hunk in change.hunks)
    return [(line.sign, line.text) for hunk in hunks for line in hunk.lines if line.sign != b" "]
