# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a project declares in pyproject.toml, setup.cfg and pytest's files: requirements, extras, and pytest plugins."""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from vendorctl.errors import Location, VendorError
from vendorctl.vendor.syntax import parse_module

_PYPROJECT = "pyproject.toml"
_SETUP = "setup.cfg"
_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
#: A marker that an extra has been chosen: such a requirement is optional wherever it stands.
_EXTRA = re.compile(r"\bextra\s*==")
#: `-p name` and `-p=name`; `-p no:name` blocks one.
_PLUGIN_OPTION = re.compile(r"(?:^|\s)-p[\s=]*([\w.]+)(?!\S*:)")
#: Folders that are no part of a project, or hold copies of others.
_SKIPPED = {".git", ".venv", "venv", "build", "dist", "node_modules", ".tox", "__pycache__"}
#: Files other than pyproject.toml with options of pytest, and the section that holds them.
_PYTEST_FILES = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", _SETUP: "tool:pytest"}


@dataclass(frozen=True, slots=True)
class HardRequirement:
    """A distribution that is installed without any extra; `extras` are those optional groups that name it too.

    `marker` is its environment marker, by which it is left out on some machines ("" for none).
    """

    distribution: str
    location: Location
    extras: tuple[str, ...]
    marker: str = ""


@dataclass(frozen=True, slots=True)
class EarlyPlugin:
    """A way by which pytest imports a module of the package before any test: how it is declared, and where."""

    module: str
    declared_by: str
    location: Location


@dataclass(frozen=True, slots=True)
class Project:
    """A project's folder; `document` is what pyproject.toml says, `setup` what setup.cfg does (both may be empty)."""

    root: Path
    document: Mapping[str, Any]
    setup: configparser.ConfigParser

    def table(self, *names: str) -> Mapping[str, Any]:
        """A table of pyproject.toml by the names that lead to it; empty where it is absent.

        Raises VendorError (exit code 3) when something else stands there.
        """
        found: Any = self.document
        for at, name in enumerate(names):
            found = found.get(name, {})
            if not isinstance(found, dict):
                raise self._wrong(names[: at + 1], "a table")
        return cast("Mapping[str, Any]", found)

    def texts(self, *names: str) -> list[str]:
        """The list of strings that `names` lead to; empty where it is absent. Raises VendorError as `table`."""
        found = self.table(*names[:-1]).get(names[-1], [])
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise self._wrong(names, "a list of strings")
        return found

    def _wrong(self, names: Sequence[str], expected: str) -> VendorError:
        return VendorError(
            f"`{'.'.join(names)}` is not {expected}",
            location=self.place(_PYPROJECT, names[-1]),
            hint="see the pyproject.toml specification of packaging.python.org",
        )

    def place(self, file: str, needle: str, after: str = "") -> Location:
        """The first line of a file with `needle` in it, at or behind the first that begins with `after`."""
        lines = (self.root / file).read_text("utf-8", "replace").splitlines()
        start = next((index for index, line in enumerate(lines) if line.lstrip().startswith(after)), 0)
        line = next((index + 1 for index in range(start, len(lines)) if needle in lines[index]), None)
        return Location(file, line)


def find_project(folder: Path) -> Project:
    """The nearest pyproject.toml at or above `folder`, at most three folders up; else `folder` with what it has.

    Raises VendorError (exit code 3) for bad TOML.
    """
    for root in (folder, *list(folder.parents)[:3]):
        file = root / _PYPROJECT
        if file.is_file():
            try:
                return Project(root, tomllib.loads(file.read_text("utf-8", "replace")), _ini(root / _SETUP))
            except tomllib.TOMLDecodeError as error:
                raise VendorError(f"not TOML: {error}", location=Location(_PYPROJECT)) from error
            except RecursionError as error:
                raise VendorError("nested too deeply to be read", location=Location(_PYPROJECT)) from error
    return Project(folder, {}, _ini(folder / _SETUP))


def hard_requirements(project: Project, distributions: Collection[str]) -> list[HardRequirement]:
    """Those of `distributions` that installing the project always installs, whatever extras are chosen."""
    wanted = {normal(name) for name in distributions}
    extras = list(_extras(project))
    found = []
    for requirement, place in _requirements(project):
        name, _, marker = requirement.partition(";")
        distribution = _distribution(name)
        if distribution in wanted and not _EXTRA.search(marker):
            also = tuple(sorted({extra for extra, row in extras if _distribution(row) == distribution}))
            found.append(HardRequirement(distribution, place, also, marker.strip()))
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


def _ini(file: Path) -> configparser.ConfigParser:
    """What an ini file says; nothing where there is none, or none that can be read."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(file.read_text("utf-8", "replace"))
    except (OSError, configparser.Error):
        return configparser.ConfigParser()
    return parser


def _requirements(project: Project) -> Iterator[tuple[str, Location]]:
    """Requirements that stand outside of every extra: in pyproject.toml (also Poetry's), and in setup.cfg."""
    for requirement in project.texts("project", "dependencies"):
        yield requirement, project.place(_PYPROJECT, requirement, "dependencies")
    for name, wanted in project.table("tool", "poetry", "dependencies").items():
        if not (isinstance(wanted, dict) and wanted.get("optional")):
            yield name, project.place(_PYPROJECT, name, "[tool.poetry.dependencies]")
    for line in project.setup.get("options", "install_requires", fallback="").splitlines():
        if line.strip():
            yield line.strip(), project.place(_SETUP, line.strip(), "install_requires")


def _extras(project: Project) -> Iterator[tuple[str, str]]:
    """Every extra with each of its requirements."""
    for names in (("project", "optional-dependencies"), ("tool", "poetry", "extras")):
        for extra in project.table(*names):
            yield from ((extra, row) for row in project.texts(*names, extra))
    if project.setup.has_section("options.extras_require"):
        for extra, text in project.setup.items("options.extras_require"):
            yield from ((extra, line) for line in text.splitlines())


def _plugins(project: Project) -> Iterator[EarlyPlugin]:
    for name, target in project.table("project", "entry-points", "pytest11").items():
        module = str(target).partition(":")[0]
        yield EarlyPlugin(module, f"the pytest11 entry point {name!r}", project.place(_PYPROJECT, str(target)))
    for line in project.setup.get("options.entry_points", "pytest11", fallback="").splitlines():
        name, _, target = (part.strip() for part in line.partition("="))
        if target:
            module = target.partition(":")[0]
            yield EarlyPlugin(module, f"the pytest11 entry point {name!r}", project.place(_SETUP, target))
    for file, options in _options(project):
        for module in _PLUGIN_OPTION.findall(options):
            yield EarlyPlugin(module, "`-p` in addopts", project.place(file, module, "addopts"))
    for conftest in _conftests(project.root):
        place = conftest.relative_to(project.root).as_posix()
        tree = parse_module(conftest.read_bytes())
        for number, module in _listed_plugins(tree) if tree is not None else ():
            yield EarlyPlugin(module, "`pytest_plugins`", Location(place, number))


def _options(project: Project) -> Iterator[tuple[str, str]]:
    """Options that pytest adds to every command line, with the file that says so."""
    for names in (("tool", "pytest", "ini_options"), ("tool", "pytest")):
        options = project.table(*names).get("addopts", "")
        yield _PYPROJECT, options if isinstance(options, str) else " ".join(project.texts(*names, "addopts"))
    for file, section in _PYTEST_FILES.items():
        yield file, _ini(project.root / file).get(section, "addopts", fallback="")


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
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(ast.unparse(each) == "pytest_plugins" for each in targets):
            for each in ast.walk(node.value):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each.lineno, each.value
