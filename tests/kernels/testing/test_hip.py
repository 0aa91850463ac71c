# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# ruff: noqa: N802  # functions are called as HIP calls them

"""The HIP backend against a stand-in for the runtime: no machine of ours has the real one."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kernels.testing.conftest import Shipped
from vendorctl.cli import main
from vendorctl.errors import VendorError
from vendorctl.kernels.testing import harness, hip
from vendorctl.kernels.testing.backend import Category
from vendorctl.kernels.testing.recipes import imported


class FakeRuntime:
    """Device memory is host memory. Launches scale x into y, as the tests' kernel does, and may be made to fail."""

    def __init__(self) -> None:
        self.memory: dict[int, Any] = {}
        self.loaded = 0
        self.launches: list[tuple[int, ...]] = []
        self.failing: dict[str, int] = {}
        self.devices = 1
        self.overrun = False

    def __getattr__(self, name: str) -> Callable[..., int]:
        raise AttributeError(name)

    def hipGetDeviceCount(self, number: Any) -> int:
        number._obj.value = self.devices
        return 0

    def hipRuntimeGetVersion(self, number: Any) -> int:
        number._obj.value = 60342131
        return 0

    def hipMalloc(self, pointer: Any, size: Any) -> int:
        buffer = ctypes.create_string_buffer(max(size.value, 1))
        pointer._obj.value = ctypes.addressof(buffer)
        self.memory[ctypes.addressof(buffer)] = buffer
        return self.failing.get("hipMalloc", 0)

    def hipFree(self, pointer: Any) -> int:
        del self.memory[pointer.value]
        return 0

    def hipMemcpy(self, target: Any, source: Any, size: Any, kind: int) -> int:
        assert kind in (1, 2)
        ctypes.memmove(target, source, size.value)
        return 0

    def hipModuleLoadData(self, module: Any, code: Any) -> int:
        self.loaded += 1
        module._obj.value = 77
        return self.failing.get("hipModuleLoadData", 0)

    def hipModuleUnload(self, module: Any) -> int:
        self.loaded -= 1
        return 0

    def hipModuleGetFunction(self, function: Any, module: Any, name: bytes) -> int:
        assert name in (b"scale_f16", b"scale_f32")
        self.dtype = np.float16 if name == b"scale_f16" else np.float32
        return 0

    def hipModuleLaunchKernel(self, function: Any, *rest: Any) -> int:
        *sizes, stream, parameters, extra = rest
        assert (stream, parameters) == (None, None)
        self.launches.append(tuple(size.value for size in sizes))
        kernarg = ctypes.string_at(extra[1], ctypes.cast(extra[3], ctypes.POINTER(ctypes.c_size_t))[0])
        x, y, n, a = struct.unpack_from("<QQif", kernarg)
        values = np.frombuffer(ctypes.string_at(x, n * np.dtype(self.dtype).itemsize), self.dtype)
        result = (values.astype(np.float32) * a).astype(self.dtype).tobytes() + (b"\0" if self.overrun else b"")
        ctypes.memmove(y, result, len(result))
        return self.failing.get("hipModuleLaunchKernel", 0)

    def hipDeviceSynchronize(self) -> int:
        return self.failing.get("hipDeviceSynchronize", 0)

    class hipGetErrorString:  # noqa: N801 -- as HIP calls it; a class, because callers set its restype
        restype: Any = None

        def __new__(cls, code: int) -> bytes:  # type: ignore[misc]  # stands in for a C function
            return f"error {code}".encode()


def trials(shipped: Shipped, runtime: FakeRuntime) -> list[Any]:
    backend = hip.open_backend(runtime)
    built = shipped.objects[0]
    code = (built.folder / built.record.file).read_bytes()
    with imported(shipped.root, built.recipe) as recipe:
        subject = harness.prepare(recipe, built.record.instance, built.record.launch, backend, full=True)
        found, coverage = harness.examine(subject, backend.load(code))
    assert coverage is None
    return list(found)


def test_calls_are_made_twice_and_everything_is_let_go(shipped: Shipped) -> None:
    runtime = FakeRuntime()
    found = trials(shipped, runtime)
    assert all(trial.ok for trial in found)
    assert {trial.schedules for trial in found} == {("device", "device again")}
    assert (2, 1, 1, 64, 1, 1, 0) in runtime.launches
    assert not runtime.memory
    assert runtime.loaded == 0


def test_a_write_beside_the_buffer_is_seen(shipped: Shipped) -> None:
    runtime = FakeRuntime()
    runtime.overrun = True
    found = trials(shipped, runtime)
    problems = [problem for trial in found for _, problem in trial.problems]
    assert {problem.kind for problem in problems} == {"out-of-bounds"}


@pytest.mark.parametrize("call", ["hipModuleLaunchKernel", "hipDeviceSynchronize"])
def test_a_crash_on_the_device_is_a_fault_of_the_kernel(shipped: Shipped, call: str) -> None:
    runtime = FakeRuntime()
    runtime.failing[call] = 700
    found = trials(shipped, runtime)
    problem = found[0].problems[0][1]
    assert problem.category is Category.FAULT
    assert "error 700" in problem.message
    assert found[0].outputs == ()
    assert not runtime.memory


def test_an_object_of_another_architecture_is_refused(shipped: Shipped) -> None:
    runtime = FakeRuntime()
    runtime.failing["hipModuleLoadData"] = 209
    with pytest.raises(VendorError, match="hipModuleLoadData: error 209"):
        trials(shipped, runtime)


def test_no_device_and_no_runtime_exit_with_seven(
    softmax: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = FakeRuntime()
    runtime.devices = 0
    with pytest.raises(VendorError, match="HIP finds no GPU") as caught:
        hip.open_backend(runtime)
    assert caught.value.code == 7
    monkeypatch.setattr(hip, "_NAMES", ("libvendorctl-has-no-such-library.so",))
    assert main(["-C", str(softmax), "test", "--backend", "hip"]) == 7
    shown = capsys.readouterr()
    assert "libamdhip64" in shown.err
    assert "--backend emulator" in shown.err
