# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""What the kernels compute, in NumPy float64: the yardstick of every test.

All functions take arrays of any float type, of shape [rows, n] unless said otherwise, and
return float64.
"""
import numpy as np


def _f64(*arrays):
    return tuple(np.asarray(a).astype(np.float64) for a in arrays)


def rmsnorm(x, w, eps):
    """RMS normalisation. Returns (y, inv_rms): [rows, n] and [rows]."""
    x, w = _f64(x, w)
    inv_rms = 1.0 / np.sqrt((x * x).mean(axis=1) + eps)
    return x * inv_rms[:, None] * w, inv_rms


def rmsnorm_backward(x, w, dy, inv_rms):
    """Gradients of `rmsnorm` at x and w. Returns (dx, dw, dw_size): [rows, n], [n], [n].

    dw_size is the sum of magnitudes behind each dw: the unit in which
    its rounding errors are fairly measured, as its terms may cancel.
    """
    x, w, dy, inv_rms = _f64(x, w, dy, inv_rms)
    r = inv_rms[:, None]
    g = dy * w
    dx = r * (g - x * r * r * (g * x).mean(axis=1, keepdims=True))
    terms = dy * x * r
    return dx, terms.sum(axis=0), np.abs(terms).sum(axis=0)


def softmax(x):
    """Softmax of each row: [rows, n]."""
    (x,) = _f64(x)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def attention(q, k, v, scale, causal=False):
    """Attention with grouped heads.

    q: [batch, heads, seq, depth];  k, v: [batch, kv_heads, seq, depth]; query head h reads
    key head h // (heads // kv_heads). Returns o, shaped like q.
    """
    q, k, v = _f64(q, k, v)
    group, seq = q.shape[1] // k.shape[1], q.shape[2]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = scale * (q @ k.swapaxes(2, 3))
    if causal:
        scores = np.where(np.tril(np.ones((seq, seq), bool)), scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v
