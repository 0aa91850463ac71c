# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Targets explored one after the other, with a table of what that came to and a total over all hunts so far."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

_EXECUTED = re.compile(rb"stat::number_of_executed_units: (\d+)")
_PROGRESS = re.compile(rb"^#(\d+)\s.*cov: (\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """What exploring one target came to. `edges` are the branches of vendorctl that were taken at least once."""

    target: str
    seconds: float
    executions: int
    edges: int
    corpus: int
    crashes: tuple[str, ...]


def hunt(names: Sequence[str], build: Path, seconds: int) -> list[Explored]:
    """Explore each target for `seconds`, print a row for each, and add them to the totals in ``summary.json``."""
    say(f"{'target':<16}{'seconds':>9}{'executions':>12}{'edges':>8}{'corpus':>8}  crashes")
    found = []
    for name in names:
        explored = _explore(name, build / name, seconds)
        say(_row(explored))
        _add(build / "summary.json", explored)
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
    begun = time.monotonic()
    executions = edges = 0
    log = folder / "log.txt"
    while (left := round(seconds - (time.monotonic() - begun))) > 0:
        with log.open("wb") as out:
            command = [sys.executable, "-m", "fuzz", "explore", name, str(folder), str(left), str(int(time.time()))]
            before = _crashes(folder)
            done = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, env=_environment(), check=False)
        said = log.read_bytes()
        steps = _PROGRESS.findall(said)
        total = _EXECUTED.search(said)
        if not steps or (done.returncode != 0 and _crashes(folder) == before):
            raise SystemExit(f"exploring {name} ended with {done.returncode}; {log} ends with:\n{_tail(said)}")
        executions += int(total[1]) if total else int(steps[-1][0])
        edges = max([edges, *(int(covered) for _, covered in steps)])
    corpus = sum(1 for _ in (folder / "corpus").iterdir())
    return Explored(
        target=name, seconds=time.monotonic() - begun, executions=executions, edges=edges, corpus=corpus,
        crashes=_crashes(folder),
    )  # fmt: skip


def _crashes(folder: Path) -> tuple[str, ...]:
    """Names of the inputs that did harm."""
    return tuple(sorted(path.name for path in folder.glob("crashes/*") if path.suffix != ".txt"))


def _tail(said: bytes) -> str:
    return "\n".join(said.decode("utf-8", "replace").splitlines()[-10:])


def _environment() -> dict[str, str]:
    """The tests' own modules on the path, and sets that iterate alike in every process."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}


def _add(file: Path, explored: Explored) -> None:
    """Add one exploration to the totals."""
    totals = json.loads(file.read_text()) if file.exists() else {}
    row = totals.get(explored.target, {"seconds": 0.0, "executions": 0})
    totals[explored.target] = {
        **asdict(explored),
        "seconds": round(row["seconds"] + explored.seconds, 1),
        "executions": row["executions"] + explored.executions,
    }
    file.write_text(json.dumps(totals, indent=2, sort_keys=True) + "\n")
