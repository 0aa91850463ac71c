# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Objects and manifests come out of a build, whole or not at all, and the same on every machine."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kernels.conftest import Built
from support import tinykern
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.building import verify as verification
from vendorctl.kernels.building.build import BuildOptions, BuildReport
from vendorctl.kernels.check import check
from vendorctl.kernels.executor import pool
from vendorctl.kernels.object import elf, target


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_each_target_gets_its_own_stamped_objects(built: Built) -> None:
    for name in tinykern.TARGETS:
        code = elf.parse((built.objects / name / "f16.hsaco").read_bytes())
        assert elf.stamp_faults(code, target.find(name)) == []
        assert [kernel.name for kernel in code.kernels] == ["scale_f16"]
    other = elf.parse((built.objects / "gfx942" / "f16.hsaco").read_bytes())
    assert len(elf.stamp_faults(other, target.find("gfx11-generic"))) == 4


def test_the_manifest_says_what_was_left_out_and_why(built: Built) -> None:
    manifest = json.loads((built.objects / "gfx942" / "manifest.json").read_text())
    assert manifest["excluded"] == [{"instance": [["dtype", "f64"]], "reason": "no double precision on purpose"}]
    assert manifest["declines"] == [{"case": "bf16", "reason": "nobody asked"}]
    assert sorted(manifest["inputs"]["sources"]) == ["tinykern/__init__.py", "tinykern/scale.py", "tinykern/types.py"]
    assert manifest["inputs"]["patches"] == {"0001-scale.patch": "1" * 64}


def test_a_second_build_does_nothing(built: Built) -> None:
    before = {path: path.stat().st_mtime_ns for path in built.objects.rglob("*")}
    report = tinykern.build(built.project, built.cache).report
    assert report.counts == {"objects": 4, "unchanged": 4}
    assert {path: path.stat().st_mtime_ns for path in built.objects.rglob("*")} == before


def test_other_folder_locale_time_and_job_count_give_the_same_bytes(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"TZ": "Asia/Tokyo", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR", "USER": "somebody"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("FLYDSL_DEBUG_ENABLE_DEBUG_INFO", "1")  # must not reach the compiler
    monkeypatch.setenv("ARCH", "gfx900")
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    root = tinykern.write_files(tmp_path / "quite" / "another place")
    report = tinykern.build(tinykern.project(root), tmp_path / "empty-cache", BuildOptions(jobs=1)).report
    assert report.counts["compiled"] == 4
    assert contents(root / "objects" / "scale") == contents(built.objects)


def test_objects_come_back_from_the_cache_after_a_clone(built: Built) -> None:
    wanted = contents(built.objects)
    for path in built.objects.rglob("*.hsaco"):
        path.unlink()
    report = tinykern.build(built.project, built.cache).report
    assert report.counts == {"objects": 4, "from cache": 4}
    assert contents(built.objects) == wanted


def test_a_damaged_cache_entry_is_not_used(built: Built) -> None:
    wanted = contents(built.objects)
    shutil.rmtree(built.objects)
    entries = [path for path in built.cache.rglob("*") if path.is_file()]
    assert len(entries) == 4
    for path in entries:
        data = bytearray(path.read_bytes())
        data[-100] ^= 1
        path.write_bytes(data)
    report = tinykern.build(built.project, built.cache).report
    assert report.counts == {"objects": 4, "compiled": 4}
    assert contents(built.objects) == wanted


def test_other_bytes_from_the_same_inputs_are_refused_unless_forced(built: Built) -> None:
    folder = built.objects / "gfx942"
    record = folder / "f16.hsaco"
    good = record.read_bytes()
    manifest = built.objects / "gfx942" / "manifest.json"
    recorded = manifest.read_bytes()
    # A manifest from a machine whose linker gives other bytes: same inputs, another object.
    forged = _with_other_hash(recorded)
    manifest.write_bytes(forged)
    record.unlink()
    result = tinykern.build(built.project, built.cache)
    assert [finding.rule for finding in result.report.findings] == ["VC505"]
    assert result.exit_code is ExitCode.BUILD_FAILED
    assert manifest.read_bytes() == forged
    assert not record.exists()
    forced = tinykern.build(built.project, built.cache, BuildOptions(force=True))
    assert forced.report.ok
    assert record.read_bytes() == good
    assert manifest.read_bytes() == recorded


def _with_other_hash(data: bytes) -> bytes:
    from vendorctl.kernels.object import manifest

    parsed = manifest.parse(data, "manifest.json")
    first, *rest = parsed.objects
    return manifest.dump(replace(parsed, objects=(replace(first, sha256="ab" * 32), *rest)))


def test_removed_rows_and_operations_leave_nothing_behind(built: Built) -> None:
    recipe = built.project.root / "recipes" / "scale.py"
    recipe.write_text(recipe.read_text().replace('        yield row(dtype="f16")\n', ""))
    assert tinykern.build(built.project, built.cache).report.counts["objects"] == 2
    assert sorted(path.name for path in (built.objects / "gfx942").iterdir()) == ["f32.hsaco", "manifest.json"]
    recipe.write_text(recipe.read_text().replace('operation = "scale"', 'operation = "stretch"'))
    report = tinykern.build(built.project, built.cache).report
    assert "removed objects/scale/gfx942/manifest.json" in report.notes[1]
    assert not built.objects.exists()
    assert check(built.project).ok


def test_only_what_is_asked_for_is_built(built: Built) -> None:
    shutil.rmtree(built.objects)
    project = built.project
    report = tinykern.build(project, built.cache, BuildOptions(operations=("scale",), targets=("gfx942",))).report
    assert report.counts["objects"] == 2
    assert [path.name for path in built.objects.iterdir()] == ["gfx942"]
    with pytest.raises(VendorError, match="no recipe builds nothing"):
        tinykern.build(project, built.cache, BuildOptions(operations=("nothing",)))


FAULTS: Mapping[str, tuple[str, str, str]] = {
    "unknown dtype": ('row(dtype="f16")', 'row(dtype="f17")', "KeyError"),
    "duplicate row": ('row(dtype="f16")', 'row(dtype="f32")', "two rows"),
    "bad name": ('row(dtype="f16")', 'row(dtype="../f16")', "cannot be a file name"),
    "missing argument": ('"n": 100, ', "", "launch parameter 'n'"),
    "extra argument": ('"n": 100', '"n": 100, "m": 1', "does not take"),
    "no recipe": ("RECIPE = Scale()", "", "does not assign a Recipe"),
    "no upstream": ('upstream = "tinykern"', 'upstream = "bigkern"', "no upstream 'bigkern'"),
    "undeclared import": ("from tinykern.scale", "import tinykern.nothing\n        from tinykern.scale", "nothing"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_recipe_is_named_and_changes_nothing(built: Built, name: str) -> None:
    old, new, message = FAULTS[name]
    before = contents(built.objects)
    recipe = built.project.root / "recipes" / "scale.py"
    assert old in recipe.read_text()
    recipe.write_text(recipe.read_text().replace(old, new))
    try:
        result = tinykern.build(built.project, built.cache)
    except VendorError as error:
        text = str(error)
    else:
        assert result.exit_code is ExitCode.BUILD_FAILED
        text = " ".join(finding.message for finding in result.report.findings)
    assert message in text
    assert "scale.py" in text or "scale" in text
    assert contents(built.objects) == before


def test_keep_going_writes_the_units_that_are_whole(built: Built) -> None:
    recipe = built.project.root / "recipes" / "scale.py"
    broken = 'yield row(dtype="f16" if target.name == "gfx942" else "f17")'
    recipe.write_text(recipe.read_text().replace('yield row(dtype="f16")', broken))
    stopped = tinykern.build(built.project, built.cache)
    assert not check(built.project).ok
    assert not stopped.report.ok
    result = tinykern.build(built.project, built.cache, BuildOptions(keep_going=True))
    assert result.report.counts["failed"] == 1
    (finding,) = result.report.findings
    assert "scale f17 for gfx11-generic" in finding.message
    log = str(finding.data["log"])
    assert "KeyError" in (built.project.root / log).read_text()
    stale = {finding.location.path for finding in check(built.project).findings if finding.location}
    assert stale == {"objects/scale/gfx11-generic/manifest.json"}


def test_verify_rebuilds_and_names_the_input_that_differs(built: Built) -> None:
    def verify() -> BuildReport:
        executor = pool.open_executor("local", 2)
        return verification.verify(built.project, tinykern.tools(), executor, BuildOptions(jobs=2))

    assert verify().report.counts == {"objects rebuilt": 4, "identical": 4}
    manifest = built.objects / "gfx942" / "manifest.json"
    manifest.write_bytes(_with_other_hash(manifest.read_bytes()))
    assert [finding.rule for finding in verify().report.findings] == ["VC505"]
    source = built.project.root / "patched" / "tinykern" / "scale.py"
    source.write_text(source.read_text().replace("BLOCK = 64", "BLOCK = 128"))
    result = verify()
    assert {finding.rule for finding in result.report.findings} == {"VC512"}
    assert all("source tinykern/scale.py changed" in finding.message for finding in result.report.findings)
    assert result.exit_code is ExitCode.BUILD_FAILED


def test_a_newer_linker_makes_objects_stale(built: Built) -> None:
    tools = tinykern.tools()
    newer = replace(tools, linker=replace(tools.linker, identity="LLD 99.0.0"))
    report = tinykern.build(built.project, built.cache, toolset=newer).report
    assert report.counts == {"objects": 4, "compiled": 4}


def test_nothing_of_the_machine_is_in_a_manifest(built: Built) -> None:
    text = (built.objects / "gfx942" / "manifest.json").read_text()
    assert str(built.project.root) not in text
    assert os.environ["HOME"] not in text
    assert "/zig" not in text


def test_nothing_is_begun_after_a_failure(tmp_path: Path) -> None:
    root = tinykern.write_files(tmp_path / "project")
    recipe = root / "recipes" / "scale.py"
    text = recipe.read_text().replace('yield row(dtype="f16")', "yield from (row(dtype=f'x{i}') for i in range(4))")
    recipe.write_text(text)
    project = tinykern.project(root)
    first = tinykern.build(project, tmp_path / "cache", BuildOptions(jobs=1)).report
    assert first.counts["failed"] == 1
    assert first.counts["not built"] == 9
    every = tinykern.build(project, tmp_path / "cache", BuildOptions(jobs=2, keep_going=True)).report
    assert every.counts["failed"] == 8
