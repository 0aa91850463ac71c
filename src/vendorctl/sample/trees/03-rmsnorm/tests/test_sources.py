# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""Rules that the kernel sources keep, checked on their syntax trees (no compiler needed)."""
import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "minikernels"
SOURCES = sorted(PACKAGE.rglob("*.py"))


def functions(path):
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]


def is_kernel(function):
    return any("kernel" in ast.unparse(d) for d in function.decorator_list)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_builders_document_their_kernel_arguments(path):
    for function in functions(path):
        if function.name.startswith("build_"):
            assert "KERNARG:" in (ast.get_docstring(function) or ""), function.name


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_kernels_take_pointers_and_scalars_only(path):
    allowed = {"fx.Pointer", "fx.Int32", "fx.Float32"}
    for function in functions(path):
        if is_kernel(function):
            assert {ast.unparse(a.annotation) for a in function.args.args} <= allowed, function.name


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_kernels_do_not_return_early(path):
    """A `return` under a run-time `if` is ignored by the DSL: the guarded code runs all the same."""
    for function in functions(path):
        if is_kernel(function):
            assert not any(isinstance(node, ast.Return) for node in ast.walk(function)), function.name
