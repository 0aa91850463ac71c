# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What `rms_norm` takes. Checked before anything is launched, in eager code and while torch.compile traces."""

from __future__ import annotations

import torch
from torch import Tensor

from rowkernels import _devices
from rowkernels._errors import (
    EmptyRowsError,
    EpsilonError,
    UnsupportedDeviceError,
    UnsupportedDtypeError,
    UnsupportedShapeError,
    UnsupportedWidthError,
)

#: Types of x, by the name that they have in the object table.
NAMES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}
#: Widths that have a backward kernel. The forward kernel takes every width.
GRADIENT_WIDTHS = (64, 100, 1024)
#: Kernels count rows and columns in 32 bits.
_LIMIT = 2**31


def check(x: Tensor, weight: Tensor, eps: float) -> None:
    """Raise the exception of the first thing that is not supported; see the table in README.md."""
    _check_devices(x, weight)
    if x.dtype not in NAMES:
        raise UnsupportedDtypeError(f"x is {x.dtype}; supported: {', '.join(map(str, NAMES))}")
    if weight.dtype not in (x.dtype, torch.float32):
        raise UnsupportedDtypeError(f"the weight is {weight.dtype}; it must be {x.dtype} or torch.float32")
    _check_shapes(x, weight)
    if not 0.0 <= eps < float("inf"):
        raise EpsilonError(f"eps is {eps}; it must be finite and not negative")
    wanted = torch.is_grad_enabled() and (x.requires_grad or weight.requires_grad)
    if wanted and x.shape[-1] not in GRADIENT_WIDTHS:
        raise UnsupportedWidthError(f"rows of {x.shape[-1]} have no gradient; widths that have: {GRADIENT_WIDTHS}")


def _check_devices(x: Tensor, weight: Tensor) -> None:
    if x.device != weight.device:
        raise UnsupportedDeviceError(f"x is on {x.device}, the weight on {weight.device}")
    if x.layout != torch.strided or weight.layout != torch.strided:
        raise UnsupportedShapeError("sparse tensors have no rows")
    kind = x.device.type
    if kind == "cuda" and torch.version.hip is None:
        raise UnsupportedDeviceError("this PyTorch is built for CUDA; the kernels are for AMD GPUs")
    if kind == "cpu" and _devices.emulated() is None:
        raise UnsupportedDeviceError("CPU tensors are taken only after rowkernels.emulate(TARGET)")
    if kind not in ("cpu", "cuda"):
        raise UnsupportedDeviceError(f"there are no kernels for {kind} devices")


def _check_shapes(x: Tensor, weight: Tensor) -> None:
    if x.dim() == 0:
        raise UnsupportedShapeError("x is a single number; it needs at least one axis")
    if weight.dim() != 1:
        raise UnsupportedShapeError(f"the weight has {weight.dim()} axes; it must have one")
    if weight.shape[0] != x.shape[-1]:
        raise UnsupportedShapeError(f"{weight.shape[0]} weights for rows of {x.shape[-1]}")
    if x.numel() == 0:
        raise EmptyRowsError(f"x of shape {tuple(x.shape)} has nothing to normalise")
    if x.numel() // x.shape[-1] >= _LIMIT or x.shape[-1] >= _LIMIT // 2:
        raise UnsupportedShapeError(f"x of shape {tuple(x.shape)} has too many rows or too long ones")
