# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The recipes of this repository: complete tables, consistent test cases, references in float64."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from vendorctl.kernels import recipe as interface
from vendorctl.kernels.compiler.compile import enumerate_rows
from vendorctl.kernels.object import target
from vendorctl.kernels.object.instance import Excluded, Instance
from vendorctl.kernels.recipe import Pointer, Recipe
from vendorctl.kernels.sources.closure import SourceFile, Sources

ROOT = Path(__file__).parents[2] / "recipes"
RECIPES = sorted(path.name for path in ROOT.glob("*.py") if "RECIPE =" in path.read_text())


@pytest.fixture(autouse=True)
def helpers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(ROOT))
    yield
    for name in ("recipe_support", "rmsnorm_cases", "softmax_cases"):
        sys.modules.pop(name, None)


def rows(recipe: Recipe, name: str = "gfx942") -> list[Instance]:
    return [row for row in recipe.instances(target.find(name)) if not isinstance(row, Excluded)]


def test_all_operations_have_a_recipe() -> None:
    operations = {interface.load(ROOT / name).operation for name in RECIPES}
    wanted = {"rmsnorm_fwd", "rmsnorm_fwd_any", "rmsnorm_bwd", "softmax", "softmax_any", "attention_fwd"}
    assert operations == {*wanted, "attention_decode"}


def test_the_tables_hold_at_least_six_hundred_objects() -> None:
    total = sum(len(rows(interface.load(ROOT / name), each)) for name in RECIPES for each in target.TARGETS)
    assert total >= 600


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_can_be_listed_without_compiler_or_numpy(name: str, tmp_path: Path) -> None:
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # without any installed package
    bare.chmod(0o755)
    files = tuple(SourceFile(path.name, path.read_bytes()) for path in ROOT.glob("*.py"))
    table = enumerate_rows(Sources(recipe=name, recipe_files=files), ["gfx942"], python=bare)
    assert len(table.rows["gfx942"]) == len(rows(interface.load(ROOT / name)))
    assert table.declines


@pytest.mark.parametrize("name", RECIPES)
def test_cases_fit_the_arguments_and_their_references(name: str) -> None:
    recipe = interface.load(ROOT / name)
    for instance in rows(recipe)[:: max(1, len(rows(recipe)) // 4)]:
        examples = recipe.arguments(instance)
        cases = list(recipe.cases(instance, np.random.default_rng(1)))
        assert len(cases) >= 3
        assert len({case.name for case in cases}) == len(cases)
        for case in cases:
            assert sorted(case.arguments) == sorted(examples)
            for parameter, value in case.arguments.items():
                example = examples[parameter]
                if isinstance(example, Pointer):
                    assert isinstance(value, np.ndarray)
                    assert value.dtype == interface.storage_dtype(example.dtype), parameter
                    assert value.flags.c_contiguous
                else:
                    assert isinstance(value, int | float), parameter
            references = recipe.reference(instance, case)
            assert sorted(references) == sorted(case.outputs)
            for output, expected in references.items():
                assert expected.values.dtype == np.float64
                assert expected.values.shape == np.shape(case.arguments[output])
                assert 0 < expected.tolerance < 0.1
                assert np.all(np.asarray(expected.scale) > 0)


@pytest.mark.parametrize("name", RECIPES)
def test_cases_are_reproducible(name: str) -> None:
    recipe = interface.load(ROOT / name)
    instance = rows(recipe)[0]
    one, two = (list(recipe.cases(instance, np.random.default_rng(5))) for _ in range(2))
    for first, second in zip(one, two, strict=True):
        assert first.name == second.name
        for parameter, value in first.arguments.items():
            assert np.asarray(value).tobytes() == np.asarray(second.arguments[parameter]).tobytes()


def test_overflow_of_the_storage_type_is_expected_as_infinity(monkeypatch: pytest.MonkeyPatch) -> None:
    from recipe_support import expected

    result = expected(np.array([1.0, 7e4, -7e4, np.nan]), "f16")
    assert np.array_equal(result.values, [1.0, np.inf, -np.inf, np.nan], equal_nan=True)
    assert result.scale == 1.0
    assert np.array_equal(expected(np.array([7e4]), "bf16").values, [7e4])
