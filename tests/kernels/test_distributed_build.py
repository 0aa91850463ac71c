# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Builds and tests on a real Dask cluster, through the command line: the bytes of this machine, come what may."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support import tinykern
from support.cluster import Cluster
from support.hermetic import hermetic_environment
from support.repo import Changes, repo
from vendorctl import proc
from vendorctl.cli import main
from vendorctl.errors import ExitCode

ROWS = 8
KERNELS = """
kernels:
  recipes: [recipes/scale.py]
  targets: [gfx942, gfx11-generic]
  toolchain: {flydsl: "VERSION"}
"""
#: The recipe of the tests of tests, with more rows, each of which takes its time: somebody is killed meanwhile.
MANY = tinykern.TESTED_RECIPE.replace(
    '        yield row(dtype="f16")\n        yield row(dtype="f32")\n',
    f'        for step in range({ROWS}):\n            yield row(dtype="f16" if step % 2 else "f32", step=step)\n',
).replace(
    "        from tinykern.scale import build_scale\n",
    "        import time\n\n        from tinykern.scale import build_scale\n\n        time.sleep(0.8)\n",
)
assert "sleep" in MANY


@dataclass(frozen=True)
class Farm:
    """A workspace that was built and tested on this machine, and a cluster."""

    root: Path
    cluster: Cluster
    tested: dict[str, Any]


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    base = tmp_path_factory.mktemp("farm")
    cluster = Cluster(base / "cluster")
    cluster.folder.mkdir()
    wanted = hermetic_environment(base / "home", os.environ)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in wanted.items():
            patch.setenv(name, value)
        root = make_workspace(base)
        try:
            cluster.start_scheduler()
            for number in range(4):
                cluster.start_worker(f"w{number}")
            assert main(["-C", str(root), "-q", "build", "--jobs", "2"]) == 0
            tested = run(base, root, "test", "--jobs", "2")
            cluster.wait_for_workers(4)
            yield Farm(root, cluster, tested)
        finally:
            cluster.close()


def make_workspace(base: Path) -> Path:
    files: Changes = {n.removeprefix("patched/"): text for n, text in tinykern.FILES.items() if "patched" in n}
    upstream = repo(base / "upstream", files)
    root = base / "ws"
    root.mkdir()
    for arguments in (["init"], ["add", "tinykern", upstream.path.as_uri(), "--include", "tinykern/**"], ["sync"]):
        assert main(["-C", str(root), "-q", *arguments]) == 0
    tinykern.write_files(root, {"recipes/scale.py": MANY})
    described = root / "VENDOR.yaml"
    described.write_text(described.read_text() + KERNELS.replace("VERSION", importlib.metadata.version("flydsl")))
    return root


@pytest.fixture
def root(farm: Farm, tmp_path: Path) -> Path:
    """A copy of the workspace, with nothing built, and no cache filled."""
    copy = tmp_path / "ws"
    shutil.copytree(farm.root, copy, symlinks=True)
    shutil.rmtree(copy / "objects")
    return copy


def run(base: Path, root: Path, *words: str, code: int = 0) -> dict[str, Any]:
    """The JSON document of a command, which runs in a process of its own, as users run it."""
    done = proc.run(
        [sys.executable, "-m", "vendorctl", "-C", str(root), "--format", "json", *words], cwd=base, timeout=240
    )
    assert done.status == code, done.error_text()
    found: dict[str, Any] = json.loads(done.stdout)
    return found | {"stderr": done.stderr.decode()}


def files(root: Path) -> dict[str, bytes]:
    """Objects and manifests."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in (root / "objects").rglob("*.*")}


def results(document: dict[str, Any]) -> dict[str, Any]:
    """What a test found, without what it printed on the way."""
    return {name: value for name, value in document.items() if name != "stderr"}


def cached(folder: Path) -> int:
    return sum(1 for path in folder.glob("vendorctl/objects/*/*") if not path.name.startswith("."))


def caches() -> Path:
    return Path(os.environ["HOME"]) / ".cache"


def when_cached(count: int, act: Any) -> threading.Thread:
    """Call `act` as soon as so many objects are in the cache."""
    folder = caches()

    def watch() -> None:
        end = time.monotonic() + 200
        while cached(folder) < count and time.monotonic() < end:
            time.sleep(0.05)
        act()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_the_bytes_of_a_local_build_while_a_worker_is_killed(farm: Farm, root: Path, tmp_path: Path) -> None:
    at = ("--executor", farm.cluster.spec)
    killer = when_cached(3, lambda: farm.cluster.kill("w1"))
    report = run(tmp_path, root, "build", *at)
    killer.join()
    farm.cluster.start_worker("w1")
    assert report["counts"] == {"objects": 2 * ROWS, "compiled": 2 * ROWS}
    assert "is lost" in report["stderr"]
    assert files(root) == files(farm.root)
    assert len(files(root)) == 2 * ROWS + 3  # two manifests, .gitignore
    assert run(tmp_path, root, "check", "--require")["findings"] == []
    again = run(tmp_path, root, "build", "--verify", *at)
    assert again["counts"] == {"objects rebuilt": 2 * ROWS, "identical": 2 * ROWS}
    assert results(run(tmp_path, root, "test", *at)) == results(farm.tested)


def test_other_sources_give_other_bytes_there_too(farm: Farm, root: Path, tmp_path: Path) -> None:
    """The control for the comparison above: it does see a difference."""
    kernel = root / ".vendorctl/patched/tinykern/tinykern/scale.py"
    kernel.write_text(kernel.read_text().replace("BLOCK = 64", "BLOCK = 128"))
    run(tmp_path, root, "build", "--target", "gfx942", "--executor", farm.cluster.spec)
    here, there = files(farm.root), files(root)
    changed = [name for name in there if name.endswith(".hsaco") and there[name] != here[name]]
    assert len(changed) == ROWS


def test_a_client_that_is_killed_loses_no_finished_object(farm: Farm, root: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "vendorctl", "-C", str(root), "build", "--executor", farm.cluster.spec]
    with (tmp_path / "log").open("wb") as log:
        client = proc.start(words, cwd=tmp_path, env=os.environ, stderr=log)
    when_cached(3, lambda: client.send_signal(signal.SIGKILL)).join()
    assert client.wait(timeout=60) == -signal.SIGKILL
    kept = cached(caches())
    assert kept >= 3
    counts = run(tmp_path, root, "build", "--executor", farm.cluster.spec)["counts"]
    assert counts["objects"] == 2 * ROWS
    assert counts["from cache"] == kept
    assert files(root) == files(farm.root)


def test_an_interrupted_client_loses_no_finished_object(farm: Farm, root: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "vendorctl", "-C", str(root), "build", "--executor", farm.cluster.spec]
    # A shell's background jobs ignore the signal, and so would what they start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with (tmp_path / "log").open("wb") as log:
        client = proc.start(words, cwd=tmp_path, env=os.environ, stderr=log)
    signal.signal(signal.SIGINT, before)
    when_cached(2, lambda: client.send_signal(signal.SIGINT)).join()
    assert client.wait(timeout=60) == ExitCode.INTERRUPTED
    kept = cached(caches())
    assert run(tmp_path, root, "build", "--executor", farm.cluster.spec)["counts"]["from cache"] == kept >= 2


def test_a_row_that_fails_is_reported_with_its_log_and_is_not_tried_again(
    farm: Farm, root: Path, tmp_path: Path
) -> None:
    recipe = root / "recipes/scale.py"
    hook = '        if instance.number("step") == 3:\n            raise ValueError("no such step")\n'
    place = "        from tinykern.scale import build_scale\n"
    recipe.write_text(recipe.read_text().replace(place, hook + place))
    report = run(tmp_path, root, "build", "--keep-going", "--executor", farm.cluster.spec, code=6)
    assert report["counts"]["failed"] == 2
    assert report["counts"]["compiled"] == 2 * ROWS - 2
    assert {finding["rule"] for finding in report["findings"]} == {"VC501"}
    logs = list((root / ".vendorctl/build").rglob("*.log"))
    assert len(logs) == 2
    assert all("no such step" in log.read_text() for log in logs)


def test_workers_with_another_compiler_are_refused_by_name(farm: Farm, root: Path, tmp_path: Path) -> None:
    metadata = tmp_path / "other" / "flydsl-9.9.9.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text("Metadata-Version: 2.1\nName: flydsl\nVersion: 9.9.9\n")
    other = Cluster(tmp_path / "cluster")
    other.folder.mkdir()
    try:
        other.start_scheduler()
        other.start_worker("wrong", environment={"PYTHONPATH": str(metadata.parents[1])})
        wrong = other.wait_for_workers(1)["wrong"]
        error = run(tmp_path, root, "build", "--executor", other.spec, code=ExitCode.TOOL_MISSING)
        needed = importlib.metadata.version("flydsl")
        assert f"{wrong}: it has flydsl 9.9.9, and flydsl {needed} is needed" in error["message"]
        other.start_worker("right")
        other.wait_for_workers(2)
        report = run(tmp_path, root, "build", "--target", "gfx942", "--executor", other.spec)
        assert report["counts"] == {"objects": ROWS, "compiled": ROWS}
        assert f"worker {wrong} is not used" in report["stderr"]
    finally:
        other.close()
