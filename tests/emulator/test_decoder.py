# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Decoding: against LLVM's disassembler where Debian has it, and the corrections that the tables need."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from emulator.goldens import FAMILIES
from emulator.test_goldens import _snippets
from support.gpu_assembly import SLOT, assemble, assemble_all
from vendorctl.emulator import Instruction, UndecodableError, decode, members_of
from vendorctl.emulator.isa import TINYGRAD, isa
from vendorctl.emulator.targets import Family, known_targets, target
from vendorctl.errors import ExitCode, VendorError

LLVM = shutil.which("llvm-mc-19") or shutil.which("llvm-mc-20") or shutil.which("llvm-mc-21")


def decoded(text: str, name: str) -> list[Instruction]:
    return decode(assemble(text, name), name)


def _golden_instructions(name: str) -> Iterator[Instruction]:
    image = assemble_all(_snippets(name), name)
    for start in range(0, len(image), SLOT):
        for instruction in decode(image[start : start + SLOT], name):
            if instruction.mnemonic == "s_endpgm":
                break
            yield instruction


#: LLVM 19 has no upper half as the result of this conversion yet; everything else it must know.
UNKNOWN_TO_LLVM = {"v_cvt_f16_f32"}


def _disassemble(instructions: list[Instruction], name: str) -> list[tuple[Instruction, str]]:
    """Each instruction with LLVM's reading of its encoding, less those that LLVM rejects."""
    assert LLVM is not None
    text = "\n".join(" ".join(f"0x{byte:02x}" for byte in item.encoding) for item in instructions)
    command = [LLVM, "--disassemble", "--triple=amdgcn-amd-amdhsa", f"--mcpu={name}", "--mattr=+real-true16"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    rejected = {int(line) - 1 for line in re.findall(r"^<stdin>:(\d+):.*invalid", done.stderr, re.MULTILINE)}
    assert {instructions[at].mnemonic for at in rejected} <= UNKNOWN_TO_LLVM
    known = [item for at, item in enumerate(instructions) if at not in rejected]
    lines = [line.strip() for line in done.stdout.splitlines() if line.startswith("\t") and not line.startswith("\t.")]
    assert len(lines) == len(known), "an encoding that LLVM reads with another length"
    return list(zip(known, lines, strict=True))


def _normal(mnemonic: str) -> str:
    mnemonic = re.sub(r"_(e32|e64|dpp|dpp8|sdwa|e64_dpp|e64_dpp8)+$", "", mnemonic)
    # AMD's names and LLVM's for the same opcode.
    aliases = {
        "v_accvgpr_read_b32": "v_accvgpr_read",
        "v_accvgpr_write_b32": "v_accvgpr_write",
        "v_fma_mix_f32": "v_mad_mix_f32",
        "v_fma_mixlo_f16": "v_mad_mixlo_f16",
        "v_fma_mixhi_f16": "v_mad_mixhi_f16",
        "v_cvt_pkrtz_f16_f32": "v_cvt_pk_rtz_f16_f32",
        "v_mul_legacy_f32": "v_mul_dx9_zero_f32",
    }
    return aliases.get(mnemonic, mnemonic)


@pytest.mark.skipif(LLVM is None, reason="Debian's llvm-19, the second opinion on decoding, is not installed")
@pytest.mark.parametrize("name", ["gfx90a", "gfx942", "gfx1100", "gfx1151", "gfx1201"])
def test_mnemonics_and_register_numbers_agree_with_llvm(name: str) -> None:
    for mine, line in _disassemble(list(_golden_instructions(name)), name):
        if mine.dual:
            assert [_normal(part.split()[0]) for part in line.split(" :: ")] == list(mine.dual)
            continue
        assert _normal(line.split()[0]) == _normal(mine.mnemonic), line
        for operand in mine.operands:
            if (
                256 <= operand.number < 512
                and operand.name == "dst"
                and not mine.mnemonic.startswith(("ds_", "global"))
            ):
                assert re.search(rf"\bv\[?{operand.number - 256}\b", line), (line, operand)


def test_every_golden_decodes_to_its_own_end() -> None:
    for name in FAMILIES.values():
        for instruction in _golden_instructions(name):
            assert len(instruction.encoding) == instruction.size
            assert str(instruction).startswith(instruction.mnemonic)


@pytest.mark.parametrize("name", ["gfx1100", "gfx1201"])
def test_lane_permutation_of_a_long_comparison_takes_its_extra_word(name: str) -> None:
    both = decoded("v_cmp_gt_f32_e64_dpp s4, v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\ns_nop 7", name)
    assert [(item.mnemonic, item.size) for item in both] == [("v_cmp_gt_f32", 12), ("s_nop", 4)]
    assert both[0].extension == "dpp16"
    assert both[0].require("dst").number == 4


@pytest.mark.parametrize(
    ("name", "text", "offset"),
    [
        ("gfx942", "global_load_dword v0, v1, s[2:3] offset:-4", -4),
        ("gfx1100", "global_load_b32 v0, v1, s[2:3] offset:-4096", -4096),
        ("gfx1201", "global_load_b32 v0, v1, s[2:3] offset:-8388608", -8388608),
        ("gfx942", "s_load_dword s0, s[2:3], -0x10", -16),
        ("gfx1201", "s_load_b32 s0, s[2:3], -0x10", -16),
        ("gfx1100", "buffer_load_b32 v0, v1, s[4:7], 0 offen offset:4095", 4095),
    ],
)
def test_offsets_are_signed_where_the_hardware_reads_them_so(name: str, text: str, offset: int) -> None:
    assert decoded(text, name)[0].fields["offset"] == offset


def test_upper_halves_are_read_from_both_encodings() -> None:
    short, long = decoded("v_add_f16 v0.l, v1.h, v2.l\nv_fma_f16 v0.h, v1.l, v2.h, v3.l", "gfx1100")
    assert [(operand.name, operand.high) for operand in short.operands] == [
        ("dst", False),
        ("src0", True),
        ("src1", False),
    ]
    assert {operand.name for operand in long.operands if operand.high} == {"dst", "src1"}


def test_operands_in_accumulation_registers_are_numbered_apart() -> None:
    (matrix,) = decoded("v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[4:5], a[0:15]", "gfx942")
    assert matrix.require("dst").number == 512
    assert matrix.require("src0").number == 258
    assert matrix.require("dst").registers == 16
    (load,) = decoded("global_load_dword a7, v[0:1], off", "gfx942")
    assert load.require("dst").number == 519


def test_gfx90a_numbers_its_bf16_matrix_instructions_differently() -> None:
    (old,) = decoded("v_mfma_f32_32x32x8bf16_1k a[0:15], v[2:3], v[4:5], a[0:15]", "gfx90a")
    (new,) = decoded("v_mfma_f32_32x32x8_bf16 a[0:15], v[2:3], v[4:5], a[0:15]", "gfx942")
    assert old.mnemonic == new.mnemonic
    assert old.encoding != new.encoding


@pytest.mark.parametrize("source", [249, 250, 255], ids=["SDWA", "DPP", "literal"])
@pytest.mark.parametrize("name", ["gfx90a", "gfx942"])
def test_a_long_instruction_of_gfx9_has_no_further_word(name: str, source: int) -> None:
    """Numbers of source operands that ask for one are none there; gfx11 has a word behind these too."""
    plain = assemble("v_mul_lo_u32 v1, v2, v3", name)
    word = int.from_bytes(plain, "little") & ~(0x1FF << 32) | source << 32
    changed = word.to_bytes(8, "little") + bytes(4)
    with pytest.raises(UndecodableError, match=f"v_mul_lo_u32 has 8 bytes, so that its operand {source} is none"):
        decode(changed, name)
    if LLVM is not None:
        text = " ".join(f"0x{byte:02x}" for byte in changed[:8])
        said = subprocess.run([LLVM, "--disassemble", "--triple=amdgcn", f"--mcpu={name}"], input=text.encode(),
                              capture_output=True, check=False)  # fmt: skip
        assert b"invalid instruction encoding" in said.stderr
    (with_literal,) = decoded("v_mul_lo_u32 v1, 0x12345, v3", "gfx1100")
    assert with_literal.literal == 0x12345


def test_a_generic_object_may_only_use_what_every_member_has() -> None:
    scalar_float = assemble("s_mul_f32 s0, s1, s2", "gfx1151")
    assert decode(scalar_float, "gfx1151")[0].mnemonic == "s_mul_f32"
    for name in ("gfx1100", "gfx11-generic"):
        with pytest.raises(UndecodableError, match="s_mul_f32 .* is not an instruction of " + name):
            decode(scalar_float, name)
    assert not [name for name in members_of("gfx11-generic") if name not in known_targets()]
    assert members_of("gfx12-generic") == ("gfx1200", "gfx1201")
    assert members_of("gfx942") == ("gfx942",)


@pytest.mark.parametrize("name", ["gfx942", "gfx1100", "gfx1201"])
def test_what_is_no_instruction_is_refused_with_its_bytes(name: str) -> None:
    for data in (b"\xff\xff\xff\xff" * 4, assemble("s_mov_b32 s0, 0x12345678", name)[:4], b"\x00\x00"):
        with pytest.raises(VendorError, match=data[:2].hex(" ")):
            decode(data, name)


def test_unknown_targets_are_refused_with_the_known_ones() -> None:
    with pytest.raises(VendorError, match="gfx803") as caught:
        target("gfx803")
    assert caught.value.hint is not None
    assert "gfx942" in caught.value.hint


@pytest.mark.parametrize("version", [None, "0.13.0"])
def test_missing_or_other_tinygrad_is_named_with_the_command_that_installs_it(
    version: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def installed(name: str) -> str:
        if version is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return version

    isa.cache_clear()
    monkeypatch.setattr(importlib.metadata, "version", installed)
    with pytest.raises(VendorError, match="tinygrad") as caught:
        isa(Family.CDNA)
    assert caught.value.code is ExitCode.TOOL_MISSING
    assert caught.value.hint == "pip install 'vendorctl[test]'"
    assert TINYGRAD in str(caught.value) or version is None
