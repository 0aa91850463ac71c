# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Refuses a missing or old toolchain and a mixed target. Written by `vendorctl guard`; do not edit.

Standard library only, and nothing is imported or looked at before a function is called. `require` is for code that
compiles; `choose_target` for code that compiles or loads objects, which must all be for one target in a process.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping, MutableMapping
from importlib import metadata

# -- from VENDOR.yaml --
#: Distribution to the lowest version that will do.
REQUIRED: Mapping[str, str] = {
    "flydsl": "0.5.0",
}
#: The targets that there are objects for.
TARGETS: tuple[str, ...] = (
    "gfx942",
    "gfx950",
)
#: What installs the toolchain.
INSTALL = "pip install flydsl==0.5.0"
# -- end --

#: All of them steer the compiler; where they disagree, it selects code for one chip and stamps it for another.
VARIABLES = ("ARCH", "FLYDSL_GPU_ARCH")
_lock = threading.Lock()
_chosen: list[str] = []


class ToolchainError(ImportError):
    """The optional toolchain is not installed, or too old. The message ends in the command that installs it."""


class TargetError(RuntimeError):
    """No target, an unknown one, or not the one that this process already works for."""


def problems() -> list[str]:
    """What is wrong with the installed toolchain; nothing when it will do. Imports none of it."""
    found = []
    for name, lowest in REQUIRED.items():
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            found.append(f"{name} is not installed")
            continue
        if _order(installed) < _order(lowest):
            found.append(f"{name} {installed} is older than {lowest}")
    return found


def require() -> None:
    """Raise ToolchainError unless every required distribution is there and new enough."""
    found = problems()
    if found:
        raise ToolchainError(f"{'; '.join(found)}. Run: {INSTALL}")


def choose_target(target: str | None = None, environ: MutableMapping[str, str] = os.environ) -> str:
    """The one target of this process: `target`, or what the environment says; then the environment says so too.

    Raises TargetError, and changes nothing, when there is none, when the sources disagree, or when another target was
    chosen before. A target is never guessed.
    """
    said = {name: environ[name] for name in VARIABLES if environ.get(name)}
    if target:
        said["the caller"] = target
    if not said:
        raise TargetError(f"no target: pass one of {', '.join(TARGETS)}, or set {' and '.join(VARIABLES)}")
    if len(set(said.values())) > 1:
        raise TargetError(f"targets disagree: {', '.join(f'{name} says {value}' for name, value in said.items())}")
    chosen = next(iter(said.values()))
    if chosen not in TARGETS:
        raise TargetError(f"no objects for {chosen}: there are some for {', '.join(TARGETS)}")
    with _lock:
        if _chosen and _chosen[0] != chosen:
            raise TargetError(f"this process works for {_chosen[0]}; start another one for {chosen}")
        _chosen[:] = [chosen]
        environ.update(dict.fromkeys(VARIABLES, chosen))
    return chosen


def _order(version: str) -> tuple[tuple[int, ...], bool]:
    """A key by which versions compare: the release's numbers, then pre-releases before the release itself."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(part) for part in release[0].split(".")] if release else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    rest = version[release.end() :] if release else version
    return tuple(numbers), re.match(r"[-_.]?(a|b|c|rc|alpha|beta|pre|dev)", rest, re.IGNORECASE) is None
