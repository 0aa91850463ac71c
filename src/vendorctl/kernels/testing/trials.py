# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What one instance is tested with: calls made from its recipe's cases, and the schedules that each runs under.

Representative: every case under the fastest schedule, the first case under all, and once with outputs in the memory of
inputs. Full: every case, with and without shared memory, under all schedules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from vendorctl import digest
from vendorctl.kernels.object.instance import Instance
from vendorctl.kernels.recipe import Case, Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One case to be run under some schedules; `aliases` maps outputs to the inputs whose memory they share."""

    name: str
    case: Case
    schedules: tuple[str, ...]
    aliases: Mapping[str, str] = field(default_factory=dict)


def cases(recipe: Recipe, instance: Instance) -> list[Case]:
    """The recipe's cases, from random numbers that depend on nothing but operation and instance."""
    import numpy as np

    seed = int(digest.sha256(f"{recipe.operation}/{instance.name}".encode())[:16], 16)
    return list(recipe.cases(instance, np.random.default_rng(seed)))


def trials(listed: Sequence[Case], schedules: Sequence[str], *, full: bool) -> Iterator[Trial]:
    """The trials for these cases; `schedules` are the backend's, the fastest first."""
    everything = tuple(schedules)
    for index, case in enumerate(listed):
        chosen = everything if full or index == 0 else everything[:1]
        yield Trial(name=case.name, case=case, schedules=chosen)
        if case.inplace and (full or index == 0):
            in_place = everything if full else everything[:1]
            yield Trial(name=f"{case.name}, in place", case=case, schedules=in_place, aliases=dict(case.inplace))
