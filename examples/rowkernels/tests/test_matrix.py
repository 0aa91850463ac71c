# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every supported combination against torch.nn.functional.rms_norm, eager and compiled, forward and backward."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

import rowkernels
from cases import PAIRS, assert_all_close, assert_close, measured, reference, sample
from rowkernels import _contract, _devices, _objects

COMPILED = torch.compile(rowkernels.rms_norm, fullgraph=True, backend="aot_eager", dynamic=False)
CALLS = {"eager": rowkernels.rms_norm, "compiled": COMPILED}


@pytest.mark.parametrize("width", _contract.GRADIENT_WIDTHS)
@pytest.mark.parametrize(("x_type", "w_type"), PAIRS, ids=str)
def test_values_and_gradients(device: torch.device, x_type: torch.dtype, w_type: torch.dtype, width: int) -> None:
    x, weight, dy = sample(device, (3, width), x_type, w_type)
    assert_all_close(measured(rowkernels.rms_norm, x, weight, dy, 1e-5), reference(x, weight, dy, 1e-5), x, weight)


@pytest.mark.parametrize("width", [7, 100, 1024])
@pytest.mark.parametrize(("x_type", "w_type"), PAIRS, ids=str)
def test_compiled_values_and_gradients(
    device: torch.device, x_type: torch.dtype, w_type: torch.dtype, width: int
) -> None:
    x, weight, dy = sample(device, (3, width), x_type, w_type)
    assert_all_close(measured(COMPILED, x, weight, dy, 1e-5), reference(x, weight, dy, 1e-5), x, weight)


@pytest.mark.parametrize("mode", CALLS)
@pytest.mark.parametrize("shape", [(100,), (1, 100), (2, 3, 100), (2, 1, 2, 2, 100), (70, 100)], ids=str)
def test_shapes_flatten_to_rows(device: torch.device, mode: str, shape: tuple[int, ...]) -> None:
    x, weight, dy = sample(device, shape)
    assert_all_close(measured(CALLS[mode], x, weight, dy, 1e-6), reference(x, weight, dy, 1e-6), x, weight)


@pytest.mark.parametrize("width", [1, 3, 65, 2049, 12288])
@pytest.mark.parametrize(("x_type", "w_type"), PAIRS, ids=str)
def test_forward_takes_every_width(device: torch.device, x_type: torch.dtype, w_type: torch.dtype, width: int) -> None:
    x, weight, dy = sample(device, (2, width), x_type, w_type)
    y = rowkernels.rms_norm(x, weight, 1e-5)
    assert_close(y, reference(x, weight, dy, 1e-5)[0], x_type)


@pytest.mark.parametrize("mode", CALLS)
@pytest.mark.parametrize("eps", [0.0, 1e-12, 1e-6, 1e-3, 1, 100.0])
def test_epsilon_is_the_callers(device: torch.device, mode: str, eps: float) -> None:
    x, weight, dy = sample(device, (2, 64))
    assert_all_close(measured(CALLS[mode], x, weight, dy, eps), reference(x, weight, dy, eps), x, weight)


def test_epsilon_matters_in_tiny_rows(device: torch.device) -> None:
    x, weight, dy = sample(device, (2, 64))
    x = x * 1e-4
    results = [rowkernels.rms_norm(x, weight, eps) for eps in (1e-12, 1e-6, 1e-2)]
    for found, eps in zip(results, (1e-12, 1e-6, 1e-2), strict=True):
        assert_close(found, reference(x, weight, dy, eps)[0], torch.float32)
    assert not torch.allclose(results[0], results[2])


@pytest.mark.parametrize("which", [0, 1])
def test_one_gradient_alone(device: torch.device, which: int) -> None:
    x, weight, dy = sample(device, (2, 64))
    both = [x, weight]
    both[which].requires_grad_()
    rowkernels.rms_norm(x, weight, 1e-5).backward(dy)
    assert both[which].grad is not None
    assert both[1 - which].grad is None


def test_views_and_strides(device: torch.device) -> None:
    """Columns in the middle, transposed, beginning between two accesses, lazily negated, repeated, every other one."""
    x, weight, _ = sample(device, (3, 129))
    flat, row = x.flatten(), x[0, :64]
    views = [x[:, 1:65], x.t()[:64].t(), flat[1:65], torch._neg_view(x[:, :64]), row.expand(3, 64), x[:, :128:2]]
    for view in views:
        for scale in (weight[:64], weight[1:65], weight[:128:2], weight[:1].expand(64)):
            wanted = functional.rms_norm(view.double(), (64,), scale.double(), 1e-5)
            assert_close(rowkernels.rms_norm(view, scale, 1e-5), wanted, torch.float32)


def test_gradients_of_views_and_strides(device: torch.device) -> None:
    x, weight, dy = sample(device, (64, 64))
    for grad in (dy.t(), dy[:1].expand(64, 64), torch._neg_view(dy)):
        found = measured(lambda a, b, eps: rowkernels.rms_norm(a.t(), b, eps), x, weight, grad, 1e-5)
        wanted = measured(
            lambda a, b, eps: functional.rms_norm(a.t(), (64,), b, eps),
            x.double(),
            weight.double(),
            grad.double(),
            1e-5,
        )
        assert_all_close(found, wanted, x, weight)


def test_inputs_are_left_alone(device: torch.device) -> None:
    x, weight, dy = sample(device, (2, 64))
    copies = [tensor.clone() for tensor in (x, weight, dy)]
    measured(rowkernels.rms_norm, x, weight, dy, 1e-5)
    assert all(torch.equal(tensor, copy) for tensor, copy in zip((x, weight, dy), copies, strict=True))


def test_autocast_changes_nothing(device: torch.device) -> None:
    x, weight, _ = sample(device, (2, 64))
    plain = rowkernels.rms_norm(x, weight, 1e-5)
    with torch.autocast(device.type, torch.bfloat16):
        assert torch.equal(rowkernels.rms_norm(x, weight, 1e-5), plain)


def test_objects_are_loaded_once(device: torch.device) -> None:
    x, weight, dy = sample(device, (2, 64))
    measured(rowkernels.rms_norm, x, weight, dy, 1e-5)
    before = _devices._load.cache_info()
    measured(rowkernels.rms_norm, x, weight, dy, 1e-4)
    after = _devices._load.cache_info()
    assert (after.misses, after.hits) == (before.misses, before.hits + 3)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_the_contract_says_what_the_objects_are(target: str) -> None:
    pairs = {(_contract.NAMES[x], _contract.NAMES[w]) for x, w in PAIRS}
    rows = [record.instance.row for record in _objects.manifest("rmsnorm_backward", target).objects]
    found = {(row["dtype"], row["weight"], row["n"]) for row in rows if row["stage"] == "dx"}
    assert found == {(x, w, n) for x, w in pairs for n in _contract.GRADIENT_WIDTHS}
    assert {row["weight"] for row in rows if row["stage"] == "dw"} == {w for _, w in pairs}
    forward = [record.instance.row for record in _objects.manifest("rmsnorm_forward", target).objects]
    assert {(row["dtype"], row["weight"]) for row in forward} == pairs
