# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""SDWA (gfx9): operands and results that are one byte or one half of a register."""

from __future__ import annotations

from vendorctl.emulator.arrays import U32, Array

_WHOLE = 6
_SIGN_EXTEND = 1
_PRESERVE = 2


def _place(choice: int) -> tuple[int, int]:
    """(first bit, width) of selection `choice`: bytes 0 to 3, halves 0 and 1, the whole register."""
    if choice < 4:
        return 8 * choice, 8
    return (16 * (choice - 4), 16) if choice < _WHOLE else (0, 32)


def select_value(word: Array, choice: int, extend: bool) -> Array:
    """The chosen part of uint32 registers, zero or sign extended."""
    first, size = _place(choice)
    if size == 32:
        return word
    part = (word >> U32(first)) & U32((1 << size) - 1)
    sign = U32(1 << (size - 1))
    return (part ^ sign) - sign if extend else part


def select_known(known: Array, choice: int, extend: bool) -> Array:
    """Which bits of `select_value`'s result are known."""
    first, size = _place(choice)
    if size == 32:
        return known
    part = (known >> U32(first)) & U32((1 << size) - 1)
    above = U32((0xFFFFFFFF << size) & 0xFFFFFFFF)
    sign_known = (part >> U32(size - 1)) & U32(1)
    return part | (above * sign_known if extend else above)


def store_value(old: Array, result: Array, choice: int, unused: int) -> Array:
    """A register whose chosen part becomes `result`; the rest is zero, the sign, or what it was (`unused`)."""
    first, size = _place(choice)
    if size == 32:
        return result
    mask = U32(((1 << size) - 1) << first)
    placed = (result << U32(first)) & mask
    if unused == _PRESERVE:
        return (old & ~mask) | placed
    if unused == _SIGN_EXTEND:
        sign = (result >> U32(size - 1)) & U32(1)
        return placed | (U32((0xFFFFFFFF << (first + size)) & 0xFFFFFFFF) * sign)
    return placed


def store_known(old: Array, known: Array, choice: int, unused: int) -> Array:
    """Which bits of `store_value`'s result are known."""
    first, size = _place(choice)
    if size == 32:
        return known
    mask = U32(((1 << size) - 1) << first)
    placed = (known << U32(first)) & mask
    if unused == _PRESERVE:
        return (old & ~mask) | placed
    return placed | ~mask
