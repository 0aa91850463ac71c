# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A GPU as a backend of kernel tests, through HIP's module interface.

Calls follow the "HIP runtime API reference", section modules: load the object, pack the arguments into one buffer,
launch, wait. Continuous integration has no such device: there this module runs against a stand-in library only.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from vendorctl import digest
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.object.launch import KernelLaunch, Launch, LaunchArgument, Parameter
from vendorctl.kernels.testing.backend import Call, Category, Covered, Problem, Ran

if TYPE_CHECKING:
    from vendorctl.kernels.testing.backend import Array

_NAMES = ("libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5")
_TO_DEVICE, _TO_HOST = 1, 2
#: Markers in the list of extra launch parameters: a pointer to the packed arguments, their size, the end.
_BUFFER_POINTER, _BUFFER_SIZE, _END = 1, 2, 3
#: Bytes around every buffer that no kernel may touch.
_GUARD = 4096
_CANARY = 0xC7


class Library(Protocol):
    """The HIP runtime: a `ctypes.CDLL`, or what stands in for one. Functions return a hipError_t, 0 for success."""

    def __getattr__(self, name: str) -> Any:
        """The function called `name`."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """HIP calls that raise instead of returning codes."""

    library: Library

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function. Raises VendorError (exit code 7) with HIP's own words when it fails."""
        code = int(getattr(self.library, name)(*arguments))
        if code:
            raise VendorError(f"{name}: {self._words(code)}", code=ExitCode.TOOL_MISSING)

    def _words(self, code: int) -> str:
        function = self.library.hipGetErrorString
        function.restype = ctypes.c_char_p
        text = function(code)
        return text.decode("utf-8", "replace") if isinstance(text, bytes) else f"HIP error {code}"

    def version(self) -> int:
        """The runtime's version as one number."""
        number = ctypes.c_int()
        self.call("hipRuntimeGetVersion", ctypes.byref(number))
        return number.value

    def devices(self) -> int:
        """How many devices there are; 0 where HIP cannot say."""
        number = ctypes.c_int()
        return number.value if self.library.hipGetDeviceCount(ctypes.byref(number)) == 0 else 0

    @contextmanager
    def memory(self, content: bytes) -> Iterator[int]:
        """Device memory that holds `content`, for as long as the context lasts; gives its address."""
        pointer = ctypes.c_void_p()
        self.call("hipMalloc", ctypes.byref(pointer), ctypes.c_size_t(len(content)))
        try:
            self.call("hipMemcpy", pointer, ctypes.c_char_p(content), ctypes.c_size_t(len(content)), _TO_DEVICE)
            yield pointer.value or 0
        finally:
            self.library.hipFree(pointer)

    def read(self, address: int, size: int) -> bytes:
        """`size` bytes of device memory."""
        buffer = ctypes.create_string_buffer(max(size, 1))
        self.call("hipMemcpy", buffer, ctypes.c_void_p(address), ctypes.c_size_t(size), _TO_HOST)
        return buffer.raw[:size]


@dataclass(frozen=True, slots=True)
class _Tensor:
    """A tensor argument: where it lies, and its sizes and strides in elements."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DeviceObject:
    """An object to be run on the device. It is loaded for each call, so that a fault cannot outlive one."""

    runtime: Runtime
    code: bytes

    def run(self, call: Call) -> Ran:
        """Make the call and wait for it. A launch that the device refuses or that crashes is a fault in the result."""
        import contextlib

        arrays: dict[str, Array] = {
            name: value for name, value in call.arguments.items() if not isinstance(value, bool | int | float)
        }
        with contextlib.ExitStack() as stack:
            bases = {
                name: stack.enter_context(self.runtime.memory(_guarded(call, name, array)))
                for name, array in arrays.items()
                if name not in call.aliases
            }
            bases |= {output: bases[given] for output, given in call.aliases.items() if given in bases}
            problems = self._launch(call, {name: base + _GUARD for name, base in bases.items()})
            left = {name: self._fetch(bases[name], array) for name, array in arrays.items()} if not problems else {}
        problems += [_overrun(name) for name, (_, whole) in left.items() if not whole]
        return Ran(
            arrays={name: left[name][0] if name in left else array for name, array in arrays.items()},
            problems=tuple(problems),
        )

    def _launch(self, call: Call, addresses: Mapping[str, int]) -> list[Problem]:
        arguments = {
            parameter.name: _argument(parameter, call.arguments[parameter.name], addresses)
            for parameter in call.plan.parameters
            if parameter.name in call.arguments
        }
        planned = call.plan.evaluate(arguments)
        module = ctypes.c_void_p()
        self.runtime.call("hipModuleLoadData", ctypes.byref(module), ctypes.c_char_p(self.code))
        try:
            for plan, launch in zip(call.plan.launches, planned, strict=True):
                if min(launch.grid) > 0:
                    self._start(module, plan, launch)
            self.runtime.call("hipDeviceSynchronize")
        except VendorError as error:
            return [Problem(Category.FAULT, "device", error.message)]
        finally:
            self.runtime.library.hipModuleUnload(module)
        return []

    def _start(self, module: ctypes.c_void_p, plan: KernelLaunch, launch: Launch) -> None:
        function = ctypes.c_void_p()
        self.runtime.call("hipModuleGetFunction", ctypes.byref(function), module, launch.symbol.encode())
        packed = ctypes.create_string_buffer(launch.kernarg, max(len(launch.kernarg), 1))
        size = ctypes.c_size_t(len(launch.kernarg))
        extra = (ctypes.c_void_p * 5)(
            _BUFFER_POINTER, ctypes.addressof(packed), _BUFFER_SIZE, ctypes.addressof(size), _END
        )
        sizes = [ctypes.c_uint(number) for number in (*launch.grid, *launch.block, launch.lds_bytes - plan.lds)]
        self.runtime.call("hipModuleLaunchKernel", function, *sizes, None, None, extra)

    def _fetch(self, base: int, array: Array) -> tuple[Array, bool]:
        """What an array holds on the device, and whether the guards around it are whole."""
        import numpy as np

        raw = self.runtime.read(base, array.nbytes + 2 * _GUARD)
        guard = bytes([_CANARY]) * _GUARD
        content = np.frombuffer(raw[_GUARD : _GUARD + array.nbytes], np.uint8).copy()
        return content.view(array.dtype).reshape(array.shape), raw[:_GUARD] == guard == raw[_GUARD + array.nbytes :]

    def coverage(self, covered: frozenset[int]) -> Covered | None:
        """A device does not tell which instructions ran."""
        return None


def _guarded(call: Call, name: str, array: Array) -> bytes:
    guard = bytes([_CANARY]) * _GUARD
    content = bytes([call.fill]) * array.nbytes if name in call.outputs else array.tobytes()
    return guard + content + guard


def _overrun(name: str) -> Problem:
    return Problem(Category.FAULT, "out-of-bounds", f"bytes just outside the buffer {name} were overwritten")


def _argument(parameter: Parameter, value: Array | float, addresses: Mapping[str, int]) -> LaunchArgument:
    if isinstance(value, bool | int | float):
        return value
    address = addresses[parameter.name]
    if not parameter.rank:
        return address
    return _Tensor(address, value.shape, tuple(stride // value.itemsize for stride in value.strides))


@dataclass(frozen=True, slots=True)
class HipBackend:
    """Runs objects on the first device that HIP shows. Every call is made twice, which shows most races."""

    runtime: Runtime
    name: str = "hip"
    schedules: tuple[str, ...] = ("device", "device again")

    @property
    def version(self) -> str:
        """The version of the HIP runtime."""
        return str(self.runtime.version())

    def identity(self, code: bytes) -> str:
        """The object's SHA-256: what a device does with it is not known beforehand."""
        return digest.sha256(code)

    def load(self, code: bytes) -> DeviceObject:
        """Keep the object for calls. Raises VendorError when the device cannot run it (another architecture)."""
        module = ctypes.c_void_p()
        self.runtime.call("hipModuleLoadData", ctypes.byref(module), ctypes.c_char_p(code))
        self.runtime.library.hipModuleUnload(module)
        return DeviceObject(self.runtime, code)


def hip() -> HipBackend:
    """The HIP backend. Raises VendorError (exit code 7) where the runtime or a device is missing."""
    for name in _NAMES:
        try:
            library: Library = ctypes.CDLL(name)
        except OSError:
            continue
        return open_backend(library)
    raise VendorError(
        "libamdhip64, the HIP runtime, is not on this machine",
        hint="`--backend emulator` needs no GPU; or install ROCm and try again",
        code=ExitCode.TOOL_MISSING,
    )


def open_backend(library: Library) -> HipBackend:
    """The backend on a loaded runtime. Raises VendorError (exit code 7) when it shows no device."""
    runtime = Runtime(library)
    if not runtime.devices():
        raise VendorError("HIP finds no GPU", hint="`--backend emulator` needs none", code=ExitCode.TOOL_MISSING)
    return HipBackend(runtime)
