# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Launch plans: what the compiler's host function computes, evaluated in Python."""

from __future__ import annotations

import copy
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.conftest import Built
from vendorctl.errors import VendorError
from vendorctl.kernels.object import launch, manifest
from vendorctl.kernels.object.launch import LaunchPlan

I32 = st.integers(-(2**31), 2**31 - 1)


def plan(expression: Any, kind: str = "i32") -> LaunchPlan:
    """A plan that passes `expression` of two i32 parameters as its only kernel argument."""
    one = ["const", "i64", 1]
    size = {"i1": 1, "i32": 4, "i64": 8}[kind]
    return launch.parse(
        {
            "parameters": [{"name": "a", "type": "i32"}, {"name": "b", "type": "i32"}],
            "launches": [
                {
                    "symbol": "k",
                    "grid": [one, one, one],
                    "block": [one, one, one],
                    "dynamic_lds": ["const", "i32", 0],
                    "arguments": [expression],
                    "fields": [[0, size]],
                    "kernarg_size": size,
                    "lds": 0,
                }
            ],
        }
    )


def value(expression: Any, a: int = 0, b: int = 0, kind: str = "i32") -> int:
    (result,) = plan(expression, kind).evaluate({"a": a, "b": b})
    return int.from_bytes(result.kernarg, "little", signed=kind != "i1")


A, B = ["arg", "i32", "a"], ["arg", "i32", "b"]


def wrap(number: int, bits: int = 32) -> int:
    return (number + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


REFERENCE: Mapping[str, Callable[[int, int], int]] = {
    "add": lambda a, b: wrap(a + b),
    "sub": lambda a, b: wrap(a - b),
    "mul": lambda a, b: wrap(a * b),
    "and": lambda a, b: wrap(a & b),
    "or": lambda a, b: wrap(a | b),
    "xor": lambda a, b: wrap(a ^ b),
    "smax": max,
    "smin": min,
    "umax": lambda a, b: wrap(max(a % 2**32, b % 2**32)),
    "umin": lambda a, b: wrap(min(a % 2**32, b % 2**32)),
}


@given(I32, I32)
def test_arithmetic_wraps_around_like_the_machine(a: int, b: int) -> None:
    for name, reference in REFERENCE.items():
        assert value([name, "i32", A, B], a, b) == reference(a, b), name


@given(I32, I32)
def test_comparisons(a: int, b: int) -> None:
    unsigned = (a % 2**32, b % 2**32)
    for name, signed_reading, result in (
        ("slt", True, a < b), ("sle", True, a <= b), ("sgt", True, a > b), ("sge", True, a >= b),
        ("eq", True, a == b), ("ne", True, a != b),
        ("ult", False, unsigned[0] < unsigned[1]), ("uge", False, unsigned[0] >= unsigned[1]),
    ):  # fmt: skip
        assert value([name, "i32", A, B], a, b, "i1") == result, (name, signed_reading)


@given(I32, st.integers(1, 2**31 - 1))
def test_signed_division_truncates_and_the_remainder_belongs_to_it(a: int, b: int) -> None:
    quotient, remainder = value(["sdiv", "i32", A, B], a, b), value(["srem", "i32", A, B], a, b)
    assert quotient == int(struct.unpack("d", struct.pack("d", a / b))[0]) or abs(a) >= 2**52
    assert quotient * b + remainder == a
    assert abs(remainder) < b
    assert remainder == 0 or (remainder < 0) == (a < 0)
    assert value(["udiv", "i32", A, B], a, b) == wrap((a % 2**32) // b)
    assert value(["floordiv", "i32", A, B], a, b) == a // b


@given(I32)
def test_casts(a: int) -> None:
    assert value(["sext", "i64", "i32", A], a, kind="i64") == a
    assert value(["zext", "i64", "i32", A], a, kind="i64") == a % 2**32
    assert value(["trunc", "i32", ["sext", "i64", "i32", A]], a) == a
    assert value(["select", "i32", ["slt", "i32", A, ["const", "i32", 0]], ["const", "i32", 7], A], a) == (
        7 if a < 0 else a
    )


def test_division_by_zero_is_the_callers_mistake() -> None:
    with pytest.raises(VendorError, match="divides by zero"):
        value(["sdiv", "i32", A, B], 5, 0)
    with pytest.raises(VendorError, match="divides by zero"):
        value(["floordiv", "i32", A, B], 5, 0)


def test_the_plan_of_a_real_object(built: Built) -> None:
    path = built.objects / "gfx942" / "manifest.json"
    record = next(r for r in manifest.parse(path.read_bytes(), "m").objects if r.file == "f16.hsaco")
    for n, groups in ((0, 0), (1, 1), (64, 1), (65, 2), (1000, 16)):
        (made,) = record.launch.evaluate({"x": 0x1000, "y": 0x2000, "n": n, "a": 0.5})
        assert made.symbol == "scale_f16"
        assert made.grid == (groups, 1, 1)
        assert made.block == (64, 1, 1)
        assert made.kernarg[:24] == struct.pack("<QQif", 0x1000, 0x2000, n, 0.5)
    assert [(parameter.name, parameter.type, parameter.elements) for parameter in record.launch.parameters] == [
        ("x", "ptr", "f16"), ("y", "ptr", "f16"), ("n", "i32", ""), ("a", "f32", ""),
    ]  # fmt: skip
    assert launch.parse(record.launch.json()) == record.launch
    rounded = ["floordiv", "i32", ["add", "i32", ["arg", "i32", "n"], ["const", "i32", 63]], ["const", "i32", 64]]
    assert record.launch.launches[0].grid[0] == ["sext", "i64", "i32", rounded]


@pytest.mark.parametrize(
    "arguments",
    [
        {"x": 1, "y": 2, "n": 3},
        {"x": 1, "y": 2, "n": 3, "a": 1.0, "b": 1},
        {"x": 1, "y": 2, "n": 2**32, "a": 1.0},
        {"x": 1, "y": 2, "n": 1.5, "a": 1.0},
        {"x": 1.0, "y": 2, "n": 1, "a": 1.0},
        {"x": 1, "y": 2, "n": -100, "a": 1.0},
    ],
    ids=["missing", "unknown", "too large", "not an integer", "not an address", "negative grid"],
)
def test_wrong_arguments_are_refused(built: Built, arguments: dict[str, Any]) -> None:
    path = built.objects / "gfx942" / "manifest.json"
    record = manifest.parse(path.read_bytes(), "m").objects[0]
    with pytest.raises(VendorError):
        record.launch.evaluate(arguments)


@dataclass(frozen=True)
class Tensor:
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def test_a_tensor_is_a_pointer_and_a_packed_layout() -> None:
    one = ["const", "i64", 1]
    layout = ["pack", ["size", "i32", "x", 0], ["size", "i32", "x", 1], ["stride", "i64", "x", 0]]
    made = launch.parse(
        {
            "parameters": [{"name": "x", "type": "ptr", "elements": "f16", "rank": 2}],
            "launches": [
                {
                    "symbol": "k",
                    "grid": [["sext", "i64", "i32", ["size", "i32", "x", 0]], one, one],
                    "block": [one, one, one],
                    "dynamic_lds": ["const", "i32", 128],
                    "arguments": [["arg", "ptr", "x"], layout],
                    "fields": [[0, 8], [8, 16]],
                    "kernarg_size": 24,
                    "lds": 16,
                }
            ],
        }
    )
    (result,) = made.evaluate({"x": Tensor(0x4000, (3, 5), (8, 1))})
    assert result.kernarg == struct.pack("<Qiiq", 0x4000, 3, 5, 8)
    assert result.grid == (3, 1, 1)
    assert result.lds_bytes == 144
    with pytest.raises(VendorError, match="must be a tensor"):
        made.evaluate({"x": 0x4000})


GOOD = plan(["add", "i32", A, B]).json()


def changed(path: tuple[Any, ...], new: Any) -> Any:
    tree: Any = copy.deepcopy(GOOD)
    place = tree
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    return tree


NESTED: Any = A
for _ in range(100):
    NESTED = ["add", "i32", NESTED, B]

MALFORMED: Mapping[str, Any] = {
    "nothing": None,
    "no launches": {"parameters": []},
    "unknown operation": changed(("launches", 0, "arguments", 0), ["pow", "i32", A, B]),
    "unknown type": changed(("launches", 0, "arguments", 0), ["add", "i33", A, B]),
    "unknown argument": changed(("launches", 0, "arguments", 0), ["arg", "i32", "c"]),
    "wrong arity": changed(("launches", 0, "arguments", 0), ["add", "i32", A]),
    "text as constant": changed(("launches", 0, "grid", 0), ["const", "i32", "1"]),
    "not a list": changed(("launches", 0, "grid", 0), 5),
    "too deep": changed(("launches", 0, "grid", 0), NESTED),
    "two dimensions": changed(("launches", 0, "grid"), [A, B]),
    "field outside": changed(("launches", 0, "fields", 0), [4, 4]),
    "field for nothing": changed(("launches", 0, "fields"), []),
    "negative field": changed(("launches", 0, "fields", 0), [-4, 4]),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_plans_are_refused(name: str) -> None:
    with pytest.raises(VendorError, match="malformed launch plan"):
        launch.parse(MALFORMED[name])


def test_the_plan_they_are_made_from_is_accepted() -> None:
    assert launch.parse(copy.deepcopy(GOOD)).json() == GOOD
