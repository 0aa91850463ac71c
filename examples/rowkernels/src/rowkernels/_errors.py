# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Everything that this library refuses, each with an exception of its own. There is no other path behind them."""

from __future__ import annotations


class RowKernelsError(Exception):
    """The base of all exceptions of this library."""


class UnsupportedDeviceError(RowKernelsError, ValueError):
    """Tensors on a device without kernels, on two devices, or on the CPU while no target is emulated."""


class UnsupportedDtypeError(RowKernelsError, ValueError):
    """A type of x without kernels, or a weight that is neither of that type nor f32."""


class UnsupportedShapeError(RowKernelsError, ValueError):
    """A weight that is not 1-D or does not match the rows, an x without rows, or too many of them."""


class EmptyRowsError(RowKernelsError, ValueError):
    """No rows, or rows of no elements."""


class UnsupportedWidthError(RowKernelsError, ValueError):
    """Gradients are wanted for a width that has no backward kernel."""


class EpsilonError(RowKernelsError, ValueError):
    """An epsilon that is negative, infinite or no number."""


class ObjectsError(RowKernelsError, RuntimeError):
    """An object that should be part of the installation is missing or damaged."""


class KernelError(RowKernelsError, RuntimeError):
    """A kernel did not end as it should."""
