# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the tests share: supported types, samples, PyTorch's own answer in f64, and how far from it we may be."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

RmsNorm = Callable[[Tensor, Tensor, float], Tensor]

#: Types of x and of the weight.
PAIRS = [
    (torch.float32, torch.float32),
    (torch.float16, torch.float16),
    (torch.bfloat16, torch.bfloat16),
    (torch.float16, torch.float32),
    (torch.bfloat16, torch.float32),
]
#: Largest error in units of the reference's largest value: half an ulp of the type, and rounding in f32.
TOLERANCE = {torch.float32: 3e-6, torch.float16: 1.2e-3, torch.bfloat16: 8e-3}


def sample(
    device: torch.device,
    shape: tuple[int, ...],
    x_type: torch.dtype = torch.float32,
    w_type: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """x, weight and dy, from a fixed seed."""
    source = torch.Generator().manual_seed(sum(shape))
    x, dy = (torch.randn(shape, generator=source).to(device, x_type) for _ in range(2))
    weight = torch.randn(shape[-1], generator=source).to(device, w_type)
    return x, weight, dy


def reference(x: Tensor, weight: Tensor, dy: Tensor, eps: float) -> list[Tensor]:
    """y, dx and dw of PyTorch's own function, in f64 from the stored values."""

    def call(x: Tensor, weight: Tensor, eps: float) -> Tensor:
        return functional.rms_norm(x, (x.shape[-1],), weight, eps)

    return measured(call, x.double(), weight.double(), dy.double(), eps)


def measured(call: RmsNorm, x: Tensor, weight: Tensor, dy: Tensor, eps: float) -> list[Tensor]:
    """y, dx and dw of a function."""
    x, weight = x.detach().clone().requires_grad_(), weight.detach().clone().requires_grad_()
    y = call(x, weight, eps)
    y.backward(dy)
    assert x.grad is not None
    assert weight.grad is not None
    return [y.detach(), x.grad, weight.grad]


def assert_close(found: Tensor, wanted: Tensor, dtype: torch.dtype, terms: int = 1) -> None:
    """Sums of many terms are measured against what was added up, roughly the root of their number."""
    assert found.dtype == dtype
    error = (found.double() - wanted).abs().max() / wanted.abs().max().clamp(min=1e-30)
    assert error <= TOLERANCE[dtype] * max(1.0, terms**0.5), float(error)


def assert_all_close(found: list[Tensor], wanted: list[Tensor], x: Tensor, weight: Tensor) -> None:
    """y, dx and dw against the reference's."""
    rows = x.numel() // x.shape[-1]
    for tensor, true, dtype in zip(found, wanted, (x.dtype, x.dtype, weight.dtype), strict=True):
        assert tensor.shape == true.shape
        assert_close(tensor, true, dtype, terms=rows)
