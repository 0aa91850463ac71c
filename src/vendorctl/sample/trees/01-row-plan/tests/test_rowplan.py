# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""A row plan gives every element of a row to exactly one thread."""
import pytest

from minikernels.rowplan import RowPlan, check_block

SHAPES = [(1, 4, 64), (3, 8, 64), (64, 4, 64), (257, 8, 128), (1003, 8, 256), (4096, 4, 256), (8192, 8, 1024)]


@pytest.mark.parametrize("n, vec, block", SHAPES)
def test_every_element_is_read_once(n, vec, block):
    plan = RowPlan(n, vec, block)
    seen = [i for thread in range(block) for i in plan.elements_of(thread)]
    assert sorted(seen) == list(range(n))


@pytest.mark.parametrize("n, vec, block", SHAPES)
def test_unguarded_rounds_are_full(n, vec, block):
    plan = RowPlan(n, vec, block)
    for r in range(plan.rounds):
        idle = [t for t in range(block) if t + r * block >= plan.full]
        assert bool(idle) == plan.round_is_partial(r)


@pytest.mark.parametrize("block", [0, 32, 100, 1088, -64])
def test_blocks_that_cannot_be_launched_are_refused(block):
    with pytest.raises(ValueError, match="block size"):
        check_block(block)


def test_empty_rows_are_refused():
    with pytest.raises(ValueError, match="at least one element"):
        RowPlan(0, 4, 64)
