# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Single instructions against results worked out by hand."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from emulator.goldens import ALL, FAMILIES, Golden
from support.gpu_assembly import SLOT, assemble_all
from support.gpu_state import execute, fresh_state, get_register, lanes_of, set_registers, to_bits


@functools.cache
def _snippets(target: str) -> tuple[str, ...]:
    return tuple(golden.assembly for golden in ALL if target in golden.targets)


def _cases() -> list[tuple[str, Golden]]:
    return [(target, golden) for target in FAMILIES.values() for golden in ALL if target in golden.targets]


def run(target: str, golden: Golden) -> dict[str, tuple[object, object]]:
    """(expected, found) of every register that the golden names."""
    snippets = _snippets(target)
    image = assemble_all(snippets, target)
    state = fresh_state(target)
    set_registers(state, golden.before)
    execute(image, target, state, snippets.index(golden.assembly) * SLOT)
    outcome: dict[str, tuple[object, object]] = {}
    for name, value in golden.after.items():
        found = get_register(state, name)
        if isinstance(found, np.ndarray):
            outcome[name] = lanes_of(value, state.lanes).tolist(), found.tolist()
        else:
            assert isinstance(value, (int, float))
            outcome[name] = to_bits(value), found
    return outcome


@pytest.mark.parametrize(("target", "golden"), _cases(), ids=lambda item: str(getattr(item, "assembly", item))[:60])
def test_instruction_gives_the_result_worked_out_by_hand(target: str, golden: Golden) -> None:
    for name, (expected, found) in run(target, golden).items():
        assert found == expected, f"{golden.assembly}: {name}"


def test_a_wrong_expectation_is_noticed() -> None:
    wrong = Golden("11", ALL[0].assembly, {}, {"s0": 1})
    assert any(expected != found for expected, found in run("gfx1100", wrong).values())
