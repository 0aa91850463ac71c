# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Floating point as the hardware does it: round to nearest even, denormals kept, one rounding per fused operation.

Transcendental functions are modelled as correctly rounded with denormals flushed; hardware stays within about one unit
in the last place of that, so comparisons with a device need a tolerance. Arrays may be of any shape.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vendorctl.emulator.arrays import F16, F32, F64, I32, I64, U16, U32, U64, Array, bits

_SMALLEST_NORMAL = F32(2.0**-126)


def fma(a: Array, b: Array, c: Array) -> Array:
    """a*b + c with a single rounding, for float16 or float32 inputs of one type.

    The product is exact in float64. The sum's rounding error (Knuth's TwoSum) makes the float64 result round to odd,
    after which rounding to the narrow type is correct.
    """
    narrow = np.result_type(a, b, c)
    product = np.multiply(a, b, dtype=F64)
    addend = np.asarray(c, F64)
    total = np.asarray(product + addend)
    part = total - product
    error = (product - (total - part)) + (addend - part)
    raw = total.view(U64)
    fix = (error != 0) & ((raw & U64(1)) == 0)
    if fix.any():
        fix &= np.isfinite(total)
        towards = np.where((error > 0) == (total > 0), raw + U64(1), raw - U64(1))
        total = np.where(fix, towards, raw).view(F64)
    return total.astype(narrow)


def fma64(a: Array, b: Array, c: Array) -> Array:
    """a*b + c for float64, from an error-free product and sum; the last rounding may be off by one in rare ties."""
    product = a * b
    a_high, b_high = _upper(a), _upper(b)
    a_low, b_low = a - a_high, b - b_high
    product_error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    total = product + c
    part = total - product
    error = (product - (total - part)) + (c - part)
    exact = total + (error + product_error)
    return np.where(np.isfinite(product_error) & np.isfinite(exact), exact, total)


def _upper(value: Array) -> Array:
    scaled = value * 134217729.0
    return scaled - (scaled - value)


def flush(value: Array) -> Array:
    """float32 with denormals replaced by zeros of the same sign."""
    return np.where(np.abs(value) < _SMALLEST_NORMAL, np.copysign(F32(0), value), value)


def transcendental(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """`function` on float64, made into a float32 operation without denormals."""

    def operation(value: Array) -> Array:
        return flush(function(flush(value).astype(F64)).astype(F32))

    return operation


def half_precision(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """`function` on float64, made into a float16 operation (denormals kept)."""

    def operation(value: Array) -> Array:
        return function(value.astype(F64)).astype(F16)

    return operation


def reciprocal(value: Array) -> Array:
    """1/x."""
    return 1.0 / value


def reciprocal_root(value: Array) -> Array:
    """1/sqrt(x)."""
    return 1.0 / np.sqrt(value)


def sine_of_turns(value: Array) -> Array:
    """sin(2 pi x): the hardware counts angles in turns."""
    return np.sin(2 * np.pi * np.remainder(value, 1.0))


def cosine_of_turns(value: Array) -> Array:
    """cos(2 pi x)."""
    return np.cos(2 * np.pi * np.remainder(value, 1.0))


def fraction(value: Array) -> Array:
    """X - floor(x), kept below one."""
    below_one = np.nextafter(value.dtype.type(1), value.dtype.type(0))
    return np.minimum(value - np.floor(value), below_one)


# Minimum and maximum


def larger(a: Array, b: Array) -> Array:
    """IEEE maximumNumber: a NaN loses, +0 is larger than -0."""
    first = np.isnan(b) | (a > b) | ((a == b) & ~np.signbit(a))
    return np.where(np.isnan(a), b, np.where(first, a, b))


def smaller(a: Array, b: Array) -> Array:
    """IEEE minimumNumber: a NaN loses, -0 is smaller than +0."""
    first = np.isnan(b) | (a < b) | ((a == b) & np.signbit(a))
    return np.where(np.isnan(a), b, np.where(first, a, b))


def maximum(a: Array, b: Array) -> Array:
    """IEEE maximum: a NaN wins."""
    return np.where(np.isnan(a) | np.isnan(b), a.dtype.type(np.nan), larger(a, b))


def minimum(a: Array, b: Array) -> Array:
    """IEEE minimum: a NaN wins."""
    return np.where(np.isnan(a) | np.isnan(b), a.dtype.type(np.nan), smaller(a, b))


def median(a: Array, b: Array, c: Array) -> Array:
    """The middle one of three; with a NaN among them, the smallest."""
    middle = larger(smaller(a, b), smaller(larger(a, b), c))
    has_nan = np.isnan(a) | np.isnan(b) | np.isnan(c)
    return np.where(has_nan, smaller(smaller(a, b), c), middle)


# Conversions


def to_integer(value: Array, low: int, high: int) -> Array:
    """Truncate towards zero and clamp to [low, high]; NaN gives 0. Returns int64."""
    wide = np.where(np.isnan(value), 0.0, value.astype(F64))
    return np.clip(np.trunc(wide), low, high).astype(I64)


def to_u32(value: Array) -> Array:
    """Float to uint32, truncating and clamping."""
    return to_integer(value, 0, 0xFFFFFFFF).astype(U32)


def to_i32(value: Array) -> Array:
    """Float to int32, truncating and clamping."""
    return to_integer(value, -(2**31), 2**31 - 1).astype(I32)


def to_bf16(value: Array) -> Array:
    """float32 to the 16 bits of a bfloat16, rounded to nearest even; as uint32."""
    raw = bits(value)
    rounded = (raw + U32(0x7FFF) + ((raw >> U32(16)) & U32(1))) >> U32(16)
    return np.where(np.isnan(value), (raw >> U32(16)) | U32(0x40), rounded)


def from_bf16(value: Array) -> Array:
    """The 16 bits of a bfloat16 (any unsigned type) to float32."""
    return (value.astype(U32) << U32(16)).view(F32)


def to_f16_towards_zero(value: Array) -> Array:
    """float32 to float16, rounding towards zero."""
    near = value.astype(F16)
    too_far = np.abs(near.astype(F32)) > np.abs(value)
    stepped = np.nextafter(near, F16(0))
    return np.where(too_far, stepped, near)


def pack_halves(low: Array, high: Array) -> Array:
    """Two arrays of 16-bit elements as one of uint32."""
    return bits(low).astype(U32) | (bits(high).astype(U32) << U32(16))


# Parts of a number

_LAYOUT = {16: (5, 10), 32: (8, 23), 64: (11, 52)}


def exponent_field(value: Array) -> Array:
    """The biased exponent, int32."""
    size, mantissa = _LAYOUT[value.dtype.itemsize * 8]
    raw = bits(value)
    return ((raw >> raw.dtype.type(mantissa)) & raw.dtype.type((1 << size) - 1)).astype(I32)


def significand(value: Array) -> Array:
    """The number scaled into [0.5, 1); infinities and NaN unchanged."""
    return np.where(np.isfinite(value), np.frexp(value)[0], value).astype(value.dtype)


def exponent(value: Array) -> Array:
    """The power of two that goes with `significand`, int32; 0 for infinities and NaN."""
    return np.where(np.isfinite(value), np.frexp(value)[1], 0).astype(I32)


def scale(value: Array, power: Array) -> Array:
    """Value * 2**power, rounded once."""
    limit = np.clip(power, -4000, 4000)
    return np.ldexp(value, limit).astype(value.dtype)


def is_class(value: Array, classes: Array) -> Array:
    """bool: whether the number belongs to one of the classes whose bits are set in `classes`.

    Bits: signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
    """
    size, mantissa = _LAYOUT[value.dtype.itemsize * 8]
    raw = bits(value).astype(U64)
    power = (raw >> U64(mantissa)) & U64((1 << size) - 1)
    part = raw & U64((1 << mantissa) - 1)
    negative = np.signbit(value)
    nan_class = np.where(part >> U64(mantissa - 1) != 0, 1, 0)
    top = np.where(part == 0, np.where(negative, 2, 9), nan_class)
    low = np.where(part == 0, np.where(negative, 5, 6), np.where(negative, 4, 7))
    normal = np.where(negative, 3, 8)
    kind = np.where(power == U64((1 << size) - 1), top, np.where(power == 0, low, normal))
    return (np.asarray(classes, U32) >> kind.astype(U32)) & U32(1) != 0


def normalised_to_integer(value: Array, low: int, high: int) -> Array:
    """[-1, 1] or [0, 1] to a 16-bit integer, rounded to nearest even; as uint16 bits."""
    wide = np.where(np.isnan(value), 0.0, value.astype(F64))
    return np.rint(np.clip(wide, -1.0, 1.0) * high).clip(low, high).astype(I64).astype(U16)
