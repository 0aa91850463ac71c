# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Everything that this library refuses, each with an exception of its own. There is no other path behind them."""

from __future__ import annotations


class RowKernelsError(Exception):
    """The base of all exceptions of this library."""


class MissingDependencyError(RowKernelsError, ImportError):
    """A call needs a package that is not installed. The message ends in the command that installs it."""


class UnsupportedTypeError(RowKernelsError, TypeError):
    """An argument that is no tensor, or an epsilon that is no plain number."""


class UnsupportedDeviceError(RowKernelsError, ValueError):
    """Tensors on a device without kernels, on two devices, or on the CPU while no target is emulated."""


class UnsupportedDtypeError(RowKernelsError, ValueError):
    """A type of x without kernels, or a weight that is neither of that type nor f32."""


class UnsupportedShapeError(RowKernelsError, ValueError):
    """A weight that is not 1-D or does not match the rows, an x without rows, or too many of them."""


class EmptyRowsError(RowKernelsError, ValueError):
    """No rows, or rows of no elements."""


class UnsupportedWidthError(RowKernelsError, ValueError):
    """Gradients are wanted for a width that has no backward kernel; the message lists those that have one."""


class UnsupportedGradientError(RowKernelsError, NotImplementedError):
    """A derivative in forward mode is wanted."""


class EpsilonError(RowKernelsError, ValueError):
    """An epsilon that is negative, NaN, or too large for f32."""


class ObjectsError(RowKernelsError, RuntimeError):
    """An object that should be part of the installation is missing or damaged."""


class KernelError(RowKernelsError, RuntimeError):
    """A kernel did not end as it should."""


def missing(error: ModuleNotFoundError, extra: str) -> MissingDependencyError:
    """What to raise for a module that is not there, which the extra `extra` would have installed."""
    return MissingDependencyError(
        f"{error.name} is not installed. Run: pip install 'rowkernels[{extra}]'", name=error.name
    )
