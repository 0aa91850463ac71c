# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every operation of our tables against AMD's own description of it, on random and special operands."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from emulator.pseudo import Interpreter, Unreadable, Value
from support.soak import SOAK
from vendorctl.emulator.arrays import ALL_ONES, DTYPES, UNSIGNED, bits, width
from vendorctl.emulator.isa import pseudo_code
from vendorctl.emulator.known import Tracked
from vendorctl.emulator.scalar_table import RETURNED, SCALAR_OPS
from vendorctl.emulator.targets import Family
from vendorctl.emulator.vector import VECTOR_OPS

#: How many operands are tried for each operation, and how many at least where a rare difference must be met.
ROUNDS = 150 if SOAK else 40
PATIENCE = 150
SPECIAL = (
    0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x00FFFFFF, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000,
    0x7FC00000, 0x00000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x3EFFFFFF, 0x40490FDB, 0x3C00, 0xBC00, 0x7C00, 0xFC00,
)  # fmt: skip

#: Where the description is imprecise or silent, and why ours is right.
_POWER = "the description multiplies by a power of two that may itself overflow"
_CLAMP = "the description lets the result round up to one, which hardware clamps"
_HALF = "the description rounds after adding one half, which is wrong next to a half and where ulps exceed it"
_DENORMAL = "the description reads the exponent field, which denormals and zero do not have"
DIFFERENT = {
    **dict.fromkeys(("v_ldexp_f32", "v_ldexp_f16"), _POWER),
    **dict.fromkeys(("v_fract_f32", "v_fract_f16", "v_fract_f64"), _CLAMP),
    **dict.fromkeys(("v_rndne_f16", "v_rndne_f32", "s_rndne_f16", "s_rndne_f32"), _HALF),
    **dict.fromkeys(("v_frexp_exp_i32_f32", "v_frexp_exp_i32_f64", "v_frexp_exp_i16_f16"), _DENORMAL),
    "v_div_fixup_f32": "a NaN quotient stands for one that overflowed, which the description leaves a NaN",
    "v_div_fixup_legacy_f16": "the description takes the low bits of a wider number for the narrow number",
    "v_dot2_f32_bf16": "gfx9 adds the third operand last, gfx11 first; the tolerance of a dot product covers both",
}
#: Transcendental: one unit in the last place, and denormals are flushed by ours as by hardware.
APPROXIMATE = ("v_rcp_", "v_rsq_", "v_sqrt_", "v_exp_", "v_log_", "v_sin_", "v_cos_")


def _operand(numbers: random.Random, size: int) -> int:
    if size == 64:
        return _operand(numbers, 32) | _operand(numbers, 32) << 32
    if numbers.random() < 0.35:
        return numbers.choice(SPECIAL) & ((1 << size) - 1)
    if numbers.random() < 0.5 and size == 32:
        return int(np.float32(numbers.gauss(0, 1) * 2.0 ** numbers.randint(-6, 6)).view(np.uint32))
    return numbers.getrandbits(size)


def _ours(function: Callable[..., Any], kinds: Sequence[str], words: Sequence[int], result: str) -> int:
    arrays = [
        np.array([word], UNSIGNED[width(kind)]).view(DTYPES[kind]) for kind, word in zip(kinds, words, strict=True)
    ]
    with np.errstate(all="ignore"):
        value = function(*arrays)
    array = np.atleast_1d(np.asarray(value))
    return int(bits(array)[0]) & ((1 << width(result)) - 1)


def _accumulated(kinds: Sequence[str], words: Sequence[int], result: str) -> Value:
    """What the result register holds before: where it is an operand as well, it is our third one."""
    return Value("U", width(result), words[2] if len(kinds) == 3 and width(kinds[2]) == width(result) else 0)


def _theirs(text: str, kinds: Sequence[str], words: Sequence[int], result: str, family: Family) -> int:
    names: dict[str, Any] = {
        f"S{k}": Value("U", width(kind), word) for k, (kind, word) in enumerate(zip(kinds, words, strict=True))
    }
    names |= {
        "D0": _accumulated(kinds, words, result),
        "SCC": Value("U", 1, 0),
        "tmp": Value("U", 64, 0),
        "laneId": Value("U", 32, 0),
    }
    interpreter = Interpreter(names, pseudo_code(family))
    with np.errstate(all="ignore"):
        interpreter.run(text)
    value = interpreter.names["D0"]
    assert isinstance(value, Value)
    return value.bits & ((1 << width(result)) - 1)


def _same(name: str, kind: str, ours: int, theirs: int) -> bool:
    if kind[0] != "f":
        return ours == theirs
    a, b = (np.array(word, UNSIGNED[width(kind)]).view(DTYPES[kind]) for word in (ours, theirs))
    if (np.isnan(a) and np.isnan(b)) or bool(a == b):
        return True
    if name.startswith(APPROXIMATE):
        tiny = float(np.finfo(np.dtype(DTYPES[kind])).tiny)
        return abs(ours - theirs) <= 1 or (abs(float(a)) <= tiny and abs(float(b)) <= tiny)
    return False


def _outcome(family: Family, name: str, function: Callable[..., Any], kinds: Sequence[str], result: str) -> str:
    """`agrees`, `differs` with an example, or `unreadable`."""
    numbers, text = random.Random(name), pseudo_code(family)[name]
    for _ in range(max(ROUNDS, PATIENCE if name in DIFFERENT else 0)):
        words = [_operand(numbers, width(kind)) for kind in kinds]
        try:
            theirs = _theirs(text, kinds, words, result, family)
        except (Unreadable, ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as reason:
            return f"unreadable: {type(reason).__name__} {reason}"
        ours = _ours(function, kinds, words, result)
        denormal_input = any(kind == "f32" and word & 0x7F800000 == 0 for kind, word in zip(kinds, words, strict=True))
        if not _same(name, result, ours, theirs) and not (name.startswith(APPROXIMATE) and denormal_input):
            return f"differs: {[hex(word) for word in words]} ours {ours:#x} theirs {theirs:#x}"
    return "agrees"


def _outcomes() -> dict[tuple[Family, str], str]:
    found = {}
    for family in Family:
        table = pseudo_code(family)
        for name, operation in VECTOR_OPS.items():
            if name in table:
                function: Callable[..., Any] = operation.function
                found[family, name] = _outcome(family, name, function, operation.operands, operation.result)
        for name, scalar in SCALAR_OPS.items():
            if name in table:
                function = (lambda *a, f=scalar.function: f(*a)[0]) if scalar.scc == RETURNED else scalar.function
                found[family, name] = _outcome(family, name, function, scalar.operands, scalar.result)
    return found


def test_operations_agree_with_the_descriptions_shipped_by_amd() -> None:
    outcomes = _outcomes()
    differing = {name: text for (_, name), text in outcomes.items() if text.startswith("differs")}
    unexpected = {name: text for name, text in differing.items() if name not in DIFFERENT}
    assert not unexpected
    assert set(DIFFERENT) == set(differing), "an explained difference is gone"
    agreeing = {name for (_, name), text in outcomes.items() if text == "agrees"}
    unreadable = {name for (_, name), text in outcomes.items() if text.startswith("unreadable")} - agreeing
    # The interpreter must keep reading most of them, or the comparison would fade away unnoticed.
    assert len(agreeing) >= 360, sorted(unreadable)
    assert len(unreadable) <= 15, sorted(unreadable)


def test_a_wrong_operation_is_noticed() -> None:
    assert _outcome(Family.RDNA3, "v_add_nc_u32", lambda a, b: a - b, ("u32", "u32"), "u32").startswith("differs")


BITWISE = sorted(
    name for name, operation in VECTOR_OPS.items() if operation.rule.__qualname__.startswith("by_operators")
)


@pytest.mark.parametrize("name", BITWISE)
def test_known_bits_are_never_wrong(name: str) -> None:
    """Whatever the unknown bits are, the bits called known come out the same."""
    operation, numbers = VECTOR_OPS[name], random.Random(name)
    kinds, size = operation.operands, width(operation.result)
    followed = 0
    for _ in range(60):
        words = [_operand(numbers, width(kind)) for kind in kinds]
        masks = [
            numbers.choice((-1, 0, 0xFFFF, 0xFF00, numbers.getrandbits(64))) & ((1 << width(kind)) - 1)
            for kind in kinds
        ]
        arrays = [
            np.array([word], UNSIGNED[width(kind)]).view(DTYPES[kind]) for kind, word in zip(kinds, words, strict=True)
        ]
        planes = [np.array([mask], UNSIGNED[width(kind)]) for kind, mask in zip(kinds, masks, strict=True)]
        with np.errstate(all="ignore"):
            known = int(operation.rule(arrays, planes, size)[0])
        followed += known not in (0, int(ALL_ONES[size]))
        first = _ours(operation.function, kinds, words, operation.result)
        for _ in range(8):
            changed = [
                (word & mask) | (numbers.getrandbits(width(kind)) & ~mask & ((1 << width(kind)) - 1))
                for kind, word, mask in zip(kinds, words, masks, strict=True)
            ]
            assert (_ours(operation.function, kinds, changed, operation.result) ^ first) & known == 0
    assert followed, "the rule knows all or nothing, which strictness would do as well"


def test_tracked_values_mix_with_numbers_on_either_side() -> None:
    unknown = Tracked(np.array([0xFF], np.uint32), np.array([0xF0], np.uint32))
    assert int((np.uint32(0x0F) & unknown).known[0]) == 0xFFFFFFF0
    assert int((np.uint32(0x0F) | unknown).known[0]) == 0xFF
    assert int((unknown << np.uint32(4)).known[0]) == 0xF0F
