# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The emulator: any bytes decoded for every target, and any instructions executed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from fuzz.elf_files import NAME, code_object
from fuzz.target import Target
from vendorctl.emulator import CodeObject, Memory, RunReport, decode, known_targets, launch, members_of, target
from vendorctl.emulator.decoder import UndecodableError, decode_at
from vendorctl.emulator.isa import isa
from vendorctl.emulator.targets import Family
from vendorctl.kernels.object import target as built_targets

#: Every target whose instructions differ from another's.
_NAMES = tuple(name for name in known_targets() if name in built_targets.TARGETS)
#: Instructions of one run, counted once for all waves.
_STEPS = 400
_BUFFER = 1024


def check_decoding(data: bytes) -> None:
    """For every target: the instructions are the bytes, one after the other, each readable; or where that ends."""
    taken = False
    for name in known_targets():
        try:
            found = decode(data, name)
        except UndecodableError as error:
            assert error.message
            continue
        assert b"".join(each.encoding for each in found) == data
        assert all(each.size == len(each.encoding) for each in found)
        assert all(str(each) and each.mnemonic for each in found)
        taken = taken or bool(found)
    assert members_of(_NAMES[0])
    if not taken:
        raise UndecodableError("no target takes it")


def check_run(data: bytes) -> None:
    """Any instructions, on any target, end in a report: results, or the fault that stopped them.

    The first byte chooses the target, the second the size of the launch. What the checks follow changes no result.
    """
    name = _NAMES[data[0] % len(_NAMES)] if data else _NAMES[0]
    text = executable(data[2:], name)
    shape = data[1] if len(data) > 1 else 0
    code = CodeObject.parse(code_object(name, text))
    full, memory = _run(code, shape, "full")
    values, other = _run(code, shape, "values")
    assert full.instructions <= _STEPS * 16
    assert all(finding for finding in full.findings)
    if full.fault is None and values.fault is None:
        assert full.opcodes == values.opcodes
        assert memory == other, "checking changed what was computed"


def executable(data: bytes, name: str) -> bytes:
    """The instructions in `data`, without the words that are none, and an end behind them."""
    wanted = target(name)
    found = b""
    at = 0
    while at < len(data):
        try:
            instruction = decode_at(data[at : at + 20], wanted, at)
        except UndecodableError:
            at += 4
            continue
        found += instruction.encoding
        at += instruction.size
    return found + _end(wanted.family)


def _end(family: Family) -> bytes:
    """``s_endpgm`` and padding that a fetch may run into."""
    return (0xBF810000 if family is Family.CDNA else 0xBFB00000).to_bytes(4, "little") + bytes(16)


def _run(code: CodeObject, shape: int, checks: str) -> tuple[RunReport, bytes]:
    memory = Memory()
    buffer = memory.allocate(bytes(range(256)) * (_BUFFER // 256), "x")
    report = launch(
        code,
        NAME,
        grid=(1 + (shape & 1), 1 + (shape >> 1 & 1), 1),
        block=((1, 32, 64, 70)[shape >> 2 & 3], 1 + (shape >> 4 & 1), 1),
        kernarg=buffer.address.to_bytes(8, "little"),
        memory=memory,
        checks="full" if checks == "full" else "values",
        step_limit=_STEPS,
    )
    return report, memory.read(buffer.address, "u1", (_BUFFER,)).tobytes()


def _instructions(name: str, count: int) -> Iterator[bytes]:
    """Instructions of a target, of every encoding it has in turn, with random operands."""
    numbers = random.Random(name)
    wanted = target(name)
    formats = isa(wanted.family).formats
    while count:
        encoding = numbers.choice(formats)
        word = numbers.getrandbits(160)
        fixed = list(encoding.fixed)
        if encoding.opcode is not None:
            fixed.append((encoding.opcode, numbers.choice(list(encoding.opcodes))))
        for place, value in fixed:
            mask = ((1 << place.width) - 1) << place.low
            word = word & ~mask | value << place.low
        try:
            yield decode_at(word.to_bytes(20, "little"), wanted, 0).encoding
        except UndecodableError:
            continue
        count -= 1


def _programs() -> Iterator[bytes]:
    for number, name in enumerate(_NAMES):
        stream = _instructions(name, 240)
        for shape in range(12):
            yield bytes([number, shape]) + b"".join(next(stream) for _ in range(20))


TARGETS = (
    Target(
        name="decoder",
        check=check_decoding,
        seeds=lambda: [seed[2:] for seed in _programs()],
        longest=512,
    ),
    Target(name="emulator", check=check_run, seeds=_programs, longest=512, seconds=5.0),
)
