# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Objects of another state of an upstream than the workspace's: without a patch, at another pin, at some commit.

What that state has in common with the workspace is taken from there and from the cache; the rest is compiled into a
folder of its own. Nothing in the workspace changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from vendorctl.errors import VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.kernels.building import store
from vendorctl.kernels.building.layout import write_tree
from vendorctl.kernels.building.plan import PlannedRow, State, Unit, make_plan
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.building.schedule import Pending, compile_pending
from vendorctl.kernels.caching.cache import ObjectCache
from vendorctl.kernels.compiler.child import Limits
from vendorctl.kernels.compiler.compile import COMPILE_LIMITS, Compiled, Failed, Outcome
from vendorctl.kernels.compiler.toolchain import Toolchain
from vendorctl.kernels.executor.work import Executor
from vendorctl.kernels.object import manifest
from vendorctl.kernels.object.instance import Instance
from vendorctl.kernels.sources.inputs import PatchedTree
from vendorctl.kernels.testing.results import ObjectResult
from vendorctl.kernels.testing.selection import Built
from vendorctl.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What compiling needs: the project as it stands, and the means."""

    project: Project
    tools: Toolchain
    cache: ObjectCache
    executor: Executor
    progress: Progress
    jobs: int
    limits: Limits = COMPILE_LIMITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A state of one upstream's patched tree: `label` names it for people, `blobs` reads the contents of `tree`."""

    label: str
    upstream: str
    tree: Tree
    blobs: Blobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which rows count: operations, targets, globs over instance names (empty: all).

    With `sample`, at most so many rows of each operation and target, evenly spaced from the first to the last.
    """

    operations: Sequence[str] = ()
    targets: Sequence[str] = ()
    instances: Sequence[str] = ()
    sample: int | None = None

    def rows(self, unit: Unit) -> tuple[PlannedRow, ...]:
        """The rows of `unit` that count."""
        named = [
            planned
            for planned in unit.rows
            if not self.instances or any(fnmatchcase(planned.row.instance.name, glob) for glob in self.instances)
        ]
        if self.sample is None or len(named) <= self.sample:
            return tuple(named)
        last = max(self.sample - 1, 1)
        return tuple(named[index * (len(named) - 1) // last] for index in range(self.sample))


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A variant laid out in `folder` and planned. `refused` maps recipes that cannot be planned there to the reason."""

    variant: Variant
    folder: Path
    units: tuple[Unit, ...]
    refused: Mapping[str, str]


@dataclass(slots=True)
class Made:
    """The objects of a layout, and results of those that cannot be had (they do not compile)."""

    built: list[Built] = field(default_factory=list)
    failed: list[ObjectResult] = field(default_factory=list)


def lay_out(shop: Workshop, variant: Variant, folder: Path, scope: Scope) -> Layout:
    """Write the variant's files below `folder` (which is made) and plan the operations built from its upstream.

    Raises VendorError when an operation or target that `scope` names does not exist.
    """
    write_tree(variant.tree, variant.blobs, folder / "tree")
    tree = PatchedTree(name=variant.upstream, root=folder / "tree", pristine={}, patches=())
    project = replace(shop.project, trees={**shop.project.trees, variant.upstream: tree})
    units: list[Unit] = []
    refused: dict[str, str] = {}
    for recipe in _recipes(shop.project, variant.upstream, scope.operations):
        try:
            planned = make_plan(
                replace(project, recipes=(recipe,)), shop.tools, targets=tuple(scope.targets), jobs=shop.jobs
            )
        except VendorError as error:
            refused[recipe] = error.message
            continue
        units += [
            replace(unit, rows=scope.rows(unit))
            for unit in planned
            if unit.table.upstream == variant.upstream
            and (not scope.operations or unit.table.operation in scope.operations)
        ]
    return Layout(variant=variant, folder=folder, units=tuple(units), refused=refused)


def _recipes(project: Project, upstream: str, operations: Sequence[str]) -> Iterator[str]:
    """The recipes that may build from `upstream`; manifests tell which do not, without running any."""
    known: dict[str, tuple[str, str]] = {}
    for path in sorted((project.root / manifest.FOLDER).glob(f"*/*/{manifest.FILE_NAME}")):
        found = manifest.parse(path.read_bytes(), path.relative_to(project.root).as_posix())
        known[found.provenance.recipe] = (found.provenance.upstream, found.operation)
    for recipe in project.recipes:
        source, operation = known.get(recipe, (upstream, ""))
        if source == upstream and (not operations or operation in ("", *operations)):
            yield recipe


def affected(one: Layout, other: Layout) -> tuple[Layout, Layout]:
    """Both layouts without the units whose inputs are the same in both: their objects are the same."""
    mine, theirs = (
        {unit.folder: [planned.input for planned in unit.rows] for unit in each.units} for each in (one, other)
    )
    changed = {folder for folder in {*mine, *theirs} if mine.get(folder) != theirs.get(folder)}

    def narrowed(layout: Layout) -> Layout:
        return replace(layout, units=tuple(unit for unit in layout.units if unit.folder in changed))

    return narrowed(one), narrowed(other)


def make(shop: Workshop, layout: Layout) -> Made:
    """Compile what neither the workspace nor the cache has; every object that compiled is written or known."""
    made = Made()
    pending: list[Pending] = []
    outcomes: dict[tuple[str, Instance], Outcome] = {}
    for unit in layout.units:
        missing = []
        for planned in unit.rows:
            found = None
            if planned.state is not State.CURRENT:
                found = shop.cache.get(planned.input, planned.row.instance, unit.target)
                missing += [] if found else [planned.row.instance]
            if found is not None:
                outcomes[unit.folder, planned.row.instance] = found
        if missing:
            pending.append(Pending(unit=unit, rows=tuple(missing)))
    _compile(shop, pending, outcomes)
    # A linker that was killed, or a full disk, must not look like a kernel that does not compile: try once more.
    _compile(shop, list(_failures(pending, outcomes)), outcomes)
    for unit in layout.units:
        for planned in unit.rows:
            _keep(shop, layout, unit, planned, outcomes.get((unit.folder, planned.row.instance)), made)
    return made


def _failures(pending: Sequence[Pending], outcomes: Mapping[tuple[str, Instance], Outcome]) -> Iterator[Pending]:
    for entry in pending:
        failed = tuple(row for row in entry.rows if isinstance(outcomes.get((entry.unit.folder, row)), Failed))
        if failed:
            yield Pending(unit=entry.unit, rows=failed)


def _compile(shop: Workshop, pending: Sequence[Pending], outcomes: dict[tuple[str, Instance], Outcome]) -> None:
    keys = {
        (entry.unit.folder, planned.row.instance): planned.input for entry in pending for planned in entry.unit.rows
    }

    def accept(unit: Unit, outcome: Outcome) -> None:
        outcomes[unit.folder, outcome.instance] = outcome
        shop.cache.learn(keys[unit.folder, outcome.instance], outcome)

    if pending:
        compile_pending(pending, shop.tools, shop.executor, accept, limits=shop.limits, progress=shop.progress)


def _keep(shop: Workshop, layout: Layout, unit: Unit, planned: PlannedRow, outcome: Outcome | None, made: Made) -> None:
    folder, record = shop.project.root / unit.folder, planned.record
    if isinstance(outcome, Compiled):
        folder, record = layout.folder / unit.folder, store.new_record(planned, outcome)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / record.file).write_bytes(outcome.code)
    elif outcome is not None or record is None:
        reason = outcome.reason if isinstance(outcome, Failed) else "it was not compiled"
        made.failed.append(_not_built(unit, planned, reason))
        return
    made.built.append(
        Built(
            operation=unit.table.operation,
            target=unit.target.name,
            recipe=unit.sources.recipe,
            folder=folder,
            record=record,
        )
    )


def _not_built(unit: Unit, planned: PlannedRow, reason: str) -> ObjectResult:
    return ObjectResult(
        operation=unit.table.operation,
        target=unit.target.name,
        instance=planned.row.instance.name,
        sha256="",
        reason=f"it does not compile: {reason.splitlines()[0]}",
    )
