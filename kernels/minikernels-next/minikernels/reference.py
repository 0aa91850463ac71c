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
    key head h // (heads // kv_heads). Without `causal`, q may have another seq than k.
    Returns o, shaped like q.
    """
    q, k, v = _f64(q, k, v)
    group, seq = q.shape[1] // k.shape[1], k.shape[2]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = scale * (q @ k.swapaxes(2, 3))
    if causal:
        scores = np.where(np.tril(np.ones((seq, seq), bool)), scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


def decode(q, k, v, lengths, scale):
    """Attention of one query per head over the first lengths[b] keys of sequence b.

    q: [batch, heads, depth];  k, v: [batch, kv_heads, seq, depth];  lengths: [batch] ints
    Returns o, shaped like q.
    """
    o = np.empty(q.shape)
    for b, n in enumerate(lengths):
        o[b] = attention(q[b, None, :, None], k[b, None, :, :n], v[b, None, :, :n], scale)[0, :, 0]
    return o


def decode_partials(q, k, v, lengths, scale, split):
    """What the split kernel leaves for the merge: (acc, top, total).

    Arguments as for `decode`; split: keys per split
    acc: [batch, kv_heads, splits, group, depth];  top, total: [batch, kv_heads, splits, group]
    A split without keys has acc = 0, top = -inf, total = 0.
    """
    q, k, v = _f64(q, k, v)
    batch, kv_heads, seq, depth = k.shape
    group, splits = q.shape[1] // kv_heads, -(-seq // split)
    q = q.reshape(batch, kv_heads, group, depth)
    acc = np.zeros((batch, kv_heads, splits, group, depth))
    top, total = np.full(acc.shape[:-1], -np.inf), np.zeros(acc.shape[:-1])
    for b, n in enumerate(lengths):
        for i in range(-(-int(n) // split)):
            keys = slice(i * split, min((i + 1) * split, int(n)))
            scores = scale * (q[b] @ k[b, :, keys].swapaxes(1, 2))
            top[b, :, i] = scores.max(axis=-1)
            e = np.exp(scores - top[b, :, i, :, None])
            total[b, :, i], acc[b, :, i] = e.sum(axis=-1), e @ v[b, :, keys]
    return acc, top, total
