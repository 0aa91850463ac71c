# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The guards refuse every kind of tampered tree, and accept the tree as it was built."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kernels.conftest import Built
from support import tinykern
from vendorctl.kernels.building.project import Policy, Project
from vendorctl.kernels.check import check
from vendorctl.model import Severity


def rules(project: Project, *, require: bool = False) -> set[str]:
    return {finding.rule for finding in check(project, require=require).findings}


def test_what_was_built_passes(built: Built) -> None:
    report = check(built.project, require=True)
    assert report.findings == ()
    assert report.counts == {"manifests": 2, "objects": 4}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def flip_byte(root: Path) -> None:
    path = root / "objects/scale/gfx942/f16.hsaco"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(data)


def rename_in_other_target(root: Path) -> None:
    shutil.copy(root / "objects/scale/gfx11-generic/f16.hsaco", root / "objects/scale/gfx942/f16.hsaco")


def swap_rows(root: Path) -> None:
    shutil.copy(root / "objects/scale/gfx942/f32.hsaco", root / "objects/scale/gfx942/f16.hsaco")


def truncate(root: Path) -> None:
    path = root / "objects/scale/gfx942/f16.hsaco"
    path.write_bytes(path.read_bytes()[:1000])


def empty_file(root: Path) -> None:
    (root / "objects/scale/gfx942/f16.hsaco").write_bytes(b"")


def remove_one(root: Path) -> None:
    (root / "objects/scale/gfx942/f16.hsaco").unlink()


def link_object(root: Path) -> None:
    path = root / "objects/scale/gfx942/f16.hsaco"
    path.rename(root / "elsewhere.hsaco")
    path.symlink_to(root / "elsewhere.hsaco")


def empty_shard(root: Path) -> None:
    shutil.rmtree(root / "objects/scale/gfx942")
    (root / "objects/scale/gfx942").mkdir()


def remove_all(root: Path) -> None:
    shutil.rmtree(root / "objects")


def foreign_object(root: Path) -> None:
    shutil.copy(root / "objects/scale/gfx942/f16.hsaco", root / "objects/scale/gfx942/f64.hsaco")


def foreign_folder(root: Path) -> None:
    (root / "objects/scale/gfx90a").mkdir()


def manifest_of_other_target(root: Path) -> None:
    for name in ("f16.hsaco", "f32.hsaco", "manifest.json"):
        shutil.copy(root / "objects/scale/gfx11-generic" / name, root / "objects/scale/gfx942" / name)


def edit_manifest(root: Path) -> None:
    edit(root / "objects/scale/gfx942/manifest.json", '"flydsl": "', '"flydsl": "9')


def drop_row_from_manifest(root: Path) -> None:
    path = root / "objects/scale/gfx942/manifest.json"
    value = json.loads(path.read_text())
    value["objects"].pop()
    path.write_text(json.dumps(value))
    (root / "objects/scale/gfx942/f32.hsaco").unlink()


def accept_other_bytes(root: Path) -> None:
    """Change an object and its recorded hash together: the seal notices."""
    from vendorctl import digest

    path = root / "objects/scale/gfx942/f16.hsaco"
    old = digest.sha256(path.read_bytes())
    flip_byte(root)
    edit(root / "objects/scale/gfx942/manifest.json", old, digest.sha256(path.read_bytes()))


def edit_source(root: Path) -> None:
    edit(root / "patched/tinykern/scale.py", "BLOCK = 64", "BLOCK = 128")


def edit_imported_source(root: Path) -> None:
    edit(root / "patched/tinykern/types.py", '"f16": fx.Float16, ', '"f16": fx.Float16,  ')


def remove_source(root: Path) -> None:
    shutil.rmtree(root / "patched")


def edit_recipe(root: Path) -> None:
    edit(root / "recipes/scale.py", '"a": 2.0', '"a": 3.0')


def add_instance(root: Path) -> None:
    edit(root / "recipes/scale.py", 'yield row(dtype="f32")', 'yield row(dtype="f32")\n        yield row(dtype="i8")')


def garbage_manifest(root: Path) -> None:
    (root / "objects/scale/gfx942/manifest.json").write_bytes(b"\xff{")


TAMPERED: Mapping[Callable[[Path], None], set[str]] = {
    flip_byte: {"VC511"},
    rename_in_other_target: {"VC511"},
    swap_rows: {"VC511"},
    truncate: {"VC511"},
    empty_file: {"VC511"},
    remove_one: {"VC510"},
    link_object: {"VC511"},
    empty_shard: {"VC513", "VC516"},
    remove_all: {"VC516"},
    foreign_object: {"VC513"},
    foreign_folder: {"VC513"},
    manifest_of_other_target: {"VC515", "VC516"},
    edit_manifest: {"VC515", "VC516"},
    drop_row_from_manifest: {"VC515", "VC516"},
    accept_other_bytes: {"VC515", "VC516"},
    edit_source: {"VC512"},
    edit_imported_source: {"VC512"},
    remove_source: {"VC512"},
    edit_recipe: {"VC512"},
    add_instance: {"VC512"},
    garbage_manifest: {"VC515", "VC516"},
}


@pytest.mark.parametrize("tamper", TAMPERED, ids=lambda tamper: str(getattr(tamper, "__name__", tamper)))
def test_tampering_is_found_and_a_build_repairs_it(built: Built, tamper: Callable[[Path], None]) -> None:
    tamper(built.project.root)
    report = check(built.project)
    assert {finding.rule for finding in report.findings} == TAMPERED[tamper]
    assert not report.ok
    if tamper in (add_instance, remove_source, foreign_folder):
        return  # what is wrong there is not for a build to repair
    assert tinykern.build(built.project, built.cache).report.ok
    assert check(built.project, require=True).ok


def test_a_swapped_object_is_told_from_a_damaged_one(built: Built) -> None:
    rename_in_other_target(built.project.root)
    (finding,) = check(built.project).findings
    assert "machine 0x54, not 0x4c" in finding.message


def test_an_object_of_another_target_is_refused_even_when_its_hash_is_recorded(built: Built) -> None:
    """The stamp is a guard of its own: hash and seal are made to fit."""
    from vendorctl import digest
    from vendorctl.kernels.object import manifest

    rename_in_other_target(built.project.root)
    folder = built.objects / "gfx942"
    parsed = manifest.parse((folder / "manifest.json").read_bytes(), "manifest.json")
    first, *rest = parsed.objects
    other = (folder / "f16.hsaco").read_bytes()
    forged = replace(first, sha256=digest.sha256(other), size=len(other))
    (folder / "manifest.json").write_bytes(manifest.dump(replace(parsed, objects=(forged, *rest))))
    assert rules(built.project) == {"VC514"}


def test_a_reworded_patch_is_reported_but_costs_no_compile(built: Built) -> None:
    project = tinykern.with_patch(built.project, "2" * 64)
    findings = check(project).findings
    assert {finding.rule for finding in findings} == {"VC512"}
    assert all("patch 0001-scale.patch changed" in finding.message for finding in findings)
    assert all("objects stay valid" in finding.message for finding in findings)
    assert tinykern.build(project, built.cache).report.counts == {"objects": 4, "unchanged": 4}
    assert check(project).ok


def test_a_file_outside_the_closure_does_not_matter(built: Built) -> None:
    edit(built.project.root / "patched/tinykern/unrelated.py", "VALUE = 1", "VALUE = 2")
    assert check(built.project).ok


def test_a_clone_without_objects_warns_and_fails_when_they_are_required(built: Built) -> None:
    for path in built.objects.rglob("*.hsaco"):
        path.unlink()
    report = check(built.project)
    assert report.ok
    assert report.counts == {"manifests": 2, "objects": 0, "missing": 4}
    assert [(finding.rule, finding.severity) for finding in report.findings] == [("VC510", Severity.WARNING)]
    assert report.findings[0].message == "gfx11-generic, gfx942: 4 of 4 objects are not there"
    assert report.findings[0].hint == "vendorctl build --op scale"
    assert not check(built.project, require=True).ok


def test_another_pinned_tool_is_a_finding(built: Built) -> None:
    assert rules(replace(built.project, pins={"linker": "LLD 1.0.0"})) == {"VC518"}
    assert rules(replace(built.project, pins={"flydsl": "0.0.1"})) == {"VC518"}


def test_targets_and_recipes_that_were_dropped_are_foreign(built: Built) -> None:
    assert rules(replace(built.project, targets=built.project.targets[:1])) == {"VC513"}
    assert rules(replace(built.project, recipes=())) == {"VC513"}


def test_notices_beside_the_targets_are_not_foreign(built: Built) -> None:
    for name in ("NOTICE", "THIRD_PARTY_LICENSES.md"):
        (built.project.root / "objects/scale" / name).write_text("as `vendorctl licenses` writes it\n")
    assert check(built.project, require=True).ok
    (built.project.root / "objects/scale/README").write_text("stray\n")
    assert rules(built.project) == {"VC513"}


def test_a_target_that_was_never_built_is_missing(built: Built) -> None:
    assert rules(tinykern.project(built.project.root, targets=("gfx942", "gfx11-generic", "gfx1201"))) == {"VC516"}


def test_policy_limits_are_enforced(built: Built) -> None:
    assert check(replace(built.project, policy=Policy(max_spills=0, max_scratch=0, max_lds=0))).ok
    findings = check(replace(built.project, policy=Policy(max_lds=-1))).findings
    assert {finding.rule for finding in findings} == {"VC517"}
    assert len(findings) == 4


def test_check_needs_no_compiler_and_runs_no_recipe(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("flydsl", "numpy", "tinygrad", "ziglang"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setenv("PATH", "")
    recipe = built.project.root / "recipes" / "scale.py"
    marker = built.project.root / "recipe-ran"
    recipe.write_text(recipe.read_text() + f"\nopen({str(marker)!r}, 'w').close()\n")
    assert rules(built.project) == {"VC512"}
    assert not marker.exists()


def test_objects_of_an_older_pipeline_are_named_as_such(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vendorctl.kernels.compiler.toolchain.PIPELINE", 99)
    findings = check(built.project).findings
    assert {finding.rule for finding in findings} == {"VC518"}
    assert "this one has 99" in findings[0].message
    assert tinykern.build(built.project, built.cache).report.counts == {"objects": 4, "compiled": 4}
    assert check(built.project).ok
