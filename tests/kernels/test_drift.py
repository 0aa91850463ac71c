# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Objects compared as instructions, families decoded for each member, toolchain versions compared."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from kernels.conftest import Built
from support import tinykern
from support.schemas import faults
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.building.build import BuildOptions
from vendorctl.kernels.building.compat import compat
from vendorctl.kernels.building.objectdrift import object_drift, pristine_of
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.caching.cache import ObjectCache
from vendorctl.kernels.compiler import venvs
from vendorctl.kernels.executor import pool
from vendorctl.kernels.object.elfcode import kernel_code
from vendorctl.kernels.object.isadiff import Decoded, Verdict, compare, undecodable
from vendorctl.kernels.shipping.members import check_instructions
from vendorctl.model import Report, Severity
from vendorctl.proc import Completed
from vendorctl.report.json import render_json


class Word:
    """One 32-bit word of code, in the place of a decoded instruction."""

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    def mnemonic(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text


def words(code: bytes, target: str) -> Sequence[Decoded]:
    """A decoder that knows no instruction set: good enough to compare, and it refuses the one target `gfx1103`."""
    if target == "gfx1103":
        raise VendorError("the word at 8 means nothing on gfx1103")
    return [Word(code[at : at + 4].hex()) for at in range(0, len(code), 4)]


def objects(built: Built) -> tuple[bytes, bytes]:
    folder = built.objects / "gfx942"
    return (folder / "f16.hsaco").read_bytes(), (folder / "f32.hsaco").read_bytes()


def test_the_code_of_a_kernel_is_found_without_its_padding(built: Built) -> None:
    code = kernel_code(objects(built)[0])
    assert list(code) == ["scale_f16"]
    assert 40 < len(code["scale_f16"]) < 1000
    assert code["scale_f16"][-4:] == bytes.fromhex("000081bf")  # s_endpgm


@pytest.mark.parametrize("cut", [0, 100, 2000, -200])
def test_damaged_objects_have_no_code(built: Built, cut: int) -> None:
    with pytest.raises(VendorError, match="cannot find the kernels"):
        kernel_code(objects(built)[0][:cut])


def test_verdicts(built: Built) -> None:
    one, two = objects(built)
    assert compare(one, one, "gfx942", words).verdict is Verdict.SAME
    noted = one.replace(b".vgpr_spill_count\0", b".vgpr_spill_count\1")
    assert noted != one
    assert compare(one, noted, "gfx942", words).verdict is Verdict.METADATA
    difference = compare(one, two, "gfx942", words)
    assert difference.verdict is Verdict.CODE
    assert difference.lines[0] == "--- old scale_f16"
    assert difference.removed > 10


def test_a_change_of_registers_only_is_told_from_a_change_of_code(built: Built) -> None:
    one, _ = objects(built)
    code = kernel_code(one)["scale_f16"]
    other = one.replace(code, bytes([code[0] ^ 1]) + code[1:])

    def decode(data: bytes, target: str) -> Sequence[Decoded]:
        return [Word(f"v_mov_b32 v{data[0] & 1}, s[2:3]"), Word("s_endpgm")]

    difference = compare(one, other, "gfx942", decode)
    assert difference.verdict is Verdict.REGISTERS
    assert (difference.removed, difference.added) == (1, 1)


def test_an_instruction_that_one_member_lacks_is_found(built: Built) -> None:
    report = check_instructions(built.project, words)
    assert report.counts == {"decodings": 18, "objects not decoded": 0}
    assert {finding.rule for finding in report.findings} == {"VC514"}
    assert [str(finding.location) for finding in report.findings] == [
        "objects/scale/gfx11-generic/f16.hsaco",
        "objects/scale/gfx11-generic/f32.hsaco",
    ]
    assert all("cannot run on gfx1103" in finding.message for finding in report.findings)
    assert undecodable(objects(built)[0], "gfx942", words) is None


def test_real_instructions_decode_for_every_member(built: Built) -> None:
    decode = pytest.importorskip("vendorctl.emulator").decode
    report = check_instructions(built.project, decode)
    assert report.ok, report.findings
    assert report.counts["decodings"] == 18


def drift(old: Project, new: Project, cache: Path) -> Report:
    executor = pool.open_executor("local", 2)
    options = BuildOptions(jobs=2, targets=("gfx942",))
    return object_drift(old, new, tinykern.tools(), ObjectCache(cache), executor, options, words)


def test_what_a_patch_does_to_the_objects(built: Built) -> None:
    root = built.project.root
    shutil.copytree(root / "patched", root / "pristine")
    source = root / "patched" / "tinykern" / "scale.py"
    source.write_text(source.read_text().replace("* a)", "* a + 1.0)").replace("# A comment", "# Another comment"))
    old = pristine_of(built.project, {"tinykern": root / "pristine"})
    report = drift(old, built.project, built.cache)
    assert report.counts == {"instances": 2, "code": 2}
    assert report.lines[0].startswith("scale f16 for gfx942: code changed, ")
    assert any(line.startswith("    +") for line in report.lines)
    assert not (root / "objects/scale/gfx90a").exists()
    source.write_text(source.read_text().replace(" + 1.0", ""))
    assert drift(old, built.project, built.cache).counts == {"instances": 2, "same": 2}


def test_rows_that_compile_on_one_side_only_are_counted_as_such(built: Built) -> None:
    root = built.project.root
    shutil.copytree(root / "patched", root / "pristine")
    (root / "pristine/tinykern/types.py").write_text(tinykern.TYPES.replace('"f16": fx.Float16, ', ""))
    old = pristine_of(built.project, {"tinykern": root / "pristine"})
    assert drift(old, built.project, built.cache).counts == {"instances": 2, "compiles only now": 1, "same": 1}
    backwards = drift(built.project, old, built.cache)
    assert backwards.counts == {"instances": 2, "no longer compiles": 1, "same": 1}
    assert [finding.severity for finding in backwards.findings] == [Severity.WARNING]


def another_version(folder: Path, version: str) -> Path:
    """A Python whose flydsl is the installed one under another version number."""
    real = Path(str(importlib.metadata.distribution("flydsl").locate_file("flydsl")))
    package = folder / "flydsl"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        f"__path__ = [{str(real)!r}]\n"
        f"exec(compile(open({str(real / '__init__.py')!r}).read(), 'flydsl', 'exec'))\n"
        f"__version__ = {version!r}\n"
    )
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH={folder} exec {tinykern.tools().python} "$@"\n')
    script.chmod(0o755)
    return script


def run_compat(project: Project, versions: Mapping[str, Path | None]) -> Report:
    tools = tinykern.tools()
    tried = [replace(tools, flydsl=version, python=python or tools.python) for version, python in versions.items()]
    executor = pool.open_executor("local", 2)
    report = compat(project, tried, executor, BuildOptions(jobs=2, targets=("gfx942",)))
    assert faults(json.loads(render_json(report))) == []
    return report


def test_versions_are_compared_with_the_pinned_one(built: Built, tmp_path: Path) -> None:
    pinned = str(built.project.flydsl)
    other = another_version(tmp_path / "environment", "0.0.9")
    report = run_compat(built.project, {"0.0.9": other, pinned: None})
    assert report.ok
    rows = report.data["versions"]
    assert isinstance(rows, list)
    assert rows[0] == {"flydsl": "0.0.9", "pass": 2, "fail": 0, "same_bytes": 2, "other_bytes": 0, "changed": {}}
    assert report.data["minimum"] == "0.0.9"
    assert not (built.project.root / "objects" / "scale" / "gfx90a").exists()


def test_a_version_that_fails_is_a_warning_and_the_pinned_one_an_error(built: Built, tmp_path: Path) -> None:
    # An interpreter without flydsl: what an environment with a broken wheel looks like.
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nexec {tinykern.tools().python} -S "$@"\n')
    script.chmod(0o755)
    pinned = str(built.project.flydsl)
    report = run_compat(built.project, {"0.0.9": script, pinned: None})
    assert report.ok
    (finding,) = report.findings
    assert finding.severity is Severity.WARNING
    assert "flydsl 0.0.9: 2 rows of scale fail" in finding.message
    assert report.data["minimum"] == pinned
    broken = run_compat(built.project, {pinned: script})
    assert not broken.ok
    assert broken.data["minimum"] is None


def test_a_compiler_that_is_not_the_one_in_the_digest_is_refused(built: Built, tmp_path: Path) -> None:
    other = another_version(tmp_path / "environment", "0.0.9")
    tools = replace(tinykern.tools(), python=other)
    for path in built.objects.rglob("*.hsaco"):
        path.unlink()
    result = tinykern.build(built.project, tmp_path / "cache", BuildOptions(keep_going=True), toolset=tools)
    assert {finding.rule for finding in result.report.findings} == {"VC504"}
    assert "the child compiled with flydsl 0.0.9" in result.report.findings[0].message


class FakePip:
    """A runner that makes the folders which venv and pip would make, or fails like pip."""

    def __init__(self, *, fail: bool = False) -> None:
        self.fail = fail
        self.calls: list[tuple[str, ...]] = []

    def __call__(
        self,
        args: Sequence[str | bytes],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        limit: int | None = None,
    ) -> Completed:
        words = tuple(os.fsdecode(arg) for arg in args)
        self.calls.append(words)
        if "venv" in words:
            (Path(words[-1]) / "bin").mkdir(parents=True)
        elif self.fail:
            return Completed(words, 1, b"", b"ERROR: No matching distribution found for flydsl\n")
        return Completed(words, 0, b"", b"")


def test_an_environment_is_made_once_and_only_when_it_is_whole(tmp_path: Path) -> None:
    made = tmp_path / "environments"
    failing = FakePip(fail=True)
    with pytest.raises(VendorError, match=r"flydsl 0\.4\.2 cannot be installed: ERROR: No matching") as caught:
        venvs.environment(made, "0.4.2", variables={}, runner=failing)
    assert caught.value.code is ExitCode.TOOL_MISSING
    assert list(made.iterdir()) == []
    pip = FakePip()
    with ThreadPoolExecutor(4) as threads:
        found = set(threads.map(lambda _: venvs.environment(made, "0.4.2", variables={}, runner=pip), range(4)))
    (folder,) = found
    assert len(pip.calls) == 2, "four at a time, and one installed: the environment, then what is in it"
    assert any("flydsl==0.4.2" in call for call in pip.calls)
    assert venvs.environment(made, "0.4.2", variables={}, runner=failing) == folder
    assert len(failing.calls) == 2


@pytest.mark.parametrize("version", ["", "0.4", "latest", "0.4.2; rm", "--pre", "../0.4.2"])
def test_only_versions_are_installed(tmp_path: Path, version: str) -> None:
    pip = FakePip()
    if version == "0.4":
        venvs.environment(tmp_path, version, variables={}, runner=pip)
        return
    with pytest.raises(VendorError, match="is not a version"):
        venvs.environment(tmp_path, version, variables={}, runner=pip)
    assert pip.calls == []
