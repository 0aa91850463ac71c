# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Binary hunks and quoted names, piece by piece."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.trees import Contents, tree
from vendorctl.series.apply import apply_patch
from vendorctl.series.binary import MAX_BINARY_BYTES, apply_delta, unfold
from vendorctl.series.parse import parse_patch
from vendorctl.series.patch import BinaryDelta
from vendorctl.series.quoting import unquote, unquote_pair
from vendorctl.series.write import format_diff


def varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def test_a_delta_copies_and_inserts() -> None:
    base = bytes(range(256)) * 300
    # Copy 0x10000 bytes (size 0 stands for it) from offset 0x0101, insert "xy", copy 3 bytes from 2.
    delta = varint(len(base)) + varint(0x10000 + 5) + b"\x83\x01\x01" + b"\x02xy" + b"\x91\x02\x03"
    assert apply_delta(base, delta) == base[0x101 : 0x101 + 0x10000] + b"xy" + base[2:5]


@pytest.mark.parametrize(
    ("delta", "message"),
    [
        (b"", "damaged"),
        (varint(9) + varint(0), "for a content of 9 bytes"),
        (varint(3) + varint(1) + b"\x00", "damaged"),
        (varint(3) + varint(9) + b"\x91\x00\x09", "damaged"),
        (varint(3) + varint(3) + b"\x91\x00", "damaged"),
        (varint(3) + varint(3) + b"\x05ab", "damaged"),
        (varint(3) + varint(1) + b"\x02ab", "damaged"),
        (varint(3) + varint(9) + b"\x02ab", "damaged"),
        (varint(3) + varint(MAX_BINARY_BYTES + 1), "above the limit"),
        (varint(3) + b"\xff" * 9, "damaged"),
    ],
)
def test_damaged_deltas_are_refused(delta: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        apply_delta(b"abc", delta)


def literal(data: bytes, size: int) -> BinaryDelta:
    return BinaryDelta(literal=True, size=size, data=data)


def test_only_the_stated_size_is_unfolded() -> None:
    packed = zlib.compress(b"a" * 1000)
    assert unfold(literal(packed, 1000), b"") == b"a" * 1000
    for data, size in ((packed, 999), (packed, 1001), (packed[:-2], 1000), (packed + b"x", 1000), (b"junk", 4)):
        with pytest.raises(ValueError, match="data"):
            unfold(literal(data, size), b"")


@given(old=st.binary(max_size=400), new=st.binary(max_size=400))
def test_binary_diffs_of_git_apply(old: bytes, new: bytes) -> None:
    contents: Contents = {}
    before, after = tree({"b": old + b"\0"}, contents), tree({"b": new + b"\0"}, contents)
    if before == after:
        return
    patch = parse_patch("0001-x.patch", format_diff(before, after, contents))
    assert patch.changes[0].binary is not None
    assert apply_patch(patch, before, contents)[0] == after


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (b'""', b""),
        (b'"a b"', b"a b"),
        (b'"\\a\\b\\t\\n\\v\\f\\r\\"\\\\"', b'\a\b\t\n\v\f\r"\\'),
        (b'"caf\\303\\251"', "café".encode()),
        (b'"\\377"', b"\xff"),
    ],
)
def test_quoted_names(text: bytes, name: bytes) -> None:
    assert unquote(text) == (name, len(text))
    assert unquote(b"xx" + text + b" rest", 2) == (name, len(text) + 2)


@pytest.mark.parametrize("text", [b"a", b"", b'"a', b'"\\"', b'"\\400"', b'"\\12"', b'"\\x41"', b'"\\'])
def test_malformed_quoted_names(text: bytes) -> None:
    with pytest.raises(ValueError, match="quote"):
        unquote(text)


def test_pairs_of_names() -> None:
    assert unquote_pair(b'"a/\\"x" b/y') == (b'a/"x', b"b/y")
    assert unquote_pair(b'a/x y "b/\\"z"') == (b"a/x y", b'b/"z')
    assert unquote_pair(b'"a/1" "b/2"') == (b"a/1", b"b/2")
    assert unquote_pair(b"a/x b/x") is None
    for bad in (b'"a/1"b/2', b'"a/1" "b/2" ', b'"a/1" "b/2'):
        with pytest.raises(ValueError, match=r"quote|blank"):
            unquote_pair(bad)
