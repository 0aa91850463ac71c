# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One decoded instruction, as plain values that owe nothing to the library whose tables decoded it.

Registers are numbered as in source operands: 0 to 127 scalar (106 VCC, 126 EXEC), 128 to 255 constants,
256 to 511 vector registers; 512 to 767 are gfx9's accumulation registers, a number of our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

VCC = 106
EXEC = 126
SCC = 253
LITERAL = 255
VECTOR = 256
ACCUMULATOR = 512

_SPECIAL = {106: "vcc_lo", 107: "vcc_hi", 126: "exec_lo", 127: "exec_hi", 251: "vccz", 252: "execz", 253: "scc"}
_APERTURES = {235: "src_shared_base", 236: "src_shared_limit", 237: "src_private_base", 238: "src_private_limit"}
_FLOATS = {240: 0.5, 241: -0.5, 242: 1.0, 243: -1.0, 244: 2.0, 245: -2.0, 246: 4.0, 247: -4.0, 248: 0.15915494}


@dataclass(frozen=True, slots=True)
class Operand:
    """A register or constant that an instruction names.

    `name` is its field (`dst`, `src0`, `addr`, …), `number` its source number, `bits` how much of it is
    used, `high` whether a 16-bit operand is the upper half of its register.
    """

    name: str
    number: int
    bits: int
    high: bool = False

    @property
    def registers(self) -> int:
        """How many consecutive 32-bit registers it covers."""
        return max(1, self.bits // 32)

    @property
    def is_register(self) -> bool:
        """False for constants."""
        return self.number < 128 or self.number >= VECTOR


@dataclass(frozen=True, slots=True)
class Instruction:
    """What the bytes at `address` (offset in the text that was decoded) mean.

    `format` is the encoding family (`VOP2`, `SMEM`), `extension` is `dpp16`, `dpp8`, `sdwa` or empty.
    `fields` holds every other bit field by name, signed where the hardware reads it as signed.
    A dual-issue instruction has the two halves' mnemonics in `dual`.
    """

    address: int
    size: int
    encoding: bytes
    format: str
    mnemonic: str
    operands: tuple[Operand, ...] = ()
    fields: Mapping[str, int] = field(default_factory=dict)
    literal: int | None = None
    extension: str = ""
    dual: tuple[str, str] | None = None

    def operand(self, name: str) -> Operand | None:
        """The operand in field `name`, if the instruction has one."""
        return next((operand for operand in self.operands if operand.name == name), None)

    def require(self, name: str) -> Operand:
        """The operand in field `name`. The encoding guarantees it; a missing one is a fault of ours."""
        found = self.operand(name)
        if found is None:
            raise LookupError(f"{self.mnemonic} has no operand {name}")
        return found

    def __str__(self) -> str:
        shown = [operand_text(operand, self.literal) for operand in self.operands]
        extra = [f"{key}:{value:#x}" for key, value in sorted(self.fields.items()) if value]
        return " ".join(
            [self.mnemonic, ", ".join(shown), *extra, *([self.extension] if self.extension else [])]
        ).strip()

    @property
    def hex(self) -> str:
        """The encoding as 32-bit words, in the order in which manuals print them."""
        words = [self.encoding[i : i + 4][::-1].hex() for i in range(0, len(self.encoding), 4)]
        return " ".join(words)


def operand_text(operand: Operand, literal: int | None = None) -> str:
    """How an assembler would write `operand`; `literal` is the instruction's 32-bit constant."""
    number, count = operand.number, operand.registers
    if number == LITERAL:
        return f"{literal or 0:#x}"
    if number >= VECTOR:
        letter, first = ("v", number - VECTOR) if number < ACCUMULATOR else ("a", number - ACCUMULATOR)
        text = f"{letter}{first}" if count == 1 else f"{letter}[{first}:{first + count - 1}]"
        return text + (".h" if operand.high else "")
    if 128 <= number <= 208:
        return str(number - 128 if number <= 192 else 192 - number)
    if number in _FLOATS:
        return str(_FLOATS[number])
    if number < 106:
        return f"s{number}" if count == 1 else f"s[{number}:{number + count - 1}]"
    if count == 2 and number in (VCC, EXEC):
        return _SPECIAL[number][:-3]
    return _SPECIAL.get(number) or _APERTURES.get(number) or f"r{number}"
