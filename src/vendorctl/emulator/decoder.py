# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Bytes to instructions, with the corrections that the tables need to be read as the hardware reads them."""

from __future__ import annotations

import functools
import re

from vendorctl.emulator.instruction import ACCUMULATOR, LITERAL, VECTOR, Instruction, Operand
from vendorctl.emulator.isa import Field, Format, Opcode, isa
from vendorctl.emulator.targets import Family, Target, has_instruction, target
from vendorctl.errors import VendorError

#: Field names of the tables -> the one name this package uses.
_NAMES = {
    **{f"{prefix}src{k}": f"src{k}" for prefix in "vs" for k in range(3)},
    "vdst": "dst",
    "vaddr": "addr",
    "vdata": "data",
    "vsrc": "data",
    "data0": "data",
    "rsrc": "srsrc",
    "ioffset": "offset",
    "sdata": "dst",
    "srcx0": "src0",
    "vsrcx1": "src1",
    "vdstx": "dst",
    "srcy0": "src0y",
    "vsrcy1": "src1y",
    "vdsty": "dsty",
    "clmp": "clamp",
}
#: Signed offsets: format -> width in bits. Buffer offsets are unsigned.
_SIGNED = {
    **dict.fromkeys(("FLAT", "GLOBAL", "SCRATCH"), 13),
    **dict.fromkeys(("VFLAT", "VGLOBAL", "VSCRATCH"), 24),
}
_EXTENDED = ("VOP1", "VOP1_SDST", "VOP2", "VOPC", "VOP3", "VOP3_SDST", "VOP3SD", "VOP3P")
#: Source operands that stand for a further word: sub-dword selections (SDWA), a lane permutation (DPP), a literal.
_NEEDS_A_WORD = (249, 250, LITERAL)
_SCALAR_RESULT = re.compile(r"v_cmpx?_\w+|v_readfirstlane_b32|v_readlane_b32|v_s_\w+")

#: Moves to and from accumulation registers, which no bit marks as such.
_ACCUMULATOR_MOVES = {
    "v_accvgpr_read": ("src0",),
    "v_accvgpr_write": ("dst",),
    "v_accvgpr_mov_b32": ("dst", "src0"),
}

#: gfx90a numbers its bf16 matrix instructions differently from the tables' gfx940:
#: opcode -> (mnemonic, bits of A and B, bits of C and D).
_GFX90A_MATRIX = {
    0x63: ("v_mfma_f32_32x32x4_2b_bf16", 64, 1024),
    0x64: ("v_mfma_f32_16x16x4_4b_bf16", 64, 512),
    0x65: ("v_mfma_f32_4x4x4_16b_bf16", 64, 128),
    0x66: ("v_mfma_f32_32x32x8_bf16", 64, 512),
    0x67: ("v_mfma_f32_16x16x16_bf16", 64, 128),
    0x68: ("v_mfma_f32_32x32x2_2b_bf16", 32, 1024),
    0x69: ("v_mfma_f32_16x16x2_4b_bf16", 32, 512),
    0x6B: ("v_mfma_f32_4x4x2_16b_bf16", 32, 128),
    0x6C: ("v_mfma_f32_32x32x4_bf16", 32, 512),
    0x6D: ("v_mfma_f32_16x16x8_bf16", 32, 128),
}


class UndecodableError(VendorError):
    """Bytes that are no instruction of the target; callers stop there and say where."""


def decode(text: bytes, target_name: str, *, address: int = 0) -> list[Instruction]:
    """Every instruction of `text`, in order; `address` is that of its first byte.

    Raises VendorError naming the address and the bytes at the first word that `target_name` cannot execute.
    """
    wanted = target(target_name)
    found: list[Instruction] = []
    at = 0
    while at < len(text):
        instruction = decode_at(text[at : at + 20], wanted, address + at)
        found.append(instruction)
        at += instruction.size
    return found


def decode_at(data: bytes, wanted: Target, address: int) -> Instruction:
    """The instruction at the start of `data` (up to 20 bytes of it are looked at), placed at `address`."""
    shape = _decode(data[:20], wanted)
    return Instruction(
        address, shape.size, shape.encoding, shape.format, shape.mnemonic, shape.operands, shape.fields,
        shape.literal, shape.extension, shape.dual,
    )  # fmt: skip


@functools.lru_cache(maxsize=65536)
def _decode(data: bytes, wanted: Target) -> Instruction:
    word = int.from_bytes(data.ljust(20, b"\0"), "little")
    tables = isa(wanted.family)
    encoding = tables.named("VOP3P_MFMA") if _is_gfx90a_matrix(word, wanted) else tables.find(word)
    if encoding is None or len(data) < encoding.size:
        raise UndecodableError(f"no instruction of {wanted.name} starts with the bytes {data[:8].hex(' ')}")
    opcode = _opcode(encoding, word, wanted)
    if not has_instruction(wanted.name, opcode.mnemonic):
        raise UndecodableError(
            f"{opcode.mnemonic} ({data[: encoding.size].hex(' ')}) is not an instruction of {wanted.name}"
        )
    return _Reader(encoding, opcode, word, wanted).instruction(data)


def _opcode(encoding: Format, word: int, wanted: Target) -> Opcode:
    if encoding.dual:
        return _dual_opcode(encoding, word)
    if encoding.opcode is None:
        return Opcode(encoding.name.lower(), {})
    number = encoding.opcode.raw(word)
    if _is_gfx90a_matrix(word, wanted):
        mnemonic, factors, sums = _GFX90A_MATRIX[number]
        return Opcode(mnemonic, {"src0": factors, "src1": factors, "src2": sums, "vdst": sums})
    return encoding.opcodes[number]


def _is_gfx90a_matrix(word: int, wanted: Target) -> bool:
    return wanted.name == "gfx90a" and (word >> 23) & 0x1FF == 0b110100111 and (word >> 16) & 0x7F in _GFX90A_MATRIX


def _dual_opcode(encoding: Format, word: int) -> Opcode:
    halves = []
    for place, table in encoding.dual:
        half = table.get(place.raw(word))
        if half is None:
            raise UndecodableError(f"unknown half {place.raw(word)} of a dual-issue instruction")
        halves.append(half)
    return Opcode(" :: ".join(half.mnemonic for half in halves), {}, any(half.literal for half in halves))


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) & 1 else value


class _Reader:
    """Reads the fields of one word; exists for the duration of one decoding."""

    def __init__(self, encoding: Format, opcode: Opcode, word: int, wanted: Target) -> None:
        self.encoding, self.opcode, self.word, self.wanted = encoding, opcode, word, wanted
        self.operands: list[Operand] = []
        self.fields: dict[str, int] = {}
        self.size = encoding.size
        self.literal: int | None = None
        self.extension = ""

    def instruction(self, data: bytes) -> Instruction:
        for place in self.encoding.fields:
            self._read(place)
        self._read_extension()
        self._correct()
        if len(data) < self.size:
            raise UndecodableError(f"the instruction {self.opcode.mnemonic} is cut short: {data.hex(' ')}")
        dual = None
        if self.encoding.dual:
            first, second = self.opcode.mnemonic.split(" :: ")
            dual = (first, second)
        name = self.encoding.name.removesuffix("_SDST").removesuffix("_MFMA")
        return Instruction(
            0, self.size, data[: self.size], name, self.opcode.mnemonic, tuple(self.operands), self.fields,
            self.literal, self.extension, dual,
        )  # fmt: skip

    def _read(self, place: Field) -> None:
        raw = place.raw(self.word)
        name = _NAMES.get(place.name, place.name)
        if not place.is_register:
            if place.name == "rsrc":  # gfx12 keeps the buffer descriptor's first register as a plain number
                self.operands.append(Operand("srsrc", raw, 128))
            else:
                self.fields[name] = raw
            return
        number = (raw << place.shift) + place.base
        if place.partner:  # the second result of a dual issue lies in the other half of the register file
            number += 1 - (self._number("dst") & 1)
        self.operands.append(Operand(name, number, self._bits(place.name)))

    def _bits(self, name: str) -> int:
        bits = self.opcode.bits
        if name in bits:
            return bits[name]
        return bits.get("v" + name, bits.get(name.removeprefix("v"), 32))

    def _number(self, name: str) -> int:
        for operand in self.operands:
            if operand.name == name:
                return operand.number
        raise UndecodableError(f"{self.opcode.mnemonic} has no operand {name}, which its other bits ask for")

    def _replace(self, name: str, **changes: int | bool) -> None:
        for at, operand in enumerate(self.operands):
            if operand.name == name:
                values = {"number": operand.number, "bits": operand.bits, "high": operand.high} | changes
                self.operands[at] = Operand(name, int(values["number"]), int(values["bits"]), bool(values["high"]))

    def _read_extension(self) -> None:
        """The word after the encoding: a literal, a lane permutation (DPP) or sub-dword selections (SDWA)."""
        after = (self.word >> (8 * self.encoding.size)) & 0xFFFFFFFF
        if self.wanted.is_cdna and self.encoding.name.startswith("VOP3"):
            self._refuse_extension()
        elif self.encoding.name in _EXTENDED:
            marker = self._number("src0") if any(operand.name == "src0" for operand in self.operands) else 0
            self.extension = {250: "dpp16", 249: "sdwa" if self.wanted.is_cdna else ""}.get(marker, "")
            if not self.wanted.is_cdna and marker in (233, 234):
                self.extension = "dpp8"
                self.fields["fi"] = int(marker == 234)
        if self.extension:
            self.size += 4
            getattr(self, f"_read_{self.extension}")(after)
        elif self._has_literal():
            self.size += 4
            self.literal = after

    def _refuse_extension(self) -> None:
        """gfx9 has one further word behind its short encodings only; behind a long one, nothing may ask for it."""
        asking = [operand.number for operand in self.operands if operand.number in _NEEDS_A_WORD]
        if asking:
            raise UndecodableError(f"{self.opcode.mnemonic} has 8 bytes, so that its operand {asking[0]} is none")

    def _has_literal(self) -> bool:
        named = self.opcode.literal or any(operand.number == LITERAL for operand in self.operands)
        return named and self.encoding.name.startswith(("SOP", "VOP"))

    def _read_dpp16(self, after: int) -> None:
        self._replace("src0", number=VECTOR + (after & 0xFF))
        self.fields |= {"dpp": after >> 8 & 0x1FF, "fi": after >> 18 & 1, "bound": after >> 19 & 1}
        self.fields |= {"bank_mask": after >> 24 & 15, "row_mask": after >> 28 & 15}
        if self.encoding.name in ("VOP1", "VOP2", "VOPC"):
            self.fields |= {"neg": (after >> 20 & 1) | (after >> 22 & 1) << 1}
            self.fields |= {"abs": (after >> 21 & 1) | (after >> 23 & 1) << 1}

    def _read_dpp8(self, after: int) -> None:
        self._replace("src0", number=VECTOR + (after & 0xFF))
        self.fields["lanes"] = after >> 8

    def _read_sdwa(self, after: int) -> None:
        # An operand is a vector register unless its "is scalar" bit says otherwise.
        self._replace("src0", number=(after & 0xFF) + (0 if after >> 23 & 1 else VECTOR))
        if after >> 31 & 1:
            self._replace("src1", number=self._number("src1") - VECTOR)
        self.fields |= {"src0_sel": after >> 16 & 7, "src1_sel": after >> 24 & 7}
        self.fields |= {"src0_sext": after >> 19 & 1, "src1_sext": after >> 27 & 1}
        self.fields |= {"neg": (after >> 20 & 1) | (after >> 28 & 1) << 1}
        self.fields |= {"abs": (after >> 21 & 1) | (after >> 29 & 1) << 1}
        if self.encoding.name == "VOPC":
            self.operands.append(Operand("sdst", after >> 8 & 0x7F if after >> 15 & 1 else 106, 64))
        else:
            self.fields |= {"dst_sel": after >> 8 & 7, "dst_unused": after >> 11 & 3}
            self.fields |= {"clamp": after >> 13 & 1, "omod": after >> 14 & 3}

    def _correct(self) -> None:
        name = self.encoding.name
        if _SCALAR_RESULT.fullmatch(self.opcode.mnemonic) and any(operand.name == "dst" for operand in self.operands):
            self._replace("dst", number=self._number("dst") % VECTOR)
        if name in _SIGNED:
            self.fields["offset"] = _signed(
                self.fields["offset"], 12 if self.wanted.is_cdna and name == "FLAT" else _SIGNED[name]
            )
        if name == "SMEM":
            self._correct_scalar_memory()
        if name in ("SOPK", "SOPP"):
            self.fields["simm16"] = _signed(self.fields["simm16"], 16)
        if name.startswith("VOP"):
            self._correct_halves()
        if self.wanted.is_cdna:
            self._correct_accumulators()

    def _correct_scalar_memory(self) -> None:
        width = 24 if self.wanted.family is Family.RDNA4 else 21
        self.fields["offset"] = _signed(self.fields["offset"], width)
        if self.wanted.is_cdna:
            if not self.fields.pop("imm"):
                # The old form without an immediate: the offset field is itself the number of a scalar register.
                self._replace("soffset", number=self.fields["offset"] & 0x7F)
                self.fields["offset"] = 0
            elif not self.fields["soffset_en"]:
                self.operands = [operand for operand in self.operands if operand.name != "soffset"]
            self.fields.pop("soffset_en")
        elif self._number("soffset") == self.wanted.null:
            self.operands = [operand for operand in self.operands if operand.name != "soffset"]

    def _correct_halves(self) -> None:
        """16-bit operands: bit 7 of a short encoding's register number, or op_sel, chooses the upper half."""
        short = self.encoding.name in ("VOP1", "VOP2", "VOPC")
        selected = self.fields.get("opsel", 0) if self.encoding.name in ("VOP3", "VOP3_SDST") else 0
        for operand in list(self.operands):
            if operand.bits != 16 or operand.number < 128:
                continue
            bit = {"src0": 0, "src1": 1, "src2": 2, "dst": 3}.get(operand.name, 0)
            if short and not self.wanted.is_cdna and VECTOR + 128 <= operand.number < ACCUMULATOR:
                self._replace(operand.name, number=operand.number - 128, high=True)
            elif selected >> bit & 1:
                self._replace(operand.name, high=True)

    def _correct_accumulators(self) -> None:
        """gfx9 marks operands that live in accumulation registers with bits of their own."""
        marks = self.fields.pop("acc", 0)
        always = _ACCUMULATOR_MOVES.get(self.opcode.mnemonic, ())
        if self.encoding.name.startswith("VOP3P"):
            sums = self.fields.pop("acc_cd", 0)
            chosen = {"src0": marks & 1, "src1": marks >> 1 & 1, "src2": sums, "dst": sums}
        else:
            chosen = {"dst": marks, "data": marks, "data1": marks}
        for operand in list(self.operands):
            if (chosen.get(operand.name) or operand.name in always) and operand.number >= VECTOR:
                self._replace(operand.name, number=operand.number + ACCUMULATOR - VECTOR)
