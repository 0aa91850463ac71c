# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The targets that can be executed: what differs between GPU families, in one table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from vendorctl.errors import VendorError


class Family(StrEnum):
    """An instruction set as the decoding tables know it."""

    CDNA = "cdna"
    RDNA3 = "rdna3"
    RDNA4 = "rdna4"


@dataclass(frozen=True, slots=True)
class Target:
    """One processor or generic family, and the facts about it that execution depends on."""

    name: str
    family: Family

    @property
    def is_cdna(self) -> bool:
        """True for gfx9: 64 lanes, accumulation registers, SDWA, no null register."""
        return self.family is Family.CDNA

    @property
    def m0(self) -> int:
        """The source number of register M0."""
        return 124 if self.is_cdna else 125

    @property
    def null(self) -> int | None:
        """The source number of the register that reads as zero and ignores writes; gfx9 has none."""
        return None if self.is_cdna else 124

    @property
    def split_counters(self) -> bool:
        """True where every kind of memory access has a wait counter of its own (gfx12)."""
        return self.family is Family.RDNA4

    @property
    def store_counter(self) -> bool:
        """True where stores have a counter apart from loads (gfx10 and later)."""
        return not self.is_cdna


_MEMBERS: dict[str, tuple[str, ...]] = {
    "gfx11-generic": ("gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"),
    "gfx12-generic": ("gfx1200", "gfx1201"),
    "gfx9-4-generic": ("gfx942", "gfx950"),
}
_FAMILIES: dict[str, Family] = {
    "gfx90a": Family.CDNA,
    "gfx942": Family.CDNA,
    "gfx950": Family.CDNA,
    "gfx9-4-generic": Family.CDNA,
    **dict.fromkeys(("gfx11-generic", *_MEMBERS["gfx11-generic"]), Family.RDNA3),
    **dict.fromkeys(("gfx12-generic", *_MEMBERS["gfx12-generic"]), Family.RDNA4),
}

#: Mnemonics that only some members of a family have: pattern -> the targets that have them.
#: gfx11.5 added scalar floating point; gfx940 and gfx950 extended gfx90a.
_SCALAR_FLOAT = (
    r"s_(ceil|floor|trunc|rndne)_f(16|32)|s_cvt_\w*f(16|32)\w*|s_(add|sub|mul|min|max|fmac)_f(16|32)"
    r"|s_fma[am]k_f32|s_cmp_\w+_f(16|32)"
)
_GFX115 = frozenset({"gfx1150", "gfx1151", "gfx1152", "gfx1153"})
_GFX950 = frozenset({"gfx950"})
_GFX94 = frozenset({"gfx942", "gfx950", "gfx9-4-generic"})
_ONLY_ON: tuple[tuple[Family, re.Pattern[str], frozenset[str]], ...] = (
    (Family.RDNA3, re.compile(_SCALAR_FLOAT), _GFX115),
    (
        Family.CDNA,
        re.compile(
            r"v_permlane(16|32)_swap_b32|v_prng_b32|v_bitop3_b(16|32)|v_cvt_scalef32_\w+|v_ashr_pk_\w+|v_cvt_pk_f16_f32"
            r"|v_cvt_pk_bf16_f32|v_cvt_sr_(f16|bf16)_f32|v_(pk_)?(minimum|maximum)3_f(16|32)|ds_read_b(64|96)_tr_\w+"
            r"|v_mfma_f32_(16x16x32|32x32x16)_b?f16|v_mfma_i32_(16x16x64|32x32x32)_i8|v_mfma_\w*f8f6f4|v_mfma_ld_scale_b32"
            r"|v_dot2c_f32_bf16|v_dot2_f32_bf16|v_cvt_f32_bf16|(buffer|global)_load_lds_dwordx[34]"
        ),
        _GFX950,
    ),
    (
        Family.CDNA,
        re.compile(
            r"v_mov_b64|v_lshl_add_u64|v_cvt_(pk_)?f32_(fp8|bf8)|v_cvt_(pk|sr)_(fp8|bf8)_f32|v_s?mfma\w*(xf32|fp8|bf8)"
            r"|v_smfmac_\w+|v_fma[am]k_f32|v_mfma_i32_(32x32x16|16x16x32)_i8|global_load_lds_\w+|global_atomic_pk_add_bf16"
        ),
        _GFX94,
    ),
)


def target(name: str) -> Target:
    """The target called `name` (`gfx942`, `gfx11-generic`). Raises VendorError when it is not one we execute."""
    family = _FAMILIES.get(name)
    if family is None:
        raise VendorError(
            f"the emulator does not know the target {name!r}", hint="known targets: " + ", ".join(known_targets())
        )
    return Target(name, family)


def known_targets() -> list[str]:
    """Names of all targets, sorted."""
    return sorted(_FAMILIES)


def members_of(name: str) -> tuple[str, ...]:
    """The processors that run an object built for `name`: the members of a generic family, else `name` alone."""
    target(name)
    return _MEMBERS.get(name, (name,))


def has_instruction(name: str, mnemonic: str) -> bool:
    """False when the family of target `name` has `mnemonic` in its tables but this target does not."""
    family = target(name).family
    members = set(members_of(name))
    for only_family, pattern, having in _ONLY_ON:
        if family is only_family and pattern.fullmatch(mnemonic):
            # A generic object may use only what every member has.
            return name in having or members <= having
    return True


def capabilities(name: str) -> tuple[str, ...]:
    """Equal for targets on which every instruction does the same: `gfx11-generic` and `gfx1100`, but not `gfx1151`."""
    processor, members = target(name), set(members_of(name))
    extensions = [
        having for family, _, having in _ONLY_ON if family is processor.family and (name in having or members <= having)
    ]
    return (processor.family.value, *(",".join(sorted(having)) for having in extensions))
