# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""torch.compile, torch.export, and PyTorch's own checks of custom operators."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo.testing import CompileCounterWithBackend
from torch.nn import functional
from torch.testing._internal.optests.generate_tests import DEFAULT_TEST_UTILS, OpCheckError

import rowkernels
from cases import PAIRS, RmsNorm, assert_all_close, measured, reference, sample
from rowkernels import _ops

BACKENDS = ["aot_eager", "inductor"]


def model(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Something around the operator for the compiler to fuse."""
    return rowkernels.rms_norm(x * 2.0, weight, eps) + 1.0


def plain(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """The same with PyTorch's own function."""
    return functional.rms_norm(x * 2.0, (x.shape[-1],), weight, eps) + 1.0


def check_against_plain(call: RmsNorm, x: Tensor, weight: Tensor, dy: Tensor, eps: float = 1e-5) -> None:
    wanted = measured(plain, x.double(), weight.double(), dy.double(), eps)
    assert_all_close(measured(call, x, weight, dy, eps), wanted, x, weight)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("x_type", "w_type"), [PAIRS[0], PAIRS[4]], ids=str)
def test_forward_and_backward_in_one_graph(
    device: torch.device, backend: str, x_type: torch.dtype, w_type: torch.dtype
) -> None:
    counter = CompileCounterWithBackend(backend)
    compiled = torch.compile(rowkernels.rms_norm, fullgraph=True, backend=counter)
    x, weight, dy = sample(device, (3, 100), x_type, w_type)
    assert_all_close(measured(compiled, x, weight, dy, 1e-5), reference(x, weight, dy, 1e-5), x, weight)
    assert counter.frame_count == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_graph_serves_any_number_of_rows(device: torch.device, backend: str) -> None:
    counter = CompileCounterWithBackend(backend)
    compiled = torch.compile(model, fullgraph=True, backend=counter)

    def call(x: Tensor, weight: Tensor, eps: float) -> Tensor:
        torch._dynamo.mark_dynamic(x, 0)
        y: Tensor = compiled(x, weight, eps)
        return y

    for rows in (5, 2, 70, 3):
        check_against_plain(call, *sample(device, (rows, 64)))
    assert counter.frame_count == 1


def test_what_is_compiled_anew(device: torch.device) -> None:
    """A single row is special to PyTorch; types and epsilon are constants of a graph. The number of rows is not."""
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager", dynamic=True)

    def run(rows: int, dtype: torch.dtype = torch.float32, eps: float = 1e-5) -> None:
        check_against_plain(compiled, *sample(device, (rows, 64), dtype, dtype), eps)

    run(4)
    run(1)
    run(4, dtype=torch.float16)
    run(4, eps=1e-3)
    with torch.compiler.set_stance("fail_on_recompile"):
        for rows in (9, 2, 1):
            run(rows)
        run(7, dtype=torch.float16)
        run(7, eps=1e-3)
        for news in ({"dtype": torch.bfloat16}, {"eps": 1e-2}):
            with pytest.raises(RuntimeError, match="recompile"):
                run(4, **news)


def test_a_refused_width_is_refused_by_a_graph_for_others(device: torch.device) -> None:
    compiled = torch.compile(rowkernels.rms_norm, fullgraph=True, backend="aot_eager", dynamic=True)
    for width in (64, 128, 256):
        x, weight, dy = sample(device, (3, width))
        assert_all_close(measured(compiled, x, weight, dy, 1e-5), reference(x, weight, dy, 1e-5), x, weight)
    with pytest.raises(Exception, match="UnsupportedWidthError"):
        measured(compiled, *sample(device, (3, 65)), 1e-5)
    x, weight, _ = sample(device, (3, 65))
    assert torch.equal(compiled(x, weight, 1e-5), rowkernels.rms_norm(x, weight, 1e-5))


def test_an_exported_program_takes_any_number_of_rows(device: torch.device) -> None:
    class Layer(nn.Module):
        def forward(self, x: Tensor, weight: Tensor) -> Tensor:
            return rowkernels.rms_norm(x, weight, 1e-5)

    x, weight, _ = sample(device, (4, 64))
    program = torch.export.export(Layer(), (x, weight), dynamic_shapes=({0: torch.export.Dim("rows")}, None))
    for rows in (2, 9):
        x, weight, _ = sample(device, (rows, 64))
        assert torch.equal(program.module()(x, weight), rowkernels.rms_norm(x, weight, 1e-5))


def check_operators(x: Tensor, weight: Tensor, dy: Tensor) -> None:
    """Schema, autograd registration, fake implementation, and dispatch through AOTAutograd with dynamic shapes."""
    x.requires_grad_()
    weight.requires_grad_()
    rows = torch.library.opcheck(_ops._forward, (x, weight, 1e-5))
    inverse = torch.ones(x.shape[0], device=x.device)
    grads = torch.library.opcheck(_ops._backward, (dy, x.detach(), weight.detach(), inverse))
    for results in (rows, grads):
        assert set(results) == set(DEFAULT_TEST_UTILS)
        assert set(results.values()) == {"SUCCESS"}


@pytest.mark.parametrize(("x_type", "w_type"), PAIRS, ids=str)
def test_the_operators_keep_pytorchs_rules(device: torch.device, x_type: torch.dtype, w_type: torch.dtype) -> None:
    check_operators(*sample(device, (2, 64), x_type, w_type))


def test_the_operators_keep_pytorchs_rules_with_strides(device: torch.device) -> None:
    x, weight, dy = sample(device, (64, 64))
    check_operators(x.t(), torch.stack([weight, weight], 1)[:, 0], dy[:1].expand(64, 64))


@pytest.mark.parametrize("lie", ["type", "shape", "alias"])
def test_pytorchs_rules_can_be_broken(device: torch.device, lie: str) -> None:
    """The checks above fail for an operator that lies about its result."""

    def forward(x: Tensor) -> Tensor:
        return x if lie == "alias" else x.clone()

    def fake(x: Tensor) -> Tensor:
        return x.new_empty(x.shape[0] + (lie == "shape"), dtype=torch.float16 if lie == "type" else x.dtype)

    operator = torch.library.custom_op(f"rowkernels_tests::{lie}", forward, mutates_args=())
    operator.register_fake(fake)
    with pytest.raises((OpCheckError, RuntimeError)):
        torch.library.opcheck(operator, (torch.ones(4, device=device),))
