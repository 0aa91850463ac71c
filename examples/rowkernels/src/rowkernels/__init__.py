# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""RMS normalisation for PyTorch on vendored kernels. Importing this needs the standard library only.

import rowkernels
y = rowkernels.rms_norm(x, weight, 1e-6)       # eager and torch.compile, forward and backward
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rowkernels._errors import (
    EmptyRowsError,
    EpsilonError,
    KernelError,
    MissingDependencyError,
    ObjectsError,
    RowKernelsError,
    UnsupportedDeviceError,
    UnsupportedDtypeError,
    UnsupportedGradientError,
    UnsupportedShapeError,
    UnsupportedTypeError,
    UnsupportedWidthError,
    missing,
)

if TYPE_CHECKING:
    from rowkernels._devices import emulate
    from rowkernels._ops import rms_norm
    from rowkernels._toolchain import TargetError

__version__ = "0.1.0"
__all__ = [
    "EmptyRowsError",
    "EpsilonError",
    "KernelError",
    "MissingDependencyError",
    "ObjectsError",
    "RowKernelsError",
    "TargetError",
    "UnsupportedDeviceError",
    "UnsupportedDtypeError",
    "UnsupportedGradientError",
    "UnsupportedShapeError",
    "UnsupportedTypeError",
    "UnsupportedWidthError",
    "__version__",
    "emulate",
    "rms_norm",
]

#: Public names that are loaded on first use, most of which need PyTorch, and the modules that define them.
_LAZY = {"TargetError": "rowkernels._toolchain", "emulate": "rowkernels._devices", "rms_norm": "rowkernels._ops"}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    try:
        value = globals()[name] = getattr(import_module(_LAZY[name]), name)
    except ModuleNotFoundError as error:
        raise missing(error, "run") from error
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
