# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Instructions that move values between the lanes of a wave, or between lanes and scalar registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vendorctl.emulator.actions import Action
from vendorctl.emulator.arrays import ALL_ONES, U32, U64, Array
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.registers import Source
from vendorctl.emulator.waves import Waves


def _whole(w: Waves, value: Array) -> Array:
    return np.broadcast_to(value, (w.n, w.lanes))


def _first_lane(w: Waves) -> Array:
    """Int (n,): the lowest enabled lane, lane 0 when none is."""
    enabled = w.exec_mask()
    return np.where(enabled.any(axis=1), enabled.argmax(axis=1), 0)


def _read_lane(ops: Operands, lane: Callable[[Waves], Array]) -> Action:
    source = ops.source("src0", "u32")
    result = ops.scalar_destination(ops.instruction.require("dst").number, "u32")

    def pick(w: Waves, value: Array) -> Array:
        return _whole(w, value)[np.arange(w.n), lane(w)]

    return Action(
        lambda w: result.write(w, pick(w, source.value(w))), lambda w: result.write_known(w, pick(w, source.known(w)))
    )


def _read_first_lane(ops: Operands) -> Action:
    return _read_lane(ops, _first_lane)


def _read_chosen_lane(ops: Operands) -> Action:
    chosen = ops.source("src1", "u32")
    return _read_lane(ops, lambda w: np.broadcast_to(chosen.value(w)[:, 0], (w.n,)) % U32(w.lanes))


def _write_lane(ops: Operands) -> Action:
    value, chosen = ops.scalar_source("src0", "u32"), ops.scalar_source("src1", "u32")
    operand = ops.instruction.require("dst")
    row = ops.row(operand.number)
    ops.will_read(operand.number)
    ops.will_write(operand.number)

    def target(w: Waves) -> Array:
        mask = np.arange(w.lanes) == (np.broadcast_to(chosen.value(w), (w.n,)) % U32(w.lanes))[:, None]
        return mask & w.everyone[:, None]

    def run(w: Waves) -> None:
        w.write_vector(row, np.broadcast_to(value.value(w), (w.n,))[:, None], target(w))

    def shadow(w: Waves) -> None:
        known = np.broadcast_to(value.known(w), (w.n,))[:, None]
        w.write_known(operand.number, np.broadcast_to(known, (w.n, w.lanes)), target(w))

    return Action(run, shadow)


def _permute_row(across: int) -> Callable[[Operands], Action]:
    """In permlane16 and permlanex16, each lane reads a lane of its row, or of the row beside it (`across` = 16)."""

    def build(ops: Operands) -> Action:
        source = ops.vector_source(ops.instruction.require("src0").number, "u32")
        low, high = ops.source("src1", "u32"), ops.source("src2", "u32")
        fetch_inactive, zero_bound = (
            ops.instruction.fields.get("opsel", 0) & 1,
            ops.instruction.fields.get("opsel", 0) & 2,
        )

        def chosen(w: Waves) -> Array:
            lane = np.arange(w.lanes)
            selectors = low.value(w).astype(U64) | (high.value(w).astype(U64) << U64(32))
            nibble = (selectors >> ((lane % 16) * 4).astype(U64)) & U64(15)
            return np.broadcast_to(((lane & ~15) ^ across) + nibble.astype(np.int64), (w.n, w.lanes))

        return _permutation(ops, source, chosen, bool(fetch_inactive), bool(zero_bound))

    return build


def _permute_variable(across: int) -> Callable[[Operands], Action]:
    """In permlane16_var, as `_permute_row`, with the chosen lane in each lane's second operand."""

    def build(ops: Operands) -> Action:
        source, chooser = ops.source("src0", "u32"), ops.source("src1", "u32")

        def chosen(w: Waves) -> Array:
            lane = np.arange(w.lanes)
            return ((lane & ~15) ^ across) + (_whole(w, chooser.value(w)) & U32(15)).astype(np.int64)

        return _permutation(ops, source, chosen, fetch_inactive=False, zero_bound=False)

    return build


def _permutation(
    ops: Operands, source: Source, chosen: Callable[[Waves], Array], fetch_inactive: bool, zero_bound: bool
) -> Action:
    operand = ops.instruction.require("dst")
    row = ops.row(operand.number)
    ops.will_write(operand.number)

    def move(w: Waves, value: Array, missing: Any) -> tuple[Array, Array | None]:
        lanes = chosen(w)
        moved = np.take_along_axis(_whole(w, value), lanes, 1)
        if fetch_inactive:
            return moved, None
        valid = np.take_along_axis(w.exec_mask(), lanes, 1)
        if zero_bound:
            return np.where(valid, moved, missing), None
        return moved, w.write_mask() & valid

    def run(w: Waves) -> None:
        w.write_vector(row, *move(w, source.value(w), U32(0)))

    def shadow(w: Waves) -> None:
        w.write_known(operand.number, *move(w, source.known(w), ALL_ONES[32]))

    return Action(run, shadow)


def _other_half(ops: Operands) -> Action:
    """Of permlane64: lanes 0 to 31 and 32 to 63 trade places; nothing in a wave of 32."""
    if ops.context.lanes == 32:
        return Action(None)
    source = ops.source("src0", "u32")
    lane = np.arange(64) ^ 32
    return _permutation(ops, source, lambda w: np.broadcast_to(lane, (w.n, 64)), fetch_inactive=True, zero_bound=False)


def _swap_rows(size: int) -> Callable[[Operands], Action]:
    """gfx950's permlane swaps: odd rows of the first register trade places with even rows of the second."""

    def build(ops: Operands) -> Action:
        first, second = ops.instruction.require("dst"), ops.instruction.require("src0")
        row_a, row_b = ops.row(first.number), ops.row(second.number)
        for operand in (first, second):
            ops.will_read(operand.number)
            ops.will_write(operand.number)
        lane = np.arange(ops.context.lanes)
        upper, partner = (lane & size) != 0, lane ^ size

        def trade(a: Array, b: Array) -> tuple[Array, Array]:
            return np.where(upper, b[:, partner], a), np.where(upper, b, a[:, partner])

        def run(w: Waves) -> None:
            new_a, new_b = trade(w.vector[row_a], w.vector[row_b])
            w.write_vector(row_a, new_a)
            w.write_vector(row_b, new_b)

        def shadow(w: Waves) -> None:
            new_a, new_b = trade(_whole(w, w.known(first.number)), _whole(w, w.known(second.number)))
            w.write_known(first.number, new_a)
            w.write_known(second.number, new_b)

        return Action(run, shadow)

    return build


LANE_FORMS: dict[str, Callable[[Operands], Action | None]] = {
    "v_readfirstlane_b32": _read_first_lane,
    "v_readlane_b32": _read_chosen_lane,
    "v_writelane_b32": _write_lane,
    "v_permlane16_b32": _permute_row(0),
    "v_permlanex16_b32": _permute_row(16),
    "v_permlane16_var_b32": _permute_variable(0),
    "v_permlanex16_var_b32": _permute_variable(16),
    "v_permlane64_b32": _other_half,
    "v_permlane16_swap_b32": _swap_rows(16),
    "v_permlane32_swap_b32": _swap_rows(32),
}
