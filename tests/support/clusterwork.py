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

from vendorctl.kernels.work import Items, Job, Place, Tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something to do: sleep some seconds, kill the worker if `deadly`, wait for a file, tell who did it."""

    name: str
    seconds: float = 0.0
    deadly: bool = False
    slow_at: str = ""
    gate: str = ""
    fickle: bool = False
    fails: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of an item: what was made of it, and the process that did it."""

    text: str
    pid: int = 0


def perform(place: Place, shared: str, items: Items[Item], tell: Tell[Told]) -> None:
    for index, item in items:
        if item.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        if item.fails:
            raise ValueError(f"nobody expected {item.name}")
        time.sleep(
            60.0 if item.slow_at and Path(item.slow_at).exists() is False and _first(item.slow_at) else item.seconds
        )
        while item.gate and not Path(item.gate).exists():
            time.sleep(0.05)
        text = f"{shared}/{item.name}"
        tell(index, Told(text=f"{text}/{os.getpid()}" if item.fickle else text, pid=os.getpid()))


def _first(path: str) -> bool:
    """Whether this is the first to make the file: the one that is to be slow."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def no_faults() -> Sequence[str]:
    return ()


def faults_of(process_variable: str) -> Sequence[str]:
    """Faulty where the environment variable is set."""
    found = os.environ.get(process_variable)
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
PICKY = replace(JOB, faults=partial(faults_of, "OTHER_TOOLCHAIN"))
