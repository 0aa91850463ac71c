# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""This repository's own kernels: compiled with an empty cache, executed on the emulator, decoded.

`vendorctl test` runs every object under four schedules with every check, and compares with float64 references. The
disassembler of LLVM stands beside our decoder, where it is installed; nobody else executes these objects without a GPU.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import Result, Row, Table
from benchmarks.suite import PYTHON, run
from benchmarks.timing import Subject, in_turn, once
from benchmarks.workspaces import VENDORCTL, environment
from vendorctl.emulator.codeobject import CodeObject
from vendorctl.emulator.decoder import decode

ROOT = Path(__file__).parents[1]
_DECODE = """
import sys
from pathlib import Path
from vendorctl.emulator.codeobject import CodeObject
from vendorctl.emulator.decoder import decode
for name in sys.argv[1:]:
    code = CodeObject.parse(Path(name).read_bytes())
    decode(code.text, code.target.name)
"""
_PARTS = ("VENDOR.yaml", "VENDOR.lock", "patches", "recipes", "vendored", "kernels", "objects", "licenses")


def measure(scratch: Path, *, quick: bool) -> Result:
    targets = ("gfx1201",) if quick else ("gfx942", "gfx1201")
    chosen = [word for target in targets for word in ("--target", target)] + (["--op", "softmax_any"] if quick else [])
    root, env = _copy(scratch / "root"), environment(scratch / "home")
    built = once(Subject(name="build", command=[*VENDORCTL, "build", *chosen], prepare=lambda: root, environment=env))
    start = time.perf_counter()
    command = [*VENDORCTL, "test", "--no-cache", "--format", "json", *chosen]
    tested = subprocess.run(command, cwd=root, env=env, capture_output=True, check=True)
    seconds = time.perf_counter() - start
    report: dict[str, Any] = json.loads(tested.stdout)
    objects = report["counts"]["passed"]
    if not objects or objects != report["counts"]["objects"]:
        raise RuntimeError(f"not every object passed: {report['counts']}")
    executed = sum(result["instructions"] for result in report["results"])
    files = sorted(path for target in targets for path in (root / "objects").glob(f"*/{target}/*.hsaco"))
    decoder, missing = _decoders(files, root, env, 1 if quick else 3)
    return Result(
        size={"objects": objects, "instructions executed": executed, "targets": len(targets)},
        tables={
            "build": Table(rows=(
                _timed("compile all", built.wall, built.processor),
                _rate("objects compiled", objects, built.processor, "a processor second"),
                Row(name="largest process", value=built.memory, unit="MiB"),
            )),
            "emulate": Table(rows=(
                _timed("execute and compare all", seconds, None),
                _rate("objects tested", objects, seconds, "a second"),
                _rate("instructions executed, each once per wave", executed, seconds, "a second"),
            )),
            "decode": decoder,
        },
        not_measured=missing,
    )  # fmt: skip


def _copy(root: Path) -> Path:
    """The parts of this workspace that building needs, without objects that happen to be there already."""
    root.mkdir()
    for part in _PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, root / part, symlinks=True, ignore=shutil.ignore_patterns("*.hsaco", "__pycache__"))
        else:
            shutil.copy2(source, root / part)
    return root


def _timed(name: str, seconds: float, processor: float | None) -> Row:
    return Row(name=name, wall=seconds, processor=processor)


def _rate(name: str, count: int, seconds: float, per: str) -> Row:
    return Row(name=name, value=count / seconds, unit=per)


def _decoders(files: list[Path], root: Path, env: dict[str, str], rounds: int) -> tuple[Table, tuple[str, ...]]:
    """Our decoder and LLVM's disassembler over all objects, each as a process; the latter also prints what it found."""
    codes = [CodeObject.parse(path.read_bytes()) for path in files]
    count = sum(len(decode(code.text, code.target.name)) for code in codes)
    commands = {"our decoder": [PYTHON, "-c", _DECODE]}
    program = _disassembler()
    if program is not None:
        commands[Path(program).name] = [program, "--disassemble"]
    names = [str(path) for path in files]
    subjects = [
        Subject(name=name, command=[*command, *names], prepare=lambda: root, environment=env)
        for name, command in commands.items()
    ]
    rows = [
        Row(name=row.name, value=count / row.measured, unit="instructions a second", memory_mib=row.memory_mib)
        for row in in_turn(subjects, rounds)
    ]
    missing = () if program else ("llvm-objdump with AMD GPU support is not installed",)
    return Table(rows=tuple(rows)), missing


def _disassembler() -> str | None:
    """llvm-objdump, the newest one on PATH that knows AMD GPUs."""
    folders = os.environ["PATH"].split(os.pathsep)
    names = {path.name for folder in folders if Path(folder).is_dir() for path in Path(folder).glob("llvm-objdump*")}
    for name in sorted(names, reverse=True):
        done = subprocess.run([name, "--version"], capture_output=True, text=True, check=False)
        if "amdgcn" in done.stdout:
            return shutil.which(name)
    return None


if __name__ == "__main__":
    run(measure, __doc__)
