# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The instruction tables: the only module that knows tinygrad, which ships them (MIT, generated from AMD's XML).

Its internals move between releases, so the version is pinned exactly, everything needed is copied into plain
tables here, and a self-check decodes one known word per family before the tables are trusted.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from vendorctl.emulator.targets import Family
from vendorctl.errors import ExitCode, VendorError

TINYGRAD = "0.14.0"
_PACKAGE = "tinygrad.runtime.autogen.amd"
_VARIANT = re.compile(r"_(LIT|DPP16|DPP8|SDWA|SDWA_SDST)$")

#: One word per family with the mnemonic it must decode to: s_add of two scalars in the oldest spelling of each.
_KNOWN_WORDS = {
    Family.CDNA: (0x80020100, "s_add_u32"),
    Family.RDNA3: (0x80020100, "s_add_u32"),
    Family.RDNA4: (0x80020100, "s_add_co_u32"),
}


@dataclass(frozen=True, slots=True)
class Field:
    """Where a bit field lies. A register field's source number is its raw value shifted by `shift`, plus `base`."""

    name: str
    low: int
    width: int
    is_register: bool
    base: int = 0
    shift: int = 0
    partner: bool = False

    def raw(self, word: int) -> int:
        """The bits of the field in `word`, the encoding as a little-endian integer."""
        return (word >> self.low) & ((1 << self.width) - 1)


@dataclass(frozen=True, slots=True)
class Opcode:
    """A mnemonic (lower case, no encoding suffix), the bits of each operand, and whether a literal always follows."""

    mnemonic: str
    bits: Mapping[str, int]
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """One encoding: its size in bytes, its fixed bits, its opcode field and opcodes, and its other fields."""

    name: str
    size: int
    fixed: tuple[tuple[Field, int], ...]
    opcode: Field | None
    opcodes: Mapping[int, Opcode]
    fields: tuple[Field, ...]
    dual: tuple[tuple[Field, Mapping[int, Opcode]], ...] = ()

    def matches(self, word: int) -> bool:
        """True when the fixed bits are in place and the opcode is one of this encoding's."""
        if any(place.raw(word) != value for place, value in self.fixed):
            return False
        return self.opcode is None or self.opcode.raw(word) in self.opcodes


@dataclass(frozen=True, slots=True)
class Isa:
    """All encodings of one family, indexed by the top nine bits of the first word."""

    family: Family
    formats: tuple[Format, ...]
    buckets: Mapping[int, tuple[Format, ...]] = field(repr=False)

    def find(self, word: int) -> Format | None:
        """The encoding of the instruction that starts with `word` (at least 16 bytes, zero padded), or None."""
        candidates = self.buckets.get((word >> 23) & 0x1FF, ())
        return next((encoding for encoding in candidates if encoding.matches(word)), None)

    def named(self, name: str) -> Format:
        """The encoding called `name`."""
        return next(encoding for encoding in self.formats if encoding.name == name)


@functools.cache
def isa(family: Family) -> Isa:
    """The tables of `family`. Raises VendorError (exit code 7) when the pinned tinygrad is absent or unusable."""
    formats = tuple(sorted(_formats(_load(family, "ins")), key=_specificity))
    tables = Isa(family, formats, _buckets(formats))
    word, mnemonic = _KNOWN_WORDS[family]
    found = tables.find(word)
    if found is None or found.opcode is None or found.opcodes[found.opcode.raw(word)].mnemonic != mnemonic:
        raise _unusable(f"tinygrad {TINYGRAD} does not decode {word:#010x} as {mnemonic}")
    return tables


@functools.cache
def pseudo_code(family: Family) -> Mapping[str, str]:
    """AMD's own description of each instruction, by mnemonic: the independent oracle of the differential tests."""
    table = _load(family, "str_pcode").PCODE
    return {_mnemonic(opcode): text for opcode, text in table.items()}


def _load(family: Family, module: str) -> ModuleType:
    try:
        version = importlib.metadata.version("tinygrad")
    except importlib.metadata.PackageNotFoundError as error:
        raise _unusable("tinygrad, whose instruction tables decode the objects, is not installed") from error
    if version != TINYGRAD:
        raise _unusable(f"tinygrad {version} is installed, but its tables are only known to be right in {TINYGRAD}")
    try:
        return importlib.import_module(f"{_PACKAGE}.{family.value}.{module}")
    except ImportError as error:
        raise _unusable(f"tinygrad {TINYGRAD} is damaged: {error}") from error


def _unusable(message: str) -> VendorError:
    return VendorError(message, hint="pip install 'vendorctl[test]'", code=ExitCode.TOOL_MISSING)


def _mnemonic(opcode: Any) -> str:
    return re.sub(r"_E(32|64)$", "", opcode.name).lower()


def _formats(module: ModuleType) -> Iterator[Format]:
    """Every encoding of the module, without the variants that only add an extension word: those are ours to read."""
    dsl = importlib.import_module("tinygrad.renderer.amd.dsl")
    classes = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, dsl.Inst) and value is not dsl.Inst
    }
    for name, value in classes.items():
        if not _VARIANT.search(name):
            yield _format(name, value, classes.get(f"{name}_LIT"), dsl)


def _format(name: str, value: Any, literal: Any, dsl: ModuleType) -> Format:
    fixed: list[tuple[Field, int]] = []
    fields: list[Field] = []
    dual: list[tuple[Field, Mapping[int, Opcode]]] = []
    opcode, opcodes = None, {}
    for label, bits in value._fields:
        place = _place(label, bits, dsl)
        if isinstance(bits, dsl.FixedBitField):
            fixed.append((place, bits.default))
        elif isinstance(bits, dsl.EnumBitField) and label == "op":
            opcode, opcodes = place, _opcodes(bits, literal, dsl)
        elif isinstance(bits, dsl.EnumBitField):
            dual.append((place, _opcodes(bits, None, dsl)))
        else:
            fields.append(place)
    return Format(name, value._base_size, tuple(fixed), opcode, opcodes, tuple(fields), tuple(dual))


def _place(label: str, bits: Any, dsl: ModuleType) -> Field:
    width = bits.hi - bits.lo + 1
    if isinstance(bits, dsl.SrcField):
        return Field(label, bits.lo, width, True, base=bits._valid_range[0])
    if isinstance(bits, dsl.AlignedSGPRField):
        return Field(label, bits.lo, width, True, shift=bits._align.bit_length() - 1)
    if isinstance(bits, dsl.VDSTYField):
        return Field(label, bits.lo, width, True, base=256, shift=1, partner=True)
    return Field(label, bits.lo, width, False)


def _opcodes(bits: Any, literal: Any, dsl: ModuleType) -> dict[int, Opcode]:
    allowed = set(bits.allowed) if bits.allowed is not None else set(bits._enum)
    forced = set(dict(literal._fields)["op"].allowed) - allowed if literal is not None else set()
    # The variant with a literal also lists opcodes that merely *may* have one; those read their literal by source 255.
    forced = {opcode for opcode in forced if re.search(r"FMAMK|FMAAK|MADMK|MADAK|IMM32", opcode.name)}
    table = {}
    for opcode in allowed | forced:
        operands = {name: info[1] for name, info in dsl.OPERANDS.get(opcode, {}).items()}
        always = opcode in forced or bool(re.search(r"DUAL_FMA[AM]K", opcode.name))
        table[opcode.value] = Opcode(_mnemonic(opcode), operands, always)
    return table


def _specificity(encoding: Format) -> tuple[int, int]:
    """Sort key: encodings with more fixed bits first, and of equal ones those with fewer opcodes."""
    return (-sum(place.width for place, _ in encoding.fixed), len(encoding.opcodes))


def _buckets(formats: tuple[Format, ...]) -> dict[int, tuple[Format, ...]]:
    def possible(encoding: Format, top: int) -> bool:
        for place, value in encoding.fixed:
            for bit in range(place.width):
                at = place.low + bit
                if 23 <= at < 32 and (top >> (at - 23)) & 1 != (value >> bit) & 1:
                    return False
        return True

    return {top: tuple(item for item in formats if possible(item, top)) for top in range(512)}
