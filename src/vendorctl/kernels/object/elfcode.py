# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The machine code of each kernel in a code object, found through its symbols. Objects are untrusted, as in `elf`."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from vendorctl.errors import VendorError

_SHT_DYNSYM = 11
_STT_FUNC = 2
_SECTION, _SYMBOL = 64, 24
_MAX_SYMBOLS = 100_000


class _Section(NamedTuple):
    """Elf64_Shdr, in the format's own order."""

    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


def kernel_code(data: bytes) -> dict[str, bytes]:
    """Kernel name to its instructions, without the padding behind them.

    Raises VendorError when the symbol table is damaged or names code that is not in the object.
    """
    try:
        return dict(_kernels(data, _sections(data)))
    except (struct.error, LookupError, ValueError, OverflowError) as error:
        raise VendorError(f"cannot find the kernels of the object: {error}") from error


def _kernels(data: bytes, sections: list[_Section]) -> Iterator[tuple[str, bytes]]:
    table = next((section for section in sections if section.type == _SHT_DYNSYM), None)
    if table is None:
        raise ValueError("it has no dynamic symbols")
    if table.size // _SYMBOL > _MAX_SYMBOLS:
        raise ValueError("too many symbols")
    for at in range(table.offset, table.offset + table.size, _SYMBOL):
        name, info, _, index, value, size = struct.unpack_from("<IBBHQQ", data, at)
        if info & 0xF != _STT_FUNC:
            continue
        home = sections[index]
        start = value - home.address + home.offset
        if start < 0 or size == 0 or start + size > len(data):
            raise ValueError("a kernel lies outside of the object")
        yield _text(data, sections[table.link], name), data[start : start + size]


def _sections(data: bytes) -> list[_Section]:
    (table,) = struct.unpack_from("<Q", data, 40)
    (count,) = struct.unpack_from("<H", data, 60)
    return [_Section(*struct.unpack_from("<IIQQQQIIQQ", data, table + index * _SECTION)) for index in range(count)]


def _text(data: bytes, strings: _Section, offset: int) -> str:
    start = strings.offset + offset
    end = data.index(b"\0", start)
    return data[start:end].decode("utf-8")
