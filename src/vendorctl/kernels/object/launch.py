# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Launch plans: grid, block and kernel arguments as expressions of a launch function's arguments.

The JSON form, as it stands in manifests:

    {"parameters": [{"name": "x", "type": "ptr", "elements": "f16"}, {"name": "rows", "type": "i32"}, ...],
     "launches": [{"symbol": "softmax", "grid": [E, E, E], "block": [E, E, E], "dynamic_lds": E,
                   "arguments": [E, ...], "fields": [[offset, size], ...], "kernarg_size": 16, "lds": 64}]}

with expressions E

    ["const", TYPE, VALUE]                  ["arg", TYPE, NAME]                  ["pack", E, ...]
    ["size", TYPE, NAME, AXIS]              ["stride", TYPE, NAME, AXIS]
    ["add" | "sub" | "mul" | "sdiv" | ..., TYPE, E, E]        integers wrap around, as on the machine; sdiv
                                                              truncates towards zero, floordiv rounds down
    ["eq" | "slt" | ..., TYPE OF OPERANDS, E, E]              gives 0 or 1
    ["select", TYPE, CONDITION, E, E]       ["sext" | "zext", TYPE, TYPE OF OPERAND, E]       ["trunc", TYPE, E]
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from vendorctl.errors import VendorError
from vendorctl.kernels.object.elf import CodeObject
from vendorctl.model import Json

_MAX_DEPTH = 64
#: Bytes of arguments that no kernel reaches: a plan may not make its evaluation take memory at will.
_MAX_KERNARG = 1 << 16
_BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "ptr": 64}
_FLOATS = {"f16": "<e", "f32": "<f", "f64": "<d"}
_DIMENSIONS = 3


@runtime_checkable
class TensorArgument(Protocol):
    """What a tensor parameter is given: a device address, sizes and strides counted in elements."""

    @property
    def address(self) -> int:
        """Device address of the first element."""

    @property
    def shape(self) -> Sequence[int]:
        """Elements along each axis."""

    @property
    def strides(self) -> Sequence[int]:
        """Distance between neighbours along each axis, in elements."""


#: A launch argument: a device address or a number, or a tensor.
LaunchArgument: TypeAlias = "int | float | bool | TensorArgument"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of the launch function. `elements` is the storage type behind a pointer or tensor."""

    name: str
    type: str
    elements: str = ""
    rank: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One kernel launch, ready to be made. `grid` counts workgroups, `block` work-items; LDS is in bytes."""

    symbol: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    kernarg: bytes
    lds_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelLaunch:
    """The plan of one launch: expressions, and where each kernel argument lies in the segment (bytes)."""

    symbol: str
    grid: tuple[Json, ...]
    block: tuple[Json, ...]
    dynamic_lds: Json
    arguments: tuple[Json, ...]
    fields: tuple[tuple[int, int], ...]
    kernarg_size: int
    lds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchPlan:
    """How to launch an object: what a call of its launch function would do, for any arguments."""

    parameters: tuple[Parameter, ...]
    launches: tuple[KernelLaunch, ...]

    def evaluate(self, arguments: Mapping[str, LaunchArgument]) -> tuple[Launch, ...]:
        """The launches, in order, for these arguments (one for each parameter; addresses for pointers).

        A launch whose grid has a zero is returned as it is: it runs nothing. Raises VendorError for a missing or
        unknown argument, one of the wrong kind, and a division by zero.
        """
        names = [parameter.name for parameter in self.parameters]
        if sorted(names) != sorted(arguments):
            raise VendorError(f"the launch takes {', '.join(names)}; got {', '.join(sorted(arguments)) or 'nothing'}")
        scope = _Scope(arguments)
        return tuple(_launch(plan, scope) for plan in self.launches)

    def json(self) -> Json:
        """The JSON form; `parse` is its inverse."""
        parameters: list[Json] = []
        for parameter in self.parameters:
            entry: dict[str, Json] = {"name": parameter.name, "type": parameter.type}
            if parameter.elements:
                entry["elements"] = parameter.elements
            if parameter.rank:
                entry["rank"] = parameter.rank
            parameters.append(entry)
        launches: list[Json] = [
            {
                "symbol": launch.symbol,
                "grid": list(launch.grid),
                "block": list(launch.block),
                "dynamic_lds": launch.dynamic_lds,
                "arguments": list(launch.arguments),
                "fields": [list(field) for field in launch.fields],
                "kernarg_size": launch.kernarg_size,
                "lds": launch.lds,
            }
            for launch in self.launches
        ]
        return {"parameters": parameters, "launches": launches}


def complete(plan: Any, code: CodeObject) -> LaunchPlan:
    """Join a plan that a compiler child sent with the argument layout and LDS size that its object declares.

    Raises VendorError when the two do not fit together or the plan is malformed.
    """
    try:
        for launch in plan["launches"]:
            kernel = code.kernel(launch["symbol"])
            shown = [argument for argument in kernel.arguments if not argument.kind.startswith("hidden_")]
            launch["fields"] = [[argument.offset, argument.size] for argument in shown]
            launch["kernarg_size"] = kernel.kernarg_size
            launch["lds"] = kernel.lds
    except (KeyError, TypeError) as error:
        raise VendorError("the compiler sent a malformed launch plan") from error
    return parse(plan)


def parse(value: Any) -> LaunchPlan:
    """A launch plan from JSON. Raises VendorError when any part of it is malformed."""
    try:
        parameters = tuple(
            Parameter(
                name=str(entry["name"]),
                type=str(entry["type"]),
                elements=str(entry.get("elements", "")),
                rank=int(entry.get("rank", 0)),
            )
            for entry in value["parameters"]
        )
        names = {parameter.name for parameter in parameters}
        return LaunchPlan(
            parameters=parameters, launches=tuple(_parse_launch(entry, names) for entry in value["launches"])
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise VendorError(f"malformed launch plan: {error}") from error


def _parse_launch(entry: Any, names: set[str]) -> KernelLaunch:
    launch = KernelLaunch(
        symbol=str(entry["symbol"]),
        grid=tuple(entry["grid"]),
        block=tuple(entry["block"]),
        dynamic_lds=entry["dynamic_lds"],
        arguments=tuple(entry["arguments"]),
        fields=tuple((int(offset), int(size)) for offset, size in entry["fields"]),
        kernarg_size=int(entry["kernarg_size"]),
        lds=int(entry["lds"]),
    )
    if len(launch.grid) != _DIMENSIONS or len(launch.block) != _DIMENSIONS:
        raise ValueError("grid and block have three dimensions")
    if len(launch.fields) != len(launch.arguments):
        raise ValueError(f"{len(launch.arguments)} arguments for {len(launch.fields)} fields of {launch.symbol}")
    if launch.kernarg_size > _MAX_KERNARG or launch.lds < 0:
        raise ValueError(f"{launch.symbol} asks for {launch.kernarg_size} bytes of arguments and {launch.lds} of LDS")
    if any(offset < 0 or size < 0 or offset + size > launch.kernarg_size for offset, size in launch.fields):
        raise ValueError("a field lies outside the kernel-argument segment")
    for expression in (*launch.grid, *launch.block, launch.dynamic_lds):
        _check(expression, names, _MAX_DEPTH)
    for expression in launch.arguments:
        _check_argument(expression, names, _MAX_DEPTH)
    return launch


def _check_argument(expression: Any, names: set[str], depth: int) -> None:
    """Refuse what `_Scope.pack` could not write: one expression, or several packed together."""
    if depth and isinstance(expression, list | tuple) and expression and expression[0] == "pack":
        for part in expression[1:]:
            _check_argument(part, names, depth - 1)
    else:
        _check(expression, names, depth)


def _check(expression: Any, names: set[str], depth: int) -> None:
    """Refuse an expression that `_Scope` could not evaluate, so that evaluation only fails on the arguments."""
    if depth == 0 or not isinstance(expression, list | tuple) or len(expression) < 2:
        raise ValueError("an expression is too deep or not a list")
    operation, kind, *rest = expression
    if operation == "const":
        number = int if kind in _BITS else int | float
        _require(len(rest) == 1 and isinstance(rest[0], number) and (kind in _BITS or kind in _FLOATS), expression)
    elif operation == "arg":
        _require(len(rest) == 1 and rest[0] in names and (kind in _BITS or kind in _FLOATS), expression)
    elif operation in ("size", "stride"):
        _require(len(rest) == 2 and rest[0] in names and isinstance(rest[1], int) and rest[1] >= 0, expression)
        _require(kind in _BITS, expression)
    else:
        extends = operation in ("sext", "zext")
        operands = rest[1:] if extends else rest
        _require(operation in _ARITY and kind in _BITS and (not extends or rest[0] in _BITS), expression)
        _require(len(operands) == _ARITY[operation], expression)
        for operand in operands:
            _check(operand, names, depth - 1)


def _require(condition: bool, expression: object) -> None:
    if not condition:
        raise ValueError(f"cannot understand the expression {expression!r}"[:200])


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _unsigned(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def _divide(a: int, b: int) -> int:
    """Division that truncates towards zero, as LLVM's sdiv; Python's floors."""
    if b == 0:
        raise VendorError("the launch plan divides by zero for these arguments")
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _distance(bits: int) -> int:
    """How far to shift; LLVM defines no shift by as much as the width, or by less than nothing."""
    if bits < 0:
        raise VendorError("the launch plan shifts by a negative distance for these arguments")
    return min(bits, 64)


#: Operations on operands in their signed reading.
_SIGNED: Mapping[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "sdiv": _divide,
    "srem": lambda a, b: a - b * _divide(a, b),
    "floordiv": lambda a, b: _divide(a - a % b, b) if b else _divide(a, b),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "ashr": lambda a, b: a >> _distance(b),
    "smax": max,
    "smin": min,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
}
#: Operations on operands in their unsigned reading.
_UNSIGNED: Mapping[str, Callable[[int, int], int]] = {
    "udiv": _divide,
    "urem": lambda a, b: a - b * _divide(a, b),
    "shl": lambda a, b: a << min(b, 64),
    "lshr": lambda a, b: a >> b,
    "umax": max,
    "umin": min,
    "ult": lambda a, b: a < b,
    "ule": lambda a, b: a <= b,
    "ugt": lambda a, b: a > b,
    "uge": lambda a, b: a >= b,
}
_COMPARISONS = frozenset({"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
_ARITY = dict.fromkeys([*_SIGNED, *_UNSIGNED], 2) | {"select": 3, "sext": 1, "zext": 1, "trunc": 1}


class _Scope:
    """Evaluates expressions for one set of launch arguments. Integers are kept in their signed reading."""

    def __init__(self, arguments: Mapping[str, LaunchArgument]) -> None:
        self._arguments = arguments

    def integer(self, expression: Any) -> int:
        value = self.value(expression)
        if not isinstance(value, int):
            raise VendorError("the launch plan computes a grid from a number that is not an integer")
        return int(value)

    def value(self, expression: Any) -> int | float:
        operation, kind, *rest = expression
        if operation == "const":
            return _signed(int(rest[0]), _BITS[kind]) if kind in _BITS else float(rest[0])
        if operation == "arg":
            return self._argument(kind, rest[0])
        if operation in ("size", "stride"):
            tensor = self._tensor(rest[0])
            extents = tensor.shape if operation == "size" else tensor.strides
            if rest[1] >= len(extents):
                raise VendorError(f"launch argument {rest[0]!r} has {len(extents)} axes; axis {rest[1]} is asked for")
            return int(extents[rest[1]])
        bits = _BITS[kind]
        if operation == "select":
            return self.value(rest[1] if self.integer(rest[0]) else rest[2])
        if operation == "sext":
            return self.integer(rest[1])
        if operation == "zext":
            return _signed(_unsigned(self.integer(rest[1]), _BITS[rest[0]]), bits)
        operands = [self.integer(operand) for operand in rest]
        if operation == "trunc":
            return _signed(operands[0], bits)
        if operation in _SIGNED:
            result = _SIGNED[operation](*operands)
        else:
            result = _UNSIGNED[operation](*(_unsigned(operand, bits) for operand in operands))
        return int(result) if operation in _COMPARISONS else _signed(result, bits)

    def _argument(self, kind: str, name: str) -> int | float:
        value = self._arguments[name]
        if kind == "ptr" and isinstance(value, TensorArgument):
            return value.address
        if kind in _FLOATS and isinstance(value, int | float):
            return float(value)
        if kind in _BITS and isinstance(value, int):
            fits = -(1 << (_BITS[kind] - 1)) <= value < 1 << _BITS[kind]
            if not fits:
                raise VendorError(f"launch argument {name!r} = {value} does not fit into {kind}")
            return _signed(int(value), _BITS[kind])
        raise VendorError(f"launch argument {name!r} must be {kind}, not {type(value).__name__}")

    def _tensor(self, name: str) -> TensorArgument:
        value = self._arguments[name]
        if not isinstance(value, TensorArgument):
            raise VendorError(f"launch argument {name!r} must be a tensor")
        return value

    def pack(self, expression: Any) -> bytes:
        """The bytes of a kernel argument, little-endian and without padding."""
        operation, kind, *_ = expression
        if operation == "pack":
            return b"".join(self.pack(part) for part in expression[1:])
        if kind in _FLOATS:
            return _packed_float(kind, self.value(expression))
        value = self.integer(expression)
        width = 1 if operation in _COMPARISONS else max(1, _BITS[kind] // 8)
        if kind == "i1":
            return bytes([value & 1])
        return (value & ((1 << 8 * width) - 1)).to_bytes(width, "little")


def _packed_float(kind: str, value: float) -> bytes:
    try:
        return struct.pack(_FLOATS[kind], value)
    except OverflowError as error:
        raise VendorError(f"launch argument {value} does not fit into {kind}") from error


def _launch(plan: KernelLaunch, scope: _Scope) -> Launch:
    segment = bytearray(plan.kernarg_size)
    for expression, (offset, size) in zip(plan.arguments, plan.fields, strict=True):
        data = scope.pack(expression)
        if len(data) != size:
            raise VendorError(f"kernel {plan.symbol}: an argument of {len(data)} bytes for a field of {size}")
        segment[offset : offset + size] = data
    grid = [scope.integer(expression) for expression in plan.grid]
    block = [scope.integer(expression) for expression in plan.block]
    if min(grid) < 0 or min(block) <= 0:
        raise VendorError(f"kernel {plan.symbol}: grid {grid}, block {block} cannot be launched")
    dynamic = scope.integer(plan.dynamic_lds)
    if dynamic < 0:
        raise VendorError(f"kernel {plan.symbol}: {dynamic} bytes of dynamic LDS cannot be had")
    return Launch(
        symbol=plan.symbol,
        grid=(grid[0], grid[1], grid[2]),
        block=(block[0], block[1], block[2]),
        kernarg=bytes(segment),
        lds_bytes=plan.lds + dynamic,
    )
