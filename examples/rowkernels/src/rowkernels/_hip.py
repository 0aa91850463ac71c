# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Calls on a GPU: the object is loaded once for each device, and launched on PyTorch's current stream."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import cache

import torch
from torch import Tensor
from vendorctl.errors import VendorError
from vendorctl.kernels.object.launch import KernelLaunch, Launch, LaunchPlan
from vendorctl.kernels.testing.hip import Runtime, hip

from rowkernels._errors import KernelError, UnsupportedDeviceError

#: Markers in the list of extra launch parameters: a pointer to the packed arguments, their size, the end.
_BUFFER_POINTER, _BUFFER_SIZE, _END = 1, 2, 3


@cache
def runtime() -> Runtime:
    """The HIP runtime of this process. Raises UnsupportedDeviceError when it cannot be loaded."""
    try:
        return hip().runtime
    except VendorError as error:
        raise UnsupportedDeviceError(error.message) from error


class DeviceObject:
    """An object in the memory of one device."""

    def __init__(self, hip_runtime: Runtime, index: int | None, code: bytes, plan: LaunchPlan) -> None:
        self._runtime = hip_runtime
        self._index = index
        self._plan = plan
        self._module = ctypes.c_void_p()
        with torch.cuda.device(index):
            self._call("hipModuleLoadData", ctypes.byref(self._module), ctypes.c_char_p(code))
        self._functions = [self._function(launch.symbol) for launch in plan.launches]

    def run(self, arguments: Mapping[str, Tensor | int | float], outputs: Sequence[str]) -> None:
        """Enqueue the launches; PyTorch's stream order makes results visible to what follows. `outputs` is unused."""
        values = {name: value.data_ptr() if isinstance(value, Tensor) else value for name, value in arguments.items()}
        with torch.cuda.device(self._index):
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            planned = self._plan.evaluate(values)
            for plan, function, launch in zip(self._plan.launches, self._functions, planned, strict=True):
                if min(launch.grid) > 0:
                    self._start(plan, function, launch, stream)

    def _function(self, symbol: str) -> ctypes.c_void_p:
        function = ctypes.c_void_p()
        self._call("hipModuleGetFunction", ctypes.byref(function), self._module, symbol.encode())
        return function

    def _start(self, plan: KernelLaunch, function: ctypes.c_void_p, launch: Launch, stream: ctypes.c_void_p) -> None:
        packed = ctypes.create_string_buffer(launch.kernarg, max(len(launch.kernarg), 1))
        size = ctypes.c_size_t(len(launch.kernarg))
        extra = (ctypes.c_void_p * 5)(
            _BUFFER_POINTER, ctypes.addressof(packed), _BUFFER_SIZE, ctypes.addressof(size), _END
        )
        # The static part of LDS is in the object; a launch names the dynamic part only.
        sizes = [ctypes.c_uint(number) for number in (*launch.grid, *launch.block, launch.lds_bytes - plan.lds)]
        self._call("hipModuleLaunchKernel", function, *sizes, stream, None, extra)

    def _call(self, name: str, *arguments: object) -> None:
        try:
            self._runtime.call(name, *arguments)
        except VendorError as error:
            raise KernelError(error.message) from error
