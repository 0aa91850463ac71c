# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What an AMD code object says about itself: its target stamp and, per kernel, resources and arguments.

Formats: LLVM's "User Guide for AMDGPU Backend" (ELF header flags, NT_AMDGPU_METADATA). Objects are untrusted: every
malformed one gives a VendorError, never another exception, and nothing is read beyond the bytes given.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from vendorctl.errors import VendorError
from vendorctl.kernels.object.target import ABI_V6, Target

_OS_ABI, _ABI_VERSION = 7, 8  # indices into e_ident
_EM_AMDGPU = 224
_ET_DYN = 3
_OSABI_AMDGPU_HSA = 64
_PT_NOTE = 4
_NT_AMDGPU_METADATA = 32
_SEGMENT_SIZE, _SECTION_SIZE = 56, 64
_MACH_MASK = 0xFF
_GENERIC_VERSION_SHIFT = 24
#: Larger objects and argument lists are refused rather than parsed.
MAX_OBJECT = 64 << 20
_MAX_ARGUMENTS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelArgument:
    """One field of the kernel-argument segment, in bytes. `kind` is the metadata's value kind."""

    offset: int
    size: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelFacts:
    """Metadata of one kernel. Sizes are bytes; registers are counts per lane (vgpr, agpr) or wave (sgpr)."""

    name: str
    kernarg_size: int
    arguments: tuple[KernelArgument, ...]
    lds: int
    scratch: int
    vgpr: int
    agpr: int
    sgpr: int
    vgpr_spills: int
    sgpr_spills: int
    wave_size: int
    max_workgroup: int
    dynamic_stack: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeObject:
    """An object's stamp and kernels. `machine` and `generic_version` are fields of e_flags."""

    machine: int
    generic_version: int
    abi_version: int
    isa: str
    kernels: tuple[KernelFacts, ...]

    def kernel(self, name: str) -> KernelFacts:
        """The kernel called `name`. Raises VendorError when the object has none of that name."""
        for kernel in self.kernels:
            if kernel.name == name:
                return kernel
        raise VendorError(f"the object has no kernel {name!r}")


def parse(data: bytes) -> CodeObject:
    """Read a code object. Raises VendorError when `data` is not a complete AMD HSA code object with metadata."""
    try:
        header = _header(data)
        metadata = _metadata(data, header)
        return CodeObject(
            machine=header.flags & _MACH_MASK,
            generic_version=header.flags >> _GENERIC_VERSION_SHIFT,
            abi_version=data[_ABI_VERSION],
            isa=str(metadata["amdhsa.target"]),
            kernels=tuple(_kernel(entry) for entry in metadata["amdhsa.kernels"]),
        )
    except (struct.error, LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise VendorError(f"not a readable AMD code object: {error}") from error


class _Header(NamedTuple):
    """The fields of Elf64_Ehdr from e_type on, in the format's own order."""

    type: int
    machine: int
    version: int
    entry: int
    segments_at: int
    sections_at: int
    flags: int
    size: int
    segment_size: int
    segments: int
    section_size: int
    sections: int
    names_index: int


def _header(data: bytes) -> _Header:
    """The header of an AMD HSA shared object that is all there: its section table, which comes last, ends inside."""
    if len(data) > MAX_OBJECT:
        raise ValueError(f"it is larger than {MAX_OBJECT >> 20} MiB")
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("it is not a 64-bit little-endian ELF file")
    if data[_OS_ABI] != _OSABI_AMDGPU_HSA:
        raise ValueError(f"OS ABI {data[_OS_ABI]} is not AMD HSA")
    header = _Header(*struct.unpack_from("<HHIQQQIHHHHHH", data, 16))
    if header.machine != _EM_AMDGPU or header.type != _ET_DYN:
        raise ValueError("the ELF header does not name an AMD GPU shared object")
    if header.segment_size != _SEGMENT_SIZE or header.section_size != _SECTION_SIZE:
        raise ValueError("unusual header sizes")
    if header.sections_at + header.sections * _SECTION_SIZE > len(data) or header.sections == 0:
        raise ValueError("it was cut short: the section table reaches beyond its end")
    return header


def _metadata(data: bytes, header: _Header) -> dict[str, Any]:
    import msgpack

    left = len(data)
    for index in range(header.segments):
        kind, _, offset, _, _, size, _, _ = struct.unpack_from(
            "<IIQQQQQQ", data, header.segments_at + index * _SEGMENT_SIZE
        )
        if offset + size > len(data):
            raise ValueError("it was cut short: a segment reaches beyond its end")
        if kind != _PT_NOTE:
            continue
        left -= size
        if left < 0:
            raise ValueError("its notes overlap")  # else a small file could ask for any amount of reading
        for note, name, description in _notes(data[offset : offset + size]):
            if note == _NT_AMDGPU_METADATA and name == b"AMDGPU\0":
                value = msgpack.unpackb(description)
                if not isinstance(value, dict):
                    raise TypeError("the metadata is not a map")
                return value
    raise ValueError("it has no NT_AMDGPU_METADATA note")


def _notes(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Type, name and description of each note; names and descriptions are padded to four bytes."""
    offset = 0
    while offset + 12 <= len(data):
        name_size, size, kind = struct.unpack_from("<III", data, offset)
        start = offset + 12
        body = start + (name_size + 3) // 4 * 4
        offset = body + (size + 3) // 4 * 4
        if body + size > len(data):
            raise ValueError("a note reaches beyond its segment")
        yield kind, data[start : start + name_size], data[body : body + size]


def _kernel(entry: Any) -> KernelFacts:
    arguments = entry.get(".args", [])
    if len(arguments) > _MAX_ARGUMENTS:
        raise ValueError("too many kernel arguments")
    name = entry[".name"]
    if not isinstance(name, str) or entry[".symbol"] != name + ".kd":
        raise ValueError("a kernel's symbol does not belong to its name")
    return KernelFacts(
        name=name,
        kernarg_size=_size(entry, ".kernarg_segment_size"),
        arguments=tuple(
            KernelArgument(offset=_size(a, ".offset"), size=_size(a, ".size"), kind=str(a[".value_kind"]))
            for a in arguments
        ),
        lds=_size(entry, ".group_segment_fixed_size"),
        scratch=_size(entry, ".private_segment_fixed_size"),
        vgpr=_size(entry, ".vgpr_count"),
        agpr=_size(entry, ".agpr_count", 0),
        sgpr=_size(entry, ".sgpr_count"),
        vgpr_spills=_size(entry, ".vgpr_spill_count", 0),
        sgpr_spills=_size(entry, ".sgpr_spill_count", 0),
        wave_size=_size(entry, ".wavefront_size"),
        max_workgroup=_size(entry, ".max_flat_workgroup_size"),
        dynamic_stack=bool(entry.get(".uses_dynamic_stack", False)),
    )


def _size(entry: Any, key: str, default: int | None = None) -> int:
    value = entry[key] if default is None else entry.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 32:
        raise ValueError(f"{key} is not a size")
    return value


def stamp_faults(code: CodeObject, target: Target) -> list[str]:
    """Why `code` is not an object for `target`; empty when its stamp is right."""
    faults = []
    if code.machine != target.machine:
        faults.append(f"e_flags name machine {code.machine:#x}, not {target.machine:#x}")
    if code.generic_version != target.generic_version:
        faults.append(f"generic version is {code.generic_version}, not {target.generic_version}")
    if code.abi_version != ABI_V6:
        faults.append(f"ABI version is {code.abi_version}, not {ABI_V6}")
    # "amdgcn-amd-amdhsa--gfx942" and "amdgcn-amd-amdhsa-unknown-gfx942" mean the same.
    if code.isa not in (target.isa_name(), target.isa_name().replace("-unknown-", "--")):
        faults.append(f"amdhsa.target is {code.isa!r}, not {target.isa_name()!r}")
    faults += [
        f"kernel {kernel.name} uses waves of {kernel.wave_size} lanes, not {target.wave_size}"
        for kernel in code.kernels
        if kernel.wave_size != target.wave_size
    ]
    if not code.kernels:
        faults.append("it holds no kernel")
    return faults
