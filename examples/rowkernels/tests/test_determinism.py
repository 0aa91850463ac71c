# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The same input gives the same bits: on every run, however rows are laid out, in whatever order waves run."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

import rowkernels
from cases import measured, sample
from rowkernels import _devices, _objects, _ops

#: Orders of the waves of a workgroup that the emulator knows.
SCHEDULES = ["lockstep", "serial", "reverse", "random"]
#: More rows than partial sums, so that every sum has several terms, and some have one more than others.
ROWS = 150


def results(x: Tensor, weight: Tensor, dy: Tensor) -> list[Tensor]:
    return measured(rowkernels.rms_norm, x, weight, dy, 1e-5)


def same(first: list[Tensor], second: list[Tensor]) -> bool:
    return all(torch.equal(one, other.view_as(one)) for one, other in zip(first, second, strict=True))


def test_on_every_run(device: torch.device) -> None:
    x, weight, dy = sample(device, (ROWS, 100))
    first, *others = [results(x, weight, dy) for _ in range(3)]
    assert all(same(first, other) for other in others)


@pytest.mark.parametrize("shape", [(2, 75, 100), (1, ROWS, 100), (5, 3, 10, 100)], ids=str)
def test_however_axes_divide_the_rows(device: torch.device, shape: tuple[int, ...]) -> None:
    x, weight, dy = sample(device, (ROWS, 100))
    assert same(results(x, weight, dy), results(x.view(shape), weight, dy.view(shape)))


def test_whatever_the_strides(device: torch.device) -> None:
    x, weight, dy = sample(device, (ROWS, 100))
    spread = torch.empty(ROWS, 200, device=device)[:, ::2].copy_(x)
    turned = dy.t().contiguous().t()
    assert same(results(x, weight, dy), results(spread, weight, turned))


def test_eager_or_compiled(device: torch.device) -> None:
    x, weight, dy = sample(device, (ROWS, 100))
    compiled = torch.compile(rowkernels.rms_norm, fullgraph=True, backend="aot_eager")
    assert same(results(x, weight, dy), measured(compiled, x, weight, dy, 1e-5))


@pytest.mark.parametrize("width", [100, 2048, 4099])
def test_in_whatever_order_waves_run(device: torch.device, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One wave, four, and nine."""
    if device.type != "cpu":
        pytest.skip("a GPU runs waves in an order of its own")
    from rowkernels._emulator import EmulatedObject

    x, weight, dy = sample(device, (6, width))
    found = []
    for schedule in SCHEDULES:

        def load(on: torch.device, operation: str, *, order: str = schedule, **row: Any) -> EmulatedObject:
            return EmulatedObject(*_objects.find(operation, _devices.target_of(on), **row), schedule=order)

        monkeypatch.setattr(_ops, "loaded", load)
        found.append(results(x, weight, dy))
    assert all(same(found[0], other) for other in found[1:])


def test_the_order_of_the_sums_would_show(device: torch.device, monkeypatch: pytest.MonkeyPatch) -> None:
    """With other groups of rows, some bits of the weight's gradient differ, so the tests above do compare something."""
    x, weight, dy = sample(device, (ROWS, 100))
    y, dx, dw = results(x, weight, dy)
    monkeypatch.setattr(_ops, "_GROUPS", 7)
    others = results(x, weight, dy)
    assert torch.equal(y, others[0])
    assert torch.equal(dx, others[1])
    assert not torch.equal(dw, others[2])
    assert torch.allclose(dw, others[2], rtol=1e-4, atol=1e-4)
