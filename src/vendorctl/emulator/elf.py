# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A bounded reader of 64-bit little-endian ELF files: sections, segments, notes and dynamic symbols.

Objects are untrusted. Every offset and size is checked against the file before use, counts and sizes are limited,
and whatever is wrong is a VendorError; no other exception leaves this module. (General ELF libraries trust headers
too much for that.)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vendorctl.errors import VendorError

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_NOTE = struct.Struct("<III")
MACHINE_AMDGPU = 224
_MAX_TABLE = 4096
_MAX_IMAGE = 256 << 20
_LOADABLE = 1
_NOTE_SECTION = 7
_NO_BITS = 8


@dataclass(frozen=True, slots=True)
class Section:
    """One section: name, type, address in the loaded image, contents, and the size of its table entries."""

    name: str
    kind: int
    address: int
    data: bytes
    link: int


@dataclass(frozen=True, slots=True)
class Elf:
    """What an object file holds. `image` is memory as the loader lays it out, from address 0."""

    machine: int
    flags: int
    abi_version: int
    sections: tuple[Section, ...]
    image: bytes

    def section(self, name: str) -> Section | None:
        """The first section called `name`."""
        return next((section for section in self.sections if section.name == name), None)

    def notes(self) -> Iterator[tuple[str, int, bytes]]:
        """(owner, type, description) of every note."""
        for section in self.sections:
            if section.kind == _NOTE_SECTION:
                yield from _notes(section.data)

    def symbols(self) -> dict[str, int]:
        """Name -> address of the dynamic symbols, which is where kernels are."""
        table = self.section(".dynsym")
        if table is None or not 0 <= table.link < len(self.sections):
            raise VendorError("the object has no dynamic symbol table")
        names = self.sections[table.link].data
        found = {}
        for name, _info, _other, _section, value, _size in _entries(_SYMBOL, table.data):
            found[_text(names, name)] = value
        return found


def read_elf(data: bytes) -> Elf:
    """Parse `data`. Raises VendorError for what is not a complete, consistent 64-bit little-endian ELF file."""
    ident, _kind, machine, _version, _entry, phoff, shoff, flags, _ehsize, phsize, phnum, shsize, shnum, shstr = (
        _unpack(_HEADER, data, 0)
    )
    if ident[:4] != b"\x7fELF":
        raise VendorError("not an ELF file")
    if ident[4] != 2 or ident[5] != 1:
        raise VendorError("not a 64-bit little-endian ELF file")
    sections = _sections(data, shoff, shsize, shnum, shstr)
    return Elf(machine, flags, ident[8], sections, _image(data, phoff, phsize, phnum))


def _unpack(layout: struct.Struct, data: bytes, at: int) -> tuple[Any, ...]:
    if at < 0 or at + layout.size > len(data):
        raise VendorError(f"the object ends inside a header at byte {at}")
    return layout.unpack_from(data, at)


def _entries(layout: struct.Struct, data: bytes) -> Iterator[tuple[int, ...]]:
    count = len(data) // layout.size
    if count > _MAX_TABLE * 16:
        raise VendorError(f"the object has a table of {count} entries")
    return layout.iter_unpack(data[: count * layout.size])


def _slice(data: bytes, at: int, size: int, what: str) -> bytes:
    if at < 0 or size < 0 or at + size > len(data):
        raise VendorError(f"{what} ({size} bytes at {at}) lies outside the object's {len(data)} bytes")
    return data[at : at + size]


def _text(table: bytes, at: int) -> str:
    if not 0 <= at < max(len(table), 1):
        raise VendorError("a name lies outside its string table")
    end = table.find(b"\0", at)
    return table[at : end if end >= 0 else len(table)].decode("utf-8", "replace")


def _sections(data: bytes, offset: int, size: int, count: int, names_at: int) -> tuple[Section, ...]:
    if count and size != _SECTION.size:
        raise VendorError(f"section headers of {size} bytes")
    if count > _MAX_TABLE:
        raise VendorError(f"the object claims {count} sections")
    headers = [_unpack(_SECTION, data, offset + index * size) for index in range(count)]
    if sum(length for _name, kind, _flags, _address, _at, length, *_rest in headers if kind != _NO_BITS) > len(data):
        raise VendorError("the object's sections overlap")  # else a small file could ask for any amount of memory
    bodies = [
        b"" if kind == _NO_BITS else _slice(data, at, length, "a section")
        for _name, kind, _flags, _address, at, length, *_rest in headers
    ]
    if not headers:
        return ()
    if not 0 <= names_at < count:
        raise VendorError("the section name table is missing")
    names = bodies[names_at]
    return tuple(
        Section(_text(names, header[0]), header[1], header[3], body, header[6])
        for header, body in zip(headers, bodies, strict=True)
    )


def _image(data: bytes, offset: int, size: int, count: int) -> bytes:
    if count and size != _SEGMENT.size:
        raise VendorError(f"program headers of {size} bytes")
    if count > _MAX_TABLE:
        raise VendorError(f"the object claims {count} segments")
    image = bytearray()
    for index in range(count):
        kind, _flags, at, address, _physical, length, in_memory, _align = _unpack(_SEGMENT, data, offset + index * size)
        if kind != _LOADABLE:
            continue
        end = address + max(length, in_memory)
        if end > _MAX_IMAGE:
            raise VendorError(f"a segment ends at {end:#x}, beyond the limit of {_MAX_IMAGE:#x}")
        image.extend(bytes(max(0, end - len(image))))
        image[address : address + length] = _slice(data, at, length, "a segment")
    return bytes(image)


def _notes(data: bytes) -> Iterator[tuple[str, int, bytes]]:
    at = 0
    while at + _NOTE.size <= len(data):
        name_size, size, kind = _unpack(_NOTE, data, at)
        at += _NOTE.size
        owner = _slice(data, at, name_size, "a note's owner")
        at += (name_size + 3) & ~3
        yield owner.rstrip(b"\0").decode("utf-8", "replace"), kind, _slice(data, at, size, "a note")
        at += (size + 3) & ~3
