# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Shards hold exactly what they should, the census notices everything else, and consumers can select from them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kernels.conftest import Built
from support import tinykern
from vendorctl.errors import VendorError
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.shipping import shard
from vendorctl.kernels.shipping.descriptors import Declined, Selected, select
from vendorctl.kernels.shipping.pack import check_pack, pack
from vendorctl.model import Report
from vendorctl.workspace.transaction import Transaction

FAMILY = ("gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153")


def run_pack(project: Project) -> Report:
    return pack(project, lambda: Transaction(project.root, "pack"))


@pytest.fixture
def packed(built: Built) -> Built:
    report = run_pack(built.project)
    assert report.ok, report.findings
    assert report.counts["shards"] == 9
    return built


def test_every_member_of_a_family_gets_the_same_objects(packed: Built) -> None:
    folder = packed.project.root / "shards"
    assert sorted(path.name for path in folder.glob("*.shard")) == sorted(
        f"{name}.shard" for name in (*FAMILY, "gfx942")
    )
    wanted = {(packed.objects / "gfx11-generic" / f"{name}.hsaco").read_bytes() for name in ("f16", "f32")}
    for name in FAMILY:
        architecture, entries = shard.parse((folder / f"{name}.shard").read_bytes())
        assert architecture == name
        assert {entry.code for entry in entries} == wanted
        assert {entry.target for entry in entries} == {"gfx11-generic"}


def test_an_object_made_for_the_architecture_itself_wins(packed: Built) -> None:
    project = tinykern.project(packed.project.root, targets=(*tinykern.TARGETS, "gfx1151"))
    assert tinykern.build(project, packed.cache).report.ok
    assert run_pack(project).ok
    for name, expected in (("gfx1151", "gfx1151"), ("gfx1150", "gfx11-generic")):
        _, entries = shard.parse((project.root / "shards" / f"{name}.shard").read_bytes())
        assert {entry.target for entry in entries} == {expected}
    assert check_pack(project).ok


def test_packing_twice_gives_the_same_bytes(packed: Built) -> None:
    def everything() -> dict[str, bytes]:
        folders = [packed.project.root / name for name in ("shards", "descriptors")]
        return {str(path): path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}

    before = everything()
    assert run_pack(packed.project).ok
    assert everything() == before
    assert check_pack(packed.project).ok


def test_nothing_is_packed_from_objects_that_do_not_pass(built: Built) -> None:
    (built.objects / "gfx942" / "f16.hsaco").write_bytes(b"")
    report = run_pack(built.project)
    assert not report.ok
    assert not (built.project.root / "shards").exists()
    shutil.rmtree(built.objects / "gfx942")
    assert not run_pack(built.project).ok


def damage(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def apply(root: Path) -> None:
        path = root / "shards" / name
        path.write_bytes(change(path.read_bytes()))

    return apply


def drop_entry(data: bytes) -> bytes:
    architecture, entries = shard.parse(data)
    return shard.dump(architecture, entries[1:])


def no_entries(data: bytes) -> bytes:
    return shard.dump(shard.parse(data)[0], ())


def other_architecture(root: Path) -> None:
    shutil.copy(root / "shards/gfx1100.shard", root / "shards/gfx942.shard")


def twice(data: bytes) -> bytes:
    architecture, entries = shard.parse(data)
    return shard.dump(architecture, (*entries, entries[0]))


def foreign(root: Path) -> None:
    shutil.copy(root / "shards/gfx942.shard", root / "shards/gfx90a.shard")


def edit_descriptor(root: Path) -> None:
    path = root / "descriptors/scale/gfx942.json"
    path.write_text(path.read_text().replace("f16", "f15"))


def edit_coverage(root: Path) -> None:
    path = root / "descriptors/COVERAGE.md"
    path.write_text(path.read_text().replace("4 objects", "5 objects"))


def stray_descriptor(root: Path) -> None:
    shutil.copy(root / "descriptors/scale/gfx942.json", root / "descriptors/scale/gfx90a.json")


CENSUS: Mapping[str, tuple[Callable[[Path], None], str, str]] = {
    "missing shard": (lambda root: (root / "shards/gfx942.shard").unlink(), "VC520", "there is no shard"),
    "empty file": (damage("gfx942.shard", lambda _: b""), "VC520", "does not start like"),
    "empty shard": (damage("gfx942.shard", no_entries), "VC520", "lacks 2 objects"),
    "one object less": (damage("gfx1101.shard", drop_entry), "VC520", "lacks 1 objects"),
    "cut short": (damage("gfx942.shard", lambda data: data[:-1]), "VC520", "lies outside"),
    "damaged object": (damage("gfx942.shard", lambda d: d[:-9] + b"x" + d[-8:]), "VC520", "is damaged"),
    "object twice": (damage("gfx942.shard", twice), "VC520", "twice"),
    "other architecture": (other_architecture, "VC520", "the shard of gfx1100"),
    "foreign shard": (foreign, "VC520", "no configured target"),
    "edited descriptor": (edit_descriptor, "VC521", "not what the manifests give"),
    "edited coverage": (edit_coverage, "VC521", "not what the manifests give"),
    "stray descriptor": (stray_descriptor, "VC521", "no manifest stands behind"),
}


@pytest.mark.parametrize("name", CENSUS)
def test_the_census_notices(packed: Built, name: str) -> None:
    tamper, rule, words = CENSUS[name]
    tamper(packed.project.root)
    findings = check_pack(packed.project).findings
    assert {finding.rule for finding in findings} == {rule}
    assert any(words in finding.message for finding in findings), findings
    assert run_pack(packed.project).ok
    assert check_pack(packed.project).ok


def test_an_architecture_without_objects_cannot_pass(packed: Built) -> None:
    shutil.rmtree(packed.project.root / "objects")
    findings = check_pack(packed.project).findings
    assert any("no manifest has an object for this architecture" in finding.message for finding in findings)


def test_shards_refuse_hostile_indexes() -> None:
    index = json.dumps(
        {"schema": shard.SCHEMA, "architecture": "x", "entries": [{"offset": -1, "size": 2**60}]}
    ).encode()
    for data in (b"", b"VCSHARD1", b"VCSHARD1" + b"\xff" * 8, b"VCSHARD1" + len(index).to_bytes(8, "little") + index):
        with pytest.raises(VendorError, match="not a sound shard"):
            shard.parse(data)


def descriptor(root: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((root / "descriptors/scale/gfx942.json").read_text())
    return value


def test_a_consumer_selects_or_learns_why_not(packed: Built) -> None:
    found = descriptor(packed.project.root)
    assert select(found, {"dtype": "f16"}) == Selected("f16.hsaco")
    declined = select(found, {"dtype": "bf16"})
    assert declined == Declined(("dtype is bf16, and must be f16: fixed at compile time",))
    assert isinstance(select(found, {}), Declined)
    assert isinstance(select(found, {"dtype": 16}), Declined)
    assert found["declines"] == [{"case": "bf16", "reason": "nobody asked"}]
    assert found["not_built"] == [{"instance": {"dtype": "f64"}, "reason": "no double precision on purpose"}]


def test_selection_takes_the_most_special_kernel_that_fits() -> None:
    def kernel(name: str, *rules: tuple[str, str, int]) -> dict[str, Any]:
        return {
            "object": name,
            "accepts": [{"field": f, "rule": r, "value": v, "reason": "because"} for f, r, v in rules],
        }

    found = {
        "kernels": [
            kernel("baked", ("n", "equals", 1024), ("rows", "multiple-of", 4)),
            kernel("any", ("n", "at-most", 5000), ("n", "at-least", 1)),
        ]
    }
    assert select(found, {"n": 1024, "rows": 8}) == Selected("baked")
    assert select(found, {"n": 1024, "rows": 3}) == Selected("any")
    assert select(found, {"n": 0, "rows": 4}) == Declined(("n is 0, and must be 1024: because",))
    assert select(found, {"n": True, "rows": 4}) != Selected("baked")
    assert select({"kernels": []}, {}) == Declined(("there is no kernel for this target",))


def test_the_coverage_page_counts_and_explains(packed: Built) -> None:
    text = (packed.project.root / "descriptors/COVERAGE.md").read_text()
    assert "4 objects of 1 operations for 2 targets" in text
    assert "| scale | 2 | 2 | 4 |" in text
    assert "| bf16 | nobody asked |" in text
    assert "| f64 | gfx942 | no double precision on purpose |" in text
    assert "| dtype | f16, f32 | fixed at compile time |" in text
    for name in ("object-sizes.svg", "registers.svg"):
        picture = (packed.project.root / "descriptors" / name).read_text()
        assert f"]({name})" in text
        assert picture.count("<rect") == 4
