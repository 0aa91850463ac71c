# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""All targets by name, and one that is broken on purpose."""

from __future__ import annotations

from collections.abc import Iterable

from fuzz import answers, consumer, licensing, machine, objects, reports, series, vendoring, workspace
from fuzz.target import Target


def _broken(data: bytes) -> None:
    """A reader with a fault that only the right bytes reach."""
    if data[:1] == b"v" and data[1:2] == b"c" and data[2:3] == b"!":
        raise KeyError(data)


#: What every driver must find the fault of; never among `TARGETS`.
BROKEN = Target(name="broken", check=_broken, seeds=lambda: [b"x"], longest=8)


def _by_name(targets: Iterable[Target]) -> dict[str, Target]:
    """Targets by name. Raises ValueError for two of one name, of which only one would ever be tried."""
    found: dict[str, Target] = {}
    for target in targets:
        if target.name in found:
            raise ValueError(f"there are two targets {target.name!r}")
        found[target.name] = target
    return found


TARGETS = _by_name(
    (
        *series.TARGETS,
        *workspace.TARGETS,
        *vendoring.TARGETS,
        *answers.TARGETS,
        *licensing.TARGETS,
        *consumer.TARGETS,
        *objects.TARGETS,
        *machine.TARGETS,
        *reports.TARGETS,
    )
)


def find(name: str) -> Target:
    """The target called `name`. Raises SystemExit with the known names when there is none."""
    if name == BROKEN.name:
        return BROKEN
    if name not in TARGETS:
        raise SystemExit(f"there is no target {name!r}; there are: {', '.join(TARGETS)}")
    return TARGETS[name]
