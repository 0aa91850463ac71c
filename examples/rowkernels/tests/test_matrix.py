# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every supported combination against torch.nn.functional.rms_norm, eager and compiled, forward and backward."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import rowkernels
from rowkernels import _contract, _devices, _objects

PAIRS = [
    (torch.float32, torch.float32),
    (torch.float16, torch.float16),
    (torch.bfloat16, torch.bfloat16),
    (torch.float16, torch.float32),
    (torch.bfloat16, torch.float32),
]
#: Largest error in units of the reference's largest value: half an ulp of the type, and rounding in f32.
TOLERANCE = {torch.float32: 3e-6, torch.float16: 1.2e-3, torch.bfloat16: 8e-3}
COMPILED = torch.compile(rowkernels.rms_norm, fullgraph=True, backend="aot_eager", dynamic=False)
CALLS = {"eager": rowkernels.rms_norm, "compiled": COMPILED}
RmsNorm = Callable[[Tensor, Tensor, float], Tensor]


def sample(device: torch.device, shape: tuple[int, ...], x_type: torch.dtype, w_type: torch.dtype) -> list[Tensor]:
    """x, weight and dy, from a fixed seed."""
    source = torch.Generator().manual_seed(sum(shape))
    x, dy = (torch.randn(shape, generator=source).to(device, x_type) for _ in range(2))
    weight = torch.randn(shape[-1], generator=source).to(device, w_type)
    return [x, weight, dy]


def reference(x: Tensor, weight: Tensor, dy: Tensor, eps: float) -> list[Tensor]:
    """y, dx and dw of PyTorch's own function, in f64 from the stored values."""
    x, weight = (tensor.double().requires_grad_() for tensor in (x, weight))
    y = functional.rms_norm(x, (x.shape[-1],), weight, eps)
    y.backward(dy.double())
    assert x.grad is not None
    assert weight.grad is not None
    return [y.detach(), x.grad, weight.grad]


def measured(call: RmsNorm, x: Tensor, weight: Tensor, dy: Tensor, eps: float) -> list[Tensor]:
    x, weight = x.clone().requires_grad_(), weight.clone().requires_grad_()
    y = call(x, weight, eps)
    y.backward(dy)
    assert x.grad is not None
    assert weight.grad is not None
    return [y.detach(), x.grad, weight.grad]


def assert_close(found: Tensor, wanted: Tensor, dtype: torch.dtype, terms: int = 1) -> None:
    """Sums of many terms are measured against what was added up, roughly the root of their number."""
    assert found.dtype == dtype
    error = (found.double() - wanted).abs().max() / wanted.abs().max().clamp(min=1e-30)
    assert error <= TOLERANCE[dtype] * max(1.0, terms**0.5), float(error)


@pytest.mark.parametrize("mode", CALLS)
@pytest.mark.parametrize("width", _contract.GRADIENT_WIDTHS)
@pytest.mark.parametrize(("x_type", "w_type"), PAIRS, ids=str)
def test_values_and_gradients(
    device: torch.device, mode: str, x_type: torch.dtype, w_type: torch.dtype, width: int
) -> None:
    x, weight, dy = sample(device, (3, width), x_type, w_type)
    y, dx, dw = measured(CALLS[mode], x, weight, dy, 1e-5)
    for found, wanted, dtype in zip((y, dx, dw), reference(x, weight, dy, 1e-5), (x_type, x_type, w_type), strict=True):
        assert_close(found, wanted, dtype, terms=3)


@pytest.mark.parametrize("mode", CALLS)
@pytest.mark.parametrize("shape", [(100,), (1, 100), (2, 3, 100), (2, 1, 2, 2, 100), (70, 100)], ids=str)
def test_shapes_flatten_to_rows(device: torch.device, mode: str, shape: tuple[int, ...]) -> None:
    x, weight, dy = sample(device, shape, torch.float32, torch.float32)
    found = measured(CALLS[mode], x, weight, dy, 1e-6)
    assert [tensor.shape for tensor in found] == [x.shape, x.shape, weight.shape]
    for tensor, wanted in zip(found, reference(x, weight, dy, 1e-6), strict=True):
        assert_close(tensor, wanted, torch.float32, terms=x.numel() // 100)


@pytest.mark.parametrize("width", [1, 3, 7, 257, 2049])
@pytest.mark.parametrize(("x_type", "w_type"), PAIRS, ids=str)
def test_forward_takes_every_width(device: torch.device, x_type: torch.dtype, w_type: torch.dtype, width: int) -> None:
    x, weight, dy = sample(device, (2, width), x_type, w_type)
    y = rowkernels.rms_norm(x, weight, 1e-5)
    assert_close(y, reference(x, weight, dy, 1e-5)[0], x_type)


@pytest.mark.parametrize("mode", CALLS)
@pytest.mark.parametrize("eps", [0.0, 1e-12, 1e-6, 1e-3, 1.0, 100.0])
def test_epsilon_is_the_callers(device: torch.device, mode: str, eps: float) -> None:
    x, weight, dy = sample(device, (2, 64), torch.float32, torch.float32)
    for found, wanted in zip(measured(CALLS[mode], x, weight, dy, eps), reference(x, weight, dy, eps), strict=True):
        assert_close(found, wanted, torch.float32, terms=2)


def test_epsilon_matters_in_tiny_rows(device: torch.device) -> None:
    x, weight, dy = sample(device, (2, 64), torch.float32, torch.float32)
    x = x * 1e-4
    results = [rowkernels.rms_norm(x, weight, eps) for eps in (1e-12, 1e-6, 1e-2)]
    for found, eps in zip(results, (1e-12, 1e-6, 1e-2), strict=True):
        assert_close(found, reference(x, weight, dy, eps)[0], torch.float32)
    assert not torch.allclose(results[0], results[2])


@pytest.mark.parametrize("which", ["x", "weight"])
@pytest.mark.parametrize("width", _contract.GRADIENT_WIDTHS)
def test_gradients_are_slopes(device: torch.device, width: int, which: str) -> None:
    """Central differences along a direction, of f32 results summed in f64."""
    x, weight, dy = sample(device, (2, width), torch.float32, torch.float32)
    _, dx, dw = measured(rowkernels.rms_norm, x, weight, dy, 1e-5)
    gradient, point = (dx, x) if which == "x" else (dw, weight)
    along = torch.sign(gradient)
    step = 2.0**-7

    def loss(moved: Tensor) -> float:
        y = rowkernels.rms_norm(moved, weight, 1e-5) if which == "x" else rowkernels.rms_norm(x, moved, 1e-5)
        return float((y.double() * dy.double()).sum())

    slope = (loss(point + step * along) - loss(point - step * along)) / (2 * step)
    assert slope == pytest.approx(float((gradient.double() * along.double()).sum()), rel=5e-3)


@pytest.mark.parametrize("which", [0, 1])
def test_one_gradient_alone(device: torch.device, which: int) -> None:
    x, weight, dy = sample(device, (2, 64), torch.float32, torch.float32)
    both = [x, weight]
    both[which].requires_grad_()
    rowkernels.rms_norm(x, weight, 1e-5).backward(dy)
    assert both[which].grad is not None
    assert both[1 - which].grad is None


def test_the_weights_gradient_is_the_same_bits_every_time(device: torch.device) -> None:
    x, weight, dy = sample(device, (70, 100), torch.float32, torch.float32)
    first, *others = [measured(rowkernels.rms_norm, x, weight, dy, 1e-5)[2] for _ in range(3)]
    assert all(torch.equal(first, other) for other in others)


def test_objects_are_loaded_once(device: torch.device) -> None:
    x, weight, dy = sample(device, (2, 64), torch.float32, torch.float32)
    measured(rowkernels.rms_norm, x, weight, dy, 1e-5)
    before = _devices._load.cache_info()
    measured(rowkernels.rms_norm, x, weight, dy, 1e-4)
    after = _devices._load.cache_info()
    assert (after.misses, after.hits) == (before.misses, before.hits + 3)


def test_views_and_strides(device: torch.device) -> None:
    x, weight, _ = sample(device, (3, 129), torch.float32, torch.float32)
    weight = weight[:64]
    for view in (x[:, 1:65], x.t()[:64].t(), x.flatten()[1:65]):
        wanted = functional.rms_norm(view.double(), (64,), weight.double(), 1e-5)
        assert_close(rowkernels.rms_norm(view, weight, 1e-5), wanted, torch.float32)


def test_inputs_are_left_alone(device: torch.device) -> None:
    x, weight, dy = sample(device, (2, 64), torch.float32, torch.float32)
    copies = [tensor.clone() for tensor in (x, weight, dy)]
    measured(rowkernels.rms_norm, x, weight, dy, 1e-5)
    assert all(torch.equal(tensor, copy) for tensor, copy in zip((x, weight, dy), copies, strict=True))


def test_the_default_compiler_takes_it(device: torch.device) -> None:
    def model(x: Tensor, weight: Tensor) -> Tensor:
        return rowkernels.rms_norm(x * 2.0, weight, 1e-5) + 1.0

    x, weight, _ = sample(device, (2, 64), torch.float32, torch.float32)
    found = torch.compile(model, fullgraph=True)(x, weight)
    wanted = functional.rms_norm(x.double() * 2.0, (64,), weight.double(), 1e-5) + 1.0
    assert_close(found, wanted, torch.float32)


def test_the_operators_keep_pytorchs_rules(device: torch.device) -> None:
    """PyTorch's own checks of schema, fake implementation and autograd registration."""
    x, weight, dy = sample(device, (2, 64), torch.float32, torch.float32)
    x.requires_grad_()
    torch.library.opcheck(torch.ops.rowkernels.rms_norm_forward.default, (x, weight, 1e-5))
    inverse = torch.ones(2, device=device)
    torch.library.opcheck(torch.ops.rowkernels.rms_norm_backward.default, (dy, x.detach(), weight, inverse))


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_the_contract_says_what_the_objects_are(target: str) -> None:
    rows = [record.instance.row for record in _objects.manifest("rmsnorm_backward", target).objects]
    names = {_contract.NAMES[x]: {_contract.NAMES[w] for y, w in PAIRS if y == x} for x, _ in PAIRS}
    stage_one = {(row["dtype"], row["weight"], row["n"]) for row in rows if row["stage"] == "dx"}
    assert stage_one == {(x, w, n) for x in names for w in names[x] for n in _contract.GRADIENT_WIDTHS}
    for row in _objects.manifest("rmsnorm_forward", target).objects:
        assert row.instance["weight"] in names[row.instance.text("dtype")]
