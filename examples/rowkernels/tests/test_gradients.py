# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Gradients against slopes of the forward kernel: what backward returns belongs to what forward computes.

Kernels compute in f32, so a difference quotient over a step h errs by rounding, about 2^-22 |y| / h where y has passed
a few roundings of 2^-24 each, and by the third derivative, about h^2 / 6 of it. With h = 2^-6 and numbers of the order
of 1, that is 2^-16 and 2^-14.6 times a third derivative that stays below 16 for rows whose mean square is near 1: less
than 1e-3. The inputs are multiples of h, so that x + h and x - h are exact.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.autograd.gradcheck import GradcheckError

import rowkernels
from cases import measured, sample
from rowkernels import _contract, _ops

STEP = 2.0**-6
SLACK = 1e-3


def on_grid(tensor: Tensor) -> Tensor:
    """The nearest multiples of the step, as f64."""
    return (tensor.double() / STEP).round() * STEP


def in_f64(x: Tensor, weight: Tensor) -> Tensor:
    """The kernels between two exact casts: PyTorch's checker perturbs f64 only."""
    return rowkernels.rms_norm(x.float(), weight.float(), 1e-3).double()


def gradcheck(x: Tensor, weight: Tensor) -> None:
    """Every entry of both Jacobians, and the same bits from a second backward pass. Raises GradcheckError."""
    inputs = (on_grid(x).requires_grad_(), on_grid(weight).requires_grad_())
    torch.autograd.gradcheck(in_f64, inputs, eps=STEP, atol=SLACK, rtol=SLACK, nondet_tol=0.0)


def test_every_entry_of_the_jacobians(device: torch.device) -> None:
    x, weight, _ = sample(device, (3, 7))
    gradcheck(x, weight)


@pytest.mark.parametrize("damage", ["dx", "dw", "mean"])
def test_a_wrong_gradient_is_noticed(device: torch.device, damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    true: Callable[..., tuple[Tensor, Tensor]] = _ops._backward

    def wrong(dy: Tensor, x: Tensor, weight: Tensor, inverse: Tensor) -> tuple[Tensor, Tensor]:
        dx, dw = true(dy, x, weight, inverse)
        if damage == "mean":  # the term that the mean square adds is forgotten
            return inverse[:, None] * dy * weight, dw
        return (dx * 1.01, dw) if damage == "dx" else (dx, dw * 1.01)

    monkeypatch.setattr(_ops, "_backward", wrong)
    x, weight, _ = sample(device, (3, 7))
    with pytest.raises(GradcheckError):
        gradcheck(x, weight)


@pytest.mark.parametrize("which", ["x", "weight"])
@pytest.mark.parametrize("width", _contract.GRADIENT_WIDTHS)
def test_a_slope_at_every_width(device: torch.device, width: int, which: str) -> None:
    """One direction, in which all terms add up, so that the largest errors do as well."""
    x, weight, dy = sample(device, (2, width))
    x, weight = on_grid(x).float(), on_grid(weight).float()
    _, dx, dw = measured(rowkernels.rms_norm, x, weight, dy, 1e-5)
    gradient, point = (dx, x) if which == "x" else (dw, weight)
    along = torch.sign(gradient) * STEP

    def loss(moved: Tensor) -> float:
        y = rowkernels.rms_norm(moved, weight, 1e-5) if which == "x" else rowkernels.rms_norm(x, moved, 1e-5)
        return float((y.double() * dy.double()).sum())

    slope = (loss(point + along) - loss(point - along)) / (2 * STEP)
    assert slope == pytest.approx(float(gradient.double().abs().sum()), rel=SLACK)
