# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`rms_norm` as custom operators: PyTorch knows their shapes and gradients, and never looks inside.

r = 1 / sqrt(mean(x^2) + eps)        y = x * r * weight
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from rowkernels._contract import NAMES, check, check_size
from rowkernels._devices import loaded

#: Partial sums of the weight's gradient. Fixed, so that the same input gives the same bits on every device.
_GROUPS = 64


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """RMS normalisation over the last axis of `x`, scaled by `weight`.

    `x`: any shape of at least one axis, f32, f16 or bf16; `weight`: 1-D of the last axis' length, of x's type or f32;
    `eps` is added to the mean square. The result has the shape and type of `x`, rounded once from f32. Gradients for
    both tensors, not differentiable again. The gradient of the weight depends on the rows and their order only: not on
    how axes before the last divide them, on strides, or on the order in which a device runs its waves.

    Raises the exceptions of `rowkernels` for whatever is not supported.
    """
    check(x, weight, eps)
    y: Tensor = _forward(x.reshape(-1, x.shape[-1]), weight, float(eps))[0]
    return y.reshape(x.shape)


@torch.library.custom_op("rowkernels::rms_norm_forward", mutates_args=())
def _forward(x: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """X [rows, n] and weight [n] to y [rows, n] and 1/rms [rows] in f32."""
    rows, n = x.shape
    check_size(rows, n)
    y, inverse = _forward_results(x, weight, eps)
    x, weight = _dense(x), _dense(weight)
    kernel = loaded(x.device, "rmsnorm_forward", dtype=NAMES[x.dtype], weight=NAMES[weight.dtype])
    tensors = {"x": x, "w": weight, "y": y, "inv_rms": inverse}
    kernel.run({**tensors, "n": n, "eps": eps, "rows": rows}, ("y", "inv_rms"))
    return y, inverse


@_forward.register_fake
def _forward_results(x: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """The tensors that `_forward` fills; all that tracing needs to know of it."""
    return _like(x), x.new_empty(x.shape[0], dtype=torch.float32)


@torch.library.custom_op("rowkernels::rms_norm_backward", mutates_args=())
def _backward(dy: Tensor, x: Tensor, weight: Tensor, inverse: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients for x [rows, n] and weight [n], each of its tensor's type."""
    dx, dw = _backward_results(dy, x, weight, inverse)
    dy, x, weight, inverse = _dense(dy), _dense(x), _dense(weight), _dense(inverse)
    rows, n = x.shape
    groups = min(rows, _GROUPS)
    partial = x.new_empty((groups, n), dtype=torch.float32)
    names = {"dtype": NAMES[x.dtype], "weight": NAMES[weight.dtype]}
    first = loaded(x.device, "rmsnorm_backward", stage="dx", n=n, **names)
    tensors = {"x": x, "w": weight, "dy": dy, "inv_rms": inverse, "dx": dx, "partial": partial}
    first.run({**tensors, "rows": rows, "groups": groups}, ("dx", "partial"))
    second = loaded(x.device, "rmsnorm_backward", stage="dw", weight=names["weight"])
    second.run({"partial": partial, "dw": dw, "n": n, "groups": groups}, ("dw",))
    return dx, dw


@_backward.register_fake
def _backward_results(dy: Tensor, x: Tensor, weight: Tensor, inverse: Tensor) -> tuple[Tensor, Tensor]:
    """The tensors that `_backward` fills; all that tracing needs to know of it."""
    return _like(x), _like(weight)


def _like(tensor: Tensor) -> Tensor:
    """Kernels write rows one after the other, whatever the strides of what they read."""
    return torch.empty_like(tensor, memory_format=torch.contiguous_format)


def _dense(tensor: Tensor) -> Tensor:
    """Kernels read rows one after the other, 16 bytes at a time; a view may have gaps, or begin in between."""
    tensor = tensor.contiguous()
    return tensor if tensor.data_ptr() % 16 == 0 else tensor.clone()


def _save(ctx: Any, inputs: tuple[Tensor, Tensor, float], output: tuple[Tensor, Tensor]) -> None:
    x, weight, _ = inputs
    ctx.save_for_backward(x, weight, output[1])


def _gradients(ctx: Any, dy: Tensor, _: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
    x, weight, inverse = ctx.saved_tensors
    dx, dw = _backward(dy, x, weight, inverse)
    return dx if ctx.needs_input_grad[0] else None, dw if ctx.needs_input_grad[1] else None, None


_forward.register_autograd(_gradients, setup_context=_save)
