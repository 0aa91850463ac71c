# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A cache that machines share saves compiles, and cannot do anything else: not change a byte, not fail a build."""

from __future__ import annotations

import json
import multiprocessing
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kernels.conftest import Built
from support import tinykern
from support.s3 import BUCKET, S3, s3_server
from vendorctl import digest
from vendorctl.kernels.building.build import BuildOptions
from vendorctl.kernels.caching import entry
from vendorctl.kernels.caching.cache import ObjectCache
from vendorctl.kernels.caching.depot import FolderDepot
from vendorctl.kernels.caching.entry import Wanted
from vendorctl.kernels.caching.shared import SharedCache, open_shared
from vendorctl.kernels.compiler.compile import Compiled
from vendorctl.kernels.object import manifest
from vendorctl.kernels.object.target import find
from vendorctl.model import Report, Severity
from vendorctl.workspace.manifest import CachePlace

OBJECTS = 4


@pytest.fixture(scope="module")
def server() -> Iterator[S3]:
    pytest.importorskip("s3fs")
    with s3_server() as running:
        yield running


class Machine:
    """A machine of its own: a workspace without objects, and an empty cache. All share what `place` names."""

    def __init__(self, built: Built, folder: Path, place: str, environment: Mapping[str, str] | None = None) -> None:
        self.root = folder / "ws"
        self.own = folder / "own"
        shutil.copytree(built.project.root, self.root)
        for path in self.root.rglob("*.hsaco"):
            path.unlink()
        self.place = place
        self.environment = environment or {}

    def shared(self) -> SharedCache | None:
        return open_shared(CachePlace(url=self.place), self.root, self.environment)

    def build(self, shared: SharedCache | None = None, **options: Any) -> Report:
        """Build everything with `shared`, or what `place` names."""
        chosen = BuildOptions(jobs=2, **options)
        return tinykern.build(tinykern.project(self.root), self.own, chosen, shared=shared or self.shared()).report


@pytest.fixture
def machine(built_once: Built, tmp_path: Path) -> Callable[..., Machine]:
    count = iter(range(10))
    return lambda place, **rest: Machine(built_once, tmp_path / f"machine{next(count)}", str(place), **rest)


@pytest.fixture
def filled(built_once: Built, tmp_path: Path) -> Path:
    """A shared folder that holds every object: what a build stores there is what it stores in its own cache."""
    return Path(shutil.copytree(built_once.cache, tmp_path / "shared"))


def rules(report: Report) -> list[str]:
    assert {finding.severity for finding in report.findings} <= {Severity.WARNING}
    return sorted(finding.rule for finding in report.findings)


def entries(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_what_one_machine_builds_another_takes(
    machine: Callable[..., Machine], built_once: Built, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    report = machine(shared.as_uri()).build()
    assert report.counts == {"objects": OBJECTS, "compiled": OBJECTS}
    assert entries(shared) == entries(built_once.cache)
    second = machine(shared)
    report = second.build()
    assert (report.counts, report.findings) == ({"objects": OBJECTS, "from cache": OBJECTS}, ())
    assert entries(second.own) == entries(shared)
    # Now that they are here, the shared cache is not needed.
    shutil.rmtree(shared)
    for path in second.root.rglob("*.hsaco"):
        path.unlink()
    assert second.build().counts == {"objects": OBJECTS, "from cache": OBJECTS}


def test_over_s3_as_well_and_damage_there_is_replaced(
    machine: Callable[..., Machine], built_once: Built, server: S3
) -> None:
    place = f"s3://{BUCKET}/cache"
    cache = ObjectCache(built_once.cache)
    shared = machine(place).shared()
    assert shared is not None
    for wanted, result in everything(built_once):
        shared.offer(wanted.key, result)
    assert shared.settle() == []
    assert {key.rpartition("/")[2]: server.read(key) for key in server.names()} == entries(cache.folder)
    victim = server.names()[0]
    sound = server.read(victim)
    server.write(victim, sound[:-1] + bytes([sound[-1] ^ 1]))
    other = machine(place)
    report = other.build()
    assert report.counts == {"objects": OBJECTS, "from cache": OBJECTS - 1, "compiled": 1}
    assert rules(report) == ["VC542"]
    assert server.read(victim) == sound
    assert objects(other.root) == objects(built_once.project.root)


def everything(built: Built) -> list[tuple[Wanted, Compiled]]:
    """Every object of the built project with its key."""
    cache = ObjectCache(built.cache)
    found = []
    for path in sorted(built.project.root.rglob(manifest.FILE_NAME)):
        unit = manifest.parse(path.read_bytes(), "m")
        for record in unit.objects:
            wanted = Wanted(key=record.input, instance=record.instance, target=find(unit.target))
            result = cache.get(wanted.key, wanted.instance, wanted.target)
            assert result is not None
            found.append((wanted, result))
    assert len(found) == OBJECTS
    return found


def objects(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*.hsaco"))}


def poison(data: bytes) -> bytes:
    """An entry that is whole, and stamped as it was, around an object with other instructions."""
    wanted = data.partition(b"\n")[2]
    code = wanted + b"\0"  # after the section table: another file, the same kernel
    header = json.loads(data.partition(b"\n")[0])
    header["sha256"] = digest.sha256(code)
    return bytes(digest.canonical_json(header)) + b"\n" + code


DAMAGE: Mapping[str, Callable[[bytes], bytes]] = {
    "a flipped byte": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    "cut short": lambda data: data[: len(data) // 2],
    "empty": lambda _data: b"",
    "no header": lambda data: data.partition(b"\n")[2],
    "a name that is no text": lambda data: data.replace(b'"symbol":"', b'"symbol":"\\ud800'),
    "deep JSON": lambda _data: b"[" * 100_000,
}


@pytest.mark.parametrize("harm", DAMAGE)
def test_a_damaged_entry_is_left_out_said_and_replaced(
    machine: Callable[..., Machine], built_once: Built, filled: Path, harm: str
) -> None:
    victim = next(path for path in sorted(filled.rglob("*")) if path.is_file())
    sound = victim.read_bytes()
    victim.write_bytes(DAMAGE[harm](sound))
    shared = machine(filled).shared()
    assert shared is not None
    taken: dict[str, bytes] = {}
    shared.fetch(
        [wanted for wanted, _ in everything(built_once)], lambda wanted, data: taken.update({wanted.key: data})
    )
    assert set(taken) == set(entries(filled)) - {victim.name}
    result = next(result for wanted, result in everything(built_once) if wanted.key == victim.name)
    shared.offer(victim.name, result)
    (told,) = shared.settle()
    assert (told.rule, told.severity) == ("VC542", Severity.WARNING)
    assert "could not be used, and replaced" in told.message
    assert victim.name in (told.detail or "")
    assert victim.read_bytes() == sound


def test_an_object_of_another_target_is_left_out(built_once: Built, filled: Path) -> None:
    found = everything(built_once)
    first, second = (next(pair for pair in found if pair[0].target.name == name) for name in tinykern.TARGETS)
    shutil.copy(filled / second[0].key[:2] / second[0].key, filled / first[0].key[:2] / first[0].key)
    shared = SharedCache(lambda: FolderDepot(filled), "here")
    shared.fetch([first[0]], lambda *_: pytest.fail("it was taken"))
    assert [told.rule for told in shared.settle()] == ["VC542"]


def test_what_a_manifest_records_for_the_same_inputs_decides(
    machine: Callable[..., Machine], built_once: Built, filled: Path
) -> None:
    """Whoever can write to the shared cache can offer sound objects of their own making; a manifest refuses them."""
    for path in [path for path in filled.rglob("*") if path.is_file()]:
        path.write_bytes(poison(path.read_bytes()))
    lured = machine(filled)
    report = lured.build()
    assert report.counts == {"objects": OBJECTS, "compiled": OBJECTS}
    assert rules(report) == ["VC542", "VC542"]  # refused when read, and again met when written
    assert "differed from what the manifests record" in " ".join(finding.message for finding in report.findings)
    assert objects(lured.root) == objects(built_once.project.root)
    # The control: with no manifest to say what the inputs give, they are what the cache says.
    shutil.rmtree(lured.root / "objects")
    shutil.rmtree(lured.own)
    assert lured.build().counts == {"objects": OBJECTS, "from cache": OBJECTS}
    assert objects(lured.root) != objects(built_once.project.root)
    # And `--force`, which accepts bytes that differ from a manifest's, lifts the refusal.
    again = machine(filled)
    assert again.build(force=True).counts == {"objects": OBJECTS, "from cache": OBJECTS}


def test_read_only_machines_change_nothing(machine: Callable[..., Machine], built_once: Built, filled: Path) -> None:
    victim = next(path for path in sorted(filled.rglob("*")) if path.is_file())
    victim.unlink()
    other = next(path for path in sorted(filled.rglob("*")) if path.is_file())
    other.write_bytes(b"damaged")
    before = entries(filled)
    report = machine(filled, environment={"VENDORCTL_CACHE_READONLY": "1"}).build()
    assert report.counts == {"objects": OBJECTS, "from cache": OBJECTS - 2, "compiled": 2}
    assert entries(filled) == before
    assert "replaced" not in report.findings[0].message
    place = CachePlace(url=str(filled), write=False)
    wanted, result = everything(built_once)[0]
    for environment, written in (({}, False), ({"VENDORCTL_CACHE_READONLY": "0"}, True)):
        shutil.rmtree(filled, ignore_errors=True)
        shared = open_shared(place, Path("/"), environment)
        assert shared is not None
        shared.offer(wanted.key, result)
        assert shared.settle() == []
        assert filled.exists() is written


def _offer_everything(place: str, found: list[tuple[Wanted, Compiled]], start: Any, answers: Any) -> None:
    shared = open_shared(CachePlace(url=place), Path("/"), {})
    assert shared is not None
    start.wait()
    for wanted, result in found:
        shared.offer(wanted.key, result)
    answers.put([finding.rule for finding in shared.settle()])


@pytest.mark.parametrize("kind", ["folder", "s3"])
def test_several_writers_at_once_agree(built_once: Built, tmp_path: Path, server: S3, kind: str) -> None:
    place = str(tmp_path / "shared") if kind == "folder" else f"s3://{BUCKET}/race"
    spawn = multiprocessing.get_context("spawn")
    start, answers = spawn.Event(), spawn.Queue()
    found = everything(built_once)
    # One of them made something else of the same inputs.
    liar = [(wanted, replace(result, code=result.code + b"\0")) for wanted, result in found[:1]] + found[1:]
    writers = [
        spawn.Process(target=_offer_everything, args=(place, mine, start, answers)) for mine in (found, liar, found)
    ]
    for writer in writers:
        writer.start()
    start.set()
    told = [answers.get(timeout=120) for _ in writers]
    for writer in writers:
        writer.join()
    # Whoever was first, every writer that disagrees with it has seen so: the liar alone, or both others.
    assert sorted(map(len, told)) in ([0, 0, 1], [0, 1, 1])
    kept = entries(Path(place)) if kind == "folder" else {
        key.rpartition("/")[2]: server.read(key) for key in server.names() if key.startswith("race/")
    }  # fmt: skip
    honest = entries(built_once.cache)
    assert set(kept) == set(honest)
    assert {key for key in kept if kept[key] != honest[key]} <= {found[0][0].key}
    for wanted, _ in found:
        assert entry.load(kept[wanted.key], wanted.instance, wanted.target) is not None


class Broken:
    """A depot that fails in one way, and counts how often it was asked."""

    def __init__(self, fault: Callable[[], object]) -> None:
        self.asked = 0
        self._fault = fault
        self._lock = threading.Lock()

    def _fail(self) -> Any:
        with self._lock:
            self.asked += 1
        return self._fault()

    def read(self, _key: str, _most: int) -> bytes | None:
        self._fail()
        return None

    def create(self, _key: str, _data: bytes) -> bool:
        self._fail()
        return True

    def replace(self, _key: str, _data: bytes) -> None:
        self._fail()


def _refuse() -> object:
    raise PermissionError("access denied")


@pytest.mark.parametrize(
    ("fault", "words"), [(_refuse, "access denied"), (lambda: time.sleep(60), "no answer within 0.2 seconds")]
)
def test_a_cache_that_fails_is_given_up_and_fails_nothing(
    built_once: Built, fault: Callable[[], object], words: str
) -> None:
    depot = Broken(fault)
    shared = SharedCache(lambda: depot, "s3://away", seconds=0.2)
    wanted, result = everything(built_once)[0]
    began = time.monotonic()
    shared.fetch(
        [replace(wanted, key=f"{number:064}") for number in range(500)], lambda *_: pytest.fail("there is nothing")
    )
    for number in range(500):
        shared.offer(f"{number:064}", result)
    told = shared.settle()
    assert time.monotonic() - began < 10
    assert depot.asked < 100
    assert [(finding.rule, finding.severity) for finding in told] == [("VC543", Severity.WARNING)] * 2
    assert all(words in finding.message and "it was given up" in finding.message for finding in told)


def test_a_build_goes_on_without_its_shared_cache(
    machine: Callable[..., Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    lonely = machine("s3://away/cache")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    report = lonely.build()
    assert report.counts == {"objects": OBJECTS, "compiled": OBJECTS}
    assert rules(report) == ["VC543", "VC543"]
    assert "pip install 'vendorctl[cache]'" in (report.findings[0].hint or "")
