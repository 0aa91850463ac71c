# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The HIP launcher against a stand-in for the runtime: what is loaded once, and what each launch passes on."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import struct
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from vendorctl.kernels.testing.hip import Runtime

import rowkernels
from rowkernels import _devices, _hip, _objects

STREAM = 0x5150


class Library:
    """Stands in for libamdhip64: counts calls, and keeps the launches. `failing` names a function that fails."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.launches: list[dict[str, Any]] = []
        self.failing = ""

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> int:
            self.calls[name] += 1
            if name == "hipModuleLaunchKernel":
                self._launch(arguments)
            return int(name == self.failing)

        return call

    def _launch(self, arguments: tuple[Any, ...]) -> None:
        _, *sizes, stream, _, extra = arguments
        length = ctypes.c_size_t.from_address(extra[3]).value
        self.launches.append(
            {"grid": [size.value for size in sizes[:3]], "stream": stream.value,
             "lds": sizes[6].value, "kernarg": ctypes.string_at(extra[1], length)}
        )  # fmt: skip


class Current:
    """What PyTorch would call current: the stream, and the devices that were entered."""

    def __init__(self) -> None:
        self.stream = STREAM
        self.entered: list[int | None] = []

    def device(self, index: int | None) -> contextlib.AbstractContextManager[None]:
        self.entered.append(index)
        return contextlib.nullcontext()


@pytest.fixture
def current(monkeypatch: pytest.MonkeyPatch) -> Current:
    now = Current()
    monkeypatch.setattr(torch.cuda, "device", now.device)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: SimpleNamespace(cuda_stream=now.stream))
    return now


@pytest.fixture
def library(current: Current, monkeypatch: pytest.MonkeyPatch) -> Library:
    # A function's attributes are set by ctypes users; a method's cannot be.
    monkeypatch.setattr(Runtime, "_words", lambda _self, code: f"HIP error {code}")
    return Library()


def forward(library: Library) -> _hip.DeviceObject:
    code, plan = _objects.find("rmsnorm_forward", "gfx942", dtype="f32", weight="f32")
    return _hip.DeviceObject(Runtime(library), 0, code, plan)


def arguments(rows: int) -> dict[str, Any]:
    x = torch.ones(rows, 64)
    return {"x": x, "w": torch.ones(64), "y": x.clone(), "inv_rms": torch.ones(rows), "n": 64, "eps": 0.5, "rows": rows}


def test_a_launch_passes_addresses_and_numbers_on_the_current_stream(library: Library) -> None:
    given = arguments(3)
    forward(library).run(given, ("y", "inv_rms"))
    (launch,) = library.launches
    assert (launch["grid"], launch["stream"], launch["lds"]) == ([3, 1, 1], STREAM, 0)
    addresses = [given[name].data_ptr() for name in ("x", "w", "y", "inv_rms")]
    assert launch["kernarg"][:40] == struct.pack("<4QIf", *addresses, 64, 0.5)


def test_a_launch_goes_to_the_stream_that_is_current_then(library: Library, current: Current) -> None:
    kernel = forward(library)
    for stream in (0, STREAM, 0x77, 0):
        current.stream = stream
        kernel.run(arguments(1), ("y", "inv_rms"))
    assert [launch["stream"] or 0 for launch in library.launches] == [0, STREAM, 0x77, 0]


def test_the_grid_follows_the_arguments(library: Library) -> None:
    code, plan = _objects.find("rmsnorm_backward", "gfx942", stage="dw", weight="f32")
    kernel = _hip.DeviceObject(Runtime(library), 0, code, plan)
    kernel.run({"partial": torch.ones(3, 1000), "dw": torch.ones(1000), "n": 1000, "groups": 3}, ("dw",))
    assert library.launches[0]["grid"] == [4, 1, 1]  # of 256 columns each


def test_each_device_has_its_own_copy_loaded_once(
    device: torch.device, library: Library, current: Current, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = _devices.target_of(device)
    monkeypatch.setattr(_devices, "_load", functools.cache(_devices._load.__wrapped__))
    monkeypatch.setattr(_hip, "runtime", lambda: Runtime(library))
    chip = SimpleNamespace(gcnArchName=f"{target}:sramecc+:xnack-")
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _device: chip)

    def load(index: int, dtype: str = "f32") -> _devices.Loaded:
        return _devices.loaded(torch.device("cuda", index), "rmsnorm_forward", dtype=dtype, weight="f32")

    first, second = load(0), load(1)
    assert (current.entered, library.calls["hipModuleLoadData"]) == ([0, 1], 2)
    assert [load(0), load(1), load(0)] == [first, second, first]
    assert first is not second
    assert library.calls["hipModuleLoadData"] == 2
    assert load(0, "f16") is not first
    second.run(arguments(1), ("y", "inv_rms"))
    assert (current.entered[-1], library.calls["hipModuleLoadData"]) == (1, 3)


def test_the_module_is_loaded_once(library: Library) -> None:
    kernel = forward(library)
    for rows in (1, 2, 3):
        kernel.run(arguments(rows), ("y", "inv_rms"))
    assert library.calls["hipModuleLoadData"] == library.calls["hipModuleGetFunction"] == 1
    assert library.calls["hipModuleLaunchKernel"] == 3


@pytest.mark.parametrize("name", ["hipModuleLoadData", "hipModuleGetFunction", "hipModuleLaunchKernel"])
def test_what_hip_refuses_is_raised(library: Library, name: str) -> None:
    library.failing = name
    with pytest.raises(rowkernels.KernelError, match=f"{name}: HIP error"):
        forward(library).run(arguments(1), ("y", "inv_rms"))
