# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Code objects: what is read from them, and that nothing malformed raises anything but VendorError."""

from __future__ import annotations

import functools
import random
import struct

import pytest

from support.gpu_assembly import code_object
from vendorctl.emulator import CodeObject, decode
from vendorctl.emulator.elf import read_elf
from vendorctl.errors import VendorError
from vendorctl.kernels.object import elf

BODY = "  s_load_dwordx2 s[2:3], s[0:1], 0x0\n  v_mov_b32 v0, 1"


@functools.cache
def _data() -> bytes:
    return code_object(BODY, "gfx942", name="tiny", arguments=(8, 4, 4), lds=1024, scratch=16, vgprs=32, block=256)


def test_kernel_facts_come_from_descriptor_and_metadata() -> None:
    code = CodeObject.parse(_data())
    kernel = code.kernel("tiny.kd")
    assert code.target.name == "gfx942"
    assert (kernel.lds, kernel.scratch, kernel.wave_size, kernel.max_workgroup_size) == (1024, 16, 64, 256)
    assert kernel.kernarg_size == 16
    assert [(item.offset, item.size) for item in kernel.arguments] == [(0, 8), (8, 4), (12, 4)]
    assert kernel.descriptor.kernarg_register == 0
    assert kernel.user_sgprs == 2
    assert kernel.register_file(code.target)[0] == 32  # the accumulation offset of the descriptor
    assert kernel.descriptor.round_to_nearest
    first = decode(code.text, "gfx942", address=code.text_address)[0]
    assert (first.mnemonic, first.address) == ("s_load_dwordx2", kernel.entry)
    with pytest.raises(VendorError, match="no kernel 'huge'") as caught:
        code.kernel("huge")
    assert caught.value.hint == "it has: tiny"


def test_source_lines_are_found_when_the_object_has_them() -> None:
    code = CodeObject.parse(code_object("  s_nop 0\n  s_nop 1", "gfx1100", debug=True))
    assert code.lines is not None
    kernel = code.kernel("kernel")
    first, second = code.lines.find(kernel.entry), code.lines.find(kernel.entry + 4)
    assert first is not None
    assert first[0].endswith("kernel.s")
    assert second == (first[0], first[1] + 1)
    assert code.lines.find(kernel.entry - 4) is None
    assert CodeObject.parse(_data()).lines is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "ends inside a header"),
        (b"\x7fELF", "ends inside a header"),
        (b"not an elf file" * 10, "not an ELF file"),
        (b"\x7fELF\x01\x01" + bytes(100), "64-bit"),
    ],
)
def test_other_files_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(VendorError, match=message):
        CodeObject.parse(data)


def test_every_truncation_is_refused() -> None:
    data = _data()
    for size in range(0, len(data) - 1, 37):
        with pytest.raises(VendorError):
            CodeObject.parse(data[:size])


def test_damaged_headers_never_raise_anything_else() -> None:
    data, numbers = _data(), random.Random(7)
    sections = struct.unpack_from("<Q", data, 40)[0]
    interesting = [*range(64), *range(64, 64 + 56 * 8), *range(sections, len(data))]
    outcomes = {True: 0, False: 0}
    for _ in range(3000):
        damaged = bytearray(data)
        for _ in range(numbers.choice((1, 1, 2, 4))):
            at = numbers.choice(interesting)
            damaged[at] = numbers.choice((0, 1, 0x7F, 0x80, 0xFF, numbers.randrange(256)))
        try:
            CodeObject.parse(bytes(damaged))
            outcomes[True] += 1
        except VendorError:
            outcomes[False] += 1
    assert outcomes[False] > 300  # the damage reached the parser


def test_damaged_contents_never_raise_anything_else() -> None:
    data, numbers = _data(), random.Random(8)
    for _ in range(2000):
        damaged = bytearray(data)
        at = numbers.randrange(len(data))
        damaged[at : at + numbers.randrange(1, 9)] = numbers.randbytes(numbers.randrange(1, 9))
        try:
            CodeObject.parse(bytes(damaged))
        except VendorError as error:
            assert error.message  # every refusal says something


def test_image_is_bounded() -> None:
    data = bytearray(_data())
    offset = struct.unpack_from("<Q", data, 32)[0]
    for entry in range(offset, offset + 56 * 4, 56):
        if struct.unpack_from("<I", data, entry)[0] == 1:
            struct.pack_into("<Q", data, entry + 40, 1 << 62)
    with pytest.raises(VendorError, match="beyond the limit"):
        read_elf(bytes(data))


def test_overlapping_sections_and_notes_are_refused() -> None:
    """Thousands of headers that all mean the whole file would make megabytes of it."""
    data = bytearray(code_object(BODY, "gfx942"))
    sections, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
    for entry in range(sections + 64, sections + 64 * count, 64):
        struct.pack_into("<QQ", data, entry + 24, 0, len(data) // 2)
    with pytest.raises(VendorError, match="sections overlap"):
        read_elf(bytes(data))
    data = bytearray(code_object(BODY, "gfx942"))
    segments, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    start = len(data)
    data += bytes(3 * start)  # empty notes
    for entry in range(segments, segments + 56 * count, 56):
        struct.pack_into("<I", data, entry, 4)
        struct.pack_into("<Q", data, entry + 8, start)
        struct.pack_into("<Q", data, entry + 32, 3 * start // 4 * 4)
    with pytest.raises(VendorError, match="notes overlap"):
        elf.parse(bytes(data))
