# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Binary hunks: base85 lines, zlib, and git's delta encoding.

Source of the formats: git-diff(1) "GIT binary patch" and gitformat-pack(5) "Deltified representation".
"""

from __future__ import annotations

import base64
import zlib

from vendorctl.series.lines import Lines
from vendorctl.series.patch import BinaryDelta

#: The largest content that a binary hunk may unfold to, in bytes. Kernels are text; objects are not vendored.
MAX_BINARY_BYTES = 256 << 20


def read_binary(lines: Lines) -> tuple[BinaryDelta, BinaryDelta | None]:
    """Read what follows a ``GIT binary patch`` line: the forward content, then the backward one when it is there.

    Raises VendorError with the line for anything malformed.
    """
    forward = _read_one(lines)
    backward = _read_one(lines) if lines.peek().startswith((b"literal ", b"delta ")) else None
    return forward, backward


def _read_one(lines: Lines) -> BinaryDelta:
    kind, _, size = lines.peek().rstrip(b"\n").partition(b" ")
    if kind not in {b"literal", b"delta"} or not size.isdigit() or len(size) > 12:
        lines.fail("a binary hunk starts with `literal SIZE` or `delta SIZE`")
    if int(size) > MAX_BINARY_BYTES:
        lines.fail(f"a binary hunk of {int(size)} bytes is above the limit of {MAX_BINARY_BYTES}")
    lines.take()
    data = bytearray()
    while lines.peek() not in {b"", b"\n"}:
        data += _decode_line(lines)
    if lines.done:
        lines.fail("a binary hunk ends with an empty line, but the file ends here", line=lines.number - 1)
    lines.take()
    return BinaryDelta(literal=kind == b"literal", size=int(size), data=bytes(data))


def _decode_line(lines: Lines) -> bytes:
    line = lines.peek().rstrip(b"\n")
    letter = line[:1]
    if b"A" <= letter <= b"Z":
        length = letter[0] - ord("A") + 1
    elif b"a" <= letter <= b"z":
        length = letter[0] - ord("a") + 27
    else:
        lines.fail("a line of a binary hunk starts with a letter that gives its length")
    if len(line) - 1 != (length + 3) // 4 * 5:
        lines.fail(f"a line of a binary hunk should hold {length} bytes, but has another length")
    try:
        decoded = base64.b85decode(line[1:])
    except ValueError:
        lines.fail("a line of a binary hunk is not base85")
    lines.take()
    return decoded[:length]


def unfold(delta: BinaryDelta, base: bytes) -> bytes:
    """The content that `delta` stands for, given the other side's content `base`.

    Raises ValueError when the data is damaged, has another size than stated, or is a delta against another content.
    """
    inflater = zlib.decompressobj()
    try:
        data = inflater.decompress(delta.data, delta.size + 1)
    except zlib.error as error:
        raise ValueError(f"the compressed data is damaged ({error})") from error
    if len(data) != delta.size or not inflater.eof or inflater.unused_data:
        raise ValueError(f"the data does not unfold to the stated {delta.size} bytes")
    return data if delta.literal else apply_delta(base, data)


def apply_delta(base: bytes, delta: bytes) -> bytes:
    """Apply a git delta to `base`. Raises ValueError when it is malformed or made for another base."""
    base_size, position = _varint(delta, 0)
    result_size, position = _varint(delta, position)
    if base_size != len(base):
        raise ValueError(f"the delta is for a content of {base_size} bytes, not {len(base)}")
    if result_size > MAX_BINARY_BYTES:
        raise ValueError(f"a result of {result_size} bytes is above the limit of {MAX_BINARY_BYTES}")
    result = bytearray()
    while position < len(delta):
        opcode = delta[position]
        position += 1
        if opcode & 0x80:
            offset, size, position = _copy_arguments(delta, opcode, position)
            piece = base[offset : offset + size]
        else:
            size = opcode
            piece = delta[position : position + size]
            position += size
        # Opcode 0 is reserved; a short piece reaches past its source; a long result would never be right.
        if size == 0 or len(piece) != size or len(result) + size > result_size:
            raise ValueError("the delta is damaged")
        result += piece
    if len(result) != result_size:
        raise ValueError("the delta is damaged")
    return bytes(result)


def _copy_arguments(delta: bytes, opcode: int, position: int) -> tuple[int, int, int]:
    """Offset and size of a copy instruction (each present byte is flagged in `opcode`), and the position after it."""
    values = [0, 0]
    for bit in range(7):
        if opcode & (1 << bit):
            if position >= len(delta):
                raise ValueError("the delta is damaged")
            part = bit >= 4
            values[part] |= delta[position] << 8 * (bit - 4 if part else bit)
            position += 1
    return values[0], values[1] or 0x10000, position


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if position >= len(data) or shift > 35:
            raise ValueError("the delta is damaged")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, position
