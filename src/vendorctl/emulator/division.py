# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The three instructions of which compilers make an exact division: scale, fused step, fix-up.

The scaling conditions follow AMD's description. Their comparisons with denormals are worked out on exponents here,
because the description compares with a symbol that has no value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vendorctl.emulator import floats
from vendorctl.emulator.arrays import F32, F64, I32, Array


@dataclass(frozen=True, slots=True)
class _Layout:
    """Exponent facts of one float type: bias, the quotient size that overflows, the tiny numerator, the scale step."""

    bias: int
    overflow: int
    tiny: int
    step: int
    underflow: int


_LAYOUTS = {np.dtype(F32): _Layout(127, 96, 23, 64, 150), np.dtype(F64): _Layout(1023, 768, 53, 128, 1075)}


def scale(value: Array, denominator: Array, numerator: Array) -> tuple[Array, Array]:
    """(scaled `value`, whether the final step must undo a scaling), for `value` one of the two others."""
    value, denominator, numerator = np.broadcast_arrays(value, denominator, numerator)
    layout = _LAYOUTS[value.dtype]
    below, above = floats.exponent_field(denominator), floats.exponent_field(numerator)
    zero = (numerator == 0) | (denominator == 0)
    is_denominator, is_numerator = value == denominator, value == numerator
    reciprocal_denormal = below >= 2 * layout.bias - 1
    quotient_denormal = above - below < 1 - layout.bias
    denominator_denormal = (below == 0) & (denominator != 0)
    cases = [
        (above - below >= layout.overflow, np.where(is_denominator, layout.step, 0), True),
        (denominator_denormal, np.full(value.shape, layout.step), False),
        (reciprocal_denormal & quotient_denormal, np.where(is_denominator, layout.step, 0), True),
        (reciprocal_denormal, np.full(value.shape, -layout.step), False),
        (quotient_denormal, np.where(is_numerator, layout.step, 0), True),
        (above <= layout.tiny, np.full(value.shape, layout.step), False),
    ]
    conditions = [case[0] for case in cases]
    power = np.select(conditions, [case[1] for case in cases], 0).astype(I32)
    flag = np.select(conditions, [np.full(value.shape, case[2]) for case in cases], False)
    nan = value.dtype.type(np.nan)
    return np.where(zero, nan, np.ldexp(value, power)).astype(value.dtype), flag & ~zero


def final_step(a: Array, b: Array, c: Array, scaled: Array) -> Array:
    """a*b + c, with the scaling of the operands undone in the lanes where `scaled` is set."""
    result = floats.fma(a, b, c) if a.dtype == F32 else floats.fma64(a, b, c)
    layout = _LAYOUTS[result.dtype]
    up = floats.exponent_field(np.broadcast_to(c, result.shape).astype(result.dtype)) > layout.bias
    # Hardware scales up when the quotient overflowed the scaled range and down when it was lifted out of denormals.
    factor = np.where(up, result.dtype.type(2.0**layout.step), result.dtype.type(2.0**-layout.step))
    return np.where(scaled, result * factor, result).astype(result.dtype)


def fix_up(quotient: Array, denominator: Array, numerator: Array) -> Array:
    """The quotient with the special cases put right: zeros, infinities, NaN and underflow."""
    kind = quotient.dtype.type
    negative = np.signbit(denominator) ^ np.signbit(numerator)

    def signed(value: Array) -> Array:
        return np.where(negative, -value, value).astype(quotient.dtype)

    result = signed(np.abs(quotient))
    layout = _LAYOUTS.get(quotient.dtype)
    if layout is not None:
        # Of an overflowing quotient the steps before make infinity minus infinity.
        result = np.where(np.isnan(quotient), signed(np.asarray(kind(np.inf))), result)
        gap = floats.exponent_field(numerator) - floats.exponent_field(denominator)
        result = np.where(
            gap < -layout.underflow, signed(np.asarray(np.finfo(quotient.dtype).smallest_subnormal)), result
        )
    result = np.where(np.isinf(denominator) | (numerator == 0), signed(np.asarray(kind(0))), result)
    result = np.where((denominator == 0) | np.isinf(numerator), signed(np.asarray(kind(np.inf))), result)
    undefined = ((denominator == 0) & (numerator == 0)) | (np.isinf(denominator) & np.isinf(numerator))
    result = np.where(undefined, kind(np.nan), result)
    result = np.where(np.isnan(denominator), denominator, result)
    return np.where(np.isnan(numerator), numerator, result).astype(quotient.dtype)
