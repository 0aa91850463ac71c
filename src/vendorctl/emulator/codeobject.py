# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""AMD GPU code objects: which kernels an ELF file holds, what they need, and where their instructions are.

Layout after LLVM's "User Guide for AMDGPU Backend": code object metadata (a msgpack note) and the 64-byte
kernel descriptor. Where the two say the same thing, the descriptor is what hardware obeys.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vendorctl.emulator.elf import MACHINE_AMDGPU, Elf, read_elf
from vendorctl.emulator.lines import LineTable, read_lines
from vendorctl.emulator.targets import Family, Target, target
from vendorctl.errors import VendorError

_DESCRIPTOR = struct.Struct("<IIIIq20sIIIHH4s")
_METADATA_NOTE = 32
#: kernel_code_properties bits that ask for user SGPRs: (bit, registers), in the order in which they are loaded.
_USER_REGISTERS = ((0, 4), (1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 1))
_KERNARG_POINTER = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One kernel argument as the metadata describes it: byte offset and size in the kernarg segment, and its kind."""

    offset: int
    size: int
    kind: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Descriptor:
    """The 64-byte kernel descriptor, with its bit fields taken apart. Sizes are in bytes."""

    lds: int
    scratch: int
    kernarg: int
    entry_offset: int
    rsrc1: int
    rsrc2: int
    rsrc3: int
    properties: int
    preload: int

    @property
    def user_sgprs(self) -> int:
        """How many scalar registers the launcher fills before the system's own."""
        return (self.rsrc2 >> 1) & 31

    @property
    def workgroup_id_enabled(self) -> tuple[bool, bool, bool]:
        """Which of the x, y and z workgroup ids are passed in scalar registers (gfx11 and earlier)."""
        return tuple(bool(self.rsrc2 >> (7 + axis) & 1) for axis in range(3))  # type: ignore[return-value]  # three axes

    @property
    def kernarg_register(self) -> int | None:
        """The first of the two scalar registers that hold the kernarg address, or None when it is not asked for."""
        register = 0
        for bit, count in _USER_REGISTERS:
            if bit == _KERNARG_POINTER and self.properties >> bit & 1:
                return register
            register += count if self.properties >> bit & 1 else 0
        return None

    @property
    def preload_dwords(self) -> int:
        """How many words of the kernarg segment hardware loads into the user registers that follow (gfx942 on)."""
        return self.preload & 0x7F

    @property
    def preload_offset(self) -> int:
        """The word of the kernarg segment at which preloading starts."""
        return self.preload >> 7

    @property
    def flushes_denormals(self) -> bool:
        """True when 32-bit float denormals are not preserved."""
        return (self.rsrc1 >> 16) & 3 != 3

    @property
    def round_to_nearest(self) -> bool:
        """True when all floats round to nearest even: the only mode that is executed."""
        return (self.rsrc1 >> 12) & 15 == 0

    @property
    def wave32(self) -> bool:
        """True when a wave has 32 lanes."""
        return bool(self.properties >> 10 & 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """One kernel of an object. `entry` is the image address of its first instruction; sizes are in bytes."""

    name: str
    symbol: str
    entry: int
    descriptor: Descriptor
    kernarg_size: int
    arguments: tuple[Argument, ...]
    lds: int
    scratch: int
    vgprs: int
    agprs: int
    sgprs: int
    vgpr_spills: int
    sgpr_spills: int
    wave_size: int
    max_workgroup_size: int

    @property
    def user_sgprs(self) -> int:
        """How many scalar registers the launcher fills."""
        return self.descriptor.user_sgprs

    def register_file(self, processor: Target) -> tuple[int, int]:
        """How many vector and accumulation registers hardware allocates per lane, after rounding up."""
        if processor.is_cdna:
            total = ((self.descriptor.rsrc1 & 0x3F) + 1) * 8
            offset = ((self.descriptor.rsrc3 & 0x3F) + 1) * 4
            return min(offset, total), max(total - offset, 0)
        return min(((self.descriptor.rsrc1 & 0x3F) + 1) * (8 if self.wave_size == 32 else 4), 256), 0


@dataclass(frozen=True, slots=True)
class CodeObject:
    """A parsed object. `image` is what a loader would place in memory; `text` the instructions within it."""

    target: Target
    kernels: Mapping[str, Kernel]
    text: bytes
    text_address: int
    image: bytes
    flags: int
    lines: LineTable | None = field(default=None, repr=False)

    @staticmethod
    def parse(data: bytes) -> CodeObject:
        """Read an ELF code object. Untrusted input: whatever is malformed in it raises VendorError, nothing else."""
        elf = read_elf(data)
        if elf.machine != MACHINE_AMDGPU:
            raise VendorError(f"not an AMD GPU code object (ELF machine {elf.machine})")
        metadata = _metadata(elf)
        # amdgcn-amd-amdhsa--gfx942:xnack-, with "unknown" between the dashes in objects from newer compilers
        name = re.sub(r"^amdgcn-amd-amdhsa-[^-]*-", "", str(metadata.get("amdhsa.target", ""))).split(":")[0]
        processor = target(name)
        text = elf.section(".text")
        if text is None or elf.image[text.address : text.address + len(text.data)] != text.data:
            raise VendorError("the object's .text section is missing or not where it is loaded")
        symbols = elf.symbols()
        described = metadata.get("amdhsa.kernels", [])
        if not isinstance(described, list) or not described:
            raise VendorError("the object's metadata lists no kernels")
        kernels = [_kernel(_mapping(entry), elf, symbols, processor) for entry in described]
        for kernel in kernels:
            if not text.address <= kernel.entry < text.address + len(text.data):
                raise VendorError(
                    f"kernel {kernel.name} starts at {kernel.entry:#x}, outside the object's instructions"
                )
        by_symbol = {kernel.name: kernel for kernel in kernels}
        return CodeObject(processor, by_symbol, text.data, text.address, elf.image, elf.flags, read_lines(data, elf))

    def kernel(self, symbol: str) -> Kernel:
        """The kernel named `symbol`, with or without the descriptor's `.kd`. Raises VendorError when there is none."""
        found = self.kernels.get(symbol.removesuffix(".kd"))
        if found is None:
            raise VendorError(f"the object has no kernel {symbol!r}", hint="it has: " + ", ".join(sorted(self.kernels)))
        return found


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise VendorError("the object's metadata is not a map where one is expected")
    return value


def _metadata(elf: Elf) -> dict[str, Any]:
    import msgpack

    for owner, kind, description in elf.notes():
        if owner == "AMDGPU" and kind == _METADATA_NOTE:
            try:
                return _mapping(msgpack.unpackb(description))
            except (ValueError, msgpack.UnpackException, RecursionError) as error:
                raise VendorError(f"the object's metadata note cannot be read: {error}") from error
    raise VendorError("the object has no AMDGPU metadata note")


def _number(entry: Mapping[str, Any], key: str, default: int = 0) -> int:
    value = entry.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 40:
        raise VendorError(f"the object's metadata has {key} = {value!r}")
    return value


def _kernel(entry: dict[str, Any], elf: Elf, symbols: Mapping[str, int], processor: Target) -> Kernel:
    name, symbol = str(entry.get(".name", "")), str(entry.get(".symbol", ""))
    address = symbols.get(symbol)
    if address is None:
        raise VendorError(f"the descriptor {symbol!r} of kernel {name!r} is not among the object's symbols")
    descriptor = _descriptor(elf.image, address, name)
    wave_size = _number(entry, ".wavefront_size")
    if wave_size != (64 if processor.family is Family.CDNA or not descriptor.wave32 else 32):
        raise VendorError(f"kernel {name}: metadata says waves of {wave_size} lanes, the descriptor disagrees")
    arguments = entry.get(".args", [])
    if not isinstance(arguments, list):
        raise VendorError(f"kernel {name}: the argument list is not a list")
    return Kernel(
        name=name,
        symbol=symbol,
        entry=address + descriptor.entry_offset,
        descriptor=descriptor,
        kernarg_size=_number(entry, ".kernarg_segment_size"),
        arguments=tuple(_argument(_mapping(item)) for item in arguments),
        lds=_number(entry, ".group_segment_fixed_size"),
        scratch=_number(entry, ".private_segment_fixed_size"),
        vgprs=_number(entry, ".vgpr_count"),
        agprs=_number(entry, ".agpr_count"),
        sgprs=_number(entry, ".sgpr_count"),
        vgpr_spills=_number(entry, ".vgpr_spill_count"),
        sgpr_spills=_number(entry, ".sgpr_spill_count"),
        wave_size=wave_size,
        max_workgroup_size=_number(entry, ".max_flat_workgroup_size", 1024),
    )


def _argument(entry: dict[str, Any]) -> Argument:
    return Argument(
        offset=_number(entry, ".offset"),
        size=_number(entry, ".size"),
        kind=str(entry.get(".value_kind", "")),
        name=str(entry.get(".name", "")),
    )


def _descriptor(image: bytes, address: int, name: str) -> Descriptor:
    if address < 0 or address + _DESCRIPTOR.size > len(image):
        raise VendorError(f"the descriptor of kernel {name} lies outside the object")
    lds, scratch, kernarg, _, entry, _, rsrc3, rsrc1, rsrc2, properties, preload, _ = _DESCRIPTOR.unpack_from(
        image, address
    )
    return Descriptor(lds, scratch, kernarg, entry, rsrc1, rsrc2, rsrc3, properties, preload)
