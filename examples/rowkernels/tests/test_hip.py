# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The HIP launcher against a stand-in for the runtime: what is loaded once, and what each launch passes on."""

from __future__ import annotations

import contextlib
import ctypes
import struct
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from vendorctl.kernels.hip import Runtime

import rowkernels
from rowkernels import _hip, _objects

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


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr(torch.cuda, "device", lambda _index: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: SimpleNamespace(cuda_stream=STREAM))
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


def test_a_machine_without_hip_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_name: str) -> None:
        raise OSError

    monkeypatch.setattr(ctypes, "CDLL", nothing)
    with pytest.raises(rowkernels.UnsupportedDeviceError, match="HIP"):
        _hip.runtime.__wrapped__()
