# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Lane-wise floating-point operations and conversions."""

from __future__ import annotations

import numpy as np

from vendorctl.emulator import division, floats, integers
from vendorctl.emulator.arrays import F16, F32, F64, I16, I32, U16, U32, Array
from vendorctl.emulator.vector_table import Table

FLOAT_OPS = Table()
_add = FLOAT_OPS.add

_FUSED = {"f16": floats.fma, "f32": floats.fma, "f64": floats.fma64}
for _kind in ("f16", "f32", "f64"):
    _one, _two, _three = (f"{_kind} <- " + " ".join([_kind] * count) for count in (1, 2, 3))
    _add(f"v_add_{_kind}", _two, lambda a, b: a + b)
    _add(f"v_sub_{_kind}", _two, lambda a, b: a - b)
    _add(f"v_subrev_{_kind}", _two, lambda a, b: b - a)
    _add(f"v_mul_{_kind}", _two, lambda a, b: a * b)
    _add(f"v_fma_{_kind}", _three, _FUSED[_kind])
    _add(f"v_max_{_kind} v_max_num_{_kind}", _two, floats.larger)
    _add(f"v_min_{_kind} v_min_num_{_kind}", _two, floats.smaller)
    _add(f"v_maximum_{_kind}", _two, floats.maximum)
    _add(f"v_minimum_{_kind}", _two, floats.minimum)
    _add(f"v_max3_{_kind} v_max3_num_{_kind}", _three, lambda a, b, c: floats.larger(floats.larger(a, b), c))
    _add(f"v_min3_{_kind} v_min3_num_{_kind}", _three, lambda a, b, c: floats.smaller(floats.smaller(a, b), c))
    _add(f"v_maximum3_{_kind}", _three, lambda a, b, c: floats.maximum(floats.maximum(a, b), c))
    _add(f"v_minimum3_{_kind}", _three, lambda a, b, c: floats.minimum(floats.minimum(a, b), c))
    _add(f"v_med3_{_kind} v_med3_num_{_kind}", _three, floats.median)
    _add(f"v_maxmin_{_kind} v_maxmin_num_{_kind}", _three, lambda a, b, c: floats.smaller(floats.larger(a, b), c))
    _add(f"v_minmax_{_kind} v_minmax_num_{_kind}", _three, lambda a, b, c: floats.larger(floats.smaller(a, b), c))
    _add(f"v_maximumminimum_{_kind}", _three, lambda a, b, c: floats.minimum(floats.maximum(a, b), c))
    _add(f"v_minimummaximum_{_kind}", _three, lambda a, b, c: floats.maximum(floats.minimum(a, b), c))
    _add(f"v_trunc_{_kind}", _one, np.trunc)
    _add(f"v_floor_{_kind}", _one, np.floor)
    _add(f"v_ceil_{_kind}", _one, np.ceil)
    _add(f"v_rndne_{_kind}", _one, np.rint)
    _add(f"v_fract_{_kind}", _one, floats.fraction)
    _add(f"v_frexp_mant_{_kind}", _one, floats.significand)
    _add(f"v_div_fixup_{_kind}", _three, division.fix_up)
# gfx9's "mad" rounds the product, unlike its "fma".
_add("v_mad_f16 v_mad_legacy_f16", "f16 <- f16 f16 f16", lambda a, b, c: a * b + c)
_add("v_fma_legacy_f16", "f16 <- f16 f16 f16", floats.fma)
_add("v_div_fixup_legacy_f16", "f16 <- f16 f16 f16", division.fix_up)
_add("v_frexp_exp_i32_f32", "i32 <- f32", floats.exponent)
_add("v_frexp_exp_i32_f64", "i32 <- f64", floats.exponent)
_add("v_frexp_exp_i16_f16", "i16 <- f16", lambda a: floats.exponent(a).astype(I16))
_add("v_ldexp_f32", "f32 <- f32 i32", floats.scale)
_add("v_ldexp_f64", "f64 <- f64 i32", floats.scale)
_add("v_ldexp_f16", "f16 <- f16 i16", lambda a, b: floats.scale(a, b.astype(I32)))


def _zero_wins(a: Array, b: Array) -> Array:
    """The old DirectX rule: zero times anything is zero."""
    return np.where((a == 0) | (b == 0), F32(0), a * b)


_add("v_mul_dx9_zero_f32 v_mul_legacy_f32", "f32 <- f32 f32", _zero_wins)
_add(
    "v_fma_dx9_zero_f32",
    "f32 <- f32 f32 f32",
    lambda a, b, c: np.where((a == 0) | (b == 0), c, floats.fma(a, b, c)),
)

# Transcendental
for _name, _function in (
    ("rcp", floats.reciprocal),
    ("rsq", floats.reciprocal_root),
    ("sqrt", np.sqrt),
    ("exp", np.exp2),
    ("log", np.log2),
    ("sin", floats.sine_of_turns),
    ("cos", floats.cosine_of_turns),
):
    _add(f"v_{_name}_f32", "f32 <- f32", floats.transcendental(_function))
    _add(f"v_{_name}_f16", "f16 <- f16", floats.half_precision(_function))
FLOAT_OPS["v_rcp_iflag_f32"] = FLOAT_OPS["v_rcp_f32"]
FLOAT_OPS["v_exp_legacy_f32"], FLOAT_OPS["v_log_legacy_f32"] = FLOAT_OPS["v_exp_f32"], FLOAT_OPS["v_log_f32"]
_add("v_rcp_f64", "f64 <- f64", floats.reciprocal)
_add("v_rsq_f64", "f64 <- f64", floats.reciprocal_root)
_add("v_sqrt_f64", "f64 <- f64", np.sqrt)

# Conversions between numbers
_add("v_cvt_f32_u32", "f32 <- u32", lambda a: a.astype(F32))
_add("v_cvt_f32_i32", "f32 <- i32", lambda a: a.astype(F32))
_add("v_cvt_f64_u32", "f64 <- u32", lambda a: a.astype(F64))
_add("v_cvt_f64_i32", "f64 <- i32", lambda a: a.astype(F64))
_add("v_cvt_u32_f32", "u32 <- f32", floats.to_u32)
_add("v_cvt_i32_f32", "i32 <- f32", floats.to_i32)
_add("v_cvt_u32_f64", "u32 <- f64", floats.to_u32)
_add("v_cvt_i32_f64", "i32 <- f64", floats.to_i32)
_add("v_cvt_f32_f64", "f32 <- f64", lambda a: a.astype(F32))
_add("v_cvt_f64_f32", "f64 <- f32", lambda a: a.astype(F64))
_add("v_cvt_f32_f16", "f32 <- f16", lambda a: a.astype(F32))
_add("v_cvt_f16_f32", "f16 <- f32", lambda a: a.astype(F16))
_add("v_cvt_f32_bf16", "f32 <- u16", floats.from_bf16)
_add("v_cvt_f16_u16", "f16 <- u16", lambda a: a.astype(F16))
_add("v_cvt_f16_i16", "f16 <- i16", lambda a: a.astype(F16))
_add("v_cvt_u16_f16", "u16 <- f16", lambda a: floats.to_integer(a, 0, 0xFFFF).astype(U16))
_add("v_cvt_i16_f16", "i16 <- f16", lambda a: floats.to_integer(a, -0x8000, 0x7FFF).astype(I16))
_add("v_cvt_u32_u16", "u32 <- u16", lambda a: a.astype(U32))
_add("v_cvt_i32_i16", "i32 <- i16", lambda a: a.astype(I32))
_add("v_cvt_nearest_i32_f32 v_cvt_rpi_i32_f32", "i32 <- f32", lambda a: floats.to_i32(np.floor(a + F32(0.5))))
_add("v_cvt_floor_i32_f32 v_cvt_flr_i32_f32", "i32 <- f32", lambda a: floats.to_i32(np.floor(a)))
for _byte in range(4):
    _add(
        f"v_cvt_f32_ubyte{_byte}",
        "f32 <- u32",
        lambda a, shift=8 * _byte: ((a >> U32(shift)) & U32(255)).astype(F32),
    )

# Conversions into packed halves
_add("v_cvt_pk_bf16_f32", "u32 <- f32 f32", lambda a, b: floats.to_bf16(a) | (floats.to_bf16(b) << U32(16)))
_add("v_cvt_pk_f16_f32", "u32 <- f32 f32", lambda a, b: floats.pack_halves(a.astype(F16), b.astype(F16)))
_add(
    "v_cvt_pk_rtz_f16_f32 v_cvt_pkrtz_f16_f32",
    "u32 <- f32 f32",
    lambda a, b: floats.pack_halves(floats.to_f16_towards_zero(a), floats.to_f16_towards_zero(b)),
)
for _suffix, _low, _high in (("i16", -0x7FFF, 0x7FFF), ("u16", 0, 0xFFFF)):
    for _kind in ("f32", "f16"):
        _add(
            f"v_cvt_pk_norm_{_suffix}_{_kind} v_cvt_pknorm_{_suffix}_{_kind}",
            f"u32 <- {_kind} {_kind}",
            lambda a, b, low=_low, high=_high: floats.pack_halves(
                floats.normalised_to_integer(a, low, high), floats.normalised_to_integer(b, low, high)
            ),
        )
_add(
    "v_cvt_pk_u16_u32",
    "u32 <- u32 u32",
    lambda a, b: integers.clamp_to(a, 0, 0xFFFF).astype(U32) | (integers.clamp_to(b, 0, 0xFFFF).astype(U32) << U32(16)),
)
_add(
    "v_cvt_pk_i16_i32",
    "u32 <- i32 i32",
    lambda a, b: floats.pack_halves(
        integers.clamp_to(a, -0x8000, 0x7FFF).astype(I16), integers.clamp_to(b, -0x8000, 0x7FFF).astype(I16)
    ),
)


def _insert_byte(value: Array, position: Array, rest: Array) -> Array:
    byte, shift = floats.to_integer(value, 0, 255).astype(U32), (position & U32(3)) * U32(8)
    return (rest & ~(U32(255) << shift)) | (byte << shift)


_add("v_cvt_pk_u8_f32", "u32 <- f32 u32 u32", _insert_byte)


def _dot2(a: Array, b: Array, c: Array) -> Array:
    """C + the dot product of the two f16 halves, in float32."""
    low = (a.astype(U16).view(F16).astype(F32), b.astype(U16).view(F16).astype(F32))
    high = ((a >> U32(16)).astype(U16).view(F16).astype(F32), (b >> U32(16)).astype(U16).view(F16).astype(F32))
    return c + low[0] * low[1] + high[0] * high[1]


def _dot2_bf16(a: Array, b: Array, c: Array) -> Array:
    """C + the dot product of the two bf16 halves, in float32."""
    mask = U32(0xFFFF)
    low = floats.from_bf16(a & mask) * floats.from_bf16(b & mask)
    return c + low + floats.from_bf16(a >> U32(16)) * floats.from_bf16(b >> U32(16))


_add("v_dot2_f32_f16 v_dot2c_f32_f16 v_dot2acc_f32_f16", "f32 <- u32 u32 f32", _dot2)
_add("v_dot2_f32_bf16 v_dot2c_f32_bf16 v_dot2acc_f32_bf16", "f32 <- u32 u32 f32", _dot2_bf16)
