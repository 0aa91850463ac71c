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


def test_rmsnorm_backward_agrees_with_finite_differences():
    x, dy = RNG.standard_normal((2, 3, 10))
    w, eps, step = RNG.standard_normal(10), 0.1, 1e-6

    def loss(x, w):
        return (reference.rmsnorm(x, w, eps)[0] * dy).sum()

    dx, dw, _ = reference.rmsnorm_backward(x, w, dy, reference.rmsnorm(x, w, eps)[1])
    for i in np.ndindex(x.shape):
        d = np.zeros_like(x)
        d[i] = step
        assert np.isclose((loss(x + d, w) - loss(x - d, w)) / (2 * step), dx[i], atol=1e-6)
    for i in range(10):
        d = np.zeros_like(w)
        d[i] = step
        assert np.isclose((loss(x, w + d) - loss(x, w - d)) / (2 * step), dw[i], atol=1e-6)


def test_softmax_rows_sum_to_one_and_ignore_a_shift():
    x = RNG.standard_normal((3, 50))
    p = reference.softmax(x)
    assert np.allclose(p.sum(axis=1), 1.0)
    assert np.allclose(p, reference.softmax(x - 500.0))


def test_attention_of_equal_keys_is_the_mean_of_values():
    q, v = RNG.standard_normal((2, 1, 2, 5, 4))
    k = np.ones((1, 2, 5, 4))
    assert np.allclose(reference.attention(q, k, v, 0.5), v.mean(axis=2, keepdims=True))
    first = reference.attention(q, k, v, 0.5, causal=True)
    assert np.allclose(first[:, :, 0], v[:, :, 0])
    assert np.allclose(first[:, :, 2], v[:, :, :3].mean(axis=2))


def test_attention_heads_share_keys_in_groups():
    q = RNG.standard_normal((2, 6, 5, 4))
    k, v = RNG.standard_normal((2, 2, 2, 5, 4))
    o = reference.attention(q, k, v, 0.5)
    for h in range(6):
        alone = reference.attention(q[:, h : h + 1], k[:, h // 3 : h // 3 + 1], v[:, h // 3 : h // 3 + 1], 0.5)
        assert np.allclose(o[:, h : h + 1], alone)
