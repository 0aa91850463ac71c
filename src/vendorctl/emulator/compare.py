# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Comparisons: their results are lane masks in scalar registers, or the execution mask itself."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from vendorctl.emulator import floats
from vendorctl.emulator.actions import Action
from vendorctl.emulator.arrays import Array
from vendorctl.emulator.instruction import EXEC, VCC
from vendorctl.emulator.known import strict
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.waves import Waves

_NAME = re.compile(r"v_cmp(x?)_(\w+)_([fiu]\d\d)")


def _unordered(a: Array, b: Array) -> Array:
    return np.isnan(a) | np.isnan(b)


#: Condition -> function of the two operands. The n-forms are true for NaN.
COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "f": lambda a, b: np.zeros(np.broadcast_shapes(a.shape, b.shape), bool),
    "t": lambda a, b: np.ones(np.broadcast_shapes(a.shape, b.shape), bool),
    "tru": lambda a, b: np.ones(np.broadcast_shapes(a.shape, b.shape), bool),
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lg": lambda a, b: (a < b) | (a > b),
    "neq": lambda a, b: a != b,
    "o": lambda a, b: ~_unordered(a, b),
    "u": _unordered,
    "nlt": lambda a, b: ~(a < b),
    "nle": lambda a, b: ~(a <= b),
    "ngt": lambda a, b: ~(a > b),
    "nge": lambda a, b: ~(a >= b),
    "nlg": lambda a, b: ~((a < b) | (a > b)),
    "class": floats.is_class,
}


def compile_compare(ops: Operands) -> Action | None:
    """The action of v_cmp_* and v_cmpx_*, or None for a condition that is not modelled."""
    parts = _NAME.fullmatch(ops.instruction.mnemonic)
    function = COMPARISONS.get(parts[2]) if parts else None
    if parts is None or function is None:
        return None
    kind = parts[3]
    first = ops.source("src0", kind)
    second = ops.source("src1", "u32" if parts[2] == "class" else kind)
    results = [ops.mask_destination(number) for number in _targets(ops, to_exec=bool(parts[1]))]
    moved = ops.lane_enabled

    def run(w: Waves) -> None:
        lanes = np.broadcast_to(function(first.value(w), second.value(w)), (w.n, w.lanes)) & w.exec_mask()
        enabled = moved(w)
        if enabled is not None:
            lanes = lanes & enabled
        for result in results:
            result.write(w, lanes)

    def shadow(w: Waves) -> None:
        known = strict([], [first.known(w), second.known(w)], 32) != 0
        for result in results:
            result.write_known(w, np.broadcast_to(known, (w.n, w.lanes)) | ~w.exec_mask())

    return Action(run, shadow)


def _targets(ops: Operands, *, to_exec: bool) -> list[int]:
    """Where the lane mask goes: VCC or a named register, and for the x-forms EXEC (on gfx10 and later only EXEC)."""
    named = ops.instruction.operand("dst") or ops.instruction.operand("sdst")
    number = named.number if named else VCC
    if not to_exec:
        return [number]
    return [number, EXEC] if ops.context.target.is_cdna else [EXEC]
