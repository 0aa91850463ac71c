# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Code objects are untrusted: read right when they are whole, refused when they are not, never a crash."""

from __future__ import annotations

import random
import struct

import pytest

from kernels.conftest import Built
from vendorctl.errors import VendorError
from vendorctl.kernels.object import elf, target


@pytest.fixture
def sample(built_once: Built) -> bytes:
    return (built_once.project.root / "objects/scale/gfx942/f16.hsaco").read_bytes()


def test_what_an_object_says(sample: bytes) -> None:
    code = elf.parse(sample)
    kernel = code.kernel("scale_f16")
    assert (code.machine, code.generic_version, code.abi_version) == (0x4C, 0, 4)
    assert code.isa == "amdgcn-amd-amdhsa-unknown-gfx942"
    assert [(field.offset, field.size) for field in kernel.arguments] == [(0, 8), (8, 8), (16, 4), (20, 4)]
    assert kernel.wave_size == 64
    assert kernel.max_workgroup == 64
    with pytest.raises(VendorError, match="no kernel"):
        code.kernel("scale_f32")


def test_it_agrees_with_pyelftools(sample: bytes) -> None:
    import io

    from elftools.elf.elffile import ELFFile

    header = ELFFile(io.BytesIO(sample)).header
    assert header["e_flags"] & 0xFF == elf.parse(sample).machine


def test_the_stamp_of_a_family_differs_from_its_members(built_once: Built) -> None:
    code = elf.parse((built_once.project.root / "objects/scale/gfx11-generic/f16.hsaco").read_bytes())
    assert elf.stamp_faults(code, target.find("gfx11-generic")) == []
    for name in ("gfx1100", "gfx1151", "gfx12-generic", "gfx942"):
        assert elf.stamp_faults(code, target.find(name))


def test_every_cut_is_noticed(sample: bytes) -> None:
    for length in range(0, len(sample), 37):
        with pytest.raises(VendorError, match="not a readable AMD code object"):
            elf.parse(sample[:length])


def test_random_damage_never_escapes(sample: bytes) -> None:
    generator = random.Random(7)
    refused = 0
    for _ in range(4000):
        data = bytearray(sample)
        for _ in range(generator.randint(1, 5)):
            # Headers and notes come first: damage there is the interesting kind.
            data[generator.choice((generator.randrange(64), generator.randrange(1400)))] = generator.randrange(256)
        try:
            elf.parse(bytes(data))
        except VendorError:
            refused += 1
    assert refused > 1000


HEADERS = {
    "os abi": (7, "B", 0),
    "not shared": (16, "H", 2),
    "x86": (18, "H", 62),
    "segments far away": (32, "Q", 2**63),
    "sections far away": (40, "Q", 2**64 - 1),
    "segment size": (54, "H", 0),
    "no segments": (56, "H", 0),
}


@pytest.mark.parametrize("name", HEADERS)
def test_wrong_headers_are_refused(sample: bytes, name: str) -> None:
    offset, code, number = HEADERS[name]
    data = bytearray(sample)
    struct.pack_into(f"<{code}", data, offset, number)
    with pytest.raises(VendorError):
        elf.parse(bytes(data))


def test_too_large_an_object_is_not_parsed() -> None:
    with pytest.raises(VendorError, match="larger than"):
        elf.parse(bytes(elf.MAX_OBJECT + 1))
