# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the main job costs, side by side with what a user would pick instead: dfetch, `git am` and quilt.

Makes a large upstream, vendors one folder of it with a series of patches, and times whole commands in turn. A peer that
is not installed is reported as such. Prints one JSON object; times are seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.timing import Subject, in_turn, machine

VENDORCTL = (sys.executable, "-m", "vendorctl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much to make: selected files, patches, and MiB of other content in the upstream."""

    files: int
    patches: int
    bulk: int


def environment(home: Path) -> dict[str, str]:
    """Hermetic: a home of its own, no user configuration."""
    home.mkdir(parents=True, exist_ok=True)
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
           for what, value in (("NAME", "Bench"), ("EMAIL", "bench@example.org"))}  # fmt: skip
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "VENDORCTL_CACHE": str(home / "cache"),
        "SOURCE_DATE_EPOCH": "1767225600",
        **who,
    }


def call(*command: str, cwd: Path, env: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: {(done.stdout + done.stderr).decode('utf-8', 'replace')[-2000:]}")


def content(number: int, rng: random.Random) -> bytes:
    lines = [
        f"def build_{number}_{at}(rows, width={rng.randint(1, 999)}):\n    return rows * {at}\n" for at in range(90)
    ]
    return "\n".join(lines).encode()


def make_upstream(folder: Path, size: Size, env: dict[str, str]) -> None:
    """A bare repository with one commit: `kernels/` is what gets vendored, `data/` is bulk that nobody selects."""
    call("git", "init", "-q", "--bare", "-b", "main", str(folder), cwd=folder.parent, env=env)
    # Piece by piece: what this process holds in memory would count as its children's peak.
    with subprocess.Popen(["git", "fast-import", "--quiet"], cwd=folder, env=env, stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        for piece in _stream(size):
            importer.stdin.write(piece)
    call("git", "tag", "v1", "main", cwd=folder, env=env)


def _stream(size: Size) -> Iterator[bytes]:
    rng = random.Random(20261129)
    yield b"commit refs/heads/main\ncommitter Bench <bench@example.org> 1767225600 +0000\ndata 7\nInitial\n"
    for number in range(size.files):
        yield _inline(f"kernels/part{number % 20}/kernel{number}.py", content(number, rng))
    for number in range(size.bulk):
        yield _inline(f"data/blob{number}.bin", rng.randbytes(1 << 20))


def _inline(path: str, data: bytes) -> bytes:
    return f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"


def make_workspace(root: Path, upstream: Path, size: Size, env: dict[str, str]) -> None:
    """A synced workspace whose series changes one line in as many files as there are patches (or files)."""
    root.mkdir()
    run = [*VENDORCTL, "-q"]
    call(*run, "init", cwd=root, env=env)
    call(*run, "add", "up", f"../{upstream.name}", "--ref", "v1", "--include", "kernels/**", cwd=root, env=env)
    call(*run, "sync", cwd=root, env=env)
    record_many(root, size.patches, env)


def record_many(root: Path, count: int, env: dict[str, str]) -> None:
    """Record `count` patches, each an edit of one line."""
    patched = root / ".vendorctl/patched/up"
    files = sorted(patched.rglob("*.py"))
    for number in range(count):
        file = files[number % len(files)]
        lines = file.read_text().splitlines(keepends=True)
        at = 3 * (number // len(files) % 60) + 11
        lines[at] = lines[at].rstrip("\n") + f"  # changed {number}\n"
        file.write_text("".join(lines))
        call(*VENDORCTL, "-q", "patch", "record", "up", "--title", f"Change {number}", "--reason", "benchmark",
             cwd=root, env=env)  # fmt: skip


def fresh_copy(source: Path, scratch: Path, *parts: str) -> Callable[[], Path]:
    """A function that makes a new folder with `parts` of `source` in it."""

    def prepare() -> Path:
        folder = Path(tempfile.mkdtemp(dir=scratch)) / "ws"
        folder.mkdir()
        for part in parts:
            if (source / part).is_dir():
                shutil.copytree(source / part, folder / part)
            else:
                shutil.copy2(source / part, folder / part)
        (folder.parent / "up.git").symlink_to(scratch / "up.git")
        return folder

    return prepare


def cold_sync(scratch: Path, root: Path, env: dict[str, str]) -> Subject:
    prepare = fresh_copy(root, scratch, "VENDOR.yaml", "VENDOR.lock", "patches")

    def without_cache() -> Path:
        shutil.rmtree(env["VENDORCTL_CACHE"], ignore_errors=True)
        return prepare()

    return Subject(name="vendorctl sync", command=[*VENDORCTL, "sync"], prepare=without_cache, environment=env)


def dfetch_update(scratch: Path, root: Path, env: dict[str, str], program: str) -> Subject:
    """The same folder and the same patches through dfetch."""
    names = sorted(path.name for path in (root / "patches/up").glob("*.patch"))
    revision = subprocess.run(
        ["git", "rev-parse", "v1^{commit}"], cwd=scratch / "up.git", env=env, capture_output=True, check=True
    ).stdout.decode().strip()  # fmt: skip
    manifest = (
        "manifest:\n  version: '0.0'\n  remotes:\n    - name: local\n"
        f"      url-base: file://{scratch}\n  projects:\n    - name: up\n      dst: vendored/up\n      src: kernels\n"
        f"      repo-path: up.git\n      revision: {revision}\n      patch:\n"
        + "".join(f"        - patches/up/{name}\n" for name in names)
    )
    copy = fresh_copy(root, scratch, "patches")

    def prepare() -> Path:
        folder = copy()
        for name in names:  # dfetch applies patches from inside the fetched folder
            file = folder / "patches/up" / name
            file.write_bytes(file.read_bytes().replace(b" a/kernels/", b" a/").replace(b" b/kernels/", b" b/"))
        (folder / "dfetch.yaml").write_text(manifest)
        return folder

    return Subject(name="dfetch update", command=[program, "update"], prepare=prepare, environment=env)


def git_am(scratch: Path, root: Path, env: dict[str, str]) -> Subject:
    """Only the patching: `git am` on a checkout of the selected folder, which somebody has made already."""
    base = scratch / "am-base"
    shutil.copytree(root / "vendored/up", base)
    call("git", "init", "-q", cwd=base, env=env)
    call("git", "add", ".", cwd=base, env=env)
    call("git", "commit", "-q", "-m", "base", cwd=base, env=env)
    patches = [str(path) for path in sorted((root / "patches/up").glob("*.patch"))]

    def prepare() -> Path:
        folder = Path(tempfile.mkdtemp(dir=scratch)) / "am"
        shutil.copytree(base, folder)
        return folder

    return Subject(name="git am", command=["git", "am", "-q", *patches], prepare=prepare, environment=env)


def quilt_push(scratch: Path, root: Path, env: dict[str, str]) -> Subject:
    """Only the patching: `quilt push -a` on the pristine files."""

    def prepare() -> Path:
        folder = Path(tempfile.mkdtemp(dir=scratch)) / "quilt"
        shutil.copytree(root / "vendored/up", folder)
        shutil.copytree(root / "patches/up", folder / "patches")
        return folder

    return Subject(name="quilt push -a", command=["quilt", "push", "-q", "-a"], prepare=prepare, environment=env)


def in_place(name: str, root: Path, env: dict[str, str], *words: str) -> Subject:
    return Subject(name=name, command=[*VENDORCTL, *words], prepare=lambda: root, environment=env)


def find_dfetch(given: str | None) -> str | None:
    return given or shutil.which("dfetch")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=470)
    parser.add_argument("--patches", type=int, default=20)
    parser.add_argument("--bulk", type=int, default=200, help="MiB of other content in the upstream")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dfetch", help="dfetch program (PyPI), when not on PATH")
    options = parser.parse_args()
    size = Size(files=options.files, patches=options.patches, bulk=options.bulk)
    with tempfile.TemporaryDirectory(prefix="vendorctl-bench-") as name:
        print(json.dumps(measure(Path(name).resolve(), size, options.rounds, find_dfetch(options.dfetch)), indent=2))


def measure(scratch: Path, size: Size, rounds: int, dfetch: str | None) -> dict[str, object]:
    """All subjects of one size. Ratios are peer over vendorctl, wall clock: above 1, vendorctl is faster."""
    env = environment(scratch / "home")
    make_upstream(scratch / "up.git", size, env)
    root = scratch / "root"
    make_workspace(root, scratch / "up.git", size, env)
    missing = [name for name, there in (("dfetch", dfetch), ("quilt", shutil.which("quilt"))) if not there]
    cold = [cold_sync(scratch, root, env)]
    cold += [dfetch_update(scratch, root, env, dfetch)] if dfetch else []
    cold += [git_am(scratch, root, env)]
    cold += [quilt_push(scratch, root, env)] if shutil.which("quilt") else []
    first = in_turn(cold, rounds)
    steady = in_turn(
        [
            in_place("vendorctl --help", root, env, "--help"),
            in_place("vendorctl verify", root, env, "verify"),
            in_place("vendorctl sync, nothing to do", root, env, "sync"),
            in_place("vendorctl diff-upstream", root, env, "-q", "diff-upstream"),
        ],
        rounds,
    )
    ours = first["vendorctl sync"]["wall"]
    return {
        "machine": machine(),
        "size": {"files": size.files, "patches": size.patches, "upstream_mib": size.bulk},
        "cold": first,
        "ratios_to_vendorctl_sync": {
            name: round(values["wall"] / ours, 2) for name, values in first.items() if name != "vendorctl sync"
        },
        "steady": steady,
        "not_measured": missing,
    }


if __name__ == "__main__":
    main()
