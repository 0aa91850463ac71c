# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Scalar memory loads (SMEM): one address per wave, results in scalar registers."""

from __future__ import annotations

import re

import numpy as np

from vendorctl.emulator.actions import Action
from vendorctl.emulator.arrays import I64, U32, Array
from vendorctl.emulator.findings import HazardKind
from vendorctl.emulator.global_ops import CACHE_CONTROL
from vendorctl.emulator.memory import BASE
from vendorctl.emulator.operands import Operands
from vendorctl.emulator.registers import Reader, half_registers
from vendorctl.emulator.waits import SCALAR
from vendorctl.emulator.waves import Waves

_LOAD = re.compile(r"s_(buffer_)?load_(?:dword(?:x(\d+))?|([biu])(\d+))")
_NO_EFFECT = re.compile(r"s_(prefetch|atc_probe)\w*|s_dcache_\w+")


def compile_scalar_memory(ops: Operands) -> Action | None:
    """The action of an SMEM instruction, or None when it is not modelled."""
    name = ops.instruction.mnemonic
    if CACHE_CONTROL.fullmatch(name) or _NO_EFFECT.fullmatch(name):
        return Action(None)
    found = _LOAD.fullmatch(name)
    if found is None:
        return None
    bits = int(found[4]) if found[4] else 32 * int(found[2] or 1)
    address, known = _address(ops)
    limit = _limit(ops) if found[1] else None
    return _load(ops, address, known, limit, bits, signed=found[3] == "i")


def _address(ops: Operands) -> tuple[Reader, list[Reader]]:
    instruction = ops.instruction
    pair = ops.scalar_register(instruction.require("sbase").number, "u64")
    soffset = instruction.operand("soffset")
    extra = ops.scalar_register(soffset.number, "u32") if soffset else None
    constant = np.int64(instruction.fields["offset"] - BASE)
    # Bits 48 and up of a buffer descriptor's base hold its stride.
    mask = np.uint64(0xFFFFFFFFFFFF if instruction.mnemonic.startswith("s_buffer") else 0xFFFFFFFFFFFFFFFF)

    def address(w: Waves) -> Array:
        total = (pair.value(w) & mask).view(I64) + constant
        if extra is not None:
            total = total + extra.value(w).astype(I64)
        return np.broadcast_to(total, (w.n,))

    return address, [pair.known] if extra is None else [pair.known, extra.known]


def _limit(ops: Operands) -> Reader:
    """The first arena offset beyond a buffer."""
    descriptor = ops.instruction.require("sbase").number
    pair, records = ops.scalar_register(descriptor, "u64"), ops.scalar_register(descriptor + 2, "u32")
    mask = np.uint64(0xFFFFFFFFFFFF)
    return lambda w: np.broadcast_to((pair.value(w) & mask).view(I64) + records.value(w).astype(I64) - BASE, (w.n,))


def _load(
    ops: Operands, address: Reader, known: list[Reader], limit: Reader | None, bits: int, *, signed: bool
) -> Action:
    instruction, reads = ops.instruction, ops.reads
    number, count, size = instruction.require("dst").number, max(1, bits // 32), bits // 8
    ops.will_write(number, count)

    def spread(w: Waves, values: Array, waves: Array, fill: int) -> Array:
        whole = np.full(w.n, fill, U32)
        whole[waves] = values
        return whole

    def run(w: Waves) -> None:
        offsets = address(w)
        if size >= 4:
            offsets = offsets & ~np.int64(3)
        waves = w.everyone if limit is None else w.everyone & (offsets + size <= limit(w))
        memory, chosen = w.state.memory.arena, offsets[waves]
        w.state.memory.check(chosen, size)
        if w.checks is not None:
            _check(w, waves)
            for k, mask in enumerate(memory.load_known(chosen, size)):
                w.write_known(number + k, spread(w, mask, waves, 0xFFFFFFFF))
        for k, word in enumerate(memory.load(chosen, size)):
            if signed:
                sign = U32(1 << (bits - 1))
                word = (word ^ sign) - sign
            w.write_scalar(number + k, spread(w, word, waves, 0))

    def _check(w: Waves, waves: Array) -> None:
        assert w.checks is not None
        if w.checks.waits is not None:
            w.checks.waits.issue(w, SCALAR, half_registers(number, count), instruction)
        if not reads & ~w.clean:
            return
        for read in known:
            mask = np.broadcast_to(read(w), (w.n,))[waves]
            if not (mask == np.array(-1).astype(mask.dtype)).all():
                w.checks.report(
                    HazardKind.UNINITIALISED_ADDRESS,
                    f"{instruction.mnemonic} uses an address with bits that were never given a value",
                )

    return Action(run, own_shadow=True)
