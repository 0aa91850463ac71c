# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Calls on CPU tensors: the real object, executed by vendorctl's emulator, with all of its checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from vendorctl.emulator.backend import EmulatorBackend
from vendorctl.kernels.object.launch import LaunchPlan
from vendorctl.kernels.testing.backend import Call

from rowkernels._errors import KernelError


class EmulatedObject:
    """An object on the emulated device, which runs the waves of a workgroup in the order that `schedule` names."""

    def __init__(self, code: bytes, plan: LaunchPlan, schedule: str = "lockstep") -> None:
        self._plan = plan
        self._schedule = schedule
        self._object = EmulatorBackend().load(code)

    def run(self, arguments: Mapping[str, Tensor | int | float], outputs: Sequence[str]) -> None:
        """Make the call and copy what it left into `outputs`. Raises KernelError for a fault, a race or a hazard."""
        values: dict[str, Any] = {
            name: _array(value) if isinstance(value, Tensor) else value for name, value in arguments.items()
        }
        ran = self._object.run(Call(plan=self._plan, arguments=values, outputs=outputs, schedule=self._schedule))
        if ran.problems:
            raise KernelError("; ".join(problem.message for problem in ran.problems[:3]))
        for name in outputs:
            target = arguments[name]
            assert isinstance(target, Tensor)
            _bits(target).copy_(torch.from_numpy(ran.arrays[name]))


def _bits(tensor: Tensor) -> Tensor:
    """NumPy has no bfloat16; kernels see bytes only, so any type of that size will do."""
    return tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor


def _array(tensor: Tensor) -> Any:
    return _bits(tensor.detach()).numpy()
