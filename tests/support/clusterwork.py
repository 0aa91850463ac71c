# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A job that does nothing useful, for tests of clusters: what happens to an item is written in the item."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from vendorctl.kernels.executor.work import Items, Job, Place, Tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something to do. Files are named by absolute paths: all workers are on this machine.

    `seconds` is how long it takes; it is `stuck` for a minute for whoever makes that file first; it waits for a `gate`,
    and its name is appended to `begun` before that, and to `diary` when it is done. A `deadly` one kills its worker, a
    `broken` one raises, a `fickle` one gives every process another result.
    """

    name: str
    seconds: float = 0.0
    stuck: str = ""
    gate: str = ""
    begun: str = ""
    diary: str = ""
    deadly: bool = False
    broken: bool = False
    fickle: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of an item, and the process that did it."""

    text: str
    pid: int = 0


def perform(place: Place, shared: str, items: Items[Item], tell: Tell[Told]) -> None:
    assert place.folder is None or place.folder.is_dir()
    for index, item in items:
        time.sleep(60.0 if item.stuck and _first(Path(item.stuck)) else item.seconds)
        _note(item.begun, item.name)
        while item.gate and not Path(item.gate).exists():
            time.sleep(0.05)
        if item.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        if item.broken:
            raise ValueError(f"nobody expected {item.name}")
        _note(item.diary, item.name)
        text = f"{shared}/{item.name}/{os.getpid() if item.fickle else 0}"
        tell(index, Told(text=text, pid=os.getpid()))


def _note(file: str, text: str) -> None:
    if file:
        with Path(file).open("a") as lines:
            lines.write(f"{text}\n")


def _first(path: Path) -> bool:
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def no_faults() -> Sequence[str]:
    return ()


def faults_in(variable: str) -> Sequence[str]:
    """Faulty where the environment variable is set."""
    found = os.environ.get(variable)
    return (f"it has {found}",) if found else ()


def lost(item: Item, why: str) -> Told:
    return Told(text=f"lost {item.name}: {why}")


def torn(item: Item, why: str) -> Told:
    return Told(text=f"torn {item.name}: {why}")


def fingerprint(told: Told) -> str:
    return told.text


JOB: Job[str, Item, Told] = Job(
    title="try", perform=perform, faults=no_faults, lost=lost, torn=torn, fingerprint=fingerprint, least=1, most=16
)
PICKY = replace(JOB, faults=partial(faults_in, "OTHER_TOOLCHAIN"))
