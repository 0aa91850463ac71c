# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a build has to do: every row of every recipe and target, with what is already there and still valid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from vendorctl import digest
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.building.project import Project, select
from vendorctl.kernels.compiler import toolchain
from vendorctl.kernels.compiler.compile import enumerate_rows
from vendorctl.kernels.compiler.table import Row, Table
from vendorctl.kernels.compiler.toolchain import Toolchain
from vendorctl.kernels.object import manifest
from vendorctl.kernels.object.manifest import ObjectManifest, ObjectRecord, Provenance
from vendorctl.kernels.object.target import Target
from vendorctl.kernels.sources import closure, inputs
from vendorctl.kernels.sources.closure import Sources
from vendorctl.workspace.nodes import suggestion


class State(StrEnum):
    """What a build finds for one row."""

    CURRENT = "current"  # recorded with these inputs, and the object is there, byte for byte
    MISSING = "missing"  # recorded with these inputs, but the object is not there or damaged
    STALE = "stale"  # recorded with other inputs
    NEW = "new"  # not recorded


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRow:
    """One row: the digest of its inputs now, and its record if there was one."""

    row: Row
    input: str
    state: State
    record: ObjectRecord | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One operation for one target: what becomes one manifest."""

    table: Table
    target: Target
    sources: Sources
    origin: Provenance
    rows: tuple[PlannedRow, ...]
    previous: ObjectManifest | None

    @property
    def folder(self) -> str:
        """Where its manifest and objects lie, relative to the workspace."""
        return f"{manifest.FOLDER}/{self.table.operation}/{self.target.name}"


def make_plan(
    project: Project,
    tools: Toolchain,
    *,
    operations: Iterable[str] = (),
    targets: Sequence[str] = (),
    jobs: int = 1,
) -> tuple[Unit, ...]:
    """Every unit of the project, or of some operations and targets only, in the order of VENDOR.yaml.

    Recipes are run in confined children to list their rows. Raises VendorError when a recipe cannot be listed, when two
    recipes build the same operation, or when an operation or target asked for does not exist.
    """
    project = replace(project, targets=select(project.targets, targets))
    tables = _tables(project, tools.python, jobs)
    known = [table.operation for _, table in tables]
    for name in set(known):
        if known.count(name) > 1:
            raise VendorError(f"two recipes build the operation {name!r}")
    wanted = set(operations)
    if missing := sorted(wanted - set(known)):
        raise VendorError(
            f"no recipe builds {', '.join(missing)}",
            hint=suggestion(missing[0], known, "operations"),
            code=ExitCode.USAGE,
        )
    return tuple(
        unit
        for recipe, table in tables
        if not wanted or table.operation in wanted
        for unit in _units(project, tools, recipe, table)
    )


def _tables(project: Project, python: Path, jobs: int) -> list[tuple[str, Table]]:
    names = [target.name for target in project.targets]

    def ask(recipe: str) -> Table:
        files = closure.recipe_closure(project.root, recipe)
        return enumerate_rows(Sources(recipe=recipe, recipe_files=files), names, python=python)

    with ThreadPoolExecutor(max_workers=max(1, jobs)) as threads:
        return list(zip(project.recipes, threads.map(ask, project.recipes), strict=True))


def _units(project: Project, tools: Toolchain, recipe: str, table: Table) -> Iterable[Unit]:
    tree = project.tree(table.upstream, recipe)
    sources = inputs.read_sources(
        project.root, recipe, tree, import_root=table.import_root, data_files=table.data_files
    )
    origin = inputs.provenance(sources, tree, table.data_files)
    for target in project.targets:
        folder = project.root / manifest.FOLDER / table.operation / target.name
        previous = read_manifest(folder)
        base = inputs.base_digest(table.operation, target.name, origin, tools.identity(), toolchain.FIXED_ENVIRONMENT)
        yield Unit(
            table=table,
            target=target,
            sources=sources,
            origin=origin,
            rows=tuple(_planned(row, base, previous, folder) for row in table.rows[target.name]),
            previous=previous,
        )


def read_manifest(folder: Path) -> ObjectManifest | None:
    """The manifest in `folder`; None when there is none, or none that can be relied on: it is then made anew."""
    path = folder / manifest.FILE_NAME
    try:
        return manifest.parse(path.read_bytes(), str(path))
    except (OSError, VendorError):
        return None


def _planned(row: Row, base: str, previous: ObjectManifest | None, folder: Path) -> PlannedRow:
    wanted = inputs.row_digest(base, row.instance)
    record = previous.record(row.instance) if previous is not None else None
    if record is None:
        state = State.NEW
    elif record.input != wanted:
        state = State.STALE
    else:
        state = State.CURRENT if holds(folder / record.file, record) else State.MISSING
    return PlannedRow(row=row, input=wanted, state=state, record=record)


def holds(path: Path, record: ObjectRecord) -> bool:
    """True when `path` is a regular file with exactly the bytes that `record` names."""
    try:
        return not path.is_symlink() and digest.sha256(path.read_bytes()) == record.sha256
    except OSError:
        return False


def differences(old: ObjectManifest, origin: Provenance, tools: Mapping[str, object]) -> list[str]:
    """Which inputs of `old` are not as they are now, one phrase each, for a message that says why objects are stale."""
    changes = []
    for kind, before, after in (
        ("source", old.provenance.sources, origin.sources),
        ("recipe file", old.provenance.recipe_files, origin.recipe_files),
        ("patch", old.provenance.patches, origin.patches),
        ("upstream's", old.provenance.pristine, origin.pristine),
    ):
        changes += [f"{kind} {name} {how}" for name, how in _compare(before, after)]
    changes += [f"{name}: {old.toolchain.get(name)} -> {tools[name]}" for name in tools
                if old.toolchain.get(name) != tools[name]]  # fmt: skip
    if dict(old.environment) != dict(toolchain.FIXED_ENVIRONMENT):
        changes.append("the compiler's fixed environment changed")
    if old.provenance.import_root != origin.import_root or old.provenance.recipe != origin.recipe:
        changes.append("the recipe moved")
    return changes


def _compare(before: Mapping[str, str], after: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    changes = [(name, "was added") for name in after if name not in before]
    changes += [(name, "is gone") for name in before if name not in after]
    changes += [(name, "changed") for name in after if name in before and before[name] != after[name]]
    return sorted(changes)
