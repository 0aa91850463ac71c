# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What an AMD code object says about itself: its target stamp and, per kernel, resources and arguments.

Formats: LLVM's "User Guide for AMDGPU Backend" (ELF header flags, NT_AMDGPU_METADATA). Objects are untrusted: every
malformed one gives a VendorError, never another exception, and nothing is read beyond the bytes given.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vendorctl.errors import VendorError
from vendorctl.kernels.target import ABI_V6, Target

_EM_AMDGPU = 224
_ET_DYN = 3
_OSABI_AMDGPU_HSA = 64
_NT_AMDGPU_METADATA = 32
_MACH_MASK = 0xFF
_GENERIC_VERSION_SHIFT = 24
#: Larger objects, notes and argument lists are refused rather than parsed.
MAX_OBJECT = 64 << 20
_MAX_NOTE = 4 << 20
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
    from elftools.common.exceptions import ELFError, ELFParseError
    from elftools.construct import ConstructError
    from elftools.elf.elffile import ELFFile

    if len(data) > MAX_OBJECT:
        raise VendorError(f"the object is larger than {MAX_OBJECT >> 20} MiB")
    try:
        elf = ELFFile(io.BytesIO(data))
        header = elf.header
        _require_whole(elf, len(data))
        flags = int(header["e_flags"])
        metadata = _metadata(elf)
        return CodeObject(
            machine=flags & _MACH_MASK,
            generic_version=flags >> _GENERIC_VERSION_SHIFT,
            abi_version=data[8],
            isa=str(metadata["amdhsa.target"]),
            kernels=tuple(_kernel(entry) for entry in metadata["amdhsa.kernels"]),
        )
    # pyelftools and msgpack let many exceptions escape on hostile bytes; all of them mean the same here.
    except (
        ELFError,
        ELFParseError,
        ConstructError,
        AttributeError,
        AssertionError,
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        OverflowError,
        MemoryError,
        RecursionError,
        OSError,
    ) as error:
        raise VendorError(f"not a readable AMD code object: {type(error).__name__}: {error}") from error


def _require_whole(elf: Any, size: int) -> None:
    """The header names an AMD GPU, and no segment or section reaches beyond the file: it was not cut short."""
    header = elf.header
    identity = elf.e_ident_raw
    if header["e_machine"] not in (_EM_AMDGPU, "EM_AMDGPU") or header["e_type"] not in (_ET_DYN, "ET_DYN"):
        raise ValueError("the ELF header does not name an AMD GPU shared object")
    if identity[7] != _OSABI_AMDGPU_HSA:
        raise ValueError(f"OS ABI {identity[7]} is not AMD HSA")
    if header["e_phnum"] > 256 or header["e_shnum"] > 4096:
        raise ValueError("too many headers")
    for segment in elf.iter_segments():
        if segment["p_offset"] + segment["p_filesz"] > size:
            raise ValueError("a segment reaches beyond the end of the file")
    if header["e_shoff"] + header["e_shnum"] * header["e_shentsize"] > size:
        raise ValueError("the section table reaches beyond the end of the file")


def _metadata(elf: Any) -> dict[str, Any]:
    import msgpack

    for segment in elf.iter_segments():
        if segment["p_type"] == "PT_NOTE":
            if segment["p_filesz"] > _MAX_NOTE:
                raise ValueError("the note segment is too large")
            for kind, name, description in _notes(segment.data()):
                if kind == _NT_AMDGPU_METADATA and name == b"AMDGPU\0":
                    value = msgpack.unpackb(description, strict_map_key=False)
                    if not isinstance(value, dict):
                        raise ValueError("the metadata is not a map")
                    return value
    raise ValueError("there is no NT_AMDGPU_METADATA note")


def _notes(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Type, name and description of each note; names and descriptions are padded to four bytes."""
    offset = 0
    while offset + 12 <= len(data):
        name_size, size, kind = (int.from_bytes(data[offset + i : offset + i + 4], "little") for i in (0, 4, 8))
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
