# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""The integer helpers, against their definitions."""
import pytest

from minikernels.third_party.intmath import ceil_div, next_power_of_two, round_up


@pytest.mark.parametrize("b", [1, 2, 3, 16])
def test_ceil_div_and_round_up(b):
    for a in range(40):
        quotient = ceil_div(a, b)
        assert (quotient - 1) * b < a <= quotient * b
        assert round_up(a, b) == quotient * b


def test_next_power_of_two():
    assert [next_power_of_two(a) for a in (1, 2, 3, 12, 16, 17)] == [1, 2, 4, 16, 16, 32]
    with pytest.raises(ValueError, match="not positive"):
        next_power_of_two(0)
