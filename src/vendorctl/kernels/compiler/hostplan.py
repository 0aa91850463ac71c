# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reads the launch plan out of a compiled module: the host function, evaluated with symbols for its arguments.

Runs in compiler children only. The host function is straight-line MLIR (constants, casts, arithmetic, comparisons,
selects) that ends in `gpu.launch_func`; anything else is refused, so that a plan is exact or absent. `launch.py`
describes the JSON that comes out and evaluates it.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from typing import Any, TypeAlias

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"

#: MLIR operations with the same operands and meaning as an operation of the plan.
_SIMPLE = {
    "llvm.add": "add",
    "llvm.sub": "sub",
    "llvm.mul": "mul",
    "llvm.sdiv": "sdiv",
    "llvm.udiv": "udiv",
    "llvm.srem": "srem",
    "llvm.urem": "urem",
    "llvm.and": "and",
    "llvm.or": "or",
    "llvm.xor": "xor",
    "llvm.shl": "shl",
    "llvm.lshr": "lshr",
    "llvm.ashr": "ashr",
    "llvm.select": "select",
    "llvm.sext": "sext",
    "llvm.zext": "zext",
    "llvm.trunc": "trunc",
    "llvm.intr.smax": "smax",
    "llvm.intr.smin": "smin",
    "llvm.intr.umax": "umax",
    "llvm.intr.umin": "umin",
}
#: Predicates of `llvm.icmp`, in the order of their numbers in the LLVM dialect.
_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_SCALAR = re.compile(r"(i1|i8|i16|i32|i64|f16|bf16|f32|f64)\Z")
_TENSOR_STRUCT = re.compile(
    r"!llvm\.struct<packed \((?:struct<packed \(([i0-9, ]*)\)>)?(?:, )?(?:struct<packed \(([i0-9, ]*)\)>)?\)>\Z"
)


class PlanError(Exception):
    """The host function does something that a launch plan cannot say."""


@dataclass(frozen=True, slots=True)
class HostParameter:
    """A launch parameter: `kind` is `pointer`, `tensor`, `scalar` or `stream`; `rank` counts a tensor's axes."""

    name: str
    kind: str
    dtype: str = ""
    rank: int = 0


def plan_of_module(module: Any, parameters: list[HostParameter]) -> Json:
    """The launch plan of a parsed module with one host function. Raises PlanError when it cannot be expressed."""
    functions = [op for op in module.body.operations if op.operation.name == "llvm.func"]
    defined = [op for op in functions if len(op.operation.regions[0].blocks) > 0]
    if len(defined) != 1:
        raise PlanError(f"the module defines {len(defined)} host functions; one is expected")
    blocks = defined[0].operation.regions[0].blocks
    if len(blocks) != 1:
        raise PlanError("the launch function branches at run time; compute the grid with select() instead")
    return _Reader(blocks[0], parameters).read()


def _floor_division(expression: list[Json]) -> Json:
    """The expansion of a floor division by a positive constant, folded back; any other expression as it is.

    MLIR expands it into a division that truncates, and a select that corrects the quotient of negative numbers.
    """
    match expression:
        case ["select", kind, _, _, ["sdiv", _, a, ["const", _, int(divisor)]] as quotient] if divisor > 0:
            b: Json = ["const", kind, divisor]
            inexact: Json = ["ne", kind, a, ["mul", kind, quotient, b]]
            negative: Json = ["ne", "i1", ["slt", kind, a, ["const", kind, 0]], ["const", "i1", 0]]
            lower: Json = ["add", kind, quotient, ["const", kind, -1]]
            if expression == ["select", kind, ["and", "i1", inexact, negative], lower, quotient]:
                return ["floordiv", kind, a, b]
    return expression


def _kinds(group: str | None) -> list[str]:
    return group.split(", ") if group else []


class _Reader:
    def __init__(self, block: Any, parameters: list[HostParameter]) -> None:
        self._ir: Any = importlib.import_module("flydsl._mlir.ir")
        self._block = block
        self._values: dict[str, Json] = {}
        self._parameters: list[Json] = []
        self._name_arguments(list(block.arguments), parameters)

    def _name_arguments(self, arguments: list[Any], parameters: list[HostParameter]) -> None:
        """Give each block argument the expression that computes it from the launch parameters."""
        rest = iter(arguments)
        for parameter in parameters:
            argument = next(rest, None)
            if argument is None:
                raise PlanError(f"the host function has no argument for the launch parameter {parameter.name!r}")
            kind = "ptr" if str(argument.type).startswith("!llvm.ptr") else str(argument.type)
            self._values[argument.get_name()] = ["arg", kind, parameter.name]
            if parameter.kind == "scalar" and not _SCALAR.match(kind):
                raise PlanError(f"launch parameter {parameter.name!r} has the type {kind}")
            if parameter.kind == "tensor":
                self._name_layout(parameter, rest)
            if parameter.kind != "stream":
                entry: dict[str, Json] = {"name": parameter.name, "type": kind}
                if parameter.dtype:
                    entry["elements"] = parameter.dtype
                if parameter.rank:
                    entry["rank"] = parameter.rank
                self._parameters.append(entry)
        if next(rest, None) is not None:
            raise PlanError("the host function takes more arguments than the launch function has parameters")

    def _name_layout(self, parameter: HostParameter, rest: Any) -> None:
        """A tensor's second argument: a packed struct of its dynamic sizes, then of its dynamic strides.

        The innermost stride of a row-major tensor is a compile-time 1 and is left out.
        """
        argument = next(rest, None)
        match = None if argument is None else _TENSOR_STRUCT.match(str(argument.type))
        if argument is None or match is None:
            raise PlanError(f"tensor parameter {parameter.name!r} has a layout that is not fully dynamic")
        sizes, strides = _kinds(match[1]), _kinds(match[2])
        if len(sizes) != parameter.rank or len(strides) not in (parameter.rank, parameter.rank - 1):
            raise PlanError(f"tensor parameter {parameter.name!r} has a layout that is not fully dynamic")
        parts: list[Json] = [["size", kind, parameter.name, axis] for axis, kind in enumerate(sizes)]
        parts += [["stride", kind, parameter.name, axis] for axis, kind in enumerate(strides)]
        self._values[argument.get_name()] = ["pack", *parts]

    def read(self) -> Json:
        launches: list[Json] = []
        for op in self._block.operations:
            name = op.operation.name
            if name == "gpu.launch_func":
                launches.append(self._launch(op.operation))
            elif name == "llvm.return":
                break
            else:
                self._values[op.operation.results[0].get_name()] = self._expression(op.operation)
        if not launches:
            raise PlanError("the launch function launches no kernel")
        return {"parameters": self._parameters, "launches": launches}

    def _operand(self, value: Any) -> Json:
        try:
            return self._values[value.get_name()]
        except KeyError:
            raise PlanError(f"unknown value {value.get_name()} in the host function") from None

    def _expression(self, op: Any) -> Json:
        kind = str(op.results[0].type)
        operands = [self._operand(operand) for operand in op.operands]
        if op.name == "llvm.mlir.constant":
            return ["const", kind, self._constant(op, kind)]
        if op.name == "llvm.icmp":
            predicate = _PREDICATES[self._ir.IntegerAttr(op.attributes["predicate"]).value]
            return [predicate, str(op.operands[0].type), *operands]
        if op.name in ("llvm.sext", "llvm.zext"):
            return [_SIMPLE[op.name], kind, str(op.operands[0].type), *operands]
        if op.name in _SIMPLE:
            return _floor_division([_SIMPLE[op.name], kind, *operands])
        raise PlanError(f"the launch function computes with {op.name}, which a launch plan cannot express")

    def _constant(self, op: Any, kind: str) -> Json:
        value = op.attributes["value"]
        if kind.startswith("i"):
            return int(self._ir.IntegerAttr(value).value)
        return float(self._ir.FloatAttr(value).value)

    def _launch(self, op: Any) -> Json:
        """The operands of `gpu.launch_func` come in segments whose sizes are an attribute."""
        sizes = list(self._ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
        # async tokens, grid x y z, block x y z, cluster x y z, dynamic LDS, kernel arguments, stream
        starts = [sum(sizes[:index]) for index in range(len(sizes) + 1)]
        operands = [op.operands[index] for index in range(starts[-1])]
        if len(sizes) != 13 or any(sizes[7:10]):
            raise PlanError("the launch uses workgroup clusters, which a launch plan cannot express")
        dims = [self._operand(operands[starts[index]]) for index in range(1, 7)]
        symbol = str(op.attributes["kernel"]).rsplit("@", 1)[1].strip('"')
        return {
            "symbol": symbol,
            "grid": dims[:3],
            "block": dims[3:],
            "dynamic_lds": self._operand(operands[starts[10]]) if sizes[10] else ["const", "i32", 0],
            "arguments": [self._operand(operand) for operand in operands[starts[11] : starts[12]]],
        }
