# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Targets: the GPU architectures and generic families that objects are built for, and their ELF stamps."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from vendorctl.errors import VendorError

#: Code-object ABI versions as stored in EI_ABIVERSION: 4 is code object V6, the only one that names generic targets.
ABI_V6 = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One architecture (`gfx942`) or one family whose members run the same object (`gfx11-generic`).

    `chip` is the member whose rules lower the kernel; it equals `name` for a single architecture. `machine` is the
    EF_AMDGPU_MACH value and `generic_version` the top byte of e_flags (0 for a single architecture), both from
    LLVM's "User Guide for AMDGPU Backend". `members` are the architectures that can load the object.
    """

    name: str
    chip: str
    machine: int
    wave_size: int
    family: str
    members: tuple[str, ...]
    generic_version: int = 0

    @property
    def is_generic(self) -> bool:
        """True for a family target."""
        return self.generic_version != 0

    @property
    def matrix(self) -> str:
        """The kind of matrix instruction it has: `mfma` or `wmma`."""
        return "mfma" if self.family == "gfx9" else "wmma"

    def isa_name(self) -> str:
        """What `amdhsa.target` in the object's metadata must end in."""
        return f"amdgcn-amd-amdhsa-unknown-{self.name}"


def _single(name: str, machine: int, wave_size: int, family: str) -> Target:
    return Target(name=name, chip=name, machine=machine, wave_size=wave_size, family=family, members=(name,))


_GFX11 = ("gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153")
_GFX12 = ("gfx1200", "gfx1201")

_ALL = (
    _single("gfx90a", 0x3F, 64, "gfx9"),
    _single("gfx942", 0x4C, 64, "gfx9"),
    _single("gfx950", 0x4F, 64, "gfx9"),
    _single("gfx1100", 0x41, 32, "gfx11"),
    _single("gfx1151", 0x4A, 32, "gfx11"),
    _single("gfx1201", 0x4E, 32, "gfx12"),
    Target(
        name="gfx11-generic",
        chip="gfx1100",
        machine=0x54,
        wave_size=32,
        family="gfx11",
        members=_GFX11,
        generic_version=1,
    ),
    Target(
        name="gfx12-generic",
        chip="gfx1201",
        machine=0x59,
        wave_size=32,
        family="gfx12",
        members=_GFX12,
        generic_version=1,
    ),
)

#: Every supported target by name.
TARGETS = {target.name: target for target in _ALL}


def find(name: str) -> Target:
    """The target called `name`. Raises VendorError naming the closest known one."""
    try:
        return TARGETS[name]
    except KeyError:
        near = difflib.get_close_matches(name, TARGETS, n=1)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        raise VendorError(f"unknown target {name!r}{guess}", hint=f"known targets: {', '.join(TARGETS)}") from None
