# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a project declares in pyproject.toml and conftest.py: requirements, extras, and pytest plugins."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vendorctl.errors import Location, VendorError
from vendorctl.vendor.syntax import parse_module

_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_PLUGIN_OPTION = re.compile(r"(?:^|\s)-p[\s=]*([\w.]+)")
#: Folders that are no part of a project, or hold copies of others.
_SKIPPED = {".git", ".venv", "venv", "build", "dist", "node_modules", ".tox", "__pycache__"}


@dataclass(frozen=True, slots=True)
class HardRequirement:
    """A distribution in `dependencies`; `extras` are those optional groups that name it too."""

    distribution: str
    location: Location
    extras: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EarlyPlugin:
    """A way by which pytest imports a module of the package before any test: how it is declared, and where."""

    module: str
    declared_by: str
    location: Location


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with a pyproject.toml; `text` is the file, `table` what it says."""

    root: Path
    text: str
    table: Mapping[str, Any]

    def place(self, needle: str) -> Location:
        """The first line of pyproject.toml with `needle` in it."""
        lines = self.text.splitlines()
        line = next((number for number, line in enumerate(lines, 1) if needle in line), None)
        return Location("pyproject.toml", line)


def find_project(folder: Path) -> Project | None:
    """The nearest pyproject.toml at or above `folder`, at most three folders up. Raises VendorError for bad TOML."""
    for root in (folder, *list(folder.parents)[:3]):
        file = root / "pyproject.toml"
        if file.is_file():
            text = file.read_text("utf-8", "replace")
            try:
                return Project(root, text, tomllib.loads(text))
            except tomllib.TOMLDecodeError as error:
                raise VendorError(f"not TOML: {error}", location=Location("pyproject.toml")) from error
    return None


def hard_requirements(project: Project, distributions: Collection[str]) -> list[HardRequirement]:
    """Those of `distributions` that installing the project always installs, whatever extras are chosen."""
    metadata = project.table.get("project", {})
    optional = metadata.get("optional-dependencies", {})
    wanted = {normal(name) for name in distributions}
    found = []
    for requirement in metadata.get("dependencies", []):
        name = _distribution(requirement)
        if name in wanted:
            extras = tuple(sorted(extra for extra, rows in optional.items() if name in map(_distribution, rows)))
            found.append(HardRequirement(name, project.place(requirement), extras))
    return found


def early_plugins(project: Project, package: str) -> list[EarlyPlugin]:
    """Every pytest plugin that is a module of `package`: by entry point, by option, and by conftest.py."""
    return [plugin for plugin in _plugins(project) if plugin.module.partition(".")[0] == package.partition(".")[0]]


def normal(name: str) -> str:
    """A distribution's name as PyPI compares it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _distribution(requirement: object) -> str:
    match = _NAME.match(str(requirement))
    return normal(match[1]) if match else ""


def _plugins(project: Project) -> Iterator[EarlyPlugin]:
    points = project.table.get("project", {}).get("entry-points", {}).get("pytest11", {})
    for name, target in points.items():
        yield EarlyPlugin(
            str(target).partition(":")[0], f"the pytest11 entry point {name!r}", project.place(str(target))
        )
    options = project.table.get("tool", {}).get("pytest", {}).get("ini_options", {}).get("addopts", "")
    for module in _PLUGIN_OPTION.findall(" ".join(options) if isinstance(options, list) else str(options)):
        yield EarlyPlugin(module, "`-p` in addopts", project.place(module))
    for conftest in _conftests(project.root):
        place = conftest.relative_to(project.root).as_posix()
        tree = parse_module(conftest.read_bytes())
        for line, module in _listed_plugins(tree) if tree is not None else ():
            yield EarlyPlugin(module, "`pytest_plugins`", Location(place, line))


def _conftests(root: Path) -> Iterator[Path]:
    pending = [root]
    while pending:
        folder = pending.pop()
        for path in sorted(folder.iterdir()):
            if path.is_dir() and not path.is_symlink() and path.name not in _SKIPPED:
                pending.append(path)
            elif path.name == "conftest.py":
                yield path


def _listed_plugins(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(ast.unparse(each) == "pytest_plugins" for each in node.targets):
            for each in ast.walk(node.value):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each.lineno, each.value
