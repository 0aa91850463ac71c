# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which launcher a tensor's device has, and the objects that are loaded there, each once for each device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol

from rowkernels import _objects, _toolchain
from rowkernels._errors import missing

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_emulated: str | None = None


class Loaded(Protocol):
    """An object that is ready to be called."""

    def run(self, arguments: Mapping[str, Tensor | int | float], outputs: Sequence[str]) -> None:
        """Launch its kernels in order, on the current stream; `outputs` are the tensors that they write."""


def emulate(target: str) -> None:
    """From now on, run calls on CPU tensors on an emulation of `target`. Slow; meant for tests without a GPU.

    Raises TargetError for a target without objects, and when this process works for another; MissingDependencyError
    where there is no emulator.
    """
    try:
        import rowkernels._emulator  # noqa: F401  # whoever asks for emulation learns now what it lacks
    except ModuleNotFoundError as error:
        raise missing(error, "emulate") from error
    global _emulated  # noqa: PLW0603  # one target for each process is the rule that this states
    _emulated = _toolchain.choose_target(target)


def emulated() -> str | None:
    """The target that CPU tensors are emulated on, or None: they are refused."""
    return _emulated


def loaded(device: torch.device, operation: str, **row: str | int) -> Loaded:
    """The object of one row on `device`, from the cache after the first time."""
    return _load(device.type, device.index, target_of(device), operation, tuple(sorted(row.items())))


def target_of(device: torch.device) -> str:
    """The target of a device. Raises TargetError when it has no objects, or is not what this process works for."""
    if device.type == "cpu":
        return _toolchain.choose_target(_emulated or "")
    import torch

    # `gfx942:sramecc+:xnack-` names features as well; objects are built for any of them.
    name: str = torch.cuda.get_device_properties(device).gcnArchName
    return _toolchain.choose_target(name.partition(":")[0])


@cache
def _load(kind: str, index: int | None, target: str, operation: str, row: tuple[tuple[str, str | int], ...]) -> Loaded:
    code, plan = _objects.find(operation, target, **dict(row))
    if kind == "cpu":
        from rowkernels._emulator import EmulatedObject

        return EmulatedObject(code, plan)
    from rowkernels._hip import DeviceObject, runtime

    return DeviceObject(runtime(), index, code, plan)
