# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Imports point one way, down the list of docs/explanation/architecture.md."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

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

#: The same inside `vendorctl.kernels`, as its docstring has it.
KERNELS = (
    {"shipping", "testing"},
    {"check"},
    {"building"},
    {"objectstore"},
    {"caching"},
    {"compiler"},
    {"sources"},
    {"executor"},
    {"recipe"},
    {"object"},
)
KERNELS_RANK = {name: rank for rank, layer in enumerate(KERNELS) for name in layer}


@dataclass(frozen=True)
class Layers:
    """The parts of a package, from the top down."""

    package: str
    rank: Mapping[str, int]

    @property
    def folder(self) -> Path:
        return PACKAGE.joinpath(*self.package.split(".")[1:])

    def modules(self) -> list[Path]:
        """Every module but the package's own, and but sources that are data."""
        found = [path for path in self.folder.rglob("*.py") if path != self.folder / "__init__.py"]
        return [path for path in found if not {"trees", "edits"} & set(path.relative_to(PACKAGE).parts)]

    def part_of(self, module: Path) -> str:
        return module.relative_to(self.folder).parts[0].removesuffix(".py")

    def imported(self, source: str) -> set[str]:
        """Parts that a module imports, at the top or inside functions."""
        names: set[str] = set()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                assert node.level == 0, "relative imports hide the layer"
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
        inside = {name.removeprefix(f"{self.package}.") for name in names if name.startswith(f"{self.package}.")}
        return {name.split(".")[0] for name in inside} - {"__version__"}

    def violations(self, part: str, source: str) -> list[str]:
        return [
            f"{part} imports {other}"
            for other in sorted(self.imported(source))
            if other != part and self.rank[other] <= self.rank[part]
        ]


WHOLE = Layers("vendorctl", RANK)
INSIDE_KERNELS = Layers("vendorctl.kernels", KERNELS_RANK)


@pytest.mark.parametrize("layers", [WHOLE, INSIDE_KERNELS], ids=lambda layers: layers.package)
def test_imports_point_down(layers: Layers) -> None:
    modules = layers.modules()
    assert len(modules) > 30
    found = [
        f"{path}: {text}" for path in modules for text in layers.violations(layers.part_of(path), path.read_text())
    ]
    assert not found, "\n".join(found)


def test_an_upward_import_is_seen_even_inside_a_function() -> None:
    source = "def f():\n    from vendorctl.cli.session import current\n    return current\n"
    assert WHOLE.violations("series", source) == ["series imports cli"]
    assert WHOLE.violations("emulator", "import vendorctl.report.text\n") == ["emulator imports report"]
    assert WHOLE.violations("series", "from vendorctl.git.oid import Oid\n") == []
    planned = "from vendorctl.kernels.building.plan import Unit\nfrom vendorctl.kernels import recipe\n"
    assert INSIDE_KERNELS.violations("compiler", planned) == ["compiler imports building"]
    assert INSIDE_KERNELS.violations("object", planned) == ["object imports building", "object imports recipe"]
    assert INSIDE_KERNELS.violations("testing", planned) == []


def test_the_domain_neither_prints_nor_knows_click() -> None:
    for path in WHOLE.modules():
        if WHOLE.part_of(path) in {"cli", "__main__"}:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert "click" not in {alias.name for alias in node.names}, path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"print", "input", "exit"}, f"{path}:{node.lineno}"
