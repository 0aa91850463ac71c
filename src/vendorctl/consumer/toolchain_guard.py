# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0
"""Refuses a missing or old toolchain and a mixed target. Do not edit.

Written by `vendorctl guard`. Standard library only; nothing is looked at before a call.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, MutableMapping
from importlib import metadata

# -- from VENDOR.yaml --
#: Distribution to the lowest version that will do.
REQUIRED: Mapping[str, str] = {}
#: The targets that there are objects for.
TARGETS: tuple[str, ...] = ()
INSTALL = "pip install"
# -- end --

#: Both steer the compiler: one selects code for a chip, the other stamps it.
VARIABLES = ("ARCH", "FLYDSL_GPU_ARCH")
_VERSION = re.compile(r"(?:(\d+)!)?(\d+(?:\.\d+)*)\.?(dev|a|b|rc|)([^+]*)")
_chosen: dict[str, str] = {}


class ToolchainError(ImportError):
    """The toolchain is missing or too old. The message ends in what installs it."""


class TargetError(RuntimeError):
    """No target, an unknown one, or not the one that this process works for."""


def problems() -> list[str]:
    """What is wrong with the installed toolchain; nothing when it will do."""
    found = []
    for name, lowest in REQUIRED.items():
        try:
            version = str(metadata.version(name))
        except metadata.PackageNotFoundError:
            found.append(f"{name} is not installed")
        else:
            if _order(version) < _order(lowest):
                found.append(f"{name} {version} is older than {lowest}")
    return found


def require() -> None:
    """Raise ToolchainError unless all that is required is there and new enough."""
    if found := problems():
        raise ToolchainError(f"{'; '.join(found)}. Run: {INSTALL}")


def choose_target(target: str = "", env: MutableMapping[str, str] = os.environ) -> str:
    """Settle this process, and its environment, on `target` or on what `env` says.

    Raises TargetError and changes nothing when there is none, or more than one.
    """
    said = {name: env[name] for name in VARIABLES if env.get(name)}
    said |= {"the caller": target} if target else {}
    if not said:
        raise TargetError(f"no target: set {VARIABLES}, or pass one of {TARGETS}")
    if len(set(said.values())) > 1:
        raise TargetError(f"targets disagree: {said}")
    (chosen,) = set(said.values())
    if chosen not in TARGETS:
        raise TargetError(f"no objects for {chosen}, only for {TARGETS}")
    if (settled := _chosen.setdefault("target", chosen)) != chosen:
        raise TargetError(f"this process works for {settled}, not {chosen}")
    env.update(dict.fromkeys(VARIABLES, chosen))
    return chosen


def _order(version: str) -> tuple[object, ...]:
    """A key by which versions compare; PEP 440 without its rarest forms."""
    match = _VERSION.match(version)
    epoch, release, phase, rest = match.groups("0") if match else ("0", "0", "dev", "")
    numbers = [int(part) for part in release.split(".")]
    while numbers[-1:] == [0]:
        numbers.pop()
    stage = ("dev", "a", "b", "rc", "").index(phase)
    return int(epoch), numbers, stage, [int(part) for part in re.findall(r"\d+", rest)]
