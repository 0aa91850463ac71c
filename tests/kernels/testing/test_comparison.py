# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Outputs against references: what counts as right, and what the numbers say."""

from __future__ import annotations

import numpy as np
import pytest

from vendorctl.kernels.recipe import Expected
from vendorctl.kernels.testing.comparison import BINS, compare

INF, NAN = np.inf, np.nan


def expected(values: list[float], tolerance: float = 0.125, scale: float = 1.0) -> Expected:
    return Expected(values=np.array(values, np.float64), tolerance=tolerance, scale=scale)


def test_errors_are_counted_by_their_part_of_the_tolerance() -> None:
    found = compare("y", np.array([0.0, 0.0078125, 0.03, 0.0625, 0.125, 0.25], np.float32), expected([0.0] * 6))
    assert found.histogram == (1, 1, 0, 1, 1, 1, 1)
    assert sum(found.histogram) == found.elements == 6
    assert len(found.histogram) == len(BINS) + 1
    assert found.wrong == 1
    assert found.worst == 0.25
    assert found.first == "[5] is 0.25, should be 0"


def test_the_tolerance_itself_is_still_right() -> None:
    assert compare("y", np.array([0.125]), expected([0.0])).ok
    assert not compare("y", np.array([0.1250001]), expected([0.0])).ok


def test_errors_are_measured_in_units_of_the_scale() -> None:
    values = np.array([[100.0, 100.0], [1.0, 1.0]])
    scale = np.array([[100.0], [1.0]])
    want = Expected(values=values, tolerance=0.01, scale=scale)
    assert compare("y", values + np.array([[0.9, 0.0], [0.0, 0.0]]), want).ok
    found = compare("y", values + np.array([[0.0, 0.0], [0.0, 0.9]]), want)
    assert found.wrong == 1
    assert found.first.startswith("[1, 1] is 1.9")


@pytest.mark.parametrize(
    ("got", "want", "right"),
    [(INF, INF, True), (-INF, INF, False), (NAN, NAN, True), (NAN, 1.0, False), (1.0, NAN, False), (INF, 1.0, False),
     (1.0, INF, False), (NAN, INF, False)],
)  # fmt: skip
def test_special_values_must_be_the_same(got: float, want: float, right: bool) -> None:
    found = compare("y", np.array([got, 0.0]), expected([want, 0.0]))
    assert found.ok is right
    assert np.isfinite(found.worst)
    assert found.histogram[-1] == (0 if right else 1)


def test_another_shape_is_wrong_altogether() -> None:
    found = compare("y", np.zeros((2, 3)), expected([0.0] * 6))
    assert found.wrong == 6
    assert "shape (2, 3)" in found.first


def test_nothing_to_compare_is_no_error() -> None:
    found = compare("y", np.zeros(0), expected([]))
    assert found.ok
    assert found.elements == 0


def test_exact_results_may_be_asked_for() -> None:
    exact = compare("y", np.array([1.0, 2.0]), expected([1.0, 2.0], tolerance=0.0))
    assert (exact.ok, exact.part) == (True, 0.0)
    near = compare("y", np.array([1.0, 2.5]), expected([1.0, 2.0], tolerance=0.0))
    assert (near.wrong, near.part) == (1, INF)
    assert compare("y", np.array([1.0]), expected([0.0], tolerance=4.0)).part == 0.25
