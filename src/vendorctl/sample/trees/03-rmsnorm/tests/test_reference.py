# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""The NumPy references have the properties that define the operations."""
import numpy as np

from minikernels import reference

RNG = np.random.default_rng(1)


def test_rmsnorm_rows_have_unit_mean_square():
    x = RNG.standard_normal((3, 50)) * 7
    y, inv_rms = reference.rmsnorm(x, np.ones(50), 0.0)
    assert np.allclose((y * y).mean(axis=1), 1.0)
    assert np.allclose(y, x * inv_rms[:, None])


def test_rmsnorm_epsilon_bounds_a_zero_row():
    y, inv_rms = reference.rmsnorm(np.zeros((1, 8)), np.ones(8), 0.25)
    assert (y == 0).all()
    assert inv_rms[0] == 2.0
