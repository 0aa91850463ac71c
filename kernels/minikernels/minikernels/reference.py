# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""What the kernels compute, in NumPy float64: the yardstick of every test.

All functions take arrays of any float type and shape [rows, n], and return float64.
"""
import numpy as np


def _f64(*arrays):
    return tuple(np.asarray(a).astype(np.float64) for a in arrays)


def rmsnorm(x, w, eps):
    """RMS normalisation. Returns (y, inv_rms): [rows, n] and [rows]."""
    x, w = _f64(x, w)
    inv_rms = 1.0 / np.sqrt((x * x).mean(axis=1) + eps)
    return x * inv_rms[:, None] * w, inv_rms


def softmax(x):
    """Softmax of each row: [rows, n]."""
    (x,) = _f64(x)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
