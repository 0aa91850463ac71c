# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every row of the table "What is refused", in README.md: the exception, and that nothing was launched."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

import rowkernels
from rowkernels import _devices, _objects, _toolchain

Make = Callable[[torch.device], "tuple[Tensor, Tensor, float]"]


def ones(device: torch.device | str, *shape: int, dtype: torch.dtype = torch.float32, grad: bool = False) -> Tensor:
    return torch.ones(shape, device=device, dtype=dtype, requires_grad=grad)


REFUSALS: dict[str, tuple[type[Exception], Make]] = {
    "meta device": (rowkernels.UnsupportedDeviceError, lambda d: (ones("meta", 2, 64), ones("meta", 64), 1e-5)),
    "two devices": (rowkernels.UnsupportedDeviceError, lambda d: (ones(d, 2, 64), ones("meta", 64), 1e-5)),
    "f64": (
        rowkernels.UnsupportedDtypeError,
        lambda d: (ones(d, 2, 64, dtype=torch.float64), ones(d, 64, dtype=torch.float64), 1e-5),
    ),
    "integers": (
        rowkernels.UnsupportedDtypeError,
        lambda d: (ones(d, 2, 64, dtype=torch.int32), ones(d, 64), 1e-5),
    ),
    "f32 with an f16 weight": (
        rowkernels.UnsupportedDtypeError,
        lambda d: (ones(d, 2, 64), ones(d, 64, dtype=torch.float16), 1e-5),
    ),
    "f16 with a bf16 weight": (
        rowkernels.UnsupportedDtypeError,
        lambda d: (ones(d, 2, 64, dtype=torch.float16), ones(d, 64, dtype=torch.bfloat16), 1e-5),
    ),
    "f64 weight": (
        rowkernels.UnsupportedDtypeError,
        lambda d: (ones(d, 2, 64), ones(d, 64, dtype=torch.float64), 1e-5),
    ),
    "no axis": (rowkernels.UnsupportedShapeError, lambda d: (ones(d), ones(d, 1), 1e-5)),
    "2-D weight": (rowkernels.UnsupportedShapeError, lambda d: (ones(d, 2, 64), ones(d, 1, 64), 1e-5)),
    "weight of no axis": (rowkernels.UnsupportedShapeError, lambda d: (ones(d, 2, 1), ones(d), 1e-5)),
    "weight too short": (rowkernels.UnsupportedShapeError, lambda d: (ones(d, 2, 64), ones(d, 63), 1e-5)),
    "weight of one element": (rowkernels.UnsupportedShapeError, lambda d: (ones(d, 2, 64), ones(d, 1), 1e-5)),
    "sparse": (rowkernels.UnsupportedShapeError, lambda d: (ones(d, 2, 64).to_sparse(), ones(d, 64), 1e-5)),
    "no rows": (rowkernels.EmptyRowsError, lambda d: (ones(d, 0, 64), ones(d, 64), 1e-5)),
    "empty rows": (rowkernels.EmptyRowsError, lambda d: (ones(d, 2, 0), ones(d, 0), 1e-5)),
    "x's gradient at 65": (
        rowkernels.UnsupportedWidthError,
        lambda d: (ones(d, 2, 65, grad=True), ones(d, 65), 1e-5),
    ),
    "weight's gradient at 65": (
        rowkernels.UnsupportedWidthError,
        lambda d: (ones(d, 2, 65), ones(d, 65, grad=True), 1e-5),
    ),
    "negative epsilon": (rowkernels.EpsilonError, lambda d: (ones(d, 2, 64), ones(d, 64), -1e-5)),
    "infinite epsilon": (rowkernels.EpsilonError, lambda d: (ones(d, 2, 64), ones(d, 64), float("inf"))),
    "epsilon that is no number": (rowkernels.EpsilonError, lambda d: (ones(d, 2, 64), ones(d, 64), float("nan"))),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refused(device: torch.device, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    error, make = REFUSALS[name]

    def launched(*_: object, **__: object) -> None:
        pytest.fail("a kernel was looked up")

    monkeypatch.setattr("rowkernels._ops.loaded", launched)
    with pytest.raises(error) as caught:
        rowkernels.rms_norm(*make(device))
    assert type(caught.value) is error
    assert isinstance(caught.value, rowkernels.RowKernelsError)


@pytest.mark.parametrize("name", ["f64", "2-D weight", "no rows", "weight's gradient at 65"])
def test_refused_while_compiling(device: torch.device, name: str) -> None:
    """torch.compile wraps what is raised while it traces; the name of our exception is in what it says."""
    error, make = REFUSALS[name]
    compiled = torch.compile(rowkernels.rms_norm, fullgraph=True, backend="aot_eager")
    with pytest.raises(Exception, match=error.__name__):
        compiled(*make(device))


def test_without_gradients_any_width_will_do(device: torch.device) -> None:
    with torch.no_grad():
        assert rowkernels.rms_norm(ones(device, 2, 65, grad=True), ones(device, 65), 0.0).shape == (2, 65)


def test_cpu_tensors_are_refused_until_a_target_is_emulated() -> None:
    code = (
        "import rowkernels, torch\n"
        "try:\n    rowkernels.rms_norm(torch.ones(2, 64), torch.ones(64), 1e-5)\n"
        "except rowkernels.UnsupportedDeviceError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "emulate(TARGET)" in done.stdout


def test_a_pytorch_for_cuda_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from rowkernels._contract import _check_devices

    class OnCuda:
        device = torch.device("cuda", 0)
        layout = torch.strided

    monkeypatch.setattr(torch.version, "hip", None)
    with pytest.raises(rowkernels.UnsupportedDeviceError, match="built for CUDA"):
        _check_devices(OnCuda(), OnCuda())  # type: ignore[arg-type]  # only these two attributes are read


@pytest.mark.parametrize("target", ["gfx950", "gfx1100"])
def test_a_second_or_unknown_target_is_refused(device: torch.device, target: str) -> None:
    here = _devices.target_of(device)
    with pytest.raises(_toolchain.TargetError):
        rowkernels.emulate(target if target != here else "gfx942")


def test_missing_and_damaged_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_objects, "manifest", _objects.manifest.__wrapped__)
    with pytest.raises(rowkernels.ObjectsError, match="has no row"):
        _objects.find("rmsnorm_forward", "gfx942", dtype="f8", weight="f8")
    with pytest.raises(rowkernels.ObjectsError, match="no objects of rmsnorm_sideways"):
        _objects.find("rmsnorm_sideways", "gfx942")
    place = tmp_path / "rmsnorm_forward/gfx942"
    place.mkdir(parents=True)
    (place / "manifest.json").write_bytes((_objects.FOLDER / "rmsnorm_forward/gfx942/manifest.json").read_bytes())
    monkeypatch.setattr(_objects, "FOLDER", tmp_path)
    with pytest.raises(rowkernels.ObjectsError, match="lacks an object"):
        _objects.find("rmsnorm_forward", "gfx942", dtype="f32", weight="f32")
    for record in _objects.manifest("rmsnorm_forward", "gfx942").objects:
        (place / record.file).write_bytes(b"not an object")
    with pytest.raises(rowkernels.ObjectsError, match="not what its manifest says"):
        _objects.find("rmsnorm_forward", "gfx942", dtype="f32", weight="f32")


def test_a_kernel_that_faults_is_told(device: torch.device) -> None:
    if device.type != "cpu":
        pytest.skip("a GPU would hang or crash on this")
    kernel = _devices.loaded(device, "rmsnorm_forward", dtype="f32", weight="f32")
    x, y, inverse = ones(device, 2, 64), ones(device, 2, 64), ones(device, 2)
    arguments = {"x": x, "w": ones(device, 8), "y": y, "inv_rms": inverse, "n": 64, "eps": 1e-5, "rows": 2}
    with pytest.raises(rowkernels.KernelError, match="out"):
        kernel.run(arguments, ("y", "inv_rms"))


def test_a_gradient_of_a_gradient_is_refused(device: torch.device) -> None:
    x, weight = torch.randn(2, 64, device=device, requires_grad=True), ones(device, 64)
    y = rowkernels.rms_norm(x, weight, 1e-5)
    with pytest.raises(RuntimeError, match="autograd"):
        (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        torch.autograd.grad(slope.sum(), x)
