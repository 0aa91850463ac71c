# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Code objects written byte by byte, without a compiler: any instructions, any metadata, for any target."""

from __future__ import annotations

import struct
from typing import Any

import msgpack

from vendorctl.kernels.object import target as targets

NAME = "k"
_BASE_SECTIONS = (b"", b".note", b".dynsym", b".dynstr", b".rodata", b".text", b".shstrtab")
_KERNARG_POINTER, _WAVE32 = 1 << 3, 1 << 10
#: Two user registers for the address of the arguments, and the workgroup id x.
_RSRC2 = 2 << 1 | 1 << 7
#: Denormals kept, rounding to nearest; 32 vector registers on every target.
_RSRC1 = 3 << 16 | 3


def metadata(target: str) -> dict[str, Any]:
    """What a compiler would note about a kernel with one pointer argument."""
    kernel = {
        ".name": NAME, ".symbol": f"{NAME}.kd", ".kernarg_segment_size": 8, ".kernarg_segment_align": 8,
        ".group_segment_fixed_size": 256, ".private_segment_fixed_size": 16,
        ".wavefront_size": targets.find(target).wave_size, ".sgpr_count": 32, ".vgpr_count": 32,
        ".max_flat_workgroup_size": 1024,
        ".args": [{".offset": 0, ".size": 8, ".value_kind": "global_buffer"}],
    }  # fmt: skip
    return {"amdhsa.version": [1, 2], "amdhsa.target": targets.find(target).isa_name(), "amdhsa.kernels": [kernel]}


def code_object(target: str, text: bytes, note: bytes | None = None, *, lds: int = 256, scratch: int = 16) -> bytes:
    """An object with the kernel ``k``, whose instructions are `text`; `note` replaces its packed metadata."""
    found = targets.find(target)
    described = msgpack.packb(metadata(target)) if note is None else note
    note_data = struct.pack("<III", 7, len(described), 32) + b"AMDGPU\0\0" + described + bytes(-len(described) % 4)
    strings = f"\0{NAME}\0{NAME}.kd\0".encode()
    at = 64 + 2 * 56
    places = []
    for data in (note_data, bytes(3 * 24), strings, bytes(64)):
        places.append((at, len(data)))
        at += len(data) + -len(data) % 64
    text_at = -(-at // 256) * 256
    places.append((text_at, len(text)))
    symbols = bytes(24)
    symbols += struct.pack("<IBBHQQ", 1, 0x12, 0, 5, text_at, len(text))
    symbols += struct.pack("<IBBHQQ", 3, 0x11, 0, 4, places[3][0], 64)
    wave = _WAVE32 if found.wave_size == 32 else 0
    # Half of the vector registers of gfx9 are accumulation registers.
    rsrc3 = 3 if found.wave_size == 64 else 0
    descriptor = struct.pack(
        "<IIIIq20sIIIHH4s", lds, scratch, 8, 0, text_at - places[3][0], bytes(20), rsrc3, _RSRC1, _RSRC2,
        _KERNARG_POINTER | wave, 0, bytes(4),
    )  # fmt: skip
    names = b"\0".join(_BASE_SECTIONS) + b"\0"
    places.append((text_at + len(text), len(names)))
    image = bytearray(text_at + len(text))
    for (start, _size), data in zip(places, (note_data, symbols, strings, descriptor, text), strict=False):
        image[start : start + len(data)] = data
    image += names
    image += bytes(-len(image) % 8)
    kinds = ((7, 0, 0), (11, 3, 24), (3, 0, 0), (1, 0, 0), (1, 0, 0), (3, 0, 0))
    headers = bytes(64)
    for number, ((start, size), (kind, link, entry)) in enumerate(zip(places, kinds, strict=True), start=1):
        label = names.index(b"\0" + _BASE_SECTIONS[number] + b"\0") + 1
        headers += struct.pack("<IIQQQQIIQQ", label, kind, 2, start, start, size, link, 0, 4, entry)
    segments = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, len(image), len(image), 4096)
    segments += struct.pack("<IIQQQQQQ", 4, 4, places[0][0], places[0][0], places[0][0], *([len(note_data)] * 2), 4)
    ident = b"\x7fELF\x02\x01\x01\x40" + bytes([targets.ABI_V6]) + bytes(7)
    flags = found.machine | found.generic_version << 24
    header = ident + struct.pack("<HHIQQQIHHHHHH", 3, 224, 1, 0, 64, len(image), flags, 64, 56, 2, 64, 7, 6)
    image[: len(header)] = header
    image[64 : 64 + len(segments)] = segments
    return bytes(image) + headers
