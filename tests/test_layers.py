# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Imports point one way, down the list of docs/explanation/architecture.md."""

from __future__ import annotations

import ast
from pathlib import Path

import vendorctl

PACKAGE = Path(vendorctl.__file__).parent

#: From the top down. A layer may import itself and what stands below it; names on one line are no neighbours' business.
LAYERS = (
    {"__main__"},
    {"cli"},
    {"report"},
    {"sample", "submit", "adoption", "consumer"},
    {"emulator"},
    {"kernels"},
    {"licenses"},
    {"drift"},
    {"series"},
    {"vendor"},
    {"upstream"},
    {"workspace"},
    {"git"},
    {"rules", "proc", "digest", "paths", "progress"},
    {"model"},
    {"errors"},
)
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}


def layer_of(module: Path, package: Path = PACKAGE) -> str:
    first = module.relative_to(package).parts[0]
    return first.removesuffix(".py")


def imported_layers(source: str) -> set[str]:
    """Layers that a module imports, at the top or inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "relative imports hide the layer"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("vendorctl.")} - {"__version__"}


def violations(layer: str, source: str) -> list[str]:
    return [
        f"{layer} imports {other}"
        for other in sorted(imported_layers(source))
        if other != layer and RANK[other] <= RANK[layer]
    ]


def test_imports_point_down() -> None:
    modules = [
        path
        for path in PACKAGE.rglob("*.py")
        if not {"trees", "edits"} & set(path.relative_to(PACKAGE).parts) and path != PACKAGE / "__init__.py"
    ]
    assert len(modules) > 30
    found = [f"{path}: {text}" for path in modules for text in violations(layer_of(path), path.read_text("utf-8"))]
    assert not found, "\n".join(found)


def test_an_upward_import_is_seen_even_inside_a_function() -> None:
    source = "def f():\n    from vendorctl.cli.session import current\n    return current\n"
    assert violations("series", source) == ["series imports cli"]
    assert violations("emulator", "import vendorctl.report.text\n") == ["emulator imports report"]
    assert violations("series", "from vendorctl.git.oid import Oid\n") == []


def test_the_domain_neither_prints_nor_knows_click() -> None:
    for path in PACKAGE.rglob("*.py"):
        if layer_of(path) in {"cli", "__main__"} or {"trees", "edits"} & set(path.relative_to(PACKAGE).parts):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert "click" not in {alias.name for alias in node.names}, path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"print", "input", "exit"}, f"{path}:{node.lineno}"
