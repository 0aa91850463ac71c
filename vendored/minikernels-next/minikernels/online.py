# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""Softmax of a row that arrives tile by tile ("online softmax").

For every row it keeps the largest score so far, `top`, and `total`, the sum of
exp(score - top). When a tile brings a larger score, what was summed up before is scaled
by keep = exp(old top - new top). Rows are tile columns (see `matrix`): one row per lane.
"""
import flydsl.expr as fx

from . import matrix
from .common import add, largest

#: the score of a key that a query must not see
MASKED = float("-inf")


def empty():
    """(top, total) before the first tile."""
    return fx.Float32(MASKED), fx.Float32(0.0)


def update(unit, scores, top, total):
    """Take in one tile. Returns (probs, keep, new top, new total).

    scores: Python list of f32, this lane's part of its column; at least one score of the
            column must not be MASKED unless an earlier tile had one
    probs:  exp(score - new top), in the same order
    """
    new_top = fx.max(top, matrix.column_reduce(unit, scores, largest))
    keep = fx.exp(top - new_top)
    probs = [fx.exp(score - new_top) for score in scores]
    total = total * keep + matrix.column_reduce(unit, probs, add)
    return probs, keep, new_top, total
