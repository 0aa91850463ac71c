# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What `rms_norm` takes. Checked before anything is launched, in eager code and while torch.compile traces."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.autograd import forward_ad

from rowkernels import _devices
from rowkernels._errors import (
    EmptyRowsError,
    EpsilonError,
    UnsupportedDeviceError,
    UnsupportedDtypeError,
    UnsupportedGradientError,
    UnsupportedShapeError,
    UnsupportedTypeError,
    UnsupportedWidthError,
)

#: Types of x, by the name that they have in the object table.
NAMES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}
#: Widths that have a backward kernel. The forward kernel takes every width.
GRADIENT_WIDTHS = (7, 64, 100, 128, 256, 257, 512, 768, 1003, 1024, 2048, 4096, 4099, 8192)
#: Kernels count rows and columns in 32 bits, columns with some room for the last round of a block.
_LIMIT = 2**31
#: Epsilon reaches the kernel as f32.
_LARGEST = float(torch.finfo(torch.float32).max)


def check(x: Tensor, weight: Tensor, eps: float) -> None:
    """Raise the exception of the first thing that is not supported; see the table in README.md."""
    _check_kinds(x, weight, eps)
    _check_devices(x, weight)
    if x.dtype not in NAMES:
        raise UnsupportedDtypeError(f"x is {x.dtype}; supported: {', '.join(map(str, NAMES))}")
    if weight.dtype not in (x.dtype, torch.float32):
        raise UnsupportedDtypeError(f"the weight is {weight.dtype}; it must be {x.dtype} or torch.float32")
    _check_shapes(x, weight)
    if not 0.0 <= eps <= _LARGEST:
        raise EpsilonError(f"eps is {eps}; it must be a number from 0 to {_LARGEST:.7g}")
    if any(forward_ad.unpack_dual(tensor).tangent is not None for tensor in (x, weight)):
        # PyTorch would take the operators' silence for a derivative of zero.
        raise UnsupportedGradientError("there are no forward-mode derivatives; use reverse mode")
    wanted = torch.is_grad_enabled() and (x.requires_grad or weight.requires_grad)
    if wanted and x.shape[-1] not in GRADIENT_WIDTHS:
        raise UnsupportedWidthError(f"rows of {x.shape[-1]} have no gradient; widths that have: {GRADIENT_WIDTHS}")


def check_size(rows: int, n: int) -> None:
    """Raise UnsupportedShapeError for more rows, or longer ones, than kernels can count.

    Apart from `check`, because a test of the size while tracing would bound the shapes of a program that is exported.
    """
    if rows >= _LIMIT or n >= _LIMIT // 2:
        raise UnsupportedShapeError(f"{rows} rows of {n}: kernels count rows and columns in 32 bits")


def _check_kinds(x: object, weight: object, eps: object) -> None:
    for name, value in (("x", x), ("the weight", weight)):
        if not isinstance(value, Tensor):
            raise UnsupportedTypeError(f"{name} is a {type(value).__name__}; it must be a torch.Tensor")
        if value.is_nested:
            raise UnsupportedShapeError(f"{name} is a nested tensor; rows must be of one length")
        if value.layout != torch.strided:
            raise UnsupportedShapeError(f"{name} is {value.layout}; it must be torch.strided")
    # A tensor would have to be read back from the device, and could want a gradient.
    if isinstance(eps, bool) or not isinstance(eps, int | float):
        raise UnsupportedTypeError(f"eps is a {type(eps).__name__}; it must be a float")


def _check_devices(x: Tensor, weight: Tensor) -> None:
    if x.device != weight.device:
        raise UnsupportedDeviceError(f"x is on {x.device}, the weight on {weight.device}")
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
