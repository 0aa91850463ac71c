# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Everything that the library refuses: what it is, the exception, and how to provoke it.

The table in README.md is made of this: `python tests/refusals.py README.md` writes it, `--check` compares. Each row is
a test in `test_refusals.py`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor
from torch.autograd import forward_ad

import rowkernels
from rowkernels import _contract, _devices, _hip, _objects

Arguments = tuple[object, object, object]

#: The widths that have gradients, in words.
WIDTHS = ", ".join(map(str, _contract.GRADIENT_WIDTHS[:-1])) + f" and {_contract.GRADIENT_WIDTHS[-1]}"
_BEGIN, _END = "<!-- refusals: made of tests/refusals.py -->\n", "<!-- end of refusals -->\n"
F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64


@dataclass(frozen=True, slots=True)
class Refusal:
    """A call that is refused. `make` gives its arguments on a device; nothing may be launched."""

    about: str
    what: str
    error: type[Exception]
    make: Callable[[torch.device], Arguments]
    compiles: bool = True  # whether PyTorch's compiler gets as far as our check


@dataclass(frozen=True, slots=True)
class Situation:
    """Something other than arguments that makes a call fail. `provoke` makes it, and the call."""

    about: str
    what: str
    error: type[Exception]
    provoke: Callable[[torch.device, pytest.MonkeyPatch, Path], object]


def ones(on: torch.device | str, *shape: int, dtype: torch.dtype = F32, grad: bool = False, layout: str = "") -> Tensor:
    tensor = torch.ones(shape, device=on, dtype=dtype, requires_grad=grad)
    return getattr(tensor, layout)() if layout else tensor


def _typed(x_type: torch.dtype, w_type: torch.dtype) -> Callable[[torch.device], Arguments]:
    return lambda d: (ones(d, 2, 64, dtype=x_type), ones(d, 64, dtype=w_type), 1e-5)


def _shaped(x: tuple[int, ...], weight: tuple[int, ...]) -> Callable[[torch.device], Arguments]:
    return lambda d: (ones(d, *x), ones(d, *weight), 1e-5)


def _eps(eps: object) -> Callable[[torch.device], Arguments]:
    return lambda d: (ones(d, 2, 64), ones(d, 64), eps)


def _nested(device: torch.device) -> Arguments:
    rows = [ones(device, 2, 64), ones(device, 3, 64)]
    return torch.nested.nested_tensor(rows, layout=torch.jagged), ones(device, 64), 1e-5


CALLS = [
    Refusal("device", "tensors on the meta device", rowkernels.UnsupportedDeviceError,
            lambda d: (ones("meta", 2, 64), ones("meta", 64), 1e-5)),
    Refusal("device", "`x` and the weight on two devices", rowkernels.UnsupportedDeviceError,
            lambda d: (ones(d, 2, 64), ones("meta", 64), 1e-5)),
    Refusal("kind", "`x` is no tensor", rowkernels.UnsupportedTypeError, lambda d: ([[1.0]], ones(d, 1), 1e-5)),
    Refusal("kind", "the weight is no tensor, or None", rowkernels.UnsupportedTypeError,
            lambda d: (ones(d, 2, 64), None, 1e-5)),
    Refusal("type", "`x` in f64", rowkernels.UnsupportedDtypeError, _typed(F64, F64)),
    Refusal("type", "`x` of integers", rowkernels.UnsupportedDtypeError, _typed(torch.int32, F32)),
    Refusal("type", "`x` of booleans", rowkernels.UnsupportedDtypeError, _typed(torch.bool, F32)),
    Refusal("type", "`x` of complex numbers", rowkernels.UnsupportedDtypeError, _typed(torch.complex64, F32)),
    Refusal("type", "`x` in an 8-bit float", rowkernels.UnsupportedDtypeError, _typed(torch.float8_e4m3fn, F32)),
    Refusal("type", "`x` in f32, the weight in f16", rowkernels.UnsupportedDtypeError, _typed(F32, F16)),
    Refusal("type", "`x` in f32, the weight in bf16", rowkernels.UnsupportedDtypeError, _typed(F32, BF16)),
    Refusal("type", "`x` in f16, the weight in bf16", rowkernels.UnsupportedDtypeError, _typed(F16, BF16)),
    Refusal("type", "`x` in bf16, the weight in f16", rowkernels.UnsupportedDtypeError, _typed(BF16, F16)),
    Refusal("type", "the weight in f64", rowkernels.UnsupportedDtypeError, _typed(F32, F64)),
    Refusal("shape", "`x` without axes", rowkernels.UnsupportedShapeError, _shaped((), (1,))),
    Refusal("shape", "a weight without axes", rowkernels.UnsupportedShapeError, _shaped((2, 1), ())),
    Refusal("shape", "a weight of two axes", rowkernels.UnsupportedShapeError, _shaped((2, 64), (1, 64))),
    Refusal("shape", "a weight that is shorter than the rows", rowkernels.UnsupportedShapeError,
            _shaped((2, 64), (63,))),
    Refusal("shape", "a weight that is longer than the rows", rowkernels.UnsupportedShapeError,
            _shaped((2, 64), (65,))),
    Refusal("shape", "a weight of one element for longer rows", rowkernels.UnsupportedShapeError,
            _shaped((2, 64), (1,))),
    Refusal("shape", "2³¹ rows or more, rows of 2³⁰ elements or more", rowkernels.UnsupportedShapeError,
            lambda d: (ones(d, 1, 1).expand(2**31, 1), ones(d, 1), 1e-5), compiles=False),
    Refusal("layout", "a sparse `x`", rowkernels.UnsupportedShapeError,
            lambda d: (ones(d, 2, 64, layout="to_sparse"), ones(d, 64), 1e-5), compiles=False),
    Refusal("layout", "a sparse weight", rowkernels.UnsupportedShapeError,
            lambda d: (ones(d, 2, 64), ones(d, 64, layout="to_sparse"), 1e-5), compiles=False),
    Refusal("layout", "a nested `x`", rowkernels.UnsupportedShapeError, _nested, compiles=False),
    Refusal("emptiness", "no rows", rowkernels.EmptyRowsError, _shaped((0, 64), (64,))),
    Refusal("emptiness", "rows of no elements", rowkernels.EmptyRowsError, _shaped((2, 0), (0,))),
    Refusal("epsilon", "a negative epsilon", rowkernels.EpsilonError, _eps(-1e-5)),
    Refusal("epsilon", "an infinite epsilon", rowkernels.EpsilonError, _eps(float("inf"))),
    Refusal("epsilon", "an epsilon that is NaN", rowkernels.EpsilonError, _eps(float("nan"))),
    Refusal("epsilon", "an epsilon beyond f32", rowkernels.EpsilonError, _eps(1e39)),
    Refusal("epsilon", "an epsilon that is a tensor, with or without a gradient", rowkernels.UnsupportedTypeError,
            lambda d: (ones(d, 2, 64), ones(d, 64), ones(d, grad=True))),
    Refusal("epsilon", "no epsilon (None), a string, a boolean", rowkernels.UnsupportedTypeError, _eps(None)),
    Refusal("gradient", f"the gradient of `x` at a width other than {WIDTHS}", rowkernels.UnsupportedWidthError,
            lambda d: (ones(d, 2, 65, grad=True), ones(d, 65), 1e-5)),
    Refusal("gradient", "the weight's gradient at such a width", rowkernels.UnsupportedWidthError,
            lambda d: (ones(d, 2, 65), ones(d, 65, grad=True), 1e-5)),
]  # fmt: skip


def _forward_mode(device: torch.device, *_: object) -> None:
    x = ones(device, 2, 64)
    with forward_ad.dual_level():
        rowkernels.rms_norm(forward_ad.make_dual(x, x), ones(device, 64), 1e-5)


def _twice(device: torch.device, *_: object) -> None:
    x = torch.randn(2, 64, device=device, requires_grad=True)
    (slope,) = torch.autograd.grad(rowkernels.rms_norm(x, ones(device, 64), 1e-5).sum(), x, create_graph=True)
    torch.autograd.grad(slope.sum(), x)


def _transform(device: torch.device, *_: object) -> None:
    weight = ones(device, 64)
    torch.func.grad(lambda x: rowkernels.rms_norm(x, weight, 1e-5).sum())(ones(device, 2, 64))


def _changed(device: torch.device, *_: object) -> None:
    x = ones(device, 2, 64, grad=True) * 1.0
    y = rowkernels.rms_norm(x, ones(device, 64), 1e-5)
    with torch.no_grad():
        x.mul_(2.0)
    y.sum().backward()


def _not_emulated(_: torch.device, patch: pytest.MonkeyPatch, __: Path) -> None:
    patch.setattr(_devices, "_emulated", None)
    rowkernels.rms_norm(ones("cpu", 2, 64), ones("cpu", 64), 1e-5)


def _fake_gpu() -> tuple[Tensor, Tensor, float]:
    """Tensors that say that they are on a GPU, without memory."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.empty(2, 64, device="cuda:0"), torch.empty(64, device="cuda:0"), 1e-5


def _cuda(_: torch.device, patch: pytest.MonkeyPatch, __: Path) -> None:
    patch.setattr(torch.version, "hip", None)
    rowkernels.rms_norm(*_fake_gpu())


def _no_runtime(_: torch.device, patch: pytest.MonkeyPatch, __: Path) -> None:
    def nothing(_name: str) -> None:
        raise OSError

    patch.setattr("ctypes.CDLL", nothing)
    _hip.runtime.__wrapped__()


def _other_gpu(_: torch.device, patch: pytest.MonkeyPatch, __: Path) -> None:
    chip = SimpleNamespace(gcnArchName="gfx1100")
    patch.setattr(torch.cuda, "get_device_properties", lambda _device: chip)
    _devices.target_of(torch.device("cuda", 0))


def _second_target(device: torch.device, *_: object) -> None:
    rowkernels.emulate("gfx950" if _devices.target_of(device) == "gfx942" else "gfx942")


def _disagreeing(device: torch.device, patch: pytest.MonkeyPatch, _: Path) -> None:
    patch.setenv("FLYDSL_GPU_ARCH", "gfx950" if _devices.target_of(device) == "gfx942" else "gfx942")
    rowkernels.emulate(_devices.target_of(device))


def _without(module: str, code: str) -> Callable[[torch.device, pytest.MonkeyPatch, Path], None]:
    """Run code in an interpreter that has not got a module, and raise what that raised."""
    lines = [
        f"import sys; sys.modules[{module!r}] = None",
        "import rowkernels",
        f"try: {code}",
        "except rowkernels.RowKernelsError as error: print(type(error).__name__, error)",
    ]

    def provoke(*_: object) -> None:
        done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
        error, _space, message = done.stdout.strip().partition(" ")
        raise getattr(rowkernels, error)(message)

    return provoke


def _no_object(_: torch.device, patch: pytest.MonkeyPatch, folder: Path) -> None:
    _copied_manifest(patch, folder)
    _objects.find("rmsnorm_forward", "gfx942", dtype="f32", weight="f32")


def _damaged_object(_: torch.device, patch: pytest.MonkeyPatch, folder: Path) -> None:
    place = _copied_manifest(patch, folder)
    for record in _objects.manifest("rmsnorm_forward", "gfx942").objects:
        (place / record.file).write_bytes(b"not an object")
    _objects.find("rmsnorm_forward", "gfx942", dtype="f32", weight="f32")


def _damaged_manifest(_: torch.device, patch: pytest.MonkeyPatch, folder: Path) -> None:
    file = _copied_manifest(patch, folder) / "manifest.json"
    file.write_bytes(file.read_bytes().replace(b'"f32"', b'"f33"', 1))
    _objects.find("rmsnorm_forward", "gfx942", dtype="f32", weight="f32")


def _copied_manifest(patch: pytest.MonkeyPatch, folder: Path) -> Path:
    """An installation that lacks everything but one manifest."""
    place = folder / "rmsnorm_forward/gfx942"
    place.mkdir(parents=True)
    (place / "manifest.json").write_bytes((_objects.FOLDER / "rmsnorm_forward/gfx942/manifest.json").read_bytes())
    patch.setattr(_objects, "manifest", _objects.manifest.__wrapped__)
    patch.setattr(_objects, "FOLDER", folder)
    return place


def _fault(device: torch.device, *_: object) -> None:
    if device.type != "cpu":
        pytest.skip("a GPU would hang or crash on this")
    kernel = _devices.loaded(device, "rmsnorm_forward", dtype="f32", weight="f32")
    tensors = {"x": ones(device, 2, 64), "w": ones(device, 8), "y": ones(device, 2, 64), "inv_rms": ones(device, 2)}
    kernel.run({**tensors, "n": 64, "eps": 1e-5, "rows": 2}, ("y", "inv_rms"))


SITUATIONS = [
    Situation("device", "CPU tensors before `emulate`", rowkernels.UnsupportedDeviceError, _not_emulated),
    Situation("device", "a PyTorch that is built for CUDA", rowkernels.UnsupportedDeviceError, _cuda),
    Situation("device", "a machine without the HIP runtime", rowkernels.UnsupportedDeviceError, _no_runtime),
    Situation("gradient", "a derivative in forward mode", rowkernels.UnsupportedGradientError, _forward_mode),
    Situation("gradient", "a gradient of a gradient (PyTorch's own refusal)", RuntimeError, _twice),
    Situation("gradient", "`torch.func.grad` (PyTorch's own refusal)", RuntimeError, _transform),
    Situation("gradient", "`x` written to before the backward pass (PyTorch's own refusal)", RuntimeError, _changed),
    Situation("target", "a GPU that there are no objects for", rowkernels.TargetError, _other_gpu),
    Situation("target", "a second target in one process", rowkernels.TargetError, _second_target),
    Situation("target", "`ARCH` and `FLYDSL_GPU_ARCH` that disagree", rowkernels.TargetError, _disagreeing),
    Situation("installation", "PyTorch is not installed", rowkernels.MissingDependencyError,
              _without("torch", "rowkernels.rms_norm")),
    Situation("installation", "vendorctl is not installed", rowkernels.MissingDependencyError,
              _without("vendorctl", "rowkernels.rms_norm")),
    Situation("installation", "NumPy is not installed, for `emulate`", rowkernels.MissingDependencyError,
              _without("numpy", "rowkernels.emulate('gfx942')")),
    Situation("installation", "an object is missing", rowkernels.ObjectsError, _no_object),
    Situation("installation", "an object is damaged", rowkernels.ObjectsError, _damaged_object),
    Situation("installation", "a manifest is missing or was edited", rowkernels.ObjectsError, _damaged_manifest),
    Situation("kernel", "a kernel faults", rowkernels.KernelError, _fault),
]  # fmt: skip


def table() -> str:
    """All rows in Markdown, those about one thing together."""
    rows: list[Refusal | Situation] = [*CALLS, *SITUATIONS]
    subjects = list(dict.fromkeys(row.about for row in rows))
    rows.sort(key=lambda row: subjects.index(row.about))
    lines = [f"| {row.about} | {row.what} | `{row.error.__name__}` |" for row in rows]
    return "| about | what | exception |\n|---|---|---|\n" + "\n".join(lines) + "\n"


def main(arguments: list[str]) -> str | None:
    """Write the table into the file named last, or say that it is not what it should be."""
    file = Path(arguments[-1])
    text = file.read_text("utf-8")
    head, _, rest = text.partition(_BEGIN)
    _, _, tail = rest.partition(_END)
    wanted = head + _BEGIN + table() + _END + tail
    if "--check" in arguments:
        return None if text == wanted else f"the table in {file} is old: run `make refusals`"
    file.write_text(wanted, "utf-8")
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
