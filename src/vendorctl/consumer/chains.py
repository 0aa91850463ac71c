# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which statements of a package lead, import by import, to a module that is absent. Nothing is executed."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from vendorctl.consumer.child import Step, shown_path
from vendorctl.consumer.eager import Statement, eager_imports
from vendorctl.vendor.closure import module_files
from vendorctl.vendor.syntax import parse_module


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """A shortest way from one statement that importing the package runs to an absent module, outermost step first.

    `binds` are the names that the first statement gives to the package (none where it stands in a package above);
    `conditions` are the tests below which steps stand, and `asks_platform` says whether all of these are about the
    platform. `places` counts the statements below the first one that name an absent module.
    """

    module: str
    steps: tuple[Step, ...]
    binds: tuple[str, ...]
    conditions: tuple[str, ...]
    asks_platform: bool
    places: int


@dataclass(frozen=True, slots=True)
class Package:
    """The Python files of one importable package or module below a search folder; shown relative to `folder`."""

    name: str
    search: Path
    folder: Path
    parsed: dict[str, tuple[Statement, ...]] = field(default_factory=dict)

    @property
    def entry(self) -> str | None:
        """The file that importing it runs, relative to the search folder; None when there is none."""
        files = self.files(self.name)
        return files[-1] if files else None

    def shown(self, file: str) -> str:
        """A file of the package as chains name it."""
        return shown_path(self.search / file, (self.folder,))

    def files(self, module: str) -> list[str]:
        """The files of this package that importing a dotted name runs, relative to the search folder."""
        top = self.name.partition(".")[0]
        if module.partition(".")[0] != top:
            return []
        return module_files(module, lambda path: (self.search / path).is_file())

    def statements(self, file: str) -> tuple[Statement, ...]:
        """The imports that run when `file` is imported, each file parsed once; none for what is not Python."""
        if file not in self.parsed:
            tree = parse_module((self.search / file).read_bytes())
            stem = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            is_package = file.endswith("/__init__.py")
            self.parsed[file] = tuple(eager_imports(tree, stem, is_package=is_package)) if tree is not None else ()
        return self.parsed[file]


@dataclass(frozen=True, slots=True)
class _Path:
    """A way walked so far: the statements with the files that they stand in."""

    edges: tuple[tuple[str, Statement], ...]

    def then(self, file: str, statement: Statement) -> _Path:
        return _Path((*self.edges, (file, statement)))


def chains(package: Package, absent: Collection[str]) -> list[Chain]:
    """One chain for each statement that leads to an absent module, of the files that importing the package runs.

    Those are its own and those of the packages that it lies in. Statements that always run are tried before those below
    a condition; guarded ones, and those that ask first whether the module can be found, lead nowhere.
    """
    return [
        chain
        for file in package.files(package.name)
        for statement in _leading(package, file, absent)
        for chain in _chain(package, _Path(()).then(file, statement), absent)
    ]


def _leading(package: Package, file: str, absent: Collection[str]) -> list[Statement]:
    """The statements of a file that may lead somewhere."""
    return [
        each
        for each in package.statements(file)
        if not each.guarded and not any(each.asks_for(module) for module in absent)
    ]


def _chain(package: Package, start: _Path, absent: Collection[str]) -> Iterator[Chain]:
    """The best chain that begins with `start`, if any: unconditional before conditional, then shortest."""
    queue, waiting = deque([start]), deque[_Path]()
    seen: set[str] = {start.edges[0][0]}
    hits: list[tuple[str, _Path]] = []
    while queue or waiting:
        path = queue.popleft() if queue else waiting.popleft()
        statement = path.edges[-1][1]
        hit = next((name for name in statement.modules if _hides(absent, name)), None)
        if hit is not None:
            hits.append((hit, path))
            continue
        for file in [file for module in statement.modules for file in package.files(module)]:
            if file not in seen:
                seen.add(file)
                for each in _leading(package, file, absent):
                    (waiting if each.condition else queue).append(path.then(file, each))
    if hits:
        yield _described(package, *min(hits, key=lambda each: _cost(each[1])), places=len(hits))


def _cost(path: _Path) -> tuple[int, int]:
    return (sum(each.condition is not None for _, each in path.edges), len(path.edges))


def _described(package: Package, module: str, path: _Path, places: int) -> Chain:
    conditional = [each for _, each in path.edges if each.condition is not None]
    return Chain(
        module=module,
        steps=tuple(Step(package.shown(file), each.line) for file, each in path.edges),
        binds=path.edges[0][1].binds if path.edges[0][0] == package.entry else (),
        conditions=tuple(each.condition for each in conditional if each.condition is not None),
        asks_platform=bool(conditional) and all(each.asks_platform for each in conditional),
        places=places,
    )


def _hides(absent: Collection[str], name: str) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in absent)
