# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The list of mnemonics that have a golden is the list that the product tells people."""

from __future__ import annotations

from emulator import test_goldens, test_matrix, test_memory_instructions
from emulator.goldens import FAMILIES
from support.gpu_assembly import SLOT, assemble_all
from vendorctl.emulator import coverage, decode
from vendorctl.emulator.proven import PROVEN, single_mnemonics


def _golden_mnemonics() -> set[str]:
    found: set[str] = set()
    for target in FAMILIES.values():
        for module in (test_goldens, test_matrix, test_memory_instructions):
            snippets = module._snippets(target)
            image = assemble_all(snippets, target) if snippets else b""
            for start in range(0, len(image), SLOT):
                for instruction in decode(image[start : start + SLOT], target):
                    if instruction.mnemonic == "s_endpgm":
                        break
                    found |= set(single_mnemonics(instruction))
    return found | {"s_endpgm"}


#: Proven by the whole kernels of test_kernels.py, which cannot do without them.
BY_KERNELS = {
    "s_barrier",
    "s_barrier_signal",
    "s_barrier_wait",
    "s_waitcnt",
    "s_wait_kmcnt",
    "s_wait_loadcnt",
    "s_wait_dscnt",
}


def test_proven_mnemonics_are_those_of_the_goldens() -> None:
    golden = _golden_mnemonics() | BY_KERNELS
    assert golden == PROVEN, f"missing: {sorted(golden - PROVEN)}, without a golden: {sorted(PROVEN - golden)}"


def test_coverage_lists_what_no_golden_proves() -> None:
    from emulator.test_kernels import ROTATE, _object

    proven = _object("gfx1100", ROTATE)
    assert not coverage(proven, []).unproven
    other = _object("gfx1100", ROTATE.replace("  {barrier}", "  v_mad_i32_i16 v9, v1, v1, v1\n  {barrier}"))
    assert coverage(other, []).unproven == ("v_mad_i32_i16",)
