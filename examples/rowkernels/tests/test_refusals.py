# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every row of the table "What is refused": the exception, and that nothing was launched."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

import rowkernels
from refusals import CALLS, SITUATIONS, Refusal, Situation, ones
from rowkernels import _contract, _objects


@pytest.fixture
def nothing_launched(monkeypatch: pytest.MonkeyPatch) -> None:
    def launched(*_: object, **__: object) -> None:
        pytest.fail("a kernel was looked up")

    monkeypatch.setattr("rowkernels._ops.loaded", launched)


@pytest.mark.usefixtures("nothing_launched")
@pytest.mark.parametrize("refusal", CALLS, ids=lambda each: each.what)
def test_a_call_is_refused(device: torch.device, refusal: Refusal) -> None:
    with pytest.raises(refusal.error) as caught:
        rowkernels.rms_norm(*refusal.make(device))  # type: ignore[arg-type]  # what is wrong is the point
    assert type(caught.value) is refusal.error
    assert isinstance(caught.value, rowkernels.RowKernelsError)


@pytest.mark.usefixtures("nothing_launched")
@pytest.mark.parametrize("refusal", [each for each in CALLS if each.compiles], ids=lambda each: each.what)
def test_a_call_is_refused_while_compiling(device: torch.device, refusal: Refusal) -> None:
    """torch.compile wraps what is raised while it traces; the name of our exception is in what it says."""
    compiled = torch.compile(rowkernels.rms_norm, fullgraph=True, backend="aot_eager")
    with pytest.raises(Exception, match=refusal.error.__name__):
        compiled(*refusal.make(device))  # type: ignore[arg-type]  # what is wrong is the point


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda each: each.what)
def test_a_situation_is_refused(
    device: torch.device, situation: Situation, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(situation.error) as caught:
        situation.provoke(device, monkeypatch, tmp_path)
    assert type(caught.value) is situation.error


def test_the_smallest_change_makes_a_refused_call_a_good_one(device: torch.device) -> None:
    """What is refused is refused for its reason alone."""
    assert rowkernels.rms_norm(ones(device, 2, 64), ones(device, 64), 1e-5).shape == (2, 64)
    with torch.no_grad():
        assert rowkernels.rms_norm(ones(device, 2, 65, grad=True), ones(device, 65), 0.0).shape == (2, 65)
    assert rowkernels.rms_norm(ones(device, 2, 64, dtype=torch.float16), ones(device, 64), 3e38).dtype == torch.float16


@pytest.mark.parametrize("eps", ["1e-5", True, 1e-5j])
def test_an_epsilon_that_is_no_number(device: torch.device, eps: object) -> None:
    with pytest.raises(rowkernels.UnsupportedTypeError, match="eps is a"):
        rowkernels.rms_norm(ones(device, 2, 64), ones(device, 64), eps)  # type: ignore[arg-type]


def test_a_refused_width_comes_with_those_that_are_not(device: torch.device) -> None:
    with pytest.raises(rowkernels.UnsupportedWidthError, match=re.escape(str(_contract.GRADIENT_WIDTHS))):
        rowkernels.rms_norm(ones(device, 2, 65, grad=True), ones(device, 65), 1e-5)


@pytest.mark.parametrize(("about", "extra"), [("PyTorch", "run"), ("vendorctl", "run"), ("NumPy", "emulate")])
def test_what_is_missing_comes_with_the_command_that_installs_it(
    device: torch.device, about: str, extra: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (row,) = [each for each in SITUATIONS if each.what.startswith(f"{about} is not installed")]
    with pytest.raises(rowkernels.MissingDependencyError, match=rf"Run: pip install 'rowkernels\[{extra}\]'$"):
        row.provoke(device, monkeypatch, tmp_path)


def test_an_unknown_row_or_operation_has_no_object() -> None:
    with pytest.raises(rowkernels.ObjectsError, match="has no row"):
        _objects.find("rmsnorm_forward", "gfx942", dtype="f8", weight="f8")
    with pytest.raises(rowkernels.ObjectsError, match="no objects of rmsnorm_sideways"):
        _objects.find("rmsnorm_sideways", "gfx942")


def test_every_exception_of_the_library_has_a_row() -> None:
    provoked = {row.error for row in CALLS} | {row.error for row in SITUATIONS}
    public = {getattr(rowkernels, name) for name in rowkernels.__all__}
    errors = {each for each in public if isinstance(each, type) and issubclass(each, Exception)}
    assert errors - provoked == {rowkernels.RowKernelsError}
