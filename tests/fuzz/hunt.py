# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Targets explored, some at a time, with a table of what that came to and a total over all hunts so far."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

_EXECUTED = re.compile(rb"stat::number_of_executed_units: (\d+)")
_PROGRESS = re.compile(rb"^#(\d+)\s.*cov: (\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """What exploring one target came to, in seconds of processor time. `edges` are the branches taken at least once."""

    target: str
    seconds: float
    executions: int
    edges: int
    corpus: int
    crashes: tuple[str, ...]


def hunt(names: Sequence[str], build: Path, seconds: int, jobs: int) -> list[Explored]:
    """Explore `jobs` targets at a time, each for `seconds` of processor time, and print a row for each that ends.

    What a target came to is added to the ``total.json`` of its folder.
    """
    say(f"{'target':<16}{'seconds':>9}{'executions':>12}{'edges':>8}{'corpus':>8}  crashes")
    found = []
    with ThreadPoolExecutor(jobs) as pool:
        for explored in pool.map(lambda name: _explore(name, build / name, seconds), names):
            say(_row(explored))
            _add(build / explored.target / "total.json", explored)
            found.append(explored)
    for explored in found:
        for crash in explored.crashes:
            place = build / explored.target / "crashes" / crash
            say(f"replay with: PYTHONPATH=tests python -m fuzz replay {explored.target} {place}")
    return found


def say(line: str) -> None:
    """One line for whoever watches, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _row(explored: Explored) -> str:
    numbers = f"{explored.seconds:>9.0f}{explored.executions:>12,}{explored.edges:>8,}{explored.corpus:>8,}"
    return f"{explored.target:<16}{numbers}  {len(explored.crashes) or 'none'}"


def _explore(name: str, folder: Path, seconds: int) -> Explored:
    """Explore one target; a process that dies of an input (which it saves) is started again for what time is left."""
    folder.mkdir(parents=True, exist_ok=True)
    executions = edges = 0
    spent = 0.0
    log = folder / "log.txt"
    while (left := round(seconds - spent)) > 0:
        with log.open("wb") as out:
            command = [sys.executable, "-m", "fuzz", "explore", name, str(folder), str(left), str(int(time.time()))]
            before = _crashes(folder)
            code, used = _run(command, out)
        spent += used
        said = log.read_bytes()
        steps = _PROGRESS.findall(said)
        total = _EXECUTED.search(said)
        if not steps or (code != 0 and _crashes(folder) == before):
            raise SystemExit(f"exploring {name} ended with {code}; {log} ends with:\n{_tail(said)}")
        executions += int(total[1]) if total else int(steps[-1][0])
        edges = max([edges, *(int(covered) for _, covered in steps)])
    corpus = sum(1 for _ in (folder / "corpus").iterdir())
    return Explored(
        target=name, seconds=spent, executions=executions, edges=edges, corpus=corpus, crashes=_crashes(folder)
    )


def _run(command: Sequence[str], out: BinaryIO) -> tuple[int, float]:
    """Run to the end. Returns the exit code and the seconds of processor time, those of its children included."""
    process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=_environment())
    try:
        _, status, used = os.wait4(process.pid, 0)
    except BaseException:
        process.kill()
        process.wait()
        raise
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


def _crashes(folder: Path) -> tuple[str, ...]:
    """Names of the inputs that did harm."""
    return tuple(sorted(path.name for path in folder.glob("crashes/*") if path.suffix != ".txt"))


def _tail(said: bytes) -> str:
    return "\n".join(said.decode("utf-8", "replace").splitlines()[-10:])


def _environment() -> dict[str, str]:
    """The tests' own modules on the path, and sets that iterate alike in every process."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}


def _add(file: Path, explored: Explored) -> None:
    """Add one exploration to the totals of its target."""
    total = json.loads(file.read_text()) if file.exists() else {"seconds": 0.0, "executions": 0}
    row = asdict(explored)
    row["seconds"] = round(total["seconds"] + explored.seconds, 1)
    row["executions"] = total["executions"] + explored.executions
    file.write_text(json.dumps(row, indent=2, sort_keys=True) + "\n")
